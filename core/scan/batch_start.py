"""What a batch read of a table sees, by the options of the table. Spec: 09, 6."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from core.errors import InvalidRequestError, NotFoundError
from core.options import (
    CHANGELOG_PRODUCER,
    FULL_COMPACTION_DELTA_COMMITS,
    INCREMENTAL_BETWEEN,
    INCREMENTAL_BETWEEN_SCAN_MODE,
    INCREMENTAL_BETWEEN_TAG_TO_SNAPSHOT,
    INCREMENTAL_BETWEEN_TIMESTAMP,
    SCAN_CREATION_TIME,
    SCAN_FILE_CREATION_TIME,
    SCAN_SNAPSHOT_ID,
    SCAN_TAG_NAME,
    SCAN_TIMESTAMP,
    SCAN_TIMESTAMP_MILLIS,
    SCAN_VERSION,
    SCAN_WATERMARK,
    ChangelogProducer,
    IncrementalScanMode,
    ScanMode,
    TableOptions,
)
from core.scan.changes import ChangeFiles
from core.scan.selection import ALL_FILES, FileSelection
from core.scan.source import HistorySource
from core.schema.start import Start, start_of
from core.snapshot.auto_tags import previous_auto_tag
from core.snapshot.snapshot import BATCH_COMMIT_IDENTIFIER, CommitKind, Snapshot
from core.snapshot.time_travel import millis_of_time, resolve, resolve_version


@dataclass(frozen=True, slots=True)
class State:
    """The table as it stood at a snapshot; None for a table without one."""

    snapshot: Snapshot | None
    travels: bool = False  # one snapshot of the past was asked for: it is read with its own schema
    selection: FileSelection = ALL_FILES


@dataclass(frozen=True, slots=True)
class Changes:
    """What commits changed, oldest first."""

    snapshots: tuple[Snapshot, ...]
    files: ChangeFiles


@dataclass(frozen=True, slots=True)
class Difference:
    """What is different at `after`, from `before`; None is the table without rows."""

    before: Snapshot | None
    after: Snapshot | None


BatchStart: TypeAlias = State | Changes | Difference


def batch_start(source: HistorySource) -> BatchStart:
    """What a batch read of `source` sees.

    Raises:
        InvalidRequestError: options contradict one another, or hold what they cannot hold.
        NotFoundError: a snapshot or tag that they name is not there.
    """
    start = start_of(source.options)
    return _MODES[start.mode](source, start)


def first_full_snapshot(source: HistorySource) -> Snapshot | None:
    """The newest snapshot of a full compaction, else the latest: scan.mode `compacted-full`.

    Where `full-compaction.delta-commits` is set, only commits count whose number it divides:
    the others compact a part.
    """
    every = source.options.get(FULL_COMPACTION_DELTA_COMMITS)
    producer = source.options.get(CHANGELOG_PRODUCER)
    if every is None and producer is ChangelogProducer.FULL_COMPACTION:
        every = 1
    for snapshot_id in reversed(source.snapshots.ids()):
        snapshot = source.snapshots.get(snapshot_id)
        number = snapshot.commit_identifier
        full = every is None or number == BATCH_COMMIT_IDENTIFIER or number % every == 0
        if snapshot.commit_kind is CommitKind.COMPACT and full:
            return snapshot
    return source.snapshots.latest()


def last_before(source: HistorySource, millis: int) -> int | None:
    """The id of the last snapshot committed before a time, long-lived changelogs counted.

    One less than the first where all are later; None where there is nothing at all.
    """
    kept = [(i, source.changelogs.get) for i in source.changelogs.ids()]
    alive = [(i, source.snapshots.get) for i in source.snapshots.ids()]
    known = [*(entry for entry in kept if not alive or entry[0] < alive[0][0]), *alive]
    low, high = 0, len(known)
    while low < high:
        middle = (low + high) // 2
        snapshot_id, get = known[middle]
        low, high = (middle + 1, high) if get(snapshot_id).time_millis < millis else (low, middle)
    if not known:
        return None
    return known[low - 1][0] if low else known[0][0] - 1


def _latest(source: HistorySource, start: Start) -> BatchStart:
    return State(source.snapshots.latest())


def _latest_delta(source: HistorySource, start: Start) -> BatchStart:
    latest = source.snapshots.latest()
    return Changes((latest,) if latest else (), ChangeFiles.DELTA)


def _compacted(source: HistorySource, start: Start) -> BatchStart:
    return State(first_full_snapshot(source))


def _snapshot(source: HistorySource, start: Start) -> BatchStart:
    options = source.options
    if start.option is SCAN_VERSION:
        version = options.get(SCAN_VERSION) or ""
        return State(resolve_version(source.snapshots, source.tags, version), travels=True)
    millis = options.get(SCAN_TIMESTAMP_MILLIS)
    text = options.get(SCAN_TIMESTAMP)
    if text is not None:
        millis = millis_of_time(text)
    found = resolve(
        source.snapshots,
        source.tags,
        snapshot_id=options.get(SCAN_SNAPSHOT_ID),
        tag=options.get(SCAN_TAG_NAME),
        timestamp_millis=millis,
        watermark=options.get(SCAN_WATERMARK),
    )
    return State(found, travels=True)


def _created_from(source: HistorySource, start: Start) -> BatchStart:
    millis = source.options.get(SCAN_FILE_CREATION_TIME)
    return State(source.snapshots.latest(), selection=FileSelection(created_from_millis=millis))


def _from_creation(source: HistorySource, start: Start) -> BatchStart:
    millis = source.options.get(SCAN_CREATION_TIME) or 0
    before = last_before(source, millis)
    if before is not None and source.snapshots.exists(before) and source.snapshots.exists(before + 1):
        return State(source.snapshots.get(before + 1))
    return State(source.snapshots.latest(), selection=FileSelection(created_from_millis=millis))


def _incremental(source: HistorySource, start: Start) -> BatchStart:
    options = source.options
    if start.option is INCREMENTAL_BETWEEN:
        return _between(source, *_pair(options.get(INCREMENTAL_BETWEEN), INCREMENTAL_BETWEEN.key))
    if start.option is INCREMENTAL_BETWEEN_TIMESTAMP:
        texts = _pair(options.get(INCREMENTAL_BETWEEN_TIMESTAMP), INCREMENTAL_BETWEEN_TIMESTAMP.key)
        return _between_times(source, *(_millis(text) for text in texts))
    return _to_auto_tag(source)


def _between(source: HistorySource, first: str, last: str) -> BatchStart:
    tags = source.tags
    if tags.exists(first) and tags.exists(last):
        before, after = tags.get(first).snapshot, tags.get(last).snapshot
        if not source.options.get(INCREMENTAL_BETWEEN_TAG_TO_SNAPSHOT):
            _check_order(before.id, after.id)
            return Difference(before, after)
        return _between_ids(source, before.id, after.id)
    if not (first.isdigit() and last.isdigit() and first.isascii() and last.isascii()):
        raise InvalidRequestError("two tags or two ids of snapshots are needed", start=first, end=last)
    return _between_ids(source, int(first), int(last))


def _between_ids(source: HistorySource, first: int, last: int) -> BatchStart:
    _check_order(first, last)
    if _scan_mode(source.options) is IncrementalScanMode.DIFF:
        return Difference(_snapshot_or_none(source, first), _snapshot_or_none(source, last))
    files = ChangeFiles(_scan_mode(source.options).value)
    return Changes(tuple(_any_snapshot(source, i) for i in range(first + 1, last + 1)), files)


def _between_times(source: HistorySource, first: int, last: int) -> BatchStart:
    _check_order(first, last)
    snapshots = source.snapshots
    earliest, latest = snapshots.earliest(), snapshots.latest()
    if earliest is None or latest is None or first > latest.time_millis or last < earliest.time_millis:
        return Changes((), ChangeFiles.DELTA)
    start, end = snapshots.by_time(first), snapshots.by_time(last)
    first_id = start.id if start else earliest.id - 1
    last_id = end.id if end else earliest.id
    if start is None and _scan_mode(source.options) is IncrementalScanMode.DIFF:
        return Difference(None, end)
    return _between_ids(source, first_id, last_id)


def _to_auto_tag(source: HistorySource) -> BatchStart:
    name = source.options.texts["incremental-to-auto-tag"]
    before = previous_auto_tag(source.tags.names(), name, source.options)
    if before is None or not source.tags.exists(name):
        return Changes((), ChangeFiles.DELTA)
    return Difference(source.tags.get(before).snapshot, source.tags.get(name).snapshot)


def _scan_mode(options: TableOptions) -> IncrementalScanMode:
    """Delta, changelog or diff."""
    mode = options.get(INCREMENTAL_BETWEEN_SCAN_MODE)
    if mode is not IncrementalScanMode.AUTO:
        return mode
    produces = options.get(CHANGELOG_PRODUCER) is not ChangelogProducer.NONE
    return IncrementalScanMode.CHANGELOG if produces else IncrementalScanMode.DELTA


def _snapshot_or_none(source: HistorySource, snapshot_id: int) -> Snapshot | None:
    """None for 0: before the first snapshot there are no rows."""
    if snapshot_id == 0:
        return None
    return resolve(source.snapshots, source.tags, snapshot_id=snapshot_id)


def _any_snapshot(source: HistorySource, snapshot_id: int) -> Snapshot:
    """A snapshot, or what is kept of it as a long-lived changelog."""
    try:
        return source.snapshots.get(snapshot_id)
    except NotFoundError as error:
        if source.changelogs.exists(snapshot_id):
            return source.changelogs.get(snapshot_id)
        raise NotFoundError(
            "a snapshot of the range is not there",
            snapshot_id=snapshot_id,
            earliest=source.snapshots.earliest_id(),
            latest=source.snapshots.latest_id(),
        ) from error


def _pair(text: str | None, key: str) -> tuple[str, str]:
    parts = [part.strip() for part in (text or "").split(",")]
    if len(parts) != 2 or not all(parts):
        raise InvalidRequestError("give a start and an end with a comma between", option=key, found=text)
    return parts[0], parts[1]


def _millis(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else millis_of_time(text)


def _check_order(first: int, last: int) -> None:
    if last < first:
        raise InvalidRequestError("the end of an incremental read is before its start", start=first, end=last)


_MODES: Mapping[ScanMode, Callable[[HistorySource, Start], BatchStart]] = MappingProxyType(
    {
        ScanMode.LATEST_FULL: _latest,
        ScanMode.LATEST: _latest,
        ScanMode.LATEST_DELTA: _latest_delta,
        ScanMode.COMPACTED_FULL: _compacted,
        ScanMode.FROM_TIMESTAMP: _snapshot,
        ScanMode.FROM_SNAPSHOT: _snapshot,
        ScanMode.FROM_SNAPSHOT_FULL: _snapshot,
        ScanMode.FROM_FILE_CREATION_TIME: _created_from,
        ScanMode.FROM_CREATION_TIMESTAMP: _from_creation,
        ScanMode.INCREMENTAL: _incremental,
    }
)
