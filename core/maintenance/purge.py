"""Empties a table for good: all rows, history, tags, branches and consumers. Spec: 10, 5, purge_files.

What is left is the table with its schemas and one snapshot without rows. Nobody may write meanwhile:
files that are not committed yet go whatever their age.

Each step leaves a table that can be read, and a purge that was interrupted is finished by planning and
applying it again. The files of a root go once nothing that is left reaches them, as everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.commit import TableCommit
from core.errors import UnsupportedError
from core.io import MAIN_BRANCH
from core.maintenance.branches import apply_delete_branch, plan_delete_branch
from core.maintenance.consumers import apply_delete_consumers, plan_clear_consumers
from core.maintenance.expire import (
    apply_expire_changelogs,
    apply_expire_snapshots,
    plan_expire_changelogs,
    plan_expire_snapshots,
)
from core.maintenance.notice import Notice, refuse_blocked
from core.maintenance.remove_orphans import apply_remove_orphans, plan_remove_orphans
from core.maintenance.rollback_data import FileTotals
from core.maintenance.tags import apply_delete_tags, plan_delete_tags
from core.options import DATA_FILE_EXTERNAL_PATHS
from core.snapshot import Snapshot
from core.table import Table

_DAY = 24 * 3_600_000  # milliseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgePlan:
    """All that goes."""

    branches: tuple[str, ...]
    tags: tuple[str, ...]
    consumers: tuple[str, ...]
    snapshots: tuple[int, ...]  # one without rows takes their place
    changelogs: tuple[int, ...]
    live: FileTotals  # of the latest snapshot
    now_millis: int
    blockers: tuple[Notice, ...] = ()
    warnings: tuple[Notice, ...] = ()

    @property
    def changes_nothing(self) -> bool:
        """Whether the table is empty and has no past; files that nothing reaches may still be there."""
        others = self.branches or self.tags or self.consumers or self.changelogs
        return not (others or self.live.count or len(self.snapshots) > 1)


def plan_purge(table: Table, *, now_millis: int) -> PurgePlan:
    """What would go.

    Args:
        table: the table, seen from main.
        now_millis: epoch milliseconds.

    Raises:
        UnsupportedError: the table is seen from a branch: delete that instead.
    """
    if table.branch != MAIN_BRANCH:
        raise UnsupportedError("only a whole table can be purged", feature="purge of a branch")
    branches = tuple(table.branches.names())
    return PurgePlan(
        branches=branches,
        tags=tuple(table.tags.names()),
        consumers=tuple(table.consumers.ids()),
        snapshots=tuple(table.snapshots.ids()),
        changelogs=tuple(table.changelogs.ids()),
        live=_live(table),
        now_millis=now_millis,
        blockers=tuple(b for name in branches for b in plan_delete_branch(table, name).blockers),
        warnings=tuple(
            Notice("external-path-left", {"path": root})
            for root in table.options.get(DATA_FILE_EXTERNAL_PATHS)
        ),
    )


def apply_purge(table: Table, plan: PurgePlan, user: str) -> Snapshot | None:
    """The one snapshot that is left; None for a table that had none.

    Args:
        table: the table that the plan is of; what has come since the plan goes, too.
        plan: what it names and what is gone already is passed over.
        user: whose snapshot it is to be.

    Raises:
        InvalidRequestError: the plan has blockers.
        CommitConflictError, CommitUnknownError: as `TableCommit.commit`; nothing but branches, tags and
            consumers has gone.
        NotFoundError, FormatError: metadata cannot be read.
    """
    refuse_blocked("the purge", plan.blockers)
    for name in table.branches.names():
        apply_delete_branch(table, plan_delete_branch(table, name))
    apply_delete_consumers(table, plan_clear_consumers(table))
    apply_delete_tags(table, plan_delete_tags(table, table.tags.names()))
    commit = TableCommit(table, user)
    if _live(table).count:
        commit.truncate()
    commit.merge_manifests()  # entries of what has gone tell bounds of its values
    _forget(table, plan.now_millis)
    # So far ahead that no file is too young: whoever wrote one has stopped.
    ahead = plan.now_millis + _DAY
    orphans = plan_remove_orphans(table, now_millis=ahead, older_than_millis=ahead - 1)
    apply_remove_orphans(table, orphans)
    return table.snapshots.latest()


def _forget(table: Table, now_millis: int) -> None:
    """Let all snapshots but the latest go, and the changelogs that they may leave."""
    every = table.snapshots.latest_id() or 1
    expiring = plan_expire_snapshots(
        table, now_millis=now_millis, retain_max=1, retain_min=1, max_deletes=every
    )
    apply_expire_snapshots(table, expiring)
    apply_expire_changelogs(table, plan_expire_changelogs(table, now_millis=now_millis, delete_all=True))


def _live(table: Table) -> FileTotals:
    latest = table.snapshots.latest()
    if latest is None:
        return FileTotals()
    entries = table.manifests.live_entries(latest)
    sums = (int(entries.numpy(column).sum()) for column in ("file_size", "row_count"))
    return FileTotals(len(entries), *sums)
