"""Unpacked blocks of one writer schema -> Arrow: where the rows begin, then their columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from core.avro.container import Block
from core.avro.lanes import Node, RecordNode, node_of
from core.avro.rows import RowReader
from core.avro.schema import Nullable, parse_root, record_of
from core.binary.pieces import Buffer, Longs
from core.errors import FormatError

MIN_LANES = 32
"""Blocks that must still have rows for a step side by side to cost less than fastavro's rows."""

_BATCH_BYTES = 2 << 20  # of rows whose columns are read together: what a core's cache holds


class BlockGroup:
    """Blocks end to end."""

    def __init__(self, blocks: Iterable[Block] = ()) -> None:
        self.data = bytearray()
        self._counts: list[int] = []  # rows of each
        self._ends: list[int] = []
        for block in blocks:
            self.add(block)

    def add(self, block: Block) -> None:
        self.data += block.data
        self._counts.append(block.count)
        self._ends.append(len(self.data))

    def __len__(self) -> int:
        return len(self._counts)

    def block(self, index: int) -> Block:
        begin, end = int(self.begins[index]), int(self.ends[index])
        return Block(self._counts[index], bytes(self.data[begin:end]))

    @property
    def counts(self) -> Longs:
        return np.array(self._counts, np.int64)

    @property
    def ends(self) -> Longs:
        return np.array(self._ends, np.int64)

    @property
    def begins(self) -> Longs:
        return np.array([0, *self._ends[:-1]], np.int64)[: len(self)]


class BlockDecoder:
    """Decodes blocks of a schema; with `columns` only those fields, in that order."""

    def __init__(self, schema: Any, columns: Sequence[str] | None = None, min_lanes: int = MIN_LANES) -> None:
        self._root = parse_root(schema)
        fields = dict(record_of(self._root).fields)
        names = list(fields) if columns is None else [name for name in columns if name in fields]
        self.schema = pa.schema([pa.field(name, fields[name].arrow) for name in names])
        self._writer_schema = schema
        self._min_lanes = min_lanes

    def table(self, group: BlockGroup) -> pa.Table:
        """All rows of the blocks, in order.

        Raises:
            FormatError: the bytes are no such rows.
        """
        buffer = Buffer.padded(group.data)
        try:
            rows = self._records(buffer, self._row_starts(buffer, group))
            return pa.Table.from_batches(self._batches(buffer, rows), schema=self.schema)
        except (IndexError, OverflowError) as error:
            raise FormatError(f"Avro rows cannot be decoded: {error}") from error

    def _records(self, buffer: Buffer, rows: Longs) -> Longs:
        """Where the records begin: behind the branch of a union with null."""
        if not isinstance(self._root, Nullable):
            return rows
        if np.count_nonzero(buffer.bytes[rows] != 2 * (1 - self._root.null_branch)):
            raise FormatError("an Avro row is null")
        return rows + 1

    def _batches(self, buffer: Buffer, records: Longs) -> Iterator[pa.RecordBatch]:
        if not self.schema.names:  # rows without columns still count
            yield from pa.table({"_": pa.nulls(len(records))}).select([]).to_batches()
            return
        node = node_of(record_of(self._root), buffer)
        assert isinstance(node, RecordNode)
        size = max(1024, _BATCH_BYTES * len(records) // max(buffer.size, 1))
        for first in range(0, len(records), size):
            columns = node.read_fields(records[first : first + size], self.schema.names)
            yield pa.record_batch([columns[name] for name in self.schema.names], schema=self.schema)

    def _row_starts(self, buffer: Buffer, group: BlockGroup) -> Longs:
        """Where each row begins: found side by side while enough blocks have rows, then by fastavro."""
        counts = group.counts
        first = np.cumsum(counts) - counts
        starts = np.empty(int(counts.sum()), np.int64)
        steps = int(np.sort(counts)[-self._min_lanes]) if len(counts) >= self._min_lanes else 0
        ends = _walk(node_of(self._root, buffer), group, steps, first, starts) if steps else group.begins
        _check_ends(ends, group, counts <= steps)
        for index in np.flatnonzero(counts > steps):
            done, to = int(ends[index] - group.begins[index]), int(first[index] + counts[index])
            found = self._rows.starts(group.block(int(index)), done, int(counts[index]) - steps)
            starts[first[index] + steps : to] = group.begins[index] + np.array(found, np.int64)
        return starts

    @cached_property
    def _rows(self) -> RowReader:
        return RowReader(self._writer_schema)


def _walk(root: Node, group: BlockGroup, steps: int, first: Longs, starts: Longs) -> Longs:
    """Note in `starts` where up to `steps` rows of each block begin; where the last of them ends."""
    counts = group.counts
    lanes = np.argsort(-counts, kind="stable")  # so that lanes with rows left are a prefix
    left, row = -counts[lanes], first[lanes]
    pos = group.begins[lanes]
    for step in range(steps):
        active = int(np.searchsorted(left, -step, side="left"))
        starts[row[:active] + step] = pos[:active]
        pos[:active] = root.skip(pos[:active])
    ends = np.empty_like(pos)
    ends[lanes] = pos
    return ends


def _check_ends(ends: Longs, group: BlockGroup, whole: np.ndarray[Any, Any]) -> None:
    """Blocks that were walked as a whole end where they should, others not behind that."""
    wrong = np.flatnonzero(
        np.where(whole, ends != group.ends, (ends < group.begins) | (ends > group.ends)),
    )
    if len(wrong):
        lane = int(wrong[0])
        raise FormatError(
            "the rows of an Avro block do not end where it ends",
            expected=int(group.ends[lane] - group.begins[lane]),
            found=int(ends[lane] - group.begins[lane]),
        )
