"""`lakescope read`: the rows of any table or system table, streamed."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import chain

import pyarrow as pa

from core.cli.formats import write
from core.cli.targets import epoch_millis, source_of


def run_read(given: argparse.Namespace) -> int:
    source = source_of(given, given.table)
    batches = source.to_batches(
        given.columns,
        given.where,
        snapshot_id=given.snapshot,
        tag=given.tag,
        timestamp_millis=epoch_millis(given.at),
    )
    first = next(batches, None)
    if first is None:  # no rows: the columns alone
        schema = source.arrow_schema
        chosen = given.columns or schema.names
        write(iter(()), pa.schema([schema.field(name) for name in chosen]), given.format)
        return 0
    write(_limited(chain([first], batches), given.limit), first.schema, given.format)
    return 0


def _limited(batches: Iterator[pa.RecordBatch], limit: int | None) -> Iterator[pa.RecordBatch]:
    """The first `limit` rows; nothing behind them is read."""
    left = limit
    for batch in batches:
        if left is None:
            yield batch
            continue
        if left <= 0:
            return
        yield batch.slice(0, left)
        left -= batch.num_rows
        if left <= 0:
            return
