"""Sorts any number of rows in bounded memory: sorted runs on the local disk, merged at the end.

Theory, in numbers. Rows wait until they fill `memory_bytes`; then they are sorted by what numpy makes
of their key (`core.mergetree.keys`) and written to a file of the temporary directory. At the end the
runs are merged as those of a merge tree are (`core.mergetree.sort_merge`), `fan_in` at a time; if
there are more, the first ones become a longer run until few enough are left. Rows that never
filled the memory are sorted there and touch no disk.

Equal rows stay in the order in which they came. Each row is numbered for that, and the number is the
last part of its key: so no two keys are equal, and a million equal rows fit into a merge as others do.

Memory: what waits, the same again while it is sorted, and some 50 bytes a row for keys and order.
Disk: all rows once, compressed, and those of one merge a second time.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import pyarrow as pa

from core.errors import InvalidRequestError
from core.mergetree.keys import comparable_keys
from core.mergetree.sort_merge import MergeLimits, Window, iter_sorted, iter_windows
from core.options import (
    LOCAL_SORT_MAX_FILES,
    SPILL_COMPRESSION,
    SPILL_COMPRESSION_ZSTD_LEVEL,
    TableOptions,
)

_NUMBER = pa.field("_KEY_NUMBER", pa.int64(), nullable=False)  # no column of a table has such a name
_SLICE_ROWS = 64 * 1024
_FEWEST_BATCH_BYTES = 64 * 1024


class ExternalSort:
    """Takes rows in any order and gives them back sorted. Use it in a `with` block, which clears the disk."""

    def __init__(
        self, key: Sequence[str], memory_bytes: int, *, fan_in: int = 128, codec: pa.Codec | None = None
    ) -> None:
        """A sort by some columns, nulls first.

        Args:
            key: names of columns that `core.mergetree.keys` can order, the most significant first.
            memory_bytes: of rows that wait, in Arrow memory; see the module.
            fan_in: how many runs are read at once.
            codec: of runs on the disk; None for none.
        """
        self._key = [*key, _NUMBER.name]
        self._memory_bytes = memory_bytes
        self._fan_in = max(fan_in, 2)
        self._codec = codec
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_bytes = 0
        self._rows = 0
        self._runs: list[Path] = []
        self._made = 0
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def spilled_runs(self) -> int:
        """How many runs have been written to the disk, those of merges included."""
        return self._made

    def add(self, batch: pa.RecordBatch) -> None:
        """Take some rows; all batches have one schema.

        Raises:
            UnsupportedError: a column of the key has no order. It shows when rows are sorted.
        """
        if not batch.num_rows:
            return
        numbers = np.arange(self._rows, self._rows + batch.num_rows, dtype=np.int64)
        batch = batch.append_column(_NUMBER, pa.array(numbers))
        self._rows += batch.num_rows
        self._waiting.append(batch)
        self._waiting_bytes += batch.nbytes
        if self._waiting_bytes >= self._memory_bytes:
            self._spill()

    def rows(self) -> Iterator[pa.RecordBatch]:
        """All rows in order. May be asked for once, and nothing is added afterwards."""
        if not self._runs:
            sorted_rows = self._sorted_waiting()
        else:
            self._spill()
            while len(self._runs) > self._fan_in:
                merged, self._runs = self._runs[: self._fan_in], self._runs[self._fan_in :]
                self._write_run(self._merged(merged))
                for path in merged:
                    path.unlink()
            sorted_rows = self._merged(self._runs)
        for batch in sorted_rows:
            yield batch.drop_columns([_NUMBER.name])

    def _spill(self) -> None:
        if self._waiting:
            self._write_run(self._sorted_waiting())

    def _sorted_waiting(self) -> Iterator[pa.RecordBatch]:
        if not self._waiting:
            return
        rows = pa.Table.from_batches(self._waiting).combine_chunks()
        self._waiting, self._waiting_bytes = [], 0
        # Rows came in the order of their numbers, and a stable sort leaves equal ones so.
        columns = [pa.concat_arrays(rows.column(name).chunks) for name in self._key[:-1]]
        order = np.argsort(comparable_keys(columns), kind="stable")
        for start in range(0, len(order), _SLICE_ROWS):
            yield from rows.take(order[start : start + _SLICE_ROWS]).combine_chunks().to_batches()

    def _merged(self, runs: Sequence[Path]) -> Iterator[pa.RecordBatch]:
        limits = MergeLimits.for_runs(len(runs), self._memory_bytes)
        windows = iter_windows([_iter_run(path) for path in runs], self._key, limits)
        return iter_sorted(windows, _in_order)

    def _write_run(self, batches: Iterator[pa.RecordBatch]) -> None:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="lakescope-sort-")
        path = Path(self._folder.name) / f"run-{self._made}"
        self._made += 1
        options = pa.ipc.IpcWriteOptions(compression=self._codec)
        most = max(self._memory_bytes // (2 * self._fan_in), _FEWEST_BATCH_BYTES)
        writer: pa.RecordBatchStreamWriter | None = None
        with pa.OSFile(str(path), "wb") as sink:
            for batch in batches:
                writer = writer or pa.ipc.new_stream(sink, batch.schema, options=options)
                width = max(batch.nbytes // batch.num_rows, 1)
                for start in range(0, batch.num_rows, max(most // width, 1)):
                    writer.write_batch(batch.slice(start, max(most // width, 1)))
            if writer is not None:
                writer.close()
        self._runs.append(path)

    def close(self) -> None:
        """Forget the rows, in memory and on the disk."""
        self._waiting, self._waiting_bytes, self._runs = [], 0, []
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def sort_of(options: TableOptions, key: Sequence[str], memory_bytes: int) -> ExternalSort:
    """A sort as a table's options have it: how many runs are merged at once, how they are compressed.

    Raises:
        InvalidRequestError: `spill-compression` is none that runs can have.
    """
    return ExternalSort(
        key, memory_bytes, fan_in=options.get(LOCAL_SORT_MAX_FILES), codec=_spill_codec(options)
    )


def _spill_codec(options: TableOptions) -> pa.Codec | None:
    name = options.get(SPILL_COMPRESSION).lower()
    match name:
        case "none":
            return None
        case "lz4":
            return pa.Codec("lz4")
        case "zstd":
            return pa.Codec("zstd", compression_level=options.get(SPILL_COMPRESSION_ZSTD_LEVEL))
    raise InvalidRequestError(
        "runs of a sort are not compressed so",
        option=SPILL_COMPRESSION.key,
        found=name,
        expected="zstd, lz4 or none",
    )


def _iter_run(path: Path) -> Iterator[pa.RecordBatch]:
    with pa.OSFile(str(path), "rb") as source, pa.ipc.open_stream(source) as reader:
        yield from reader


def _in_order(window: Window) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    return np.argsort(window.keys, kind="stable")
