"""What the newest Java Paimon writes, as we read it: its own reading of the same tables is the measure.

Run by `make interop` alone, see CONTRIBUTING.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.catalog import open_catalog
from core.deletionvectors import decode_index_file, encode_vector
from core.manifest import (
    decode_index_manifest,
    decode_manifest_list,
    decode_manifests,
    encode_index_manifest,
    encode_manifest,
    encode_manifest_list,
)
from core.table import Table
from core.types import parse_type, type_to_json, type_to_text
from tests.core.test_peers_bytes import as_written_by, rows_of
from tests.interop import describe
from tests.interop.case_columns import ATOMIC, DT_ID_V, ID_V, NESTED, of_types
from tests.interop.describe import Operation, alter, compact, delete, insert, tag, update, write
from tests.interop.peers import Dump, JavaPaimon
from tests.interop.values import differences

pytestmark = pytest.mark.newest

TYPED = {
    # Paimon writes no TIMESTAMP(9) into Avro.
    form: of_types([each for each in (*ATOMIC, *NESTED) if form != "avro" or each[1] != "TIMESTAMP(9)"])
    for form in ("parquet", "orc", "avro")
}
SUMS = (("id", "INT NOT NULL"), ("n", "INT"), ("best", "DOUBLE"), ("last", "STRING"))


def table(
    name: str,
    columns: Sequence[tuple[str, str]],
    *operations: Operation,
    key: Sequence[str] = (),
    partition: Sequence[str] = (),
    **options: str,
) -> dict[str, Any]:
    """A description; in option names, `_` stands for `-` and `__` for `.`."""
    named = {name.replace("__", ".").replace("_", "-"): value for name, value in options.items()}
    return describe.table(
        name,
        [(column, type_to_json(parse_type(text))) for column, text in columns],
        primary_key=key,
        partition_keys=partition,
        options=named,
        operations=operations,
    )


def delete_by_vectors(column: str, *values: Any) -> Operation:
    return {"op": "dvdelete", "col": column, "in": list(values)}


def many(count: int, text: str) -> Operation:
    return write(*(insert(i, f"{text} {i % 7}") for i in range(count)))


TABLES = [
    *(
        table(f"append_types_{form}", columns, write(*rows), bucket="-1", file__format=form)
        for form, (columns, rows) in TYPED.items()
    ),
    *(
        table(
            f"pk_types_{form}",
            columns,
            write(*rows),
            write(*rows[:2]),
            key=["id"],
            bucket="1",
            file__format=form,
        )
        for form, (columns, rows) in TYPED.items()
    ),
    table("append_packed", ID_V, *(many(50, f"file {i}") for i in range(6)), compact(), bucket="-1"),
    table(
        "pk_buckets",
        DT_ID_V,
        write(*(insert("d1", i, "a") for i in range(300)), insert("d/2 =", 1, "b")),
        write(*(delete("d1", i, None) for i in range(0, 300, 3))),
        compact(),
        tag("kept"),
        write(update("d1", 1, "c")),
        key=["dt", "id"],
        partition=["dt"],
        bucket="3",
    ),
    table(
        "partial",
        (("id", "INT NOT NULL"), ("a", "INT"), ("b", "STRING"), ("g", "INT")),
        write(insert(1, 1, None, 5), insert(2, None, "x", 1)),
        write(insert(1, None, "late", 3), insert(2, 7, None, None)),
        key=["id"],
        bucket="1",
        merge_engine="partial-update",
        fields__g__sequence_group="b",
    ),
    table(
        "sums",
        SUMS,
        write(insert(1, 5, 1.5, "a"), insert(2, None, None, None)),
        write(insert(1, 7, -3.0, None), insert(2, 1, 2.0, "b")),
        key=["id"],
        bucket="1",
        merge_engine="aggregation",
        fields__n__aggregate_function="sum",
        fields__best__aggregate_function="max",
        fields__last__aggregate_function="last_non_null_value",
    ),
    table(
        "first",
        ID_V,
        many(20, "first"),
        many(30, "later"),
        compact(),
        key=["id"],
        bucket="1",
        merge_engine="first-row",
    ),
    *(
        table(
            f"vectors_{bits}",
            ID_V,
            many(2000, "old"),
            compact(),
            write(
                *(insert(i, "new") for i in range(0, 2000, 5)), *(delete(i, None) for i in range(1, 2000, 9))
            ),
            compact(full=False),
            key=["id"],
            bucket="1",
            deletion_vectors__enabled="true",
            deletion_vectors__bitmap64=str(bits == 64).lower(),
        )
        for bits in (32, 64)
    ),
    table(
        "append_vectors",
        ID_V,
        many(10, "a"),
        many(10, "b"),
        delete_by_vectors("id", 2, 3, 9),
        bucket="-1",
        deletion_vectors__enabled="true",
    ),
    table(
        "evolved",
        (("id", "INT NOT NULL"), ("n", "INT"), ("old", "STRING"), ("gone", "STRING")),
        write(insert(1, 10, "a", "x")),
        alter(("add", "more", "BIGINT"), ("rename", "old", "new"), ("drop", "gone"), ("type", "n", "BIGINT")),
        write(insert(2, 2**40, "b", 3)),
        alter(("first", "new"), ("add", "gone", "INT")),
        write(insert("c", 1, 5, 6, 7)),
        key=["id"],
        bucket="1",
    ),
    table("dynamic", ID_V, many(100, "a"), write(insert(7, "b"), delete(8, None)), key=["id"], bucket="-1"),
    table(
        "sequenced",
        (("id", "INT NOT NULL"), ("at", "INT"), ("v", "STRING")),
        write(insert(1, 5, "newer")),
        write(insert(1, 3, "older"), insert(2, 1, "only")),
        key=["id"],
        bucket="1",
        sequence__field="at",
    ),
    table(
        "indexed",
        ID_V,
        many(500, "text"),
        bucket="-1",
        file_index__bitmap__columns="v",
        file_index__bloom_filter__columns="id",
    ),
]
NAMES = [each["name"] for each in TABLES]


@pytest.fixture(scope="module")
def warehouse(newest: JavaPaimon, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("newest")
    newest.write(describe.warehouse(theirs=TABLES), folder)
    return folder


@pytest.fixture(scope="module")
def answers(newest: JavaPaimon, warehouse: Path) -> Dump:
    return newest.dump(warehouse, ("latest", "atSnapshot", "atTag"))


def opened(warehouse: Path, name: str) -> Table:
    return open_catalog(str(warehouse)).get_table(f"theirs.{name}")


def types(table: Table) -> Mapping[str, str]:
    return {field.name: type_to_text(field.type) for field in table.schema.fields}


@pytest.mark.parametrize("name", NAMES)
def test_we_read_what_the_newest_wrote(name: str, warehouse: Path, answers: Dump) -> None:
    answer, table = answers[f"theirs.{name}"]["latest"], opened(warehouse, name)
    assert "rows" in answer, answer
    assert answer["rows"]
    assert differences(table.to_arrow(), answer, types(table)) == {}


def test_we_read_older_snapshots_and_tags_of_it(warehouse: Path, answers: Dump) -> None:
    answer, table = answers["theirs.pk_buckets"], opened(warehouse, "pk_buckets")
    for snapshot, rows in answer["atSnapshot"].items():
        assert differences(table.to_arrow(snapshot_id=int(snapshot)), rows, types(table)) == {}, snapshot
    assert differences(table.to_arrow(tag="kept"), answer["atTag"]["kept"], types(table)) == {}


ENCODED: Mapping[str, Callable[[bytes], bytes]] = {
    "manifest-list-": lambda data: encode_manifest_list(decode_manifest_list(data)),
    "index-manifest-": lambda data: encode_index_manifest(decode_index_manifest(data)),
    "manifest-": lambda data: encode_manifest(decode_manifests([data])),
}


@pytest.mark.parametrize("name", NAMES)
def test_its_metadata_encoded_by_us_has_the_same_bytes(name: str, warehouse: Path) -> None:
    """2.0.0 does not know the last member of data files yet, so manifests are compared by its schema."""
    found = sorted((warehouse / "theirs.db" / name / "manifest").iterdir())
    for path in found:
        data, start = path.read_bytes(), next(start for start in ENCODED if path.name.startswith(start))
        ours = ENCODED[start](data)
        assert as_written_by(data, ours) == rows_of(data), path.name
        assert start == "manifest-" or rows_of(ours) == rows_of(data), path.name
    assert found


@pytest.mark.parametrize("name", ["vectors_32", "vectors_64", "append_vectors"])
def test_its_deletion_vectors_encoded_by_us_have_the_same_bytes(name: str, warehouse: Path) -> None:
    table = opened(warehouse, name)
    snapshot = table.snapshots.latest()
    assert snapshot is not None
    compared = 0
    for entry in table.manifests.index_entries(snapshot):
        data, ranges = table.io.read(table.paths.index_file(entry.file_name)), entry.deletion_vector_ranges
        for r, vector in zip(ranges or (), decode_index_file(data, ranges or ()).values(), strict=True):
            assert data[r.offset : r.offset + len(encode_vector(vector))] == encode_vector(vector)
            assert vector.is_64_bit == name.endswith("64")
            compared += 1
    assert compared
