"""Rows whose places are known, and their columns when asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from core.avro.lanes import RecordNode
from core.avro.schema import Record, pruned
from core.binary.pieces import Buffer, Longs
from core.errors import FormatError

_BATCH_BYTES = 2 << 20  # of rows whose columns are read together: what a core's cache holds


@dataclass(frozen=True, slots=True)
class EncodedRows:
    """Records of one schema, unpacked: memory is held, work is done by `read`."""

    kind: Record
    buffer: Buffer
    starts: Longs  # of each record in the buffer

    def __len__(self) -> int:
        return len(self.starts)

    def read(self, columns: Collection[str] | None = None, rows: Longs | None = None) -> pa.Table:
        """The rows with these numbers, in that order; None for all.

        `columns` are dotted paths of members, in the order wanted; a record holds only its members
        that are named. A path that the rows lack is left out.

        Raises:
            FormatError: the bytes are no such rows.
        """
        starts = self.starts if rows is None else self.starts[rows]
        kind = self.kind if columns is None else _without_tail(pruned(self.kind, columns))
        if not kind.wanted:  # rows without columns still count
            return pa.table({"_": pa.nulls(len(starts))}).select([])
        schema = pa.schema([pa.field(name, child.arrow) for name, child in kind.wanted_fields])
        try:
            return pa.Table.from_batches(
                _batches(RecordNode(kind, self.buffer), starts, schema), schema=schema
            )
        except (IndexError, OverflowError) as error:
            raise FormatError(f"Avro rows cannot be decoded: {error}") from error


def _without_tail(kind: Record) -> Record:
    """Less what is behind the last field wanted: where a record ends does not matter any more."""
    count = max((i + 1 for i, (name, _) in enumerate(kind.fields) if name in kind.wanted), default=0)
    *before, (name, last) = kind.fields[:count] or [("", kind)]
    if isinstance(last, Record) and count:
        last = _without_tail(last)
    return replace(kind, fields=(*before, (name, last))[:count])


def _batches(node: RecordNode, starts: Longs, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    bytes_of_all = int(np.ptp(starts)) if len(starts) else 0
    size = max(1024, _BATCH_BYTES * len(starts) // max(bytes_of_all, 1))
    for first in range(0, len(starts), size):
        columns, _ = node.read_fields(starts[first : first + size])
        yield pa.record_batch([columns[name] for name in schema.names], schema=schema)
