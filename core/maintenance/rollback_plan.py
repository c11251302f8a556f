"""What a rollback would remove and change, before anything is touched. Spec: 08, 10; design, 7.2.

A rollback to snapshot r is a rewind: snapshots, tags and long-lived changelogs after r go
away and the next commit takes id r + 1 again. No data file or manifest is deleted: what
only the removed snapshots used becomes an orphan.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.errors import InvalidRequestError, NotFoundError, PaimonError
from core.maintenance.rollback_data import FileTotals, PartitionChange, data_change
from core.snapshot.snapshot import Snapshot
from core.table import Table

_RECENT_MILLIS = 10 * 60 * 1000


@dataclass(frozen=True, slots=True)
class AffectedConsumer:
    id: str
    next_snapshot: int  # above the target's next id: it waits until ids are there again


@dataclass(frozen=True, slots=True)
class RecentWriter:
    """A user that committed in the last ten minutes: it may go on from what is removed."""

    user: str
    last_commit_millis: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackPlan:
    """A rollback of one table; `core.maintenance.rollback.apply_rollback` does it."""

    base: Snapshot  # the latest snapshot when the plan was made
    target: Snapshot
    target_tag: str | None  # the tag that was asked for, or that holds an expired target
    restores_target_file: bool  # the target's snapshot file is gone: it is written again from the tag
    removed_snapshots: tuple[Snapshot, ...]  # oldest first
    removed_tags: tuple[str, ...]
    removed_changelogs: tuple[int, ...]
    partitions: tuple[PartitionChange, ...]  # those that change, most rows first; empty if not known
    missing_files: tuple[str, ...]  # paths that must come back and are not there
    consumers: tuple[AffectedConsumer, ...]
    recent_writers: tuple[RecentWriter, ...]
    branches: tuple[str, ...]  # forked after the target
    schema_id: int  # stays current
    head_damage: PaimonError | None = None  # names what of `base` cannot be read

    @property
    def leaving(self) -> FileTotals | None:
        """None where the head is damaged: what it holds is not known."""
        return self._sum(p.leaving for p in self.partitions)

    @property
    def returning(self) -> FileTotals | None:
        """None where the head is damaged: all that the target needs was looked for."""
        return self._sum(p.returning for p in self.partitions)

    @property
    def rows_delta(self) -> int | None:
        return None if self.head_damage else sum(p.rows_delta for p in self.partitions)

    @property
    def size_delta(self) -> int | None:
        """Bytes."""
        return None if self.head_damage else sum(p.size_delta for p in self.partitions)

    @property
    def next_id(self) -> int:
        """The id of the next commit, which is used for the second time if anything is removed."""
        return self.target.id + 1

    @property
    def history(self) -> tuple[str, ...]:
        """References of the target and of all that goes, oldest first: where an unfinished run may stand."""
        return (self.target.reference, *(s.reference for s in self.removed_snapshots))

    @property
    def changes_nothing(self) -> bool:
        return not (self.removed_snapshots or self.removed_tags or self.removed_changelogs)

    @property
    def blockers(self) -> tuple[str, ...]:
        """Codes of what forbids it."""
        return ("missing-files",) if self.missing_files else ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Codes of what should be looked at before."""
        found = {
            "head-damaged": self.head_damage,
            "consumer-ahead": self.consumers,
            "recent-writer": self.recent_writers,
            "tags-removed": self.removed_tags,
            "branch-after-target": self.branches,
        }
        return tuple(code for code, cases in found.items() if cases)

    def _sum(self, totals: Iterable[FileTotals]) -> FileTotals | None:
        return None if self.head_damage else FileTotals.sum_of(totals)


