"""The streaming source: the table as it stands, then its changes, a whole number of snapshots a batch.

An offset names the snapshot to go on at. The state that a stream starts with is a batch of its own. What
lies between two offsets is planned anew whenever Spark asks for it, so a batch that is repeated after a
crash has the same rows. All changes of a bucket in a batch are one part, in the order of their commits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    ReadMaxFiles,
    ReadMaxRows,
    ReadMinRows,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from core import Table
from core.errors import InvalidRequestError, NotFoundError
from core.options import CONSUMER_ID
from core.read import RowKinds, plan_read
from core.read.filters import bound_filter
from core.scan import Plan, Split
from core.snapshot import Consumer
from core.stream import TableStream
from core.system.audit_log import AuditLog, leading_fields
from core.system.row_table import RowPlan
from spark_jobs.datasource.offset import Offset
from spark_jobs.datasource.options import MAX_BYTES, MAX_FILES, MAX_ROWS, MIN_ROWS, UNTIL, count
from spark_jobs.datasource.rows import Part, Rows, TableRows, ToldRows, of_splits
from spark_jobs.failures import carrying_errors
from spark_jobs.spark_types import arrow_of, to_spark

_LIMITS: Mapping[str, Callable[[int], ReadLimit]] = MappingProxyType(
    {MAX_FILES: ReadMaxFiles, MAX_BYTES: ReadMaxBytes, MAX_ROWS: ReadMaxRows, MIN_ROWS: ReadMinRows}
)


class TableStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Follows a table, its `$audit_log` or its `$binlog`."""

    def __init__(
        self, rows: Rows, schema: StructType, filter: str | None, options: Mapping[str, str]
    ) -> None:
        self._rows = rows
        self._schema = schema
        self._filter = filter
        self._table = _table_of(rows)
        self._default_limit = read_limit(options)
        self._until = count(options, UNTIL)
        self._initial: Offset | None = None  # where the first batch starts, while there was none yet
        self._end: int | None = None  # with Trigger.AvailableNow: the first snapshot that is not read
        self._planned: tuple[int, int, list[Plan]] | None = None  # what was looked at last

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - Spark's names, here and below
        with carrying_errors():
            self._initial = Offset.of(self._stream(None).start())
            return self._initial.to_json()

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        return self._default_limit

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        with carrying_errors():
            latest = self._table.snapshots.latest_id() or 0
            self._end = (latest if self._until is None else min(latest, self._until)) + 1

    def reportLatestOffset(self) -> dict[str, Any] | None:  # noqa: N802
        with carrying_errors():
            latest = self._table.snapshots.latest_id()
            return None if latest is None else Offset(latest + 1).to_json()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        """As far as there is something to read and the limit goes; at least one snapshot."""
        with carrying_errors():
            before = Offset.from_json(start)
            end = self._latest(before, limit)
            if before == self._initial:
                return replace(end, began=before).to_json()
            self._initial = None  # the first batch is behind
            return start if end.is_where(before) else end.to_json()

    def _latest(self, start: Offset, limit: ReadLimit) -> Offset:
        if not start.is_started:
            found = self._stream(None).start()
            first = 0 if found is None or found.full is None else found.full.id
            return start if self._end is not None and first >= self._end else Offset.of(found)
        if start.full_snapshot is not None:
            return Offset(start.next_snapshot, after=self._identity(start.next_snapshot - 1))
        stream = self._stream(start.next_snapshot)
        plans: list[Plan] = []
        while not _is_reached(limit, plans) and (plan := stream.next_plan(self._end)) is not None:
            plans.append(plan)
        if isinstance(limit, ReadMinRows) and self._end is None and _rows(plans) < limit.min_rows:
            return start
        following = stream.next_snapshot or start.next_snapshot
        if following == start.next_snapshot:
            return Offset(following, after=start.after)
        self._check_is_same_table(start)
        end = Offset(following, after=self._identity(following - 1))
        self._planned = start.next_snapshot, end.next_snapshot, plans
        return end

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """What is to be read between two offsets; a restart asks for that of the last one and itself, too."""
        with carrying_errors():
            return [] if start == end else self._parts(Offset.from_json(start), Offset.from_json(end))

    def _parts(self, start: Offset, end: Offset) -> list[Part]:
        start = end.began or start  # of a first batch Spark has asked for the start once more, see `Offset`
        if not (start.is_started and end.is_started):
            return []
        parts = [] if start.full_snapshot is None or end.full_snapshot is not None else self._state(start)
        if end.next_snapshot > start.next_snapshot:
            parts += self._changes(self._plans(start, end))
        return parts

    def _state(self, start: Offset) -> list[Part]:
        """The state that a stream starts with."""
        table = self._table
        predicate = bound_filter(table.schema, self._filter)
        snapshot = table.snapshots.get(start.full_snapshot or 0)
        columns = self._columns()
        plan = plan_read(table, table.schema, snapshot, columns, predicate, selection=start.selection)
        kinds = RowKinds.HIDDEN if isinstance(self._rows, TableRows) else RowKinds.ADDS
        return [self._part(plan, [split], kinds) for split in plan.splits]

    def _plans(self, start: Offset, end: Offset) -> list[Plan]:
        if self._planned is not None and self._planned[:2] == (start.next_snapshot, end.next_snapshot):
            return self._planned[2]
        stream = self._stream(start.next_snapshot)
        plans = list(iter(lambda: stream.next_plan(end.next_snapshot), None))
        if stream.next_snapshot != end.next_snapshot:
            raise NotFoundError(
                "a snapshot of the batch is not there any more; the table was rolled back or made anew",
                snapshot_id=stream.next_snapshot,
                latest=self._table.snapshots.latest_id(),
            )
        self._check_is_same_table(start)
        return plans

    def _identity(self, snapshot_id: int) -> str | None:
        try:
            return self._table.snapshots.get(snapshot_id).identity
        except NotFoundError:
            return None  # it has expired

    def _check_is_same_table(self, start: Offset) -> None:
        """Nothing, unless the snapshot that was read last is another one by now.

        Raises:
            NotFoundError: the table was rolled back behind it, and ids were given out again.
        """
        found = self._identity(start.next_snapshot - 1) if start.after is not None else None
        if found is not None and found != start.after:
            raise NotFoundError(
                "the snapshot that was read last is another one by now; the table was rolled back and "
                "written again: start the query anew, with a new checkpoint",
                snapshot_id=start.next_snapshot - 1,
                expected=start.after,
                found=found,
            )

    def _changes(self, plans: Iterable[Plan]) -> list[Part]:
        """One part a bucket, as the order of its changes counts."""
        buckets: dict[Any, tuple[Plan, list[Split]]] = {}
        for plan in plans:
            for split in plan.splits:
                buckets.setdefault((split.partition, split.bucket), (plan, []))[1].append(split)
        kinds = RowKinds.HIDDEN if isinstance(self._rows, TableRows) else RowKinds.ALL
        return [self._part(plan, splits, kinds) for plan, splits in buckets.values()]

    def _part(self, plan: Plan, splits: Sequence[Split], kinds: RowKinds) -> Part:
        lean = of_splits(plan, splits)
        if isinstance(self._rows, TableRows):
            return Part(lean, kinds)
        return Part(RowPlan(lean, self._rows.fields(self._schema.names)), kinds)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        schema = arrow_of(self._schema)
        with carrying_errors():
            if isinstance(partition, Part):
                for batch in self._rows.read(partition, self._schema.names, None):
                    yield to_spark(batch, schema)

    def commit(self, end: dict[str, Any]) -> None:
        """Tell the table that everything before has been used, if the stream has a `consumer-id`."""
        with carrying_errors():
            offset, consumer = Offset.from_json(end), self._table.options.get(CONSUMER_ID)
            if consumer is not None and offset.is_started and offset.full_snapshot is None:
                self._table.consumers.put(Consumer(consumer, offset.next_snapshot))

    def _stream(self, next_snapshot: int | None) -> TableStream:
        """What plans; it leaves the consumer alone, whose progress is that of `commit`."""
        table = self._table
        if next_snapshot is not None and table.options.get(CONSUMER_ID) is not None:
            table = table.with_options({CONSUMER_ID.key: None})
        return table.stream(self._columns(), self._filter, from_=next_snapshot)

    def _columns(self) -> list[str]:
        """The columns of the table that are needed for those of the source."""
        names = self._schema.names
        if isinstance(self._rows, TableRows):
            return names
        schema = self._table.schema
        leading = [field.name for field in leading_fields(schema)]
        return [*leading, *(name for name in schema.field_names if name in names)]


