"""Rows by number, more of them than memory holds: what is too much lies in files that are mapped.

A file has no name once it is mapped, so nothing is left behind whatever becomes of the process.
Mapped pages are the system's to drop, as it can read them again: what the process itself holds are
the rows that were added last, at most `memory_bytes` of them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

MEMORY_BYTES = 16 * 1024 * 1024

Numbers = npt.NDArray[np.int64]

_BATCH_ROWS = 64 * 1024
_FEW_VALUES = 256 * 1024


class RowStore:
    """Numbers rows from 0 on, in the order in which they are added."""

    def __init__(self, schema: pa.Schema, memory_bytes: int = MEMORY_BYTES) -> None:
        self._schema = schema
        self._memory_bytes = memory_bytes
        self._batches: list[pa.RecordBatch] = []
        self._starts: list[int] = []  # number of the first row of each batch
        self._count = 0
        self._mapped = 0  # so many batches, the first ones, lie in files
        self._waiting = 0  # bytes of the others

    def __len__(self) -> int:
        return self._count

    def append(self, rows: pa.RecordBatch) -> None:
        for start in range(0, rows.num_rows, _BATCH_ROWS):
            batch = rows.slice(start, _BATCH_ROWS)
            self._batches.append(batch)
            self._starts.append(self._count)
            self._count += batch.num_rows
            self._waiting += batch.nbytes
            if self._waiting > self._memory_bytes:
                self._spill()

    def _spill(self) -> None:
        """Put the batches that are in memory into a file."""
        with tempfile.NamedTemporaryFile(prefix="lakescope-") as file:
            with pa.ipc.new_file(file.name, self._schema) as writer:
                for batch in self._batches[self._mapped :]:
                    writer.write_batch(batch)
            reader = pa.ipc.open_file(pa.memory_map(file.name))
        mapped = [reader.get_batch(i) for i in range(reader.num_record_batches)]
        self._batches[self._mapped :] = mapped
        self._mapped, self._waiting = len(self._batches), 0

    def batches(self) -> Iterator[tuple[int, pa.RecordBatch]]:
        """All rows, each batch beside the number of its first row."""
        yield from zip(self._starts, self._batches, strict=True)

    def take(self, numbers: Numbers) -> pa.RecordBatch:
        """The rows of these numbers, in their order; below 0 stands for a row of nulls."""
        wanted = np.flatnonzero(numbers >= 0)
        wanted = wanted[np.argsort(numbers[wanted], kind="stable")]
        ordered = numbers[wanted]
        ends = np.searchsorted(ordered, [*self._starts[1:], self._count])
        found, start = [], 0
        for i in np.flatnonzero(np.diff(ends, prepend=0)).tolist():
            local: Any = pa.array(ordered[start : ends[i]] - self._starts[i])
            found.append(self._batches[i].take(local))
            start = int(ends[i])
        places = np.full(len(numbers), -1, np.int64)
        places[wanted] = np.arange(len(wanted))
        rows: Any = pa.Table.from_batches(found, self._schema).combine_chunks()
        order: Any = pa.array(places, mask=places < 0)
        back = rows.take(order).combine_chunks().to_batches()
        return back[0] if back else pa.RecordBatch.from_pylist([], schema=self._schema)


class GrowingArray:
    """One number a row, which can change, in a mapped file once there are many."""

    def __init__(self, kind: npt.DTypeLike) -> None:
        self._count = 0
        self._values: Any = np.empty(0, kind)

    def __len__(self) -> int:
        return self._count

    def append(self, values: npt.NDArray[Any]) -> None:
        end = self._count + len(values)
        if end > len(self._values):
            self._grow(max(2 * len(self._values), end))
        self._values[self._count : end] = values
        self._count = end

    def _grow(self, room: int) -> None:
        """Into another file, or while there are few into other memory."""
        old, kind = self._values[: self._count], self._values.dtype
        if room <= _FEW_VALUES:
            self._values = np.empty(room, kind)
        else:
            with tempfile.TemporaryFile(prefix="lakescope-") as file:
                self._values = np.memmap(file, kind, "w+", shape=(room,))
        self._values[: self._count] = old

    def __getitem__(self, rows: Numbers) -> npt.NDArray[Any]:
        return np.asarray(self._values[rows])

    def __setitem__(self, rows: Numbers, values: Any) -> None:
        self._values[rows] = values
