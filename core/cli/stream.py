"""`lakescope stream`: the rows of a table, then its changes as they are committed."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import chain

import pyarrow as pa

from core.arrow import arrow_schema
from core.catalog.table_types import PlainTable
from core.cli.formats import limited, write
from core.cli.targets import source_of
from core.datafile.system_fields import ROW_KIND, select_fields
from core.errors import InvalidRequestError
from core.options import CONTINUOUS_DISCOVERY_INTERVAL
from core.scan import Plan
from core.stream import TableStream
from core.system import SystemTable
from core.system.audit_log import AuditLog
from core.table import Table

NOW = "now"


def run_stream(given: argparse.Namespace) -> int:
    source = source_of(given, given.table)
    if isinstance(source, PlainTable):
        source.refuse_snapshots()
    if given.option:
        source = source.with_options(dict(given.option))
    table, stream = _opened(source, given)
    last = table.snapshots.latest_id() or 0 if given.until == NOW else given.until
    interval: timedelta = table.options.get(CONTINUOUS_DISCOVERY_INTERVAL)
    batches = _rows(stream, last, lambda: time.sleep(interval.total_seconds()), waits=given.until != NOW)
    try:
        _print(batches, source, given)
    except KeyboardInterrupt:
        _say_position(stream, last)
        raise
    _say_position(stream, last)
    return 0


def _say_position(stream: TableStream, last: int | None) -> None:
    if stream.next_snapshot is not None:
        position = stream.next_snapshot if last is None else min(stream.next_snapshot, last + 1)
        print(f"lakescope: what follows: --from {position}", file=sys.stderr)


def _opened(source: Table | SystemTable, given: argparse.Namespace) -> tuple[Table, TableStream]:
    if isinstance(source, Table):
        return source, source.stream(given.columns, given.where, from_=given.from_)
    if not isinstance(source, AuditLog):
        raise InvalidRequestError(
            "of system tables only $audit_log and $binlog are streams", table=given.table
        )
    if given.columns or given.where:
        raise InvalidRequestError("a stream of changes has all columns and rows", table=given.table)
    return source.table, source.stream(from_=given.from_)


def _rows(
    stream: TableStream, last: int | None, wait: Callable[[], None], *, waits: bool
) -> Iterator[pa.RecordBatch]:
    """The rows up to those of snapshot `last`. When a plan's rows have been printed they are acknowledged."""
    plan = stream.next_plan()
    _check_order(stream, plan, last if waits else None)
    while last is None or plan is None or plan.snapshot is None or plan.snapshot.id <= last:
        if plan is not None:
            yield from stream.read(plan)
            sys.stdout.flush()
            stream.acknowledge()
        if stream.finished or (last is not None and (stream.next_snapshot or 0) > last):
            return
        plan = stream.next_plan()
        if plan is None:
            if not waits:
                return
            wait()


def _check_order(stream: TableStream, plan: Plan | None, last: int | None) -> None:
    if last is None:
        return
    first = plan.snapshot.id if plan and plan.snapshot else stream.next_snapshot or 0
    if first > last + (plan is None):
        raise InvalidRequestError("the stream starts behind its end", first=first, until=last)


def _print(batches: Iterator[pa.RecordBatch], source: Table | SystemTable, given: argparse.Namespace) -> None:
    first = next(batches, None)
    if first is None:
        write(iter(()), _head(source, given), given.format)
    else:
        write(limited(_flushed(chain([first], batches)), given.limit), first.schema, given.format)


def _flushed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The batches; each stands on standard output before the next one is waited for."""
    for batch in batches:
        yield batch
        sys.stdout.flush()


def _head(source: Table | SystemTable, given: argparse.Namespace) -> pa.Schema:
    if isinstance(source, SystemTable):
        return source.arrow_schema
    return arrow_schema((ROW_KIND, *select_fields(source.schema, given.columns)))
