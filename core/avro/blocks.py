"""Where the rows of unpacked blocks begin."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from core.avro.container import Block
from core.avro.encoded import EncodedRows
from core.avro.lanes import Node, node_of
from core.avro.rows import RowReader
from core.avro.schema import Nullable, Record, parse_root, record_of
from core.binary.pieces import Buffer, Longs
from core.errors import FormatError

MIN_LANES = 32
"""Blocks that must still have rows for a step side by side to cost less than fastavro's rows."""


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


def find_rows(schema: Any, group: BlockGroup, min_lanes: int = MIN_LANES) -> EncodedRows:
    """All rows of blocks that were written with `schema`, in order.

    Raises:
        FormatError: the bytes are no such rows.
    """
    root = parse_root(schema)
    buffer = Buffer.padded(group.data)
    try:
        rows = _row_starts(schema, node_of(root, buffer), group, min_lanes)
        return EncodedRows(record_of(root), buffer, _records(root, buffer, rows))
    except (IndexError, OverflowError) as error:
        raise FormatError(f"Avro rows cannot be decoded: {error}") from error


def _records(root: Record | Nullable, buffer: Buffer, rows: Longs) -> Longs:
    """Where the records begin: behind the branch of a union with null."""
    if not isinstance(root, Nullable):
        return rows
    if np.count_nonzero(buffer.bytes[rows] != 2 * (1 - root.null_branch)):
        raise FormatError("an Avro row is null")
    return rows + 1


def _row_starts(schema: Any, root: Node, group: BlockGroup, min_lanes: int) -> Longs:
    """Where each row begins: found side by side while enough blocks have rows, then by fastavro."""
    counts = group.counts
    first = np.cumsum(counts) - counts
    starts = np.empty(int(counts.sum()), np.int64)
    steps = int(np.sort(counts)[-min_lanes]) if len(counts) >= min_lanes else 0
    ends = _walk(root, group, steps, first, starts) if steps else group.begins
    _check_ends(ends, group, counts <= steps)
    unfinished = np.flatnonzero(counts > steps).tolist()
    reader = RowReader(schema) if unfinished else None
    for index in unfinished:
        assert reader is not None
        begin, left = int(group.begins[index]), int(counts[index]) - steps
        found = reader.starts(group.block(index), int(ends[index]) - begin, left)
        starts[first[index] + steps :][:left] = begin + np.array(found, np.int64)
    return starts


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