def read_limit(options: Mapping[str, str]) -> ReadLimit:
    """How much a batch takes, as the options say.

    Raises:
        InvalidRequestError: more than one limit, or none of a number.
    """
    given = {key: number for key in _LIMITS if (number := count(options, key)) is not None}
    if len(given) > 1:
        raise InvalidRequestError("a stream has one limit", options=", ".join(given))
    return next((_LIMITS[key](number) for key, number in given.items()), ReadAllAvailable())


def _is_reached(limit: ReadLimit, plans: Sequence[Plan]) -> bool:
    """Whether a batch of these plans, each of a snapshot, takes no more."""
    match limit:
        case ReadMaxFiles():
            return sum(len(plan.entries) for plan in plans) >= limit.max_files
        case ReadMaxBytes():
            return sum(plan.size for plan in plans) >= limit.max_bytes
        case ReadMaxRows():
            return _rows(plans) >= limit.max_rows
    return False


def _rows(plans: Sequence[Plan]) -> int:
    return sum(plan.row_count for plan in plans)


def _table_of(rows: Rows) -> Table:
    if isinstance(rows, TableRows):
        return rows.table
    if isinstance(rows, ToldRows) and isinstance(rows.table, AuditLog):
        return rows.table.table
    raise InvalidRequestError("of system tables only $audit_log and $binlog are streams")