def plan_rollback(
    table: Table,
    snapshot_id: int | None = None,
    tag: str | None = None,
    *,
    timestamp_millis: int | None = None,
    watermark: int | None = None,
    now_millis: int | None = None,
) -> RollbackPlan:
    """What a rollback to a snapshot, a tag or a time would do; a damaged head hinders none.

    Args:
        table: the table, or one of its branches.
        snapshot_id: the target; if its file has expired, a tag that holds it serves.
        tag: the target by name.
        timestamp_millis: the target is the latest snapshot committed by then, epoch milliseconds.
        watermark: the target is the latest snapshot with at most this watermark.
        now_millis: epoch milliseconds; without it no writer counts as recent.

    Raises:
        InvalidRequestError: not exactly one target, or the target is newer than the table.
        NotFoundError: no such snapshot or tag, the table has no snapshot at all, or the target
            needs metadata that is missing (`path`).
        FormatError: metadata of the target is damaged (`path`).
    """
    asked = {
        "snapshot_id": snapshot_id,
        "tag": tag,
        "timestamp_millis": timestamp_millis,
        "watermark": watermark,
    }
    if sum(value is not None for value in asked.values()) != 1:
        raise InvalidRequestError(f"give exactly one of {', '.join(asked)}", **asked)
    base = table.snapshots.latest()
    if base is None:
        raise NotFoundError("the table has no snapshot to roll back from", table=str(table.identifier))
    if timestamp_millis is not None or watermark is not None:
        snapshot_id = _last_until(table, timestamp_millis, watermark).id
    target, target_tag = target_of(table, snapshot_id, tag)
    if target.id > base.id:
        raise InvalidRequestError("the target is newer than the table", target=target.id, latest=base.id)
    removed = tuple(table.snapshots.after(target.id))
    change = data_change(table, base, target)
    return RollbackPlan(
        base=base,
        target=target,
        target_tag=target_tag,
        restores_target_file=not _has_file(table, target),
        removed_snapshots=removed,
        removed_tags=tuple(t.name for t in table.tags.list() if t.snapshot.id > target.id),
        removed_changelogs=tuple(i for i in table.changelogs.ids() if i > target.id),
        partitions=change.partitions,
        missing_files=change.missing_files,
        consumers=_consumers_ahead(table, target),
        recent_writers=_recent_writers(removed, now_millis),
        branches=_branches_after(table, target),
        schema_id=table.schemas.latest().id,
        head_damage=change.head_damage,
    )


def _last_until(table: Table, timestamp_millis: int | None, watermark: int | None) -> Snapshot:
    """The latest snapshot up to a time or a watermark."""
    found = None
    if timestamp_millis is not None:
        found = table.snapshots.by_time(timestamp_millis)
    elif watermark is not None:
        for snapshot in table.snapshots.iter_all():
            if snapshot.watermark is not None and snapshot.watermark <= watermark:
                found = snapshot
    if found is None:
        raise NotFoundError("every snapshot is later", timestamp_millis=timestamp_millis, watermark=watermark)
    return found


def target_of(table: Table, snapshot_id: int | None, tag: str | None) -> tuple[Snapshot, str | None]:
    """The snapshot of an id or a tag, and the tag that holds it where that is needed."""
    if tag is not None:
        return table.tags.get(tag).snapshot, tag
    assert snapshot_id is not None
    try:
        return table.snapshots.get(snapshot_id), None
    except NotFoundError:
        holder = table.tags.of_snapshot(snapshot_id)
        if holder is None:
            raise
        return holder.snapshot, holder.name


def _has_file(table: Table, target: Snapshot) -> bool:
    """Whether the target's file is there and still that snapshot: a rewind may have used the id again."""
    if not table.snapshots.exists(target.id):
        return False
    found = table.snapshots.get(target.id)
    if found.identity != target.identity:
        raise InvalidRequestError(
            "the tag holds a snapshot that is no longer part of the table's history",
            tag_snapshot=target.reference,
            table_snapshot=found.reference,
        )
    return True


def _consumers_ahead(table: Table, target: Snapshot) -> tuple[AffectedConsumer, ...]:
    ahead = (c for c in table.consumers.list() if c.next_snapshot > target.id + 1)
    return tuple(AffectedConsumer(c.id, c.next_snapshot) for c in ahead)


def _recent_writers(removed: Sequence[Snapshot], now_millis: int | None) -> tuple[RecentWriter, ...]:
    if now_millis is None:
        return ()
    newest = {s.commit_user: s.time_millis for s in removed if now_millis - s.time_millis <= _RECENT_MILLIS}
    return tuple(RecentWriter(user, time) for user, time in newest.items())


def _branches_after(table: Table, target: Snapshot) -> tuple[str, ...]:
    """Branches whose first snapshot is one that goes away."""
    names = [name for name in table.branches.names() if name != table.branch]
    firsts = ((name, table.with_branch(name).snapshots.earliest_id()) for name in names)
    return tuple(name for name, first in firsts if first is not None and first > target.id)
