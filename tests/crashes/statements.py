"""DELETE, UPDATE and MERGE INTO on every kind of table, for tests of crashes."""

from __future__ import annotations

import pyarrow as pa

from core.commit import TableCommit
from core.dml import ChangePlan, Column, Literal, Matched, NotMatched
from core.table import Table
from tests.crashes import Case, new_table
from tests.crashes.writes import COLUMNS, IDENTIFIER, USER, hashed
from tests.tables import compact, put

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


def marked() -> Table:
    """One file has a vector already."""
    table = new_table(COLUMNS, bucket="-1", deletion_vectors__enabled="true")
    put(table, *ROWS)
    put(table, *ROWS)
    TableCommit(table, "before").commit(table.apply_changes(table.plan_delete("id = 3")))
    return table


def sums() -> Table:
    """Rows are deleted out of their files, as the engine cannot take them back."""
    table = new_table(COLUMNS, ["id"], merge_engine="aggregation")
    put(table, *ROWS)
    compact(table)
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
    source = pa.table({"id": pa.array([1, 9], pa.int32()), "w": ["one", "nine"]})
    inserted = NotMatched({"id": Column("source.id"), "v": Column("source.w")})
    clauses = [Matched({"v": Column("source.w")}), inserted]
    committed(table, table.plan_merge(source, ["id"], clauses))


def merge_and_delete(table: Table) -> None:
    source = pa.table({"id": pa.array([0, 1, 9], pa.int32()), "w": ["gone", "one", "nine"]})
    inserted = NotMatched({"id": Column("source.id"), "v": Column("source.w")})
    clauses = [Matched(None, "id = 0"), Matched({"v": Column("source.w")}), inserted]
    committed(table, table.plan_merge(source, ["id"], clauses))


def update_and_join(table: Table) -> None:
    """An update, and a compaction of all its files; done again, nothing is left to join."""
    update(table)
    tasks = table.plan_compaction().tasks
    TableCommit(table, "compactor").commit([table.run_compaction(task) for task in tasks])


CASES = [
    Case(appended, delete),
    Case(appended, merge),
    Case(tracked, delete),
    Case(tracked, update),
    Case(tracked, merge),
    Case(evolving, merge_and_delete),
    Case(evolving, update_and_join),
    Case(marked, delete),
    Case(marked, update),
    Case(keyed, delete),
    Case(keyed, update),
    Case(keyed, merge),
    Case(hashed, merge),
    Case(first_rows, delete),
    Case(sums, delete),
]
