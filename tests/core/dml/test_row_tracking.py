"""Statements on tables whose rows have ids: these stay, and the sequence number of what does not change."""

from __future__ import annotations

from typing import Any

import pytest

from core.commit import TableCommit
from core.dml import ChangePlan, Column, Literal, Matched, NotMatched
from core.table import Table
from tests.core.dml.test_changes import source
from tests.tables import files_of, new_table, put

COLUMNS = {"p": "STRING", "id": "INT", "v": "STRING"}


@pytest.fixture(params=["false", "true"], ids=["copies", "vectors"])
def table(request: pytest.FixtureRequest) -> Table:
    options = {"row_tracking__enabled": "true", "deletion_vectors__enabled": request.param}
    made = new_table(COLUMNS, partition=["p"], bucket="-1", **options)
    put(made, ("a", 1, "x"), ("a", 2, "y"), ("a", 3, "z"))
    return made


def commit(table: Table, plan: ChangePlan) -> None:
    TableCommit(table, "u").commit(table.apply_changes(plan))


def rows(table: Table) -> list[tuple[Any, ...]]:
    read = table.to_arrow(["_ROW_ID", "_SEQUENCE_NUMBER", "p", "id", "v"])
    return sorted(tuple(row.values()) for row in read.to_pylist())


def test_what_stays_after_a_delete_is_as_it_was(table: Table) -> None:
    commit(table, table.plan_delete("id = 2"))
    assert rows(table) == [(0, 1, "a", 1, "x"), (2, 1, "a", 3, "z")]
    commit(table, table.plan_delete("_ROW_ID = 2"))
    assert rows(table) == [(0, 1, "a", 1, "x")]


def test_an_updated_row_has_the_number_of_its_snapshot(table: Table) -> None:
    commit(table, table.plan_update("id = 2", {"v": Literal("new")}))
    assert rows(table) == [(0, 1, "a", 1, "x"), (1, 2, "a", 2, "new"), (2, 1, "a", 3, "z")]
    commit(table, table.plan_update("_ROW_ID = 1", {"v": Literal("newer"), "p": Literal("b")}))
    assert rows(table)[1] == (1, 3, "b", 2, "newer")


def test_an_update_of_every_row(table: Table) -> None:
    commit(table, table.plan_update(None, {"v": Literal("w")}))
    assert rows(table) == [(i, 2, "a", i + 1, "w") for i in range(3)]
    assert [(f.min_sequence_number, f.max_sequence_number) for f in files_of(table)] == [(2, 2)]


def test_a_merge_gives_ids_to_what_it_inserts_alone(table: Table) -> None:
    inserted = NotMatched({"id": Column("source.id"), "v": Column("source.w")})
    plan = table.plan_merge(
        source((1, "one"), (9, "nine")), ["id"], [Matched({"v": Column("source.w")}), inserted]
    )
    commit(table, plan)
    assert rows(table) == [
        (0, 2, "a", 1, "one"),
        (1, 1, "a", 2, "y"),
        (2, 1, "a", 3, "z"),
        (3, 2, None, 9, "nine"),
    ]
    put(table, ("a", 10, "later"))
    assert rows(table)[-1] == (4, 3, "a", 10, "later")


def test_kept_rows_say_in_the_manifest_that_they_hold_their_ids(table: Table) -> None:
    commit(table, table.plan_update("id = 2", {"v": Literal("new")}))
    kept = [f for f in files_of(table) if f.write_cols is not None]
    assert [f.write_cols for f in kept] == [("p", "id", "v", "_ROW_ID", "_SEQUENCE_NUMBER")]
    assert [f.first_row_id for f in kept] == [None]
