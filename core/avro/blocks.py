"""Where the rows of unpacked blocks begin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.avro.container import Block
from core.avro.encoded import Cut, EncodedRows
from core.avro.lanes import Node, node_of
from core.avro.rows import RowReader
from core.avro.schema import Nullable, Record, cut, parse_root, record_of
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


def find_rows(
    schema: Any, group: BlockGroup, min_lanes: int = MIN_LANES, *, mark: Sequence[str] = ()
) -> EncodedRows:
    """All rows of blocks that were written with `schema`, in order.

    Where the field at the path `mark` begins in each is noted, so that it and those behind it can be
    read without walking over those before.

    Raises:
        FormatError: the bytes are no such rows.
    """
    root = parse_root(schema)
    buffer = Buffer.padded(group.data)
    try:
        halves = cut(root, mark) if isinstance(root, Record) else None
        nodes = [node_of(kind, buffer) for kind in halves or (root,)]
        found = _Found(group)
        _find(schema, nodes, found, min_lanes)
        whole = EncodedRows(record_of(root), buffer, _records(root, buffer, found.starts))
        return whole if halves is None else replace(whole, cut=Cut(*halves, found.marks))
    except (IndexError, OverflowError) as error:
        raise FormatError(f"Avro rows cannot be decoded: {error}") from error


def _records(root: Record | Nullable, buffer: Buffer, rows: Longs) -> Longs:
    """Where the records begin: behind the branch of a union with null."""
    if not isinstance(root, Nullable):
        return rows
    if np.count_nonzero(buffer.bytes[rows] != 2 * (1 - root.null_branch)):
        raise FormatError("an Avro row is null")
    return rows + 1


class _Found:
    """Where each row begins, and where the second of the nodes that it is walked over by does."""

    def __init__(self, group: BlockGroup) -> None:
        self.group = group
        self.counts = group.counts
        self.first = np.cumsum(self.counts) - self.counts  # row of each block
        self.starts = np.empty(int(self.counts.sum()), np.int64)
        self.marks = np.empty_like(self.starts)


def _find(schema: Any, nodes: Sequence[Node], found: _Found, min_lanes: int) -> None:
    """Rows are found side by side while enough blocks have some, then by fastavro."""
    group, counts = found.group, found.counts
    steps = int(np.sort(counts)[-min_lanes]) if len(counts) >= min_lanes else 0
    ends = _walk(nodes, found, steps) if steps else group.begins
    _check_ends(ends, group, counts <= steps)
    unfinished = np.flatnonzero(counts > steps).tolist()
    reader = RowReader(schema) if unfinished else None
    for index in unfinished:
        assert reader is not None
        begin, left = int(group.begins[index]), int(counts[index]) - steps
        starts = reader.starts(group.block(index), int(ends[index]) - begin, left)
        rows = slice(found.first[index] + steps, found.first[index] + steps + left)
        found.starts[rows] = begin + np.array(starts, np.int64)
        found.marks[rows] = nodes[0].skip(found.starts[rows])


def _walk(nodes: Sequence[Node], found: _Found, steps: int) -> Longs:
    """Find up to `steps` rows of each block; where the last of them ends."""
    counts = found.counts
    lanes = np.argsort(-counts, kind="stable")  # so that lanes with rows left are a prefix
    left, row = -counts[lanes], found.first[lanes]
    pos = found.group.begins[lanes]
    for step in range(steps):
        active = int(np.searchsorted(left, -step, side="left"))
        rows = row[:active] + step
        found.starts[rows] = pos[:active]
        found.marks[rows] = pos[:active] = nodes[0].skip(pos[:active])
        for node in nodes[1:]:
            pos[:active] = node.skip(pos[:active])
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
