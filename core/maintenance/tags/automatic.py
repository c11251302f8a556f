"""Tags that a table makes of itself, one a period. Spec: 08, 8.

The tag of a period is made of the first snapshot that has come to its end (and `tag.creation-delay`
beyond): by the time of commits, or by watermarks. The first tag of all is that of the period before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from core.errors import AlreadyExistsError, InvalidRequestError
from core.maintenance.reach import NamedFiles, Progress, no_progress
from core.maintenance.tags.create import tag_of, write_success_file
from core.maintenance.tags.delete import apply_delete_tags, plan_delete_tags
from core.maintenance.tags.kept import create_kept_tag
from core.maintenance.tags.replace import ReplaceTagPlan, apply_replace_tag
from core.options import (
    SINK_PROCESS_ZONE,
    SINK_WATERMARK_ZONE,
    TAG_AUTOMATIC_COMPLETION,
    TAG_AUTOMATIC_CREATION,
    TAG_CREATION_DELAY,
    TAG_NUM_RETAINED_MAX,
    TagCreation,
)
from core.snapshot import Snapshot, Tag
from core.snapshot.auto_tags import TagPeriods
from core.table import Table

_NO_WATERMARK = -(2**63)


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoTagPlan:
    created: tuple[Tag, ...]  # oldest period first
    removed: tuple[str, ...]  # automatic tags above `tag.num-retained-max`, oldest period first
    now_millis: int
    replaced: ReplaceTagPlan | None = None  # a tag of a batch job that moves to its snapshot


@dataclass(frozen=True, slots=True)
class Due:
    """A tag that is due: the start of its period, and its snapshot."""

    period: datetime
    snapshot: Snapshot


def plan_auto_tags(table: Table, *, now_millis: int) -> AutoTagPlan:
    """The automatic tags that are due, and those that are too many then.

    Raises:
        InvalidRequestError: the table makes no tags of itself but by batch jobs (`plan_batch_tag`), or its
            options make no sense.
    """
    options = table.options
    mode, periods = options.get(TAG_AUTOMATIC_CREATION), TagPeriods.of(options)
    delay = options.get(TAG_CREATION_DELAY)
    if mode in (TagCreation.NONE, TagCreation.BATCH):
        raise InvalidRequestError(
            "the table makes no tags of itself", option=TAG_AUTOMATIC_CREATION.key, found=mode.value
        )
    if delay >= periods.length:
        raise InvalidRequestError("tag.creation-delay must be shorter than the period", delay=delay)
    tags = table.tags.list()
    automatic = sorted(start for tag in tags if (start := periods.start_of(tag.name)) is not None)
    last = max((tag.snapshot.id for tag in tags), default=0)
    seen = [(s, t) for s in table.snapshots.iter_all() if s.id > last and (t := _time_of(table, s, mode))]
    next_period = automatic[-1] + periods.length if automatic else None
    completes = options.get(TAG_AUTOMATIC_COMPLETION)
    due = list(due_tags(seen, periods, next_period, delay, completes=completes))
    created = [
        tag_of(table, periods.name_of(d.period), d.snapshot, now_millis, None)
        for d in due
        if d.period not in automatic
    ]
    starts = sorted({*automatic, *(d.period for d in due)})
    most = options.get(TAG_NUM_RETAINED_MAX)
    removed = starts[: max(len(starts) - most, 0)] if most is not None else []
    return AutoTagPlan(
        created=tuple(tag for tag in created if tag.name not in {periods.name_of(r) for r in removed}),
        removed=tuple(periods.name_of(start) for start in removed if start in automatic),
        now_millis=now_millis,
    )


def due_tags(
    snapshots: Sequence[tuple[Snapshot, datetime]],
    periods: TagPeriods,
    next_period: datetime | None,
    delay: timedelta,
    *,
    completes: bool,
) -> Iterator[Due]:
    """The tags that snapshots give rise to. Pure.

    Args:
        snapshots: those not yet looked at, ascending, each with its time.
        periods: of the table.
        next_period: the start of the period after that of the last automatic tag, if there is one.
        delay: how long after its end a period gets its tag.
        completes: whether periods without a snapshot of their own get a tag, too.
    """
    for snapshot, time in snapshots:
        while next_period is None or time - delay >= next_period + periods.length:
            skips = next_period is None or not completes
            period = periods.floor(time) - periods.length if skips else next_period
            assert period is not None
            yield Due(period, snapshot)
            next_period = period + periods.length
            if skips:
                break


def apply_auto_tags(table: Table, plan: AutoTagPlan, *, progress: Progress = no_progress) -> NamedFiles:
    """The files that went with tags that were too many; the new tags are made first.

    One that somebody else has made meanwhile is left as it is.

    Raises:
        NotFoundError: a snapshot expired before its tag was made; plan again.
    """
    for tag in plan.created:
        try:
            create_kept_tag(table, tag)
        except AlreadyExistsError:
            continue
        write_success_file(table, tag.name, plan.now_millis)
    if plan.replaced is not None:
        apply_replace_tag(table, plan.replaced, progress=progress)
    return apply_delete_tags(table, plan_delete_tags(table, plan.removed), progress=progress)


def _time_of(table: Table, snapshot: Snapshot, mode: TagCreation) -> datetime | None:
    """The wall clock by which a snapshot is judged; None where it has no watermark."""
    if mode is TagCreation.PROCESS_TIME:
        return wall_clock_of(table, snapshot)
    if snapshot.watermark is None or snapshot.watermark == _NO_WATERMARK:
        return None
    return _wall_clock(snapshot.watermark, _zone(table.options.get(SINK_WATERMARK_ZONE)))


def wall_clock_of(table: Table, snapshot: Snapshot) -> datetime:
    """When the snapshot was made, on the wall clock of `sink.process-time-zone`."""
    zone = table.options.get(SINK_PROCESS_ZONE)
    return _wall_clock(snapshot.time_millis, None if zone is None else _zone(zone))


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise InvalidRequestError("no such time zone", zone=name) from error


def _wall_clock(millis: int, zone: tzinfo | None) -> datetime:
    """Of an epoch time, in a zone or in that of this machine."""
    return datetime.fromtimestamp(millis / 1000, zone).replace(tzinfo=None)
