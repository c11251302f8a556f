"""Gives a snapshot a name under which it outlives expiration. Spec: 08, 8; 10, 3."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from core.errors import InvalidRequestError, NotFoundError
from core.maintenance.notice import Notice, refuse_blocked
from core.maintenance.tags.kept import create_kept_tag
from core.options import TAG_CREATE_SUCCESS_FILE, TAG_DEFAULT_TIME_RETAINED
from core.snapshot import Snapshot, Tag
from core.snapshot.time_travel import snapshot_or_tagged
from core.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTagPlan:
    tag: Tag
    now_millis: int
    blockers: tuple[Notice, ...] = ()


def plan_create_tag(
    table: Table,
    name: str,
    *,
    now_millis: int,
    snapshot_id: int | None = None,
    timestamp_millis: int | None = None,
    watermark: int | None = None,
    time_retained: timedelta | None = None,
) -> CreateTagPlan:
    """The tag that would be made.

    Args:
        table: the table, or one of its branches.
        name: not blank, without a slash.
        now_millis: epoch milliseconds.
        snapshot_id: the snapshot; one that only another tag holds will do. The latest by default.
        timestamp_millis: the first snapshot at or after this time, epoch milliseconds.
        watermark: the first snapshot with at least this watermark.
        time_retained: how long the tag is kept, `tag.default-time-retained` if that is set.

    Raises:
        NotFoundError: there is no such snapshot. InvalidRequestError: no name for a tag, or a
            snapshot asked for in two ways.
    """
    snapshot = snapshot_for_tag(table, snapshot_id, timestamp_millis, watermark)
    exists = Notice("tag-exists", {"tag": name}) if table.tags.exists(name) else None
    tag = tag_of(table, name, snapshot, now_millis, time_retained)
    return CreateTagPlan(tag=tag, now_millis=now_millis, blockers=(exists,) if exists else ())


def apply_create_tag(table: Table, plan: CreateTagPlan) -> Tag:
    """The tag, made.

    Raises:
        InvalidRequestError: the plan has blockers. AlreadyExistsError: the name was taken since.
        NotFoundError: the snapshot has expired meanwhile.
    """
    refuse_blocked("the tag", plan.blockers)
    create_kept_tag(table, plan.tag)
    write_success_file(table, plan.tag.name, plan.now_millis)
    return plan.tag


def snapshot_for_tag(
    table: Table, snapshot_id: int | None, timestamp_millis: int | None, watermark: int | None
) -> Snapshot:
    """The snapshot that a tag is asked for on."""
    if sum(value is not None for value in (snapshot_id, timestamp_millis, watermark)) > 1:
        raise InvalidRequestError("give one of snapshot_id, timestamp_millis and watermark")
    if snapshot_id is not None:
        return snapshot_or_tagged(table.snapshots, table.tags, snapshot_id)
    if timestamp_millis is not None:
        return _first(table, timestamp_millis=timestamp_millis)
    if watermark is not None:
        return _first(table, watermark=watermark)
    latest = table.snapshots.latest()
    if latest is None:
        raise NotFoundError("the table has no snapshot", table=str(table.identifier))
    return latest


def tag_of(
    table: Table, name: str, snapshot: Snapshot, now_millis: int, time_retained: timedelta | None
) -> Tag:
    """A tag with its retention, and then the time of its making on the wall clock of this machine."""
    retained = time_retained or table.options.get(TAG_DEFAULT_TIME_RETAINED)
    return Tag(name, snapshot, datetime.fromtimestamp(now_millis / 1000) if retained else None, retained)


def write_success_file(table: Table, name: str, now_millis: int) -> None:
    if table.options.get(TAG_CREATE_SUCCESS_FILE):
        table.tags.write_success_file(name, now_millis)


def _first(table: Table, *, timestamp_millis: int | None = None, watermark: int | None = None) -> Snapshot:
    """The first of all snapshots and tags that has come so far. Spec: 10, 3, create_tag_from_timestamp."""
    candidates = [*table.snapshots.iter_all(), *(tag.snapshot for tag in table.tags.list())]
    for snapshot in sorted(candidates, key=lambda s: s.id):
        if timestamp_millis is not None and snapshot.time_millis >= timestamp_millis:
            return snapshot
        if watermark is not None and snapshot.watermark is not None and snapshot.watermark >= watermark:
            return snapshot
    raise NotFoundError("no snapshot has come so far", timestamp_millis=timestamp_millis, watermark=watermark)
