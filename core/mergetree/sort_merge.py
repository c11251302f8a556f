"""Merge sorted runs into the rows that count, in bounded memory.

Theory, in numbers. A run is a stream of batches sorted by key. Of every run that has
rows left, the merge holds a buffer of at least `MergeLimits.rows_per_run` rows (or
`bytes_per_run` bytes, whichever is less), so at most that much and one batch. The
smallest of the last buffered keys of the unfinished runs is the bound of the next
*window*: all rows below it are in memory, whatever the runs still hold. The window's
keys are sorted at once (numpy's stable sort finds the runs in them), one row a key is
chosen, and the rest is masked out. What is not below the bound stays buffered.

Rows equal to the bound wait as well: a run may hold versions of one key on both sides
of a batch's end (level-0 files of pypaimon repeat keys). All versions of one key are
thus in one window, and a single key with more versions than the limit makes the
buffers grow past it; nothing else does.

Peak memory, besides what the readers of the runs hold: (number of runs) x (bytes_per_run
+ one batch), the same again for the output of one window, and 16 to 80 bytes a buffered
row for keys and order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.errors import FormatError
from core.mergetree.keys import KeyArray, comparable_keys

Column: TypeAlias = Any  # a pa.Array: which one is known when it runs, not to its stubs
Positions: TypeAlias = npt.NDArray[np.intp]

_ROWS = 128 * 1024  # in a buffer: fewer cost more sorts, more cost memory and cache misses
_FEWEST_ROWS = 4 * 1024
_ALL_ROWS = 1024 * 1024

MERGE_BYTES = 256 * 1024 * 1024
"""What all buffers of a merge hold together unless the caller says otherwise."""


@dataclass(frozen=True, slots=True)
class MergeLimits:
    """How much a merge buffers of each run before it sorts a window."""

    rows_per_run: int
    bytes_per_run: int

    @staticmethod
    def for_runs(runs: int, total_bytes: int = MERGE_BYTES) -> MergeLimits:
        """Limits that share `total_bytes` (and a million rows) among `runs` runs."""
        share = max(runs, 1)
        return MergeLimits(
            rows_per_run=max(_FEWEST_ROWS, min(_ROWS, _ALL_ROWS // share)),
            bytes_per_run=max(total_bytes // share, 1),
        )


@dataclass(frozen=True, slots=True)
class Window:
    """Rows of all runs in one range of keys: no version of these keys is elsewhere.

    `keys` belongs to the concatenation of `tables`, in the order of the runs.
    """

    tables: tuple[pa.Table, ...]
    keys: KeyArray

    def column(self, name: str) -> Column:
        """A column over all rows of the window."""
        chunks = [chunk for table in self.tables for chunk in table.column(name).chunks]
        return pa.chunked_array(chunks, type=self.tables[0].schema.field(name).type)


Select: TypeAlias = Callable[[Window], Positions]


def iter_windows(
    runs: Sequence[Iterator[pa.RecordBatch]], key: Sequence[str], limits: MergeLimits
) -> Iterator[Window]:
    """Windows in key order, together all rows of `runs`.

    Args:
        runs: batches sorted by `key`, oldest run first; all of one schema.
        key: names of the key's columns.
        limits: how much to buffer of each run.
    """
    buffers = [_RunBuffer(run) for run in runs]
    while True:
        for buffer in buffers:
            buffer.fill(limits)
        buffers = [buffer for buffer in buffers if buffer.rows]
        if not buffers:
            return
        keys = _encode(buffers, key)
        for run_keys in keys:
            _check_sorted(run_keys, key)
        bounds = [k[-1] for k, buffer in zip(keys, buffers, strict=True) if not buffer.finished]
        if bounds:
            counts = [int(np.searchsorted(k, min(bounds), side="left")) for k in keys]
        else:
            counts = [buffer.rows for buffer in buffers]
        if not any(counts):
            # One key fills the buffers that end with it: take in more before judging it.
            for k, buffer in zip(keys, buffers, strict=True):
                if not buffer.finished and k[-1] == min(bounds):
                    buffer.read_one()
            continue
        tables = tuple(b.take(count) for b, count in zip(buffers, counts, strict=True) if count)
        yield Window(tables, np.concatenate([k[:n] for k, n in zip(keys, counts, strict=True)]))


def iter_kept(windows: Iterator[Window], select: Select) -> Iterator[pa.RecordBatch]:
    """The rows that `select` chooses, window by window; within a window run by run.

    Cheaper than `iter_sorted`, as no row moves to another run's place; what a read needs.
    """
    for window in windows:
        keep = np.zeros(len(window.keys), dtype=np.bool_)
        keep[select(window)] = True
        start = 0
        for table in window.tables:
            mask = keep[start : start + len(table)]
            start += len(table)
            if mask.any():
                kept = table if mask.all() else table.filter(pa.array(mask))
                yield from (batch for batch in kept.to_batches() if batch.num_rows)


def iter_sorted(windows: Iterator[Window], select: Select) -> Iterator[pa.RecordBatch]:
    """The rows that `select` chooses, all in its order; what a compaction writes."""
    for window in windows:
        positions = select(window)
        if len(positions):
            rows = pa.concat_tables(window.tables).take(positions)
            yield from rows.combine_chunks().to_batches()


def _encode(buffers: Sequence[_RunBuffer], key: Sequence[str]) -> list[KeyArray]:
    """The keys of each buffer, comparable with one another."""
    columns = []
    for name in key:
        chunks = [chunk for buffer in buffers for chunk in buffer.chunks(name)]
        columns.append(pa.concat_arrays(chunks))
    keys = comparable_keys(columns)
    ends = np.cumsum([buffer.rows for buffer in buffers])
    return list(np.split(keys, ends[:-1]))


def _check_sorted(keys: KeyArray, key: Sequence[str]) -> None:
    """A run out of order would lose updates without a sound; looking costs a nanosecond a row."""
    unordered = np.flatnonzero(keys[1:] < keys[:-1])
    if len(unordered):
        raise FormatError("the rows of a sorted run are not sorted by its key", key=", ".join(key))


class _RunBuffer:
    """Batches read ahead of one run."""

    __slots__ = ("_batches", "_bytes", "_source", "finished", "rows")

    def __init__(self, source: Iterator[pa.RecordBatch]) -> None:
        self._source = source
        self._batches: deque[pa.RecordBatch] = deque()
        self._bytes = 0
        self.rows = 0
        self.finished = False

    def fill(self, limits: MergeLimits) -> None:
        while not self.finished and self.rows < limits.rows_per_run and self._bytes < limits.bytes_per_run:
            self.read_one()

    def read_one(self) -> None:
        batch = next(self._source, None)
        if batch is None:
            self.finished = True
        elif batch.num_rows:
            self._append(batch)

    def _append(self, batch: pa.RecordBatch) -> None:
        self._batches.append(batch)
        self.rows += batch.num_rows
        self._bytes += batch.nbytes

    def chunks(self, name: str) -> list[Column]:
        return [batch.column(name) for batch in self._batches]

    def take(self, count: int) -> pa.Table:
        """Remove the first `count` rows (at least one) and return them, without a copy."""
        taken = []
        while count:
            batch = self._batches.popleft()
            self.rows -= batch.num_rows
            self._bytes -= batch.nbytes
            head = batch.slice(0, count)
            if head.num_rows < batch.num_rows:
                rest = batch.slice(head.num_rows)
                self._batches.appendleft(rest)
                self.rows += rest.num_rows
                self._bytes += rest.nbytes
            taken.append(head)
            count -= head.num_rows
        return pa.Table.from_batches(taken)
