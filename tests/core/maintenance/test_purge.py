"""A purge leaves the schemas and one snapshot without rows. Spec: 10, 5."""

from __future__ import annotations

import pytest

from core.errors import InvalidRequestError, UnsupportedError
from core.maintenance.purge import apply_purge, plan_purge
from core.schema.changes import SetOption
from core.snapshot import Consumer
from core.table import Table
from tests.core.maintenance.tables import checked, everything, files, is_clean, keyed, later, tag
from tests.tables import compact, prepare, put, rows_of


def full() -> Table:
    """A table with all that a purge takes: a branch, tags, a consumer, changelogs, files never committed."""
    table = keyed(changelog__num_retained__max="50", changelog_producer="input")
    tag(table, "v1", 2)
    table.branches.create("dev", from_tag="v1")
    put(table.with_branch("dev"), (7, "b"))
    table.consumers.put(Consumer("reader", 3))
    prepare(table, [(9, "lost")])
    return table


def purge(table: Table) -> None:
    apply_purge(table, plan_purge(table, now_millis=later(table)), "purger")


def test_nothing_is_left_but_schemas_and_an_empty_snapshot() -> None:
    table = full()
    plan = plan_purge(table, now_millis=later(table))
    assert (plan.branches, plan.tags, plan.consumers) == (("dev",), ("v1",), ("reader",))
    assert (plan.snapshots, plan.live.rows) == ((1, 2, 3, 4, 5, 6), 8)
    apply_purge(table, plan, "purger")
    assert everything(table) == {"main/8": []}
    left = {path.partition("-")[0] for path in files(table)}
    assert left == {"manifest/manifest"}, "the two lists of the snapshot"
    assert len(files(table)) == 2
    assert is_clean(checked(table))
    assert table.schemas.ids() == [0]


def test_a_second_purge_changes_nothing() -> None:
    table = full()
    purge(table)
    before = files(table)
    assert plan_purge(table, now_millis=later(table)).changes_nothing
    purge(table)
    assert (files(table), table.snapshots.ids()) == (before, [8])


def test_a_purged_table_is_written_on() -> None:
    table = full()
    purge(table)
    put(table, (1, "new"))
    compact(table)
    assert rows_of(table) == [(1, "new")]


def test_a_branch_that_is_read_along_forbids_it() -> None:
    table = full().alter([SetOption("scan.fallback-branch", "dev")])
    before = files(table)
    with pytest.raises(InvalidRequestError, match="branch-read-along"):
        purge(table)
    assert files(table) == before


def test_a_branch_alone_is_not_purged() -> None:
    with pytest.raises(UnsupportedError, match="branch"):
        plan_purge(full().with_branch("dev"), now_millis=0)
