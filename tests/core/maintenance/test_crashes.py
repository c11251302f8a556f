"""A maintenance action that dies, or whose store fails, at any change leaves every state readable.

What is still there reads as before or as after, the check finds nothing but orphans, and trying again ends as
if nothing had happened.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from core.commit import TableCommit
from core.maintenance.branches import (
    apply_create_branch,
    apply_delete_branch,
    apply_fast_forward,
    plan_create_branch,
    plan_delete_branch,
    plan_fast_forward,
)
from core.maintenance.expire import (
    apply_expire_changelogs,
    apply_expire_snapshots,
    plan_expire_changelogs,
    plan_expire_snapshots,
)
from core.maintenance.remove_orphans import apply_remove_orphans, plan_remove_orphans
from core.maintenance.restore import apply_restore, plan_restore
from core.maintenance.tags import (
    apply_delete_tags,
    apply_rename_tag,
    apply_replace_tag,
    plan_delete_tags,
    plan_rename_tag,
    plan_replace_tag,
)
from core.table import Table
from tests.core.maintenance.tables import Rows, everything, later, tag
from tests.crashes import Act, Case, Make, at_each_change, copy_of, die, fresh, is_whole, seen_through
from tests.faults import FaultyFileIO
from tests.tables import compact, new_table, prepare, put


def three() -> Table:
    """Snapshots 1 to 3, the last a compaction; a tag on the first."""
    table = new_table({"id": "INT NOT NULL", "v": "STRING"}, ["id"])
    put(table, (1, "a"))
    put(table, (1, "b"))
    compact(table)
    tag(table, "first", 1)
    return table


def decoupled() -> Table:
    """The same with changelogs that outlive snapshots."""
    longer = {"changelog__num_retained__min": "50", "changelog__num_retained__max": "50"}
    table = new_table({"id": "INT NOT NULL", "v": "STRING"}, ["id"], **longer)
    put(table, (1, "a"))
    put(table, (1, "b"))
    compact(table)
    return table


def changelogs() -> Table:
    """Changelogs 1 and 2, snapshot 3."""
    table = decoupled()
    expire_snapshots(table)
    return table


def expire_snapshots(table: Table) -> None:
    plan = plan_expire_snapshots(table, now_millis=later(table), retain_min=1)
    apply_expire_snapshots(table, plan)


def expire_changelogs(table: Table) -> None:
    plan = plan_expire_changelogs(table, now_millis=later(table), retain_min=1, retain_max=50)
    apply_expire_changelogs(table, plan)


def littered() -> Table:
    """A table with files that were never committed, and with those of a snapshot that is gone."""
    table = three()
    prepare(table, [(2, "lost")])
    table.snapshots.delete(3)
    table.snapshots.write_hint(2)
    return table


def remove_orphans(table: Table) -> None:
    apply_remove_orphans(table, plan_remove_orphans(table, now_millis=later(table, 48)))


def only_tagged() -> Table:
    """Snapshot 3; a tag on the first, which is gone."""
    table = three()
    expire_snapshots(table)
    return table


def delete_tag(table: Table) -> None:
    apply_delete_tags(table, plan_delete_tags(table, ["first"]))


def replace_tag(table: Table) -> None:
    apply_replace_tag(table, plan_replace_tag(table, "first", now_millis=0))


def rename_tag(table: Table) -> None:
    if table.tags.exists("first"):
        apply_rename_tag(table, plan_rename_tag(table, "first", "renamed"))


def branched() -> Table:
    """Main at 3, branch dev at 2 of its own; both have 1."""
    table = three()
    table.branches.create("dev", from_tag="first")
    put(table.with_branch("dev"), (7, "b"))
    return table


def create_branch(table: Table) -> None:
    plan = plan_create_branch(table, "new", tag="first")
    if not plan.blockers:
        apply_create_branch(table, plan)


def create_branch_of_a_snapshot(table: Table) -> None:
    plan = plan_create_branch(table, "new", snapshot_id=2)
    if not table.branches.exists("new") or plan.remakes:
        apply_create_branch(table, replace(plan, blockers=()))


def delete_branch(table: Table) -> None:
    if table.branches.exists("dev"):
        apply_delete_branch(table, plan_delete_branch(table, "dev"))


def fast_forward(table: Table) -> None:
    apply_fast_forward(table, plan_fast_forward(table, "dev"))


def restore(table: Table) -> None:
    commit = TableCommit(table, "restorer")
    if commit.filter_committed([5]):
        apply_restore(table, plan_restore(table, 2, now_millis=0), "restorer", 5)


CASES: list[Case] = [
    (branched, restore),
    (three, create_branch),
    (three, create_branch_of_a_snapshot),
    (branched, delete_branch),
    (branched, fast_forward),
    (only_tagged, delete_tag),
    (only_tagged, replace_tag),
    (only_tagged, rename_tag),
    (littered, remove_orphans),
    (three, expire_snapshots),
    (decoupled, expire_snapshots),
    (changelogs, expire_changelogs),
]


FAILING: list[Case] = [(three, expire_snapshots), (only_tagged, delete_tag), (branched, fast_forward)]


@cache
def states(make: Make, act: Act) -> tuple[dict[str, Rows], dict[str, Rows]]:
    table = copy_of(make)
    before = everything(table)
    act(table)
    return before, everything(fresh(table))


@pytest.mark.parametrize(("make", "act", "number", "done"), at_each_change(CASES))
def test_a_death_leaves_only_what_can_be_read(make: Make, act: Act, number: int, done: bool) -> None:
    table, (before, after) = copy_of(make), states(make, act)
    die(table, act, number, done)
    for root, rows in everything(fresh(table)).items():
        assert rows in (before.get(root), after.get(root)), root
    assert is_whole(fresh(table))
    act(fresh(table))
    assert everything(fresh(table)) == after
    assert is_whole(fresh(table))


@pytest.mark.parametrize(("make", "act", "number", "done"), at_each_change(FAILING))
def test_a_store_that_fails_once_leaves_only_what_can_be_read(
    make: Make, act: Act, number: int, done: bool
) -> None:
    table, (before, after) = copy_of(make), states(make, act)
    try:
        act(seen_through(table, FaultyFileIO(table.io, number, done=done, fails=True)))
    except Exception:
        for root, rows in everything(fresh(table)).items():
            assert rows in (before.get(root), after.get(root)), root
        assert is_whole(fresh(table))
        act(fresh(table))
    assert everything(fresh(table)) == after
    assert is_whole(fresh(table))
