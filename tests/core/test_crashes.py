"""A process that dies at any change it makes to the store leaves a table that is as before or as after.

Each test first counts the changes of an operation, then lets it die at each of them in turn,
looks at the table with eyes that know nothing of it, and tries again.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from core.commit import TableCommit
from core.compact import Strategy
from core.io import MemoryFileIO
from core.maintenance import Guard, apply_rollback, plan_rollback
from core.maintenance.compact_manifests import apply_compact_manifests, plan_compact_manifests
from core.snapshot.tags import Tag
from core.table import Table
from core.write import CommitMessage
from tests.crashes import Act, Make, at_each_change, copy_of, die, fresh, is_whole, original, seen_through
from tests.faults import FaultyFileIO
from tests.tables import compact, new_table, prepare, put, remove, rows_of

Rows = list[tuple[Any, ...]]
USER, IDENTIFIER = "job", 7


def plain() -> Table:
    table = new_table({"id": "INT NOT NULL", "v": "STRING"}, ["id"], bucket="2")
    put(table, *[(i, f"a{i}") for i in range(20)])
    put(table, *[(i, f"b{i}") for i in range(0, 20, 3)])
    remove(table, (1, None), (2, None))
    return table


def partitioned() -> Table:
    columns = {"dt": "STRING NOT NULL", "id": "INT NOT NULL", "v": "STRING"}
    table = new_table(columns, ["dt", "id"], partition=["dt"])
    put(table, *[(day, i, "a") for day in ("d1", "d2") for i in range(9)])
    put(table, *[(day, i, "b") for day in ("d1", "d2", "d3") for i in range(4)])
    remove(table, ("d1", 1, None))
    return table


def unaware() -> Table:
    table = new_table({"id": "INT", "v": "STRING"}, bucket="-1")
    for i in range(3):
        put(table, (i, "a"))
    return table


def tracked() -> Table:
    """Rows have ids, which a compaction stores with them."""
    table = new_table({"id": "INT", "v": "STRING"}, bucket="-1", row_tracking__enabled="true")
    for i in range(3):
        put(table, (i, "a"))
    return table


def hashed() -> Table:
    """Keys have buckets that an index tells."""
    table = new_table({"id": "INT NOT NULL", "v": "STRING"}, ["id"], bucket="-1")
    for i in range(3):
        put(table, (i, "a"), (i + 10, "a"))
    return table


def marked() -> Table:
    """Rows are deleted by vectors; one file has one already."""
    table = new_table({"id": "INT", "v": "STRING"}, bucket="-1", deletion_vectors__enabled="true")
    put(table, *[(i, "a") for i in range(9)])
    put(table, *[(i, "b") for i in range(9)])
    TableCommit(table, "before").commit(table.apply_changes(table.plan_delete("id = 3 and v = 'a'")))
    return table


def waiting() -> Table:
    """Rows of level 0 that wait to be told in a changelog, and to mark what they replace."""
    marking = {"deletion_vectors__enabled": "true", "deletion_vectors__merge_on_read": "true"}
    table = new_table(
        {"id": "INT NOT NULL", "v": "STRING"},
        ["id"],
        changelog_producer="lookup",
        write_only="false",
        **marking,
    )
    put(table, *[(i, "a") for i in range(2000)])
    put(table.with_options({"write-only": "true"}), (1, "b"), (5000, "b"))
    return table


def tagged() -> Table:
    """The target's snapshot file has expired; a tag still holds it."""
    table = plain()
    table.tags.create(Tag("v1", table.snapshots.get(1)))
    table.snapshots.delete(1)
    table.snapshots.write_earliest_hint(2)
    return table


def write(table: Table) -> None:
    commit = TableCommit(table, USER)
    if commit.filter_committed([IDENTIFIER]):
        commit.commit(prepare(table, [(0, "new"), (99, "new")]), IDENTIFIER)


def overwrite(table: Table) -> None:
    commit = TableCommit(table, USER)
    if commit.filter_committed([IDENTIFIER]):
        commit.overwrite(prepare(table, [("d1", 5, "new")]), {"dt": "d1"}, IDENTIFIER)


def delete_rows(table: Table) -> None:
    commit = TableCommit(table, USER)
    if commit.filter_committed([IDENTIFIER]):
        commit.commit(table.apply_changes(table.plan_delete("id < 5")), IDENTIFIER)


def write_changelog(table: Table) -> None:
    commit = TableCommit(table, USER)
    if commit.filter_committed([IDENTIFIER]):
        messages = prepare(table, [(0, "new"), (99, "new")])
        commit.commit([with_changelog(table, message) for message in messages], IDENTIFIER)


