"""A process that dies at any change it makes to the store leaves a table that is as before or as after.

Each test first counts the changes of an operation, then lets it die before and after each
of them in turn, looks at the table with eyes that know nothing of it, and tries again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.commit import TableCommit
from core.compact import Strategy
from core.io import MemoryFileIO
from core.maintenance import Guard, apply_rollback, plan_rollback
from core.maintenance.check import Severity, check_table
from core.table import Table
from tests.faults import Died, FaultyFileIO
from tests.tables import compact, new_table, prepare, put, remove, rows_of

Rows = list[tuple[Any, ...]]
USER, IDENTIFIER = "job", 7


def make_table() -> Table:
    table = new_table({"id": "INT NOT NULL", "v": "STRING"}, ["id"], bucket="2")
    put(table, *[(i, f"a{i}") for i in range(20)])
    put(table, *[(i, f"b{i}") for i in range(0, 20, 3)])
    remove(table, (1, None), (2, None))
    return table


def seen_through(table: Table, io: Any) -> Table:
    return Table(io, table.location, table.identifier)


def write(table: Table) -> None:
    commit = TableCommit(table, USER)
    if commit.filter_committed([IDENTIFIER]):
        commit.commit(prepare(table, [(0, "new"), (99, "new")]), IDENTIFIER)


def compact_once(table: Table) -> None:
    if TableCommit(table, USER).filter_committed([2**63 - 1]):
        compact(table, Strategy.FULL, USER)


def rewind(table: Table) -> None:
    apply_rollback(table, plan_rollback(table, 1), guard=Guard("guard"))


def changes_of(act: Callable[[Table], None]) -> int:
    table = make_table()
    counting = FaultyFileIO(table.io)
    act(seen_through(table, counting))
    return len(counting.changes)


def deaths(act: Callable[[Table], None]) -> list[tuple[int, bool]]:
    return [(number, done) for number in range(changes_of(act)) for done in (False, True)]


def die(table: Table, act: Callable[[Table], None], number: int, done: bool) -> None:
    with pytest.raises(Died):
        act(seen_through(table, FaultyFileIO(table.io, number, done=done)))


def fresh(table: Table) -> Table:
    return seen_through(table, table.io)


def is_whole(table: Table) -> bool:
    """Whether everything that the table's snapshots and tags name is there; a late hint is no fault."""
    return not [f for f in check_table(table).findings if f.severity is Severity.ERROR]


def states(act: Callable[[Table], None]) -> tuple[Rows, Rows]:
    table = make_table()
    before = rows_of(table)
    act(table)
    return before, rows_of(fresh(table))


@pytest.mark.parametrize(("number", "done"), deaths(write))
def test_a_write_is_there_wholly_or_not_at_all(number: int, done: bool) -> None:
    table, (before, after) = make_table(), states(write)
    die(table, write, number, done)
    assert rows_of(fresh(table)) in (before, after)
    write(fresh(table))
    write(fresh(table))
    assert rows_of(fresh(table)) == after
    assert fresh(table).snapshots.latest_id() == 4, "retried, it is committed exactly once"
    assert is_whole(fresh(table))


@pytest.mark.parametrize(("number", "done"), deaths(compact_once))
def test_a_compaction_never_changes_the_rows(number: int, done: bool) -> None:
    table = make_table()
    before = rows_of(table)
    die(table, compact_once, number, done)
    assert rows_of(fresh(table)) == before
    compact_once(fresh(table))
    assert rows_of(fresh(table)) == before
    assert fresh(table).snapshots.latest_id() == 4
    assert is_whole(fresh(table))


@pytest.mark.parametrize(("number", "done"), deaths(rewind))
def test_a_rewind_stands_at_a_snapshot_in_between(number: int, done: bool) -> None:
    table = make_table()
    passed = {i: rows_of(table, snapshot_id=i) for i in (1, 2, 3)}
    die(table, rewind, number, done)
    latest = fresh(table).snapshots.latest_id()
    assert latest in passed
    assert rows_of(fresh(table)) == passed[latest]
    rewind(fresh(table))
    assert rows_of(fresh(table)) == passed[1]
    assert fresh(table).snapshots.ids() == [1]
    assert rows_of(fresh(table).with_branch("guard")) == passed[3]
    assert is_whole(fresh(table))


@pytest.mark.parametrize("done", [False, True])
@pytest.mark.parametrize("number", range(changes_of(write)))
def test_a_store_that_fails_once_costs_no_commit(number: int, done: bool) -> None:
    """An error is not a death: the writer may fail, or try again, but it does neither by halves."""
    table, (before, after) = make_table(), states(write)
    failing = seen_through(table, FaultyFileIO(table.io, number, done=done, fails=True))
    try:
        write(failing)
    except Exception:
        assert rows_of(fresh(table)) in (before, after)
        write(fresh(table))
    assert rows_of(fresh(table)) == after
    assert fresh(table).snapshots.latest_id() == 4
    assert is_whole(fresh(table))


def test_memory_is_shared_by_all_views() -> None:
    table = make_table()
    assert isinstance(table.io, MemoryFileIO)
    assert rows_of(fresh(table)) == rows_of(table)
