"""Unpacked blocks of one writer schema -> an Arrow table: side by side, and the rest by fastavro."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from core.arrow import Column
from core.avro.container import Block
from core.avro.lanes import Blocks, NullableNode, RecordNode, node_of
from core.avro.records import RowReader, column_of
from core.avro.schema import Nullable, parse_root, record_of
from core.binary.pieces import Longs
from core.errors import FormatError

MIN_LANES = 32
"""Blocks that must still have rows for a step side by side to cost less than fastavro's rows."""


class BlockDecoder:
    """Decodes blocks of a schema; with `columns` only those fields, in that order."""

    def __init__(self, schema: Any, columns: Sequence[str] | None = None, min_lanes: int = MIN_LANES) -> None:
        self._root = parse_root(schema)
        self._fields = dict(record_of(self._root).fields)
        self._columns = (
            [c for c in columns if c in self._fields] if columns is not None else list(self._fields)
        )
        self._rows = RowReader(schema)
        self._min_lanes = min_lanes

    @property
    def schema(self) -> pa.Schema:
        """Of the tables to come."""
        return pa.schema([pa.field(name, self._fields[name].arrow) for name in self._columns])

    def table(self, blocks: Sequence[Block]) -> pa.Table:
        """All rows of the blocks, in order.

        Raises:
            FormatError: the bytes are no such rows.
        """
        counts = np.array([b.count for b in blocks], np.int64)
        steps = self._side_by_side_steps(counts)
        if steps == 0:
            return self._by_rows(blocks)
        try:
            return self._side_by_side(blocks, counts, steps)
        except (IndexError, OverflowError) as error:
            raise FormatError(f"Avro rows cannot be decoded: {error}") from error

    def _side_by_side_steps(self, counts: Longs) -> int:
        """How many rows of each block to take side by side: while enough blocks have more."""
        if len(counts) < self._min_lanes:
            return 0
        return int(np.sort(counts)[-self._min_lanes])

    def _by_rows(self, blocks: Sequence[Block]) -> pa.Table:
        rows = [row for block in blocks for row in self._rows.read(block)]
        return self._table_of_rows(rows)

    def _table_of_rows(self, rows: Sequence[Any]) -> pa.Table:
        if any(row is None for row in rows):
            raise FormatError("an Avro row is null")
        columns = [column_of([row[name] for row in rows], self._fields[name]) for name in self._columns]
        return self._table(columns, len(rows))

    def _table(self, columns: Sequence[Column], count: int) -> pa.Table:
        if not columns:  # rows without columns still count
            return pa.table({"_": pa.nulls(count)}).select([])
        return pa.Table.from_arrays(list(columns), schema=self.schema)

    def _side_by_side(self, blocks: Sequence[Block], counts: Longs, steps: int) -> pa.Table:
        buffer = Blocks([b.data for b in blocks])
        root = node_of(self._root, buffer)
        lanes = np.argsort(-counts, kind="stable")  # so that lanes with rows left are a prefix
        pos = buffer.starts[lanes]
        left = counts[lanes]
        taken = np.minimum(counts, steps)
        active = len(lanes)
        for step in range(steps):
            active = int(np.searchsorted(-left[:active], -step, side="left"))
            pos[:active] = root.step(pos[:active].copy())  # nodes keep what they are given
        ends = np.empty_like(pos)
        ends[lanes] = pos
        _check_ends(ends, buffer, taken == counts)
        head = self._finish(root, _row_order(taken, lanes))
        if (taken == counts).all():
            return head
        return self._with_tails(head, blocks, counts, taken, ends - buffer.starts)

    def _finish(self, root: Any, rows: Longs) -> pa.Table:
        if isinstance(self._root, Nullable):
            assert isinstance(root, NullableNode)
            if not root.valid().all():
                raise FormatError("an Avro row is null")
            root = root.child
        assert isinstance(root, RecordNode)
        names = list(self._fields)
        columns = [root.children[names.index(name)].finish(rows) for name in self._columns]
        return self._table(columns, len(rows))

    def _with_tails(
        self, head: pa.Table, blocks: Sequence[Block], counts: Longs, taken: Longs, ends: Longs
    ) -> pa.Table:
        """Put the rows that few long blocks have left behind the rows taken from the same blocks."""
        pieces, at = [], 0
        for block, count, done, end in zip(blocks, counts, taken, ends, strict=True):
            pieces.append(head.slice(at, int(done)))
            at += int(done)
            if count > done:
                pieces.append(self._table_of_rows(self._rows.read(block, int(end), int(count - done))))
        return pa.concat_tables(pieces)


def _check_ends(ends: Longs, buffer: Blocks, whole: np.ndarray[Any, Any]) -> None:
    wrong = np.flatnonzero(
        np.where(whole, ends != buffer.ends, (ends < buffer.starts) | (ends > buffer.ends))
    )
    if len(wrong):
        lane = int(wrong[0])
        raise FormatError(
            "the rows of an Avro block do not end where it ends",
            expected=int(buffer.ends[lane] - buffer.starts[lane]),
            found=int(ends[lane] - buffer.starts[lane]),
        )


def _row_order(taken: Longs, lanes: Longs) -> Longs:
    """For each row in file order, its place in the order of steps.

    Step r takes row r of the lanes that have one, longest lanes first.
    """
    longest_first = taken[lanes]
    steps = int(longest_first[0])
    # Lanes that take part in step r, and so where the rows of each step begin.
    active = np.searchsorted(-longest_first, -np.arange(steps), side="left")
    begin = np.cumsum(active) - active
    rank = np.empty(len(lanes), np.int64)
    rank[lanes] = np.arange(len(lanes))
    first = np.cumsum(taken) - taken
    row_in_block = np.arange(int(taken.sum())) - np.repeat(first, taken)
    return begin[row_in_block] + np.repeat(rank, taken)
