"""Every table of the reference warehouses, read as real Paimon read it.

`expected/` holds what the writers' own readers gave (see tests/corpora/README.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from core.catalog import open_catalog
from core.errors import PaimonError
from core.maintenance.check import check_table
from core.options import TableOptions
from core.schema import TableSchema
from core.table import Table
from core.types import VariantType, type_to_text
from core.types.variant import variant_to_json
from tests.interop.values import differences

CORPORA = Path(__file__).parents[1] / "corpora"
WAREHOUSES = ("java09", "java09bsi", "pypaimon21", "rust04")

Answer = dict[str, Any]


def tables() -> Iterator[str]:
    for warehouse in WAREHOUSES:
        for path in sorted((CORPORA / "expected" / warehouse).glob("[!_]*.json")):
            yield f"{warehouse}/{path.stem}"


TABLES = list(tables())


def expected_of(name: str) -> Answer:
    answer: Answer = json.loads((CORPORA / "expected" / f"{name}.json").read_text())
    return answer


def open_table(name: str, branch: str = "") -> Table:
    warehouse, _, table = name.partition("/")
    return open_catalog(str(CORPORA / warehouse)).get_table(f"{table}{branch}")


def says(capsys: pytest.CaptureFixture[str], line: str) -> None:
    with capsys.disabled():
        print(f"\n  {line}", end="")


def test_all_tables_are_there() -> None:
    assert len(TABLES) == 148


@pytest.mark.parametrize("name", TABLES)
def test_rows_equal_those_that_paimon_reads(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    expected = expected_of(name)
    checked = [
        *_latest(name, expected),
        *_row_ids(name, expected),
        *_splits(name, expected),
        *_snapshots(name, expected),
        *_tags(name, expected),
        *_branches(name, expected),
        *_queries(name, expected),
    ]
    assert checked, "expected/ says nothing about this table"
    says(capsys, f"{name}: {', '.join(checked)}")


def _latest(name: str, expected: Answer) -> Iterator[str]:
    answer = _trusted(expected, expected["latest"])
    if "error" in answer:  # the reader trusted a wrong hint: the newest snapshot is the truth
        newest = max(expected["atSnapshot"], key=int)
        answer = expected["atSnapshot"][newest]
    _same(open_table(name), answer, {})
    yield f"{len(answer['rows'])} rows"


def _row_ids(name: str, expected: Answer) -> Iterator[str]:
    if "rowIds" in expected:
        _same(open_table(name), expected["rowIds"], {})
        yield "row ids"


def _splits(name: str, expected: Answer) -> Iterator[str]:
    """Java's plan: which files of which bucket are read together, and whether they need merging."""
    plan = expected.get("plan")
    if isinstance(plan, list):
        ours = [
            (split.bucket, split.raw_convertible, sorted(file.file_name for file in split.files))
            for split in open_table(name).plan().splits
        ]
        theirs = [(split["bucket"], split["rawConvertible"], sorted(split["files"])) for split in plan]
        assert sorted(ours) == sorted(theirs)
        assert _our_vectors(name) == _their_vectors(plan)
        yield f"{len(plan)} splits"


Vector = tuple[str, str, int, int]  # data file, index file, offset, length


def _our_vectors(name: str) -> list[Vector]:
    deletions = [deletion for split in open_table(name).plan().splits for deletion in split.deletion_files]
    return sorted((d.vector.data_file, _name(d.path), d.vector.offset, d.vector.length) for d in deletions)


