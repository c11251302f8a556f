"""Expires snapshots: the oldest go, with the files that only they need. Spec: 08, 6.

Theory. Paimon deletes the files first and the snapshots last; a crash in between leaves
snapshots that cannot be read. We turn it round (see `core.maintenance.reach`):

    1  each snapshot, the oldest first: written as a changelog if that lives longer, then deleted
    2  EARLIEST; until then readers find that it is wrong, and list
    3  the search: what does anything that is still there reach of the files that they named?
    4  all other of these files are deleted

A crash before 3 or in 4 leaves orphans, which their cleaning finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.errors import AlreadyExistsError, CommitConflictError, NotFoundError
from core.maintenance.expire.plan import (
    ExpirePlan,
    changelog_files,
    gather,
    removed_files,
)
from core.maintenance.expire.window import (
    Retention,
    TimeOf,
    changelog_retention,
    first_kept_snapshot,
    outlives_snapshots,
    snapshot_retention,
)
from core.maintenance.notice import Notice, refuse_blocked
from core.maintenance.reach import (
    NamedFiles,
    Progress,
    Root,
    RootKind,
    Roots,
    delete_unreached,
    metadata_files,
    no_progress,
    would_go,
)
from core.options import CONSUMER_CHANGELOG_ONLY
from core.snapshot import Snapshot
from core.table import Table


def plan_expire_snapshots(
    table: Table,
    *,
    now_millis: int,
    retain_max: int | None = None,
    retain_min: int | None = None,
    older_than_millis: int | None = None,
    max_deletes: int | None = None,
) -> ExpirePlan:
    """Which snapshots would expire, and which files would go with them.

    Args:
        table: the table, or one of its branches.
        now_millis: epoch milliseconds.
        retain_max: in place of `snapshot.num-retained.max`.
        retain_min: in place of `snapshot.num-retained.min`.
        older_than_millis: epoch milliseconds, in place of now less `snapshot.time-retained`.
        max_deletes: in place of `snapshot.expire.limit`.

    Raises:
        InvalidRequestError: less than one is to be kept, or more at least than at most.
        FormatError: a snapshot whose age decides is damaged.
    """
    own = snapshot_retention(table.options)
    retention = own.changed(
        now_millis=now_millis,
        minimum=retain_min,
        maximum=retain_max,
        older_than_millis=older_than_millis,
        limit=max_deletes,
    )
    ids = table.snapshots.ids()
    if not ids:
        return ExpirePlan(expired=(), first_kept=None, named=NamedFiles.none(), files=NamedFiles.none())
    decoupled = outlives_snapshots(changelog_retention(table.options), own)
    held = _holding(table, own)
    end = first_kept_snapshot(ids, lambda i: _time_of(table, i), retention, now_millis, held)
    warnings = _warnings(table, ids, end, retention, held, now_millis)
    first_kept = next(i for i in ids if i >= end)  # ids may have a gap
    return _plan(table, [i for i in ids if i < end], first_kept, decoupled, warnings)


def kept_from(table: Table, *, now_millis: int, time_of: TimeOf) -> tuple[int | None, int | None]:
    """The first snapshot that the options of the table keep now, and the first that a consumer still reads.

    However many may go at once. None where there is no snapshot, and where no consumer holds any.

    Args:
        table: the table, or one of its branches.
        now_millis: epoch milliseconds.
        time_of: asked for the ages that decide, from the oldest on.

    Raises:
        InvalidRequestError: the options contradict each other. FormatError: as `time_of`.
    """
    ids, own = table.snapshots.ids(), snapshot_retention(table.options)
    if not ids:
        return None, None
    held = _holding(table, own)
    unlimited = replace(own, limit=max(1, ids[-1]))
    end = first_kept_snapshot(ids, time_of, unlimited, now_millis, held)
    return next((i for i in ids if i >= end), None), held


def apply_expire_snapshots(table: Table, plan: ExpirePlan, *, progress: Progress = no_progress) -> NamedFiles:
    """The files that were deleted.

    Args:
        table: the table that the plan is of.
        plan: snapshots that have gone since it was made are passed over.
        progress: called after each deleted file.

    Raises:
        InvalidRequestError: the plan has blockers.
        CommitConflictError: the table was rolled back since the plan, or a consumer has come.
        NotFoundError, FormatError: something that stays cannot be read; snapshots have gone, but no
            file that is not theirs alone.
    """
    refuse_blocked("the expiration", plan.blockers)
    if plan.first_kept is None:
        return NamedFiles.none()
    _check_fresh(table, plan)
    for snapshot in plan.expired:
        if plan.becomes_changelog:
            _keep_as_changelog(table, snapshot)
        _check_not_rewound(table, plan.first_kept)
        table.snapshots.delete(snapshot.id)
    table.snapshots.write_earliest_hint(plan.first_kept)
    _check_not_rewound(table, plan.first_kept)
    return delete_unreached(table, plan.named, progress)


def _plan(
    table: Table, ids: Sequence[int], end: int, decoupled: bool, warnings: tuple[Notice, ...]
) -> ExpirePlan:
    roots = Roots.of(table)
    mine = {
        int(root.name): root.snapshot
        for root in roots.found
        if root.kind is RootKind.SNAPSHOT and root.branch == table.branch
    }
    expired = tuple(mine[i] for i in ids if i in mine)
    staying = roots.without(RootKind.SNAPSHOT, table.branch, {str(i) for i in ids})
    if decoupled:
        staying += tuple(Root(RootKind.CHANGELOG, table.branch, str(s.id), s) for s in expired)
    after = [*expired[1:], *([mine[end]] if end in mine else [])] if expired else []
    gathered = gather(
        [
            *(lambda s=s: removed_files(table, s) for s in after),
            *(lambda s=s: changelog_files(table, s) for s in expired),
            *(lambda s=s: metadata_files(table, s) for s in expired),
        ]
    )
    files, blockers = would_go(table, gathered.named, roots, staying) if ids else (NamedFiles.none(), ())
    return ExpirePlan(
        expired=expired,
        first_kept=end,
        becomes_changelog=decoupled,
        named=gathered.named,
        files=files,
        blockers=blockers,
        warnings=(*warnings, *gathered.warnings),
    )


def _holding(table: Table, own: Retention) -> int | None:
    """The first snapshot that a consumer still reads; None also where changelogs are kept for them."""
    decoupled = outlives_snapshots(changelog_retention(table.options), own)
    if decoupled and table.options.get(CONSUMER_CHANGELOG_ONLY):
        return None
    return table.consumers.earliest_next()


def _time_of(table: Table, snapshot_id: int) -> int | None:
    try:
        return table.snapshots.get(snapshot_id).time_millis
    except NotFoundError:
        return None


def _warnings(
    table: Table, ids: Sequence[int], end: int, retention: Retention, held: int | None, now_millis: int
) -> tuple[Notice, ...]:
    """What keeps snapshots that are old enough to go."""
    found = []
    if held is not None and end == held and end <= ids[-1] - retention.minimum:
        holders = [c for c in table.consumers.list() if c.next_snapshot == held]
        found = [Notice("consumer-holds", {"consumer": c.id, "next_snapshot": held}) for c in holders]
    unlimited = Retention(retention.minimum, retention.maximum, retention.time, len(ids) + ids[-1])
    if end == ids[0] + retention.limit:
        whole = first_kept_snapshot(ids, lambda i: _time_of(table, i), unlimited, now_millis, held)
        if whole > end:
            found.append(Notice("limit-reached", {"limit": retention.limit, "left": whole - end}))
    return tuple(found)


def _check_fresh(table: Table, plan: ExpirePlan) -> None:
    assert plan.first_kept is not None
    _check_not_rewound(table, plan.first_kept)
    for snapshot in plan.expired:
        try:
            found = table.snapshots.get(snapshot.id)
        except NotFoundError:
            continue  # another expiration was first
        if found.identity != snapshot.identity:
            raise CommitConflictError(
                "the table was rolled back since the expiration was planned",
                base=snapshot.reference,
                winner=found.reference,
            )
    held = table.consumers.earliest_next()
    ignores = plan.becomes_changelog and table.options.get(CONSUMER_CHANGELOG_ONLY)
    if plan.expired and held is not None and held < plan.first_kept and not ignores:
        raise CommitConflictError(
            "a consumer has come that reads what is to expire", next_snapshot=held, first_kept=plan.first_kept
        )


def _check_not_rewound(table: Table, first_kept: int) -> None:
    """Of an expiration and a rollback that meet, each would leave nothing of what the other leaves."""
    latest = first_kept if table.snapshots.exists(first_kept) else table.snapshots.latest_id()
    if latest is None or latest < first_kept:
        raise CommitConflictError(
            "the table was rolled back since the expiration was planned", first_kept=first_kept, latest=latest
        )


def _keep_as_changelog(table: Table, snapshot: Snapshot) -> None:
    """Write the snapshot's file among the changelogs; what a rewound table left there is replaced."""
    try:
        table.changelogs.create(snapshot)
    except AlreadyExistsError:
        if table.changelogs.get(snapshot.id).identity != snapshot.identity:
            table.changelogs.delete(snapshot.id)
            table.changelogs.create(snapshot)
    if table.changelogs.earliest_id() is None or table.changelogs.earliest_id() == snapshot.id:
        table.changelogs.write_earliest_hint(snapshot.id)
    table.changelogs.write_hint(snapshot.id)
