"""TableStream: the rows of a table as it stands, then its changes, one snapshot after the other.

Nothing runs by itself: a caller takes plans or batches. The state of a stream is one number, the
snapshot that it reads next; a stream made with that number goes on where another one ended.
Spec: 09, 7.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol, TypeAlias

import pyarrow as pa

from core.datafile.system_fields import select_fields
from core.errors import InvalidRequestError, NotFoundError
from core.options import (
    CHANGELOG_PRODUCER,
    CONSUMER_ID,
    CONSUMER_IGNORE_PROGRESS,
    CONSUMER_MODE,
    CONTINUOUS_DISCOVERY_INTERVAL,
    SCAN_BOUNDED_WATERMARK,
    STREAMING_READ_APPEND_OVERWRITE,
    STREAMING_READ_OVERWRITE,
    STREAMING_READ_SNAPSHOT_DELAY,
    ChangelogProducer,
    ConsumerMode,
)
from core.predicate import Predicate
from core.read.filters import bound_filter
from core.read.planning import plan_read
from core.read.reader import read_plan
from core.read.row_kinds import RowKinds, with_row_kind
from core.read.support import check_readable
from core.scan.changes import ChangeFiles, holds_changes, plan_changes, plan_overwrite
from core.scan.plan import Plan
from core.scan.source import HistorySource
from core.schema.evolution import retyped
from core.snapshot.consumers import Consumer, ConsumerStore
from core.snapshot.snapshot import CommitKind, Snapshot
from core.stream.start import StreamStart, continued_at, first_kept, stream_start
from core.types import type_to_text


class StreamSource(HistorySource, Protocol):
    """What a stream needs of a table; `core.table.Table` has all of it."""

    @property
    def consumers(self) -> ConsumerStore: ...


Rows: TypeAlias = Callable[[Plan, RowKinds], Iterator[pa.RecordBatch]]
"""Makes the batches of a plan; the kinds say whether its retracts count."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Time as a stream needs it; tests give one of their own."""

    now_millis: Callable[[], int]  # epoch milliseconds
    sleep: Callable[[float], None]  # seconds