def _their_vectors(plan: list[Answer]) -> list[Vector]:
    files = [pair for s in plan for pair in zip(s["files"], s.get("deletionFiles") or (), strict=False)]
    return sorted((data, _name(d["path"]), d["offset"], d["length"]) for data, d in files if d)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _snapshots(name: str, expected: Answer) -> Iterator[str]:
    at_snapshot: Answer = expected.get("atSnapshot", {})
    table = open_table(name)
    failed = {i for i, answer in at_snapshot.items() if "error" in answer and "written" not in expected}
    for snapshot_id in at_snapshot.keys() - failed:
        answer = _trusted(expected, at_snapshot[snapshot_id])
        _same(table, answer, {"snapshot_id": int(snapshot_id)})
    if at_snapshot:
        yield f"{len(at_snapshot) - len(failed)} snapshots"
    for snapshot_id in sorted(failed):  # that reader's own failure: there is nothing to compare with
        table.to_arrow(snapshot_id=int(snapshot_id))
        yield f"snapshot {snapshot_id}, which the writer cannot read"


def _tags(name: str, expected: Answer) -> Iterator[str]:
    table = open_table(name)
    for tag, answer in expected.get("atTag", {}).items():
        _same(table, answer, {"tag": tag})
        yield f"tag {tag}"


def _branches(name: str, expected: Answer) -> Iterator[str]:
    for branch, answer in expected.get("branches", {}).items():
        _same(open_table(name, f"$branch_{branch}"), answer["latest"], {})
        yield f"branch {branch}"


def _queries(name: str, expected: Answer) -> Iterator[str]:
    table = open_table(name)
    queries = expected.get("queries", [])
    for query in queries:
        where = " AND ".join(_condition(*condition) for condition in query["where"])
        answer = {"columns": expected["latest"]["columns"], "rows": query["rows"]}
        _same(table, answer, {"filter": where})
        planned = {f.file_name for split in table.plan(filter=where).splits for f in split.files}
        if table.schema.primary_keys:
            assert planned <= set(query["plannedFiles"]) or query["rows"], where
        else:
            assert planned == set(query["plannedFiles"]), where
    if queries:
        yield f"{len(queries)} queries"


def _trusted(expected: Answer, answer: Answer) -> Answer:
    """The rows as they were written, where the reader's own answer is known to be wrong."""
    written: Answer | None = expected.get("written")
    return answer if written is None else written


def _same(table: Table, answer: Answer, at: dict[str, Any]) -> None:
    """The columns of an answer, hidden ones (`_ROW_ID`) too: rust shows it among all columns."""
    result = table.to_arrow(None if answer["rows"] == [] else answer["columns"], **at)
    schema = table.plan(**at).schema
    assert answer["columns"][: len(schema.fields)] == list(schema.field_names)
    types = {field.name: type_to_text(field.type) for field in schema.fields}
    variants = [field.name for field in schema.fields if isinstance(field.type, VariantType)]
    hashed = _in_hash_order(schema)
    ours, theirs = _variants_as_text(result, variants), _variants_as_answer(answer, variants)
    assert not differences(_sorted_lists(ours, hashed), _sorted_answer(theirs, hashed), types), at


def _variants_as_text(table: pa.Table, names: list[str]) -> pa.Table:
    for name in names:
        structs: list[Any] = table.column(name).to_pylist()
        texts = [None if v is None else variant_to_json(v["value"], v["metadata"]) for v in structs]
        table = table.set_column(table.column_names.index(name), name, pa.array(texts, pa.string()))
    return table


def _variants_as_answer(answer: Answer, names: list[str]) -> Answer:
    columns: list[str] = answer["columns"]
    rows = [
        [
            json.dumps(v) if column in names and v is not None else v
            for column, v in zip(columns, row, strict=True)
        ]
        for row in answer["rows"]
    ]
    return {**answer, "rows": rows}


def _in_hash_order(schema: TableSchema) -> set[str]:
    """Columns whose elements stand in the order of the writer's hash tables. Spec: 06, 4.2."""
    options = TableOptions(schema.options)
    functions = {name: options.of_field(name, "aggregate-function") for name in schema.field_names}
    distinct = {name for name in functions if options.of_field(name, "distinct") == "true"}
    return {
        name for name, f in functions.items() if f == "nested_update" or (f == "collect" and name in distinct)
    }


