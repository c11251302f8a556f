"""Rows whose places are known, and their columns when asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from core.avro.lanes import RecordNode
from core.avro.schema import Record, has, pruned
from core.binary.pieces import Buffer, Longs
from core.errors import FormatError

_pa: Any = pa  # its stubs have no overloads for types that are found at run time

_BATCH_BYTES = 4 << 20  # of rows whose columns are read together: what a core's cache holds


@dataclass(frozen=True, slots=True)
class Cut:
    """Records seen as two that follow one another, the second of which can be read alone."""

    head: Record
    tail: Record
    places: Longs  # where each tail begins in the buffer


@dataclass(frozen=True, slots=True)
class EncodedRows:
    """Records of one schema, unpacked: memory is held, work is done by `read`."""

    kind: Record
    buffer: Buffer
    starts: Longs  # of each record in the buffer
    cut: Cut | None = None

    def __len__(self) -> int:
        return len(self.starts)

    def read(self, columns: Collection[str] | None = None, rows: Longs | None = None) -> pa.Table:
        """The rows with these numbers, in that order; None for all.

        `columns` are dotted paths of members, in the order wanted; a record holds only its members
        that are named. A path that the rows lack is left out.

        Raises:
            FormatError: the bytes are no such rows.
        """
        count = len(self) if rows is None else len(rows)
        parts = [
            (RecordNode(kind, self.buffer), places if rows is None else places[rows])
            for kind, places in self._parts(columns)
            if kind.wanted
        ]
        if not parts:  # rows without columns still count
            return pa.table({"_": pa.nulls(count)}).select([])
        try:
            return pa.Table.from_batches(_batches(parts))
        except (IndexError, OverflowError) as error:
            raise FormatError(f"Avro rows cannot be decoded: {error}") from error

    def _parts(self, columns: Collection[str] | None) -> list[tuple[Record, Longs]]:
        """What is read of each record, and where it begins."""
        if columns is None:
            return [(self.kind, self.starts)]
        cut = self.cut
        whole = [path for path in columns if cut is None or has(cut.head, path) == has(cut.tail, path)]
        if cut is None or any(has(self.kind, path) for path in whole):
            return [(_without_tail(pruned(self.kind, columns)), self.starts)]
        heads, tails = ([path for path in columns if has(half, path)] for half in (cut.head, cut.tail))
        return [
            (_without_tail(pruned(cut.head, heads)), self.starts),
            (_without_tail(pruned(cut.tail, tails)), cut.places),
        ]


def _without_tail(kind: Record) -> Record:
    """Less what is behind the last field wanted: where a record ends does not matter any more."""
    count = max((i + 1 for i, (name, _) in enumerate(kind.fields) if name in kind.wanted), default=0)
    *before, (name, last) = kind.fields[:count] or [("", kind)]
    if isinstance(last, Record) and count:
        last = _without_tail(last)
    return replace(kind, fields=(*before, (name, last))[:count])


def _batches(parts: Sequence[tuple[RecordNode, Longs]]) -> Iterator[pa.RecordBatch]:
    starts = parts[0][1]
    bytes_of_all = int(np.ptp(starts)) if len(starts) else 0
    size = max(1024, _BATCH_BYTES * len(starts) // max(bytes_of_all, 1))
    for first in range(0, max(len(starts), 1), size):
        found: dict[str, Any] = {}
        for node, places in parts:
            columns, _ = node.read_fields(places[first : first + size])
            for name in node.kind.wanted:
                found[name] = _joined(found[name], columns[name]) if name in found else columns[name]
        yield pa.record_batch(found)


def _joined(head: Any, tail: Any) -> Any:
    """A record of the members of two."""
    return _pa.StructArray.from_arrays([*head.flatten(), *tail.flatten()], fields=[*head.type, *tail.type])
