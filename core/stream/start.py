"""Where a stream starts: what it reads first, and the snapshot that it follows from. Spec: 09, 6."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from core.errors import InvalidRequestError
from core.options import (
    CHANGELOG_PRODUCER,
    SCAN_CREATION_TIME,
    SCAN_FILE_CREATION_TIME,
    SCAN_SNAPSHOT_ID,
    SCAN_TIMESTAMP,
    SCAN_TIMESTAMP_MILLIS,
    ChangelogProducer,
    ScanMode,
)
from core.scan.batch_start import first_full_snapshot, last_before
from core.scan.levels import top_level
from core.scan.selection import ALL_FILES, FileSelection
from core.scan.source import HistorySource
from core.schema.start import Start, start_of
from core.snapshot.snapshot import Snapshot
from core.snapshot.time_travel import millis_of_time


@dataclass(frozen=True, slots=True)
class StreamStart:
    """What is read first, if anything, and the first snapshot whose changes are read."""

    next_snapshot: int
    full: Snapshot | None = None
    selection: FileSelection = ALL_FILES


def stream_start(source: HistorySource) -> StreamStart | None:
    """Where a stream of `source` starts now, by its options; None while there is nothing to read.

    Raises:
        InvalidRequestError: the start is one of batch reads alone, or options contradict one another.
    """
    start = start_of(source.options)
    found = _MODES.get(start.mode)
    if found is None:
        raise InvalidRequestError("a stream cannot start so", **{"scan.mode": start.mode})
    return found(source, start)


def continued_at(source: HistorySource, snapshot_id: int) -> StreamStart | None:
    """The changes from a snapshot on, or from the first that is still there; None while there is none."""
    first = first_kept(source)
    return None if first is None else StreamStart(max(snapshot_id, first))


def first_kept(source: HistorySource) -> int | None:
    """The first snapshot whose changes can be read, be it from a long-lived changelog."""
    earliest = source.snapshots.earliest_id()
    kept = source.changelogs.earliest_id()
    return earliest if kept is None else min(kept, earliest or kept)


def first_read(source: HistorySource) -> FileSelection:
    """The files of a state after which the changes neither miss nor repeat a row.

    Changelogs of lookup and full compactions tell a row when it leaves level 0, or reaches the top.
    Deltas and the changelog of writers tell it once, at level 0, so that one is read as well.
    """
    producer = source.options.get(CHANGELOG_PRODUCER)
    if not source.schema.primary_keys:
        return ALL_FILES
    if producer is ChangelogProducer.LOOKUP:
        return FileSelection(least_level=1)
    if producer is ChangelogProducer.FULL_COMPACTION:
        return FileSelection(only_level=top_level(source.schema))
    return FileSelection(with_level_zero=True)


def _latest_full(source: HistorySource, start: Start) -> StreamStart | None:
    return _full(source, source.snapshots.latest())


def _compacted_full(source: HistorySource, start: Start) -> StreamStart | None:
    return _full(source, first_full_snapshot(source))


def _latest(source: HistorySource, start: Start) -> StreamStart | None:
    return StreamStart((source.snapshots.latest_id() or 0) + 1)


def _from_timestamp(source: HistorySource, start: Start) -> StreamStart | None:
    text = source.options.get(SCAN_TIMESTAMP)
    millis = source.options.get(SCAN_TIMESTAMP_MILLIS) if text is None else millis_of_time(text)
    before = last_before(source, millis or 0)
    return None if before is None else StreamStart(before + 1)


def _from_snapshot(source: HistorySource, start: Start) -> StreamStart | None:
    if start.option is not SCAN_SNAPSHOT_ID:
        raise InvalidRequestError(
            "a stream starts from the id of a snapshot", option=start.option.key if start.option else None
        )
    return continued_at(source, source.options.get(SCAN_SNAPSHOT_ID) or 0)


def _from_snapshot_full(source: HistorySource, start: Start) -> StreamStart | None:
    earliest = source.snapshots.earliest_id()
    if earliest is None:
        return None
    wanted = max(source.options.get(SCAN_SNAPSHOT_ID) or 0, earliest)
    return _full(source, source.snapshots.get(wanted))


def _from_file_creation(source: HistorySource, start: Start) -> StreamStart | None:
    return _created_from(source, source.options.get(SCAN_FILE_CREATION_TIME) or 0)


def _from_creation(source: HistorySource, start: Start) -> StreamStart | None:
    millis = source.options.get(SCAN_CREATION_TIME) or 0
    before = last_before(source, millis)
    kept = (source.snapshots, source.changelogs)
    if before is not None and all(any(s.exists(i) for s in kept) for i in (before, before + 1)):
        return StreamStart(before + 1)
    return _created_from(source, millis)


def _created_from(source: HistorySource, millis: int) -> StreamStart | None:
    latest = source.snapshots.latest()
    if latest is None:
        return None
    return StreamStart(latest.id + 1, latest, replace(first_read(source), created_from_millis=millis))


def _full(source: HistorySource, snapshot: Snapshot | None) -> StreamStart | None:
    if snapshot is None:
        return None
    return StreamStart(snapshot.id + 1, snapshot, first_read(source))


_MODES: Mapping[ScanMode, Callable[[HistorySource, Start], StreamStart | None]] = MappingProxyType(
    {
        ScanMode.LATEST_FULL: _latest_full,
        ScanMode.LATEST: _latest,
        ScanMode.COMPACTED_FULL: _compacted_full,
        ScanMode.FROM_TIMESTAMP: _from_timestamp,
        ScanMode.FROM_SNAPSHOT: _from_snapshot,
        ScanMode.FROM_SNAPSHOT_FULL: _from_snapshot_full,
        ScanMode.FROM_FILE_CREATION_TIME: _from_file_creation,
        ScanMode.FROM_CREATION_TIMESTAMP: _from_creation,
    }
)