def _sorted_lists(table: pa.Table, names: set[str]) -> pa.Table:
    for name in names & set(table.column_names):
        index, kind = table.column_names.index(name), table.schema.field(name).type
        lists: list[Any] = table.column(name).to_pylist()
        values = [None if value is None else sorted(value, key=str) for value in lists]
        table = table.set_column(index, table.schema.field(name), pa.array(values, kind))
    return table


def _sorted_answer(answer: Answer, names: set[str]) -> Answer:
    columns: list[str] = answer["columns"]
    rows = [
        [sorted(v, key=str) if column in names and v else v for column, v in zip(columns, row, strict=True)]
        for row in answer["rows"]
    ]
    return {**answer, "rows": rows}


def _condition(column: str, operator: str, literal: Any) -> str:
    match operator:
        case "null":
            return f"`{column}` IS NULL"
        case "notnull":
            return f"`{column}` IS NOT NULL"
        case "in":
            return f"`{column}` IN ({', '.join(_literal(value) for value in literal)})"
        case "startsWith":
            return f"`{column}` LIKE '{literal}%'"
        case _:
            return f"`{column}` {operator} {_literal(literal)}"


def _literal(value: Any) -> str:
    return "'" + value.replace("T", " ") + "'" if isinstance(value, str) else str(value)


@pytest.mark.parametrize("kind", ["bitmap", "btree"])
def test_a_global_index_is_named_and_not_used(kind: str) -> None:
    table = open_table(f"pypaimon21/py.global_index_{kind}")
    column = {"bitmap": "b", "btree": "a"}[kind]
    assert table.plan(filter="b = 'v3'").explain.unused == (f"global index {kind} of {column}",)
    assert check_table(table).checked[f"{kind} index whose content is not read"] == 1


def test_a_read_at_a_time_is_a_read_of_the_snapshot_of_that_time() -> None:
    table = open_table("java09/append.logs_unaware")
    second = table.snapshots.get(2)
    at = {"timestamp_millis": second.time_millis + 1}
    assert table.plan(**at).snapshot == second
    assert table.to_arrow(**at).num_rows == table.to_arrow(snapshot_id=2).num_rows


DAMAGED = sorted(path.stem for path in (CORPORA / "expected" / "damaged").glob("broken.*.json"))

# Reads that go on: what is damaged there plays no part in them.
STILL_READ = {
    "broken.bad_consumer",
    "broken.bad_tag",
    "broken.garbage_file_index",
    "broken.garbage_index_manifest",
    "broken.orphan_files",
    "broken.snapshot_hole",
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_table_is_read_where_it_can_be_and_told_about_where_not(name: str) -> None:
    table = open_table(f"damaged/{name}")
    if name not in STILL_READ:
        with pytest.raises(PaimonError) as error:
            table.to_arrow()
        assert error.value.fields.keys() & {"path", "feature", "snapshot_id"}
        return
    origin = expected_of(f"damaged/{name}")["copyOf"].replace(": ", "/")
    answer = expected_of(origin)["latest"]
    types = {field.name: type_to_text(field.type) for field in table.schema.fields}
    assert not differences(table.to_arrow(), answer, types)


@pytest.mark.parametrize(
    ("name", "snapshot_ids"),
    [
        ("broken.corrupt_manifest_list", [1, 2, 3]),
        ("broken.empty_parquet", [1, 2, 3]),
        ("broken.missing_manifest_list", [1, 2, 3, 4, 5]),
        ("broken.truncated_manifest", [1, 2, 3]),
        ("broken.snapshot_cut_short", [1, 2, 3]),
        ("broken.snapshot_hole", [1, 2, 4]),
    ],
)
def test_snapshots_that_do_not_need_what_is_damaged_are_read(name: str, snapshot_ids: list[int]) -> None:
    table = open_table(f"damaged/{name}")
    answers = expected_of(expected_of(f"damaged/{name}")["copyOf"].replace(": ", "/"))["atSnapshot"]
    for snapshot_id in snapshot_ids:
        _same(table, answers[str(snapshot_id)], {"snapshot_id": snapshot_id})
