"""A process that dies, or whose store fails, at any change of a statement leaves all of it or nothing."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from core.commit import TableCommit
from core.dml import ChangePlan, Column, Literal, Matched, NotMatched
from core.table import Table
from tests.core.dml.test_changes import source
from tests.crashes import Act, Make, at_each_change, copy_of, die, fresh, is_whole, seen_through
from tests.faults import FaultyFileIO
from tests.tables import compact, new_table, prepare, put, rows_of

USER, IDENTIFIER = "job", 7
COLUMNS = {"id": "INT NOT NULL", "v": "STRING"}
ROWS = [(i, "a") for i in range(4)]


def appended() -> Table:
    table = new_table(COLUMNS, bucket="-1")
    put(table, *ROWS)
    return table


def tracked() -> Table:
    table = new_table(COLUMNS, bucket="-1", row_tracking__enabled="true", deletion_vectors__enabled="true")
    put(table, *ROWS)
    return table


def evolving() -> Table:
    """Rows of two ranges of ids, which would be joined; some columns of one lie in a file of their own."""
    tracked = {"row_tracking__enabled": "true", "deletion_vectors__enabled": "true"}
    table = new_table(COLUMNS, bucket="-1", data_evolution__enabled="true", **tracked)
    put(table, *ROWS[:2])
    put(table, *ROWS[2:])
    commit = TableCommit(table, "before")
    commit.commit(table.apply_changes(table.plan_update("id = 3", {"v": Literal("b")})))
    commit.commit(table.apply_changes(table.plan_delete("id = 2")))
    return table


def keyed() -> Table:
    table = new_table(COLUMNS, ["id"])
    put(table, *ROWS)
    return table


def first_rows() -> Table:
    table = new_table(COLUMNS, ["id"], merge_engine="first-row")
    put(table, *ROWS)
    compact(table)
    return table


def moving() -> Table:
    table = new_table({"p": "STRING", **COLUMNS}, ["id"], partition=["p"], bucket="-1")
    put(table, *[("x", *row) for row in ROWS])
    return table


def committed(table: Table, plan: ChangePlan) -> None:
    commit = TableCommit(table, USER)
    if commit.filter_committed([IDENTIFIER]):
        commit.commit(table.apply_changes(plan), IDENTIFIER)


def delete(table: Table) -> None:
    committed(table, table.plan_delete("id = 1"))


def update(table: Table) -> None:
    committed(table, table.plan_update("id < 2", {"v": Literal("new")}))


def merge(table: Table) -> None:
    inserted = NotMatched({"id": Column("source.id"), "v": Column("source.w")})
    clauses = [Matched({"v": Column("source.w")}), inserted]
    committed(table, table.plan_merge(source((1, "one"), (9, "nine")), ["id"], clauses))


def merge_and_delete(table: Table) -> None:
    inserted = NotMatched({"id": Column("source.id"), "v": Column("source.w")})
    clauses = [Matched(None, "id = 0"), Matched({"v": Column("source.w")}), inserted]
    source_rows = source((0, "gone"), (1, "one"), (9, "nine"))
    committed(table, table.plan_merge(source_rows, ["id"], clauses))


def update_and_join(table: Table) -> None:
    """An update, and a compaction of all its files; done again, nothing is left to join."""
    update(table)
    tasks = table.plan_compaction().tasks
    TableCommit(table, "compactor").commit([table.run_compaction(task) for task in tasks])


def move(table: Table) -> None:
    commit = TableCommit(table, USER)
    if commit.filter_committed([IDENTIFIER]):
        commit.commit(prepare(table, [("y", 1, "moved"), ("y", 8, "new")]), IDENTIFIER)


CASES = [
    (appended, delete),
    (appended, merge),
    (tracked, update),
    (tracked, merge),
    (evolving, merge_and_delete),
    (evolving, update_and_join),
    (keyed, merge),
    (first_rows, delete),
    (moving, move),
]


@cache
def states(make: Make, act: Act) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    table = copy_of(make)
    before = rows_of(table)
    act(table)
    return before, rows_of(fresh(table))


@pytest.mark.parametrize(("make", "act", "number", "done"), at_each_change(CASES))
def test_a_statement_is_done_wholly_or_not_at_all(make: Make, act: Act, number: int, done: bool) -> None:
    table, (before, after) = copy_of(make), states(make, act)
    assert before != after
    die(table, act, number, done)
    assert rows_of(fresh(table)) in (before, after)
    act(fresh(table))
    act(fresh(table))
    assert rows_of(fresh(table)) == after, "retried, it is committed exactly once"
    assert is_whole(fresh(table))


@pytest.mark.parametrize(("make", "act", "number", "done"), at_each_change(CASES[2:3], both_sides=True))
def test_a_store_that_fails_once_leaves_no_half(make: Make, act: Act, number: int, done: bool) -> None:
    table, (before, after) = copy_of(make), states(make, act)
    failing = seen_through(table, FaultyFileIO(table.io, number, done=done, fails=True))
    try:
        act(failing)
    except Exception:
        assert rows_of(fresh(table)) in (before, after)
        act(fresh(table))
    assert rows_of(fresh(table)) == after
    assert is_whole(fresh(table))
