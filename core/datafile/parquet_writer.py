"""One parquet file, written row group by row group. Spec: 04, A3 and A4."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from io import RawIOBase
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from core.datafile.parquet_footer import annotate_timestamps
from core.datafile.parquet_schema import dictionary_columns, parquet_shape
from core.errors import StorageError, UnsupportedError
from core.io.file_io import FileIO
from core.types.data_types import DataField

_CODECS = frozenset({"zstd", "snappy", "gzip", "brotli", "none"})


@dataclass(frozen=True, slots=True)
class Compression:
    """`file.compression` and `file.compression.zstd-level`."""

    codec: str = "zstd"
    zstd_level: int = 1

    def __post_init__(self) -> None:
        if self.codec not in _CODECS:
            raise UnsupportedError(
                "files are not written with this codec", feature=f"file.compression {self.codec}"
            )


class ParquetFileWriter:
    """A file that appears under its path when it is closed, and not at all when it is discarded.

    Each call of `write_group` reaches the store before it returns; what stays in memory is
    the footer.
    """

    def __init__(
        self, io: FileIO, path: str, fields: Sequence[DataField], compression: Compression, first: pa.Table
    ) -> None:
        """Start the file; `first` are rows that tell which columns are worth a dictionary."""
        self._shape = parquet_shape(fields)
        self._stack = ExitStack()
        self._sink = _Sink(self._stack.enter_context(io.open_output(path)))
        zstd = compression.codec == "zstd"
        codec: Any = compression.codec  # the stubs know fewer codecs and no list of columns
        dictionary: Any = dictionary_columns(fields, first)
        sink: Any = self._sink
        try:
            self._writer = pq.ParquetWriter(
                sink,
                self._shape.schema,
                compression=codec,
                compression_level=compression.zstd_level if zstd else None,
                use_dictionary=dictionary,
                store_decimal_as_integer=True,
                use_deprecated_int96_timestamps=self._shape.int96,
                write_time_adjusted_to_utc=True,
                write_page_index=True,
                store_schema=False,
            )
        except BaseException as error:
            self._leave(error)
            raise

    def write_group(self, rows: pa.Table) -> None:
        """Write `rows`, all columns by name, as one row group."""
        schema = self._shape.schema
        try:
            columns = [_as_type(rows.column(field.name), field.type) for field in schema]
            table = pa.Table.from_arrays(columns, schema=schema)
            self._writer.write_table(table, row_group_size=max(len(rows), 1))
        except BaseException as error:
            self._leave(error)
            raise

    @property
    def size(self) -> int:
        """Bytes so far."""
        return self._sink.tell()

    def close(self) -> int:
        """Finish the file; its size in bytes."""
        try:
            if self._shape.annotations:
                self._sink.hold()
                self._writer.close()
                self._sink.release(annotate_timestamps(self._sink.held, self._shape.annotations))
            else:
                self._writer.close()
            size = self.size
        except BaseException as error:
            self._leave(error)
            raise
        self._stack.close()
        return size

    def discard(self) -> None:
        """Drop the file."""
        self._leave(StorageError("the file was given up"))

    def _leave(self, error: BaseException) -> None:
        # An output that is left with an error never gets its name; what pyarrow still writes goes nowhere.
        self._sink.drop()
        if hasattr(self, "_writer"):
            self._writer.is_open = False  # or its finalizer would write a footer
        self._stack.__exit__(type(error), error, error.__traceback__)


def _as_type(column: pa.ChunkedArray[Any], kind: pa.DataType) -> pa.ChunkedArray[Any]:
    """A cast fails on a null struct with NOT NULL members even where it has nothing to do."""
    return column if column.type == kind else column.cast(kind)


class _Sink(RawIOBase):
    """Where pyarrow writes to: counts bytes, and can hold back those that come last."""

    def __init__(self, output: IO[bytes]) -> None:
        self._output = output
        self._size = 0
        self._holding = False
        self._dropping = False
        self._held: list[bytes] = []

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._size

    def write(self, data: Any) -> int:
        if self._holding:
            self._held.append(bytes(data))
        elif not self._dropping:
            self._output.write(data)
        self._size += len(data)
        return len(data)

    def drop(self) -> None:
        """Forget what is written from now on."""
        self._dropping = True

    def hold(self) -> None:
        """Keep what is written from now on in memory."""
        self._holding = True

    @property
    def held(self) -> bytes:
        return b"".join(self._held)

    def release(self, data: bytes) -> None:
        """Write `data` in place of what was held."""
        self._size -= sum(map(len, self._held))
        self._held, self._holding = [], False
        self.write(data)
