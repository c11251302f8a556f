"""Expires long-lived changelogs of snapshots that have expired before. Spec: 08, 6.1."""

from __future__ import annotations

from collections.abc import Callable

from core.errors import NotFoundError
from core.maintenance.expire.plan import (
    ExpirePlan,
    added_files,
    changelog_files,
    gather,
)
from core.maintenance.expire.window import changelog_retention, first_kept_changelog
from core.maintenance.notice import refuse_blocked
from core.maintenance.reach import (
    NamedFiles,
    Progress,
    RootKind,
    Roots,
    delete_unreached,
    metadata_files,
    no_progress,
    would_go,
)
from core.snapshot import Snapshot
from core.table import Table


def plan_expire_changelogs(
    table: Table,
    *,
    now_millis: int,
    retain_max: int | None = None,
    retain_min: int | None = None,
    older_than_millis: int | None = None,
    max_deletes: int | None = None,
    delete_all: bool = False,
) -> ExpirePlan:
    """Which changelogs would expire, and which files would go with them.

    Args:
        table: the table, or one of its branches.
        now_millis: epoch milliseconds.
        retain_max: in place of `changelog.num-retained.max`; snapshots count, too.
        retain_min: in place of `changelog.num-retained.min`.
        older_than_millis: epoch milliseconds, in place of now less `changelog.time-retained`.
        max_deletes: in place of `snapshot.expire.limit`.
        delete_all: all of them, whatever the other arguments and consumers say.

    Raises:
        InvalidRequestError: less than one is to be kept, or more at least than at most.
        FormatError: a changelog whose age decides is damaged.
    """
    own = changelog_retention(table.options)
    retention = own.changed(
        now_millis=now_millis,
        minimum=retain_min,
        maximum=retain_max,
        older_than_millis=older_than_millis,
        limit=max_deletes,
    )
    ids, latest = table.changelogs.ids(), table.snapshots.latest_id()
    if not ids or latest is None:
        return ExpirePlan(expired=(), first_kept=None, named=NamedFiles.none(), files=NamedFiles.none())
    if delete_all:
        return _plan(table, ids, None)
    held = table.consumers.earliest_next()
    end = first_kept_changelog(ids, latest, lambda i: _time_of(table, i), retention, now_millis, held)
    return _plan(table, [i for i in ids if i < end], next(i for i in ids if i >= end))


def apply_expire_changelogs(
    table: Table, plan: ExpirePlan, *, progress: Progress = no_progress
) -> NamedFiles:
    """The files that were deleted.

    Args:
        table: the table that the plan is of.
        plan: changelogs that have gone since it was made are passed over.
        progress: called after each deleted file.

    Raises:
        InvalidRequestError: the plan has blockers.
        NotFoundError, FormatError: something that stays cannot be read; changelogs have gone, but no
            file that is not theirs alone.
    """
    refuse_blocked("the expiration", plan.blockers)
    if plan.changes_nothing:
        return NamedFiles.none()
    for changelog in plan.expired:
        table.changelogs.delete(changelog.id)
    if plan.first_kept is None:
        table.changelogs.delete_hints()
    else:
        table.changelogs.write_earliest_hint(plan.first_kept)
    return delete_unreached(table, plan.named, progress)


def _plan(table: Table, ids: list[int], end: int | None) -> ExpirePlan:
    roots, names = Roots.of(table), {str(i) for i in ids}
    expired = tuple(
        root.snapshot
        for root in roots.found
        if root.kind is RootKind.CHANGELOG and root.branch == table.branch and root.name in names
    )
    gathered = gather(part for changelog in expired for part in _named_by(table, changelog))
    staying = roots.without(RootKind.CHANGELOG, table.branch, names)
    files, blockers = would_go(table, gathered.named, roots, staying) if ids else (NamedFiles.none(), ())
    return ExpirePlan(
        expired=expired,
        first_kept=end,
        named=gathered.named,
        files=files,
        blockers=blockers,
        warnings=gathered.warnings,
    )


def _named_by(table: Table, changelog: Snapshot) -> list[Callable[[], NamedFiles]]:
    """Its changelog files, or where it never had any the data files that it stands for."""
    own = changelog_files if changelog.changelog_manifest_list else added_files
    return [
        lambda: own(table, changelog),
        lambda: metadata_files(table, changelog, with_state=False),
    ]


def _time_of(table: Table, changelog_id: int) -> int | None:
    try:
        return table.changelogs.get(changelog_id).time_millis
    except NotFoundError:
        return None
