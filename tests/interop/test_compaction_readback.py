"""Engines, changelogs and deletion vectors that we write and compact, as Java and pypaimon read them.

Each table is also made by Java, of the same steps: the rows and what a stream tells of them are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.arrow import arrow_schema
from core.catalog import open_catalog
from core.compact import Strategy
from core.table import Table
from core.types import DataField, RowKind, parse_type
from tests.interop import describe
from tests.interop.describe import delete, insert, update
from tests.interop.peers import JavaPaimon, PyPaimon
from tests.interop.values import arrow_table, json_rows, same_rows

pytestmark = pytest.mark.interop

COLUMNS = [("k", "INT NOT NULL"), ("v", "INT"), ("w", "INT"), ("g", "INT")]
KINDS = {kind.short: kind for kind in RowKind}
ALL = "full"
Step = list[list[Any]] | str

MANY = [insert(k, k, 0, 1) for k in range(2000)]
CHANGES: Sequence[Step] = [
    MANY,
    [update(1, -1, None, 2), delete(2, 2, 0, 2), insert(5000, 1, 1, 1)],
    [insert(2, 7, 7, 3), update(1, -2, 5, 1), delete(9000, 0, 0, 0)],
    ALL,
    [delete(1, -2, 5, 4), update(3, 3, 0, 1), insert(4, None, 4, 9)],
    [insert(1, 8, 8, 5), delete(5000, 1, 1, 2)],
    ALL,
]
ADDS: Sequence[Step] = [
    MANY,
    [insert(1, -1, None, 2), insert(2, None, 9, 0), insert(5000, 1, 1, 1)],
    [insert(1, 5, 5, 1), insert(5000, None, 2, 2)],
    ALL,
    [insert(1, 6, None, None), insert(3, 3, 0, 1), insert(3, 4, None, 4)],
]
PARTIAL = {
    "merge-engine": "partial-update",
    "fields.g.sequence-group": "v,w",
    "fields.w.aggregate-function": "sum",
}
SUM = {
    "merge-engine": "aggregation",
    "fields.v.aggregate-function": "sum",
    "fields.w.aggregate-function": "max",
}
TABLES: Mapping[str, tuple[Sequence[Step], Mapping[str, str]]] = {
    "partial": (ADDS, {"merge-engine": "partial-update"}),
    "groups": (ADDS, PARTIAL),
    "sums": (ADDS, SUM),
    "first": (ADDS, {"merge-engine": "first-row"}),
    "ordered": (CHANGES, {"sequence.field": "g,w"}),
    "ignoring": (CHANGES, {"ignore-delete": "true"}),
    "input": (CHANGES, {"changelog-producer": "input"}),
    "lookup": (CHANGES, {"changelog-producer": "lookup"}),
    "lookup_equal": (
        CHANGES,
        {"changelog-producer": "lookup", "changelog-producer.row-deduplicate": "true"},
    ),
    "lookup_ordered": (CHANGES, {"changelog-producer": "lookup", "sequence.field": "g"}),
    "lookup_partial": (ADDS, PARTIAL | {"changelog-producer": "lookup"}),
    "lookup_sums": (ADDS, SUM | {"changelog-producer": "lookup"}),
    "lookup_first": (ADDS, {"merge-engine": "first-row", "changelog-producer": "lookup"}),
    "full": (CHANGES, {"changelog-producer": "full-compaction"}),
    "full_sums": (ADDS, SUM | {"changelog-producer": "full-compaction"}),
    "marked": (CHANGES, {"deletion-vectors.enabled": "true"}),
    "marked_lookup": (CHANGES, {"deletion-vectors.enabled": "true", "changelog-producer": "lookup"}),
    "marked_sums": (ADDS, SUM | {"deletion-vectors.enabled": "true"}),
}
NOT_FOR_PYPAIMON = {"sums", "lookup_sums", "full_sums", "marked_sums", "groups", "lookup_partial"}


def options_of(name: str) -> dict[str, str]:
    return {"bucket": "1", **TABLES[name][1]}


def make(warehouse: Path) -> None:
    catalog = open_catalog(str(warehouse))
    catalog.create_database("db")
    fields = [DataField(i, name, parse_type(text)) for i, (name, text) in enumerate(COLUMNS)]
    for name, (steps, _) in TABLES.items():
        table = catalog.create_table(f"db.{name}", fields, primary_keys=["k"], options=options_of(name))
        for step in steps:
            if isinstance(step, str):
                tasks = table.plan_compaction(strategy=Strategy.FULL).tasks
                messages = [table.run_compaction(task) for task in tasks]
            else:
                messages = written(table, step)
            table.new_commit("us").commit(messages)


def written(table: Table, rows: list[list[Any]]) -> list[Any]:
    batch = arrow_table([row[1:] for row in rows], arrow_schema(table.schema.fields))
    with table.new_write() as write:
        write.write(batch, [KINDS[row[0]] for row in rows])
        return write.prepare_commit()


def described(name: str) -> dict[str, Any]:
    steps = [describe.compact() if isinstance(s, str) else describe.write(*s) for s in TABLES[name][0]]
    return describe.table(name, COLUMNS, primary_key=["k"], options=options_of(name), operations=steps)


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ours")
    make(folder)
    return folder


REQUESTS = [
    {"table": f"db.{name}", **more}
    for name in TABLES
    for more in ({}, {"stream": True, "options": {"scan.snapshot-id": "1"}})
]


@pytest.fixture(scope="module")
def answers(java: JavaPaimon, ours: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """What Java reads of our tables, and of its own."""
    theirs = tmp_path_factory.mktemp("theirs")
    java.write(describe.warehouse(db=[described(name) for name in TABLES]), theirs)
    pairs = zip(java.read(ours, REQUESTS), java.read(theirs, REQUESTS), strict=True)
    return [(request, *pair) for request, pair in zip(REQUESTS, pairs, strict=True)]


@pytest.mark.parametrize("name", TABLES)
def test_java_reads_our_table_as_its_own(name: str, answers: list[Any]) -> None:
    for request, our_answer, their_answer in answers:
        if request["table"] == f"db.{name}":
            assert "error" not in our_answer, our_answer
            assert shown(our_answer)
            assert shown(our_answer) == shown(their_answer), request


def shown(answer: Any) -> list[Any]:
    """The rows, or those of each plan of a stream that has any."""
    if "plans" in answer:
        return [sorted(rows, key=str) for rows in answer["plans"] if rows]
    return sorted(answer["rows"], key=str)


@pytest.mark.parametrize("name", TABLES)
def test_we_read_our_table_as_java_does(name: str, ours: Path, answers: list[Any]) -> None:
    (expected,) = [a["rows"] for r, a, _ in answers if r == {"table": f"db.{name}"}]
    table = open_catalog(str(ours)).get_table(f"db.{name}")
    assert same_rows(json_rows(table.to_arrow(), dict(COLUMNS)), [row[1:] for row in expected])


def test_pypaimon_reads_our_tables(pypaimon: PyPaimon, ours: Path) -> None:
    dump, catalog = pypaimon.dump(ours), open_catalog(str(ours))
    for name in sorted(TABLES.keys() - NOT_FOR_PYPAIMON):
        answer = dump[f"db.{name}"]["latest"]
        assert "rows" in answer, (name, answer)
        expected = json_rows(catalog.get_table(f"db.{name}").to_arrow(), dict(COLUMNS))
        assert same_rows(answer["rows"], expected), name
