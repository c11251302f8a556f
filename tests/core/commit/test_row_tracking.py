"""Appends to a table whose rows have ids, as its readers see them. Spec: 02, 3.1; 04, 3."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.commit import TableCommit
from core.table import Table
from tests.tables import compact, files_of, new_table, prepare, put, rows_of


@pytest.fixture
def table() -> Table:
    return new_table({"p": "INT", "v": "STRING"}, partition=["p"], bucket="-1", row_tracking__enabled="true")


def ids(table: Table) -> dict[Any, tuple[int, int]]:
    """The id and sequence number of the row with each value of `v`."""
    shown = table.with_options({"table-read.sequence-number.enabled": "true"})
    read = shown.to_arrow(["v", "_ROW_ID", "_SEQUENCE_NUMBER"])
    return {row["v"]: (row["_ROW_ID"], row["_SEQUENCE_NUMBER"]) for row in read.to_pylist()}


def test_each_row_has_an_id_and_the_number_of_its_snapshot(table: Table) -> None:
    put(table, (1, "a"), (2, "b"), (1, "c"))
    (second,) = put(table, (2, "d"))
    found = ids(table)
    assert sorted(row_id for row_id, _ in found.values()) == [0, 1, 2, 3]
    assert found["d"] == (3, 2)
    assert {sequence for v, (_, sequence) in found.items() if v != "d"} == {1}
    assert second.next_row_id == 4


def test_a_lost_race_gives_other_ids(table: Table) -> None:
    mine = prepare(table, [(1, "mine")])
    put(table, (1, "theirs"))
    TableCommit(table, "me").commit(mine)
    assert ids(table) == {"theirs": (0, 1), "mine": (1, 2)}


def test_ids_are_not_given_out_again(table: Table) -> None:
    put(table, (1, "a"), (1, "b"))
    TableCommit(table, "me").truncate()
    put(table, (1, "c"))
    assert [file.first_row_id for file in files_of(table)] == [2]
    assert rows_of(table) == [(1, "c")]


def sort(table: Table) -> None:
    tasks = table.plan_sort_compaction("order", ["v"]).tasks
    TableCommit(table, "me").commit([table.run_compaction(task) for task in tasks])


@pytest.mark.parametrize("rewrite", [compact, sort])
def test_rows_keep_their_ids_through_compactions(table: Table, rewrite: Callable[[Table], object]) -> None:
    for v in "cba":
        put(table, (1, v), (2, v * 2))
    before = ids(table)
    rewrite(table)
    assert (ids(table), len(files_of(table))) == (before, 2)
    put(table, (1, "new"), (2, "too"))
    rewrite(table)
    found = ids(table)
    assert {v: found[v] for v in before} == before
    assert sorted(row_id for row_id, _ in found.values()) == list(range(8))
    assert found["new"][1] == 5