def with_changelog(table: Table, message: CommitMessage) -> CommitMessage:
    """The message with a copy of each new file as its changelog."""
    directory, logs = table.paths.bucket_dir("", message.bucket), []
    for file in message.new_files:
        logs.append(replace(file, file_name=file.file_name.replace("data-", "changelog-")))
        copied = table.io.read(f"{directory}/{file.file_name}")
        table.io.write(f"{directory}/{logs[-1].file_name}", copied)
    return replace(message, new_changelog=tuple(logs))


def merge_manifests(table: Table) -> None:
    apply_compact_manifests(table, plan_compact_manifests(table), USER)


def compact_once(table: Table) -> None:
    if TableCommit(table, USER).filter_committed([2**63 - 1]):
        compact(table, Strategy.FULL, USER)


def lift(table: Table) -> None:
    if TableCommit(table, USER).filter_committed([2**63 - 1]):
        compact(table, Strategy.MINOR, USER)


def sort_once(table: Table) -> None:
    if TableCommit(table, USER).filter_committed([2**63 - 1]):
        tasks = table.plan_sort_compaction("order", ["v", "id"]).tasks
        TableCommit(table, USER).commit([table.run_compaction(task) for task in tasks])


def rewind(table: Table) -> None:
    apply_rollback(table, plan_rollback(table, 1), guard=Guard("guard"))


def rewind_to_tag(table: Table) -> None:
    apply_rollback(table, plan_rollback(table, tag="v1"))


WRITES = [
    (plain, write),
    (unaware, write),
    (hashed, write),
    (plain, write_changelog),
    (marked, delete_rows),
    (partitioned, overwrite),
]
COMPACTIONS = [
    (plain, compact_once),
    (unaware, compact_once),
    (partitioned, compact_once),
    (unaware, sort_once),
    (marked, sort_once),
    (tracked, compact_once),
    (plain, merge_manifests),
    (waiting, lift),
]
FAILING = [(plain, write), (partitioned, overwrite)]
REWINDS = [(plain, rewind), (tagged, rewind_to_tag)]


@cache
def states(make: Make, act: Act) -> tuple[Rows, Rows]:
    table = copy_of(make)
    before = rows_of(table)
    act(table)
    return before, rows_of(fresh(table))


@pytest.mark.parametrize(("make", "act", "number", "done"), at_each_change(WRITES))
def test_a_write_is_there_wholly_or_not_at_all(make: Make, act: Act, number: int, done: bool) -> None:
    table, (before, after) = copy_of(make), states(make, act)
    die(table, act, number, done)
    assert rows_of(fresh(table)) in (before, after)
    act(fresh(table))
    act(fresh(table))
    assert rows_of(fresh(table)) == after
    assert fresh(table).snapshots.latest_id() == 4, "retried, it is committed exactly once"
    assert is_whole(fresh(table))


@pytest.mark.parametrize(("make", "act", "number", "done"), at_each_change(COMPACTIONS))
def test_a_compaction_never_changes_the_rows(make: Make, act: Act, number: int, done: bool) -> None:
    table = copy_of(make)
    before, _ = states(make, act)
    die(table, act, number, done)
    assert rows_of(fresh(table)) == before
    act(fresh(table))
    assert rows_of(fresh(table)) == before
    assert fresh(table).snapshots.latest_id() == 4
    assert is_whole(fresh(table))


@pytest.mark.parametrize(("make", "act", "number", "done"), at_each_change(REWINDS))
def test_a_rewind_stands_at_a_snapshot_in_between(make: Make, act: Act, number: int, done: bool) -> None:
    table = copy_of(make)
    passed = {i: rows_of(original(plain), snapshot_id=i) for i in (1, 2, 3)}
    die(table, act, number, done)
    latest = fresh(table).snapshots.latest_id()
    assert latest in passed
    assert rows_of(fresh(table)) == passed[latest]
    act(fresh(table))
    assert rows_of(fresh(table)) == passed[1]
    assert fresh(table).snapshots.ids() == [1]
    if act is rewind:
        assert rows_of(fresh(table).with_branch("guard")) == passed[3]
    assert is_whole(fresh(table))


@pytest.mark.parametrize(("make", "act", "number", "done"), at_each_change(FAILING, both_sides=True))
def test_a_store_that_fails_once_costs_no_commit(make: Make, act: Act, number: int, done: bool) -> None:
    """An error is not a death: the writer may fail, or try again, but it does neither by halves."""
    table, (before, after) = copy_of(make), states(make, act)
    failing = seen_through(table, FaultyFileIO(table.io, number, done=done, fails=True))
    try:
        act(failing)
    except Exception:
        assert rows_of(fresh(table)) in (before, after)
        act(fresh(table))
    assert rows_of(fresh(table)) == after
    assert fresh(table).snapshots.latest_id() == 4
    assert is_whole(fresh(table))


def test_memory_is_shared_by_all_views() -> None:
    table = copy_of(plain)
    assert isinstance(table.io, MemoryFileIO)
    assert rows_of(fresh(table)) == rows_of(table)