SYSTEM_CLOCK = Clock(lambda: time.time_ns() // 1_000_000, time.sleep)


class TableStream:
    """A stream of one table. Batches have `rowkind` (`+I`, `-U`, `+U`, `-D`), then the columns.

    Take what there is with `read_available`, or iterate for ever. Not for several threads.
    """

    def __init__(
        self,
        source: StreamSource,
        columns: Sequence[str] | None = None,
        filter: Predicate | str | None = None,
        *,
        clock: Clock,
        next_snapshot: int | None = None,
        rows: Rows | None = None,
    ) -> None:
        check_readable(source.schema)
        select_fields(source.schema, columns)  # a mistake is told now, not with the first change
        if next_snapshot is not None and next_snapshot < 1:
            raise InvalidRequestError("a stream goes on from the id of a snapshot", found=next_snapshot)
        self._source = source
        self._columns = columns
        self._predicate = bound_filter(source.schema, filter)
        self._clock = clock
        self._rows = rows or self._with_kinds
        self._next = next_snapshot  # after all that was planned
        self._before = next_snapshot  # after all but the last plan
        self._reading = False  # some rows of the last plan are still to be taken
        self._consumer = source.options.get(CONSUMER_ID)
        self._recorded: int | None = None
        self._checked_schema = source.schema.id
        self.finished = False  # the bound is reached: nothing more will come
        self.watermark: int | None = None  # of the last snapshot that was planned

    @property
    def next_snapshot(self) -> int | None:
        """The state: the first snapshot whose changes have not all been taken; None before any was.

        Save it once the batches that you took are safe; `Table.stream(from_=...)` goes on there. While
        batches of a plan are taken it stays where that plan began.
        """
        return self._before if self._reading else self._next

    def start(self) -> StreamStart | None:
        """Where a stream with these options starts, by its consumer if it has one; None while it cannot.

        It reads no rows and moves nothing: for who keeps the position of a stream elsewhere.
        """
        return self._from_consumer() or stream_start(self._source)

    def next_plan(self, before: int | None = None) -> Plan | None:
        """What is to be read next, if it is there already; None if it is not, or `finished`.

        In consumer mode `at-least-once` this says that all plans before have been read.

        Args:
            before: a snapshot that is not read any more, once the stream follows changes; None for no end.

        Raises:
            NotFoundError: the snapshot that comes next has expired, or the table was made anew.
            InvalidRequestError: a column that is read has another type since.
        """
        if self._source.options.get(CONSUMER_MODE) is ConsumerMode.AT_LEAST_ONCE:
            self.acknowledge()
        if self.finished:
            return None
        self._before, self._reading = self._next, False
        return self._start(before) if self._next is None else self._follow(before)

    def read(self, plan: Plan) -> Iterator[pa.RecordBatch]:
        """The rows of a plan of this stream, in the order of their changes within a bucket."""
        follows = any(split.is_streaming for split in plan.splits)
        self._reading = True
        yield from self._rows(plan, RowKinds.ALL if follows else RowKinds.ADDS)
        self._reading = False

    def read_available(self) -> Iterator[pa.RecordBatch]:
        """The rows of all that is there now; waits for nothing."""
        while (plan := self.next_plan()) is not None:
            yield from self.read(plan)

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """The rows for ever, or to the bound; looks for new snapshots every
        `continuous.discovery-interval`."""
        interval: timedelta = self._source.options.get(CONTINUOUS_DISCOVERY_INTERVAL)
        while True:
            yield from self.read_available()
            if self.finished:
                return
            self._clock.sleep(interval.total_seconds())

    def acknowledge(self) -> None:
        """Record `next_snapshot` for the option `consumer-id`: all before has been used.

        Snapshots from there on are then kept from expiring. Nothing without that option. A caller
        who has the splits of a plan read elsewhere says so when that is done.
        """
        position = self.next_snapshot
        if self._consumer is None or position is None or position == self._recorded:
            return
        self._source.consumers.put(Consumer(self._consumer, position))
        self._recorded = position

    def _start(self, before: int | None) -> Plan | None:
        start = self.start()
        if start is None:
            return None
        self._next = start.next_snapshot
        if start.full is None:
            return self._follow(before)
        self.watermark = start.full.watermark
        self.finished = self._is_past_bound(start.full)
        return plan_read(
            self._source,
            self._source.schema,
            start.full,
            self._columns,
            self._predicate,
            selection=start.selection,
        )

    def _from_consumer(self) -> StreamStart | None:
        """Where the consumer had come to, if it was here before."""
        options = self._source.options
        if self._consumer is None or options.get(CONSUMER_IGNORE_PROGRESS):
            return None
        try:
            consumer = self._source.consumers.get(self._consumer)
        except NotFoundError:
            return None
        return continued_at(self._source, consumer.next_snapshot)

    def _follow(self, before: int | None) -> Plan | None:
        while (snapshot := self._awaited()) is not None:
            if before is not None and snapshot.id >= before:
                return None
            if self._is_past_bound(snapshot):
                self.finished = True
                return None
            self._check_types(snapshot)
            self._next = snapshot.id + 1
            self.watermark = snapshot.watermark
            plan = self._changes(snapshot)
            if plan is not None:
                return plan
        return None

    def _awaited(self) -> Snapshot | None:
        """The next snapshot, once it is there and old enough."""
        assert self._next is not None
        source, wanted = self._source, self._next
        try:
            snapshot = source.snapshots.get(wanted)
        except NotFoundError:
            if source.changelogs.exists(wanted):
                return source.changelogs.get(wanted)
            _check_still_to_come(source, wanted)
            return None
        delay = source.options.get(STREAMING_READ_SNAPSHOT_DELAY)
        ready = snapshot.time_millis + (delay / timedelta(milliseconds=1) if delay else 0)
        return None if delay and ready > self._clock.now_millis() else snapshot

    def _changes(self, snapshot: Snapshot) -> Plan | None:
        """What the snapshot tells a stream; None if nothing."""
        source, schema = self._source, self._source.schema
        if snapshot.commit_kind is CommitKind.OVERWRITE:
            shown = STREAMING_READ_OVERWRITE if schema.primary_keys else STREAMING_READ_APPEND_OVERWRITE
            if not source.options.get(shown):
                return None
            before = snapshot.id - 1
            previous = source.snapshots.get(before) if source.snapshots.exists(before) else None
            return plan_overwrite(source, schema, previous, snapshot, self._columns, self._predicate)
        produces = source.options.get(CHANGELOG_PRODUCER) is not ChangelogProducer.NONE
        files = ChangeFiles.CHANGELOG if produces else ChangeFiles.DELTA
        if not holds_changes(snapshot, files):
            return None
        return plan_changes(source, schema, [snapshot], files, self._columns, self._predicate)

    def _check_types(self, snapshot: Snapshot) -> None:
        """Nothing if the columns that are read have kept their types.

        Columns that came or went since the stream began do not change what it shows: as in Paimon they
        are left out, or null. Values of another type might not fit.
        """
        if snapshot.schema_id <= self._checked_schema:
            return
        now = {field.id: field for field in self._source.schemas.get(snapshot.schema_id).fields}
        for field in select_fields(self._source.schema, self._columns):
            if field.id in now and retyped(field.type, now[field.id].type):
                raise InvalidRequestError(
                    f"column {field.name} has changed its type since the stream began; begin again with the "
                    "table opened anew",
                    snapshot_id=snapshot.id,
                    before=type_to_text(field.type),
                    now=type_to_text(now[field.id].type),
                )
        self._checked_schema = snapshot.schema_id

    def _is_past_bound(self, snapshot: Snapshot) -> bool:
        bound = self._source.options.get(SCAN_BOUNDED_WATERMARK)
        return bound is not None and snapshot.watermark is not None and snapshot.watermark > bound

    def _with_kinds(self, plan: Plan, kinds: RowKinds) -> Iterator[pa.RecordBatch]:
        return (with_row_kind(batch) for batch in read_plan(self._source, plan, kinds=kinds))


def _check_still_to_come(source: HistorySource, wanted: int) -> None:
    """Nothing if the snapshot is the one that the next commit will make.

    Raises:
        NotFoundError: it is older than all that are there, or newer than the next.
    """
    first, latest = first_kept(source), source.snapshots.latest_id()
    if source.snapshots.exists(wanted):  # committed since it was looked for
        return
    if first is not None and wanted < first:
        raise NotFoundError(
            "the snapshot to be read next has expired; keep snapshots longer, or give the stream a "
            "consumer-id, which keeps them until they are read",
            snapshot_id=wanted,
            earliest=first,
        )
    if latest is not None and wanted > latest + 1:
        raise NotFoundError(
            "the snapshot to be read next is too new; the table was rolled back or made anew",
            snapshot_id=wanted,
            latest=latest,
        )
