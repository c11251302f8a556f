"""One parquet file, written row group by row group. Spec: 04, A3 and A4."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc
import pyarrow.parquet as pq

from core.datafile.compression import Compression
from core.datafile.format_options import DEFAULT_SETTINGS, FormatOptions
from core.datafile.format_writer import FormatWriter
from core.datafile.parquet_footer import annotate_timestamps
from core.datafile.parquet_schema import dictionary_columns, parquet_shape
from core.datafile.recast import recast
from core.errors import FormatError
from core.io.file_io import FileIO
from core.types.data_types import (
    BigIntType,
    BinaryType,
    CharType,
    DataField,
    IntType,
    SmallIntType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
)

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_TEXTS = (CharType, VarCharType, BinaryType, VarBinaryType)
_INTEGERS = (TinyIntType, SmallIntType, IntType, BigIntType)
_BUFFER_BYTES = 1024 * 1024
_LONGEST = 1024  # bytes; the encoder tells no bounds of a group that are longer than 4096


class ParquetFileWriter(FormatWriter):
    """Each call of `write_group` reaches the store before it returns; what stays in memory is the footer."""

    _writer: pq.ParquetWriter | None = None

    def __init__(
        self,
        io: FileIO,
        path: str,
        fields: Sequence[DataField],
        compression: Compression,
        first: pa.Table,
        settings: FormatOptions = DEFAULT_SETTINGS,
    ) -> None:
        """Start the file; `first` are rows that tell which columns are worth a dictionary."""
        super().__init__(io, path)
        self._shape = parquet_shape(fields, int96=settings.hives_types)
        self._texts = [field.name for field in fields if isinstance(field.type, _TEXTS)]
        self._integers = frozenset(field.name for field in fields if isinstance(field.type, _INTEGERS))
        self._told_of: list[frozenset[str]] = []  # a group each
        self._footers: list[Any] = []  # that of this file, once it is closed
        self._leaves: dict[str, int] | None = None
        zstd = compression.codec == "zstd"
        codec: Any = compression.codec  # the stubs know fewer codecs and no list of columns
        dictionary: Any = dictionary_columns(fields, first, settings)
        # The encoder writes headers and pages one by one, and each call of Python takes microseconds.
        self._buffer = pa.BufferedOutputStream(pa.PythonFile(self._sink, "w"), _BUFFER_BYTES)
        with self._or_given_up():
            self._writer = pq.ParquetWriter(
                self._buffer,
                self._shape.schema,
                compression=codec,
                compression_level=compression.zstd_level if zstd else None,
                use_dictionary=dictionary,
                store_decimal_as_integer=not settings.hives_types,
                use_deprecated_int96_timestamps=self._shape.int96,
                write_time_adjusted_to_utc=True,
                write_page_index=True,
                data_page_size=settings.page_bytes,
                data_page_version=settings.page_version,
                dictionary_pagesize_limit=settings.dictionary_bytes,
                max_rows_per_page=settings.page_rows,
                bloom_filter_options=settings.bloom_filters(fields) or None,
                store_schema=False,
                metadata_collector=self._footers,
            )

    def _write(self, rows: pa.Table) -> None:
        assert self._writer is not None
        schema = self._shape.schema
        columns = [recast(rows.column(field.name), field.type) for field in schema]
        table = pa.Table.from_arrays(columns, schema=schema)
        self._writer.write_table(table, row_group_size=max(len(rows), 1))
        self._buffer.flush()

    def _told(self, rows: pa.Table) -> frozenset[str]:
        """Texts, as to compare them once more takes as long as to encode them, and integers."""
        lengths = {name: pc.max(pc.binary_length(rows.column(name))).as_py() for name in self._texts}
        short = (name for name, most in lengths.items() if (most or 0) <= _LONGEST)
        self._told_of.append(self._integers.union(short))
        return self._told_of[-1]

    def told_bounds(self, name: str) -> Iterator[tuple[Any, Any]]:
        groups = [number for number, told in enumerate(self._told_of) if name in told]
        for footer in self._footers if groups else ():
            leaf = self._leaves_of(footer)[name]
            for number in groups:
                yield from _bounds_of(footer.row_group(number).column(leaf))

    def _leaves_of(self, footer: Any) -> dict[str, int]:
        """Where columns without parts stand among the columns of parts."""
        if self._leaves is None:
            columns = enumerate(footer.schema)
            self._leaves = {c.name: i for i, c in columns if c.path == c.name}
        return self._leaves

    def _finish(self) -> None:
        assert self._writer is not None
        if not self._shape.annotations:
            self._writer.close()
            self._buffer.flush()
            return
        self._sink.hold()
        self._writer.close()
        self._buffer.flush()
        self._sink.release(annotate_timestamps(self._sink.held, self._shape.annotations))

    def _silence(self) -> None:
        if self._writer is not None:
            self._writer.is_open = False  # or its finalizer would write a footer


def _bounds_of(chunk: Any) -> Iterator[tuple[Any, Any]]:
    """None if all values are null."""
    found = chunk.statistics
    if found is not None and found.has_min_max:
        yield found.min_raw, found.max_raw
    elif found is None or found.null_count != chunk.num_values:
        raise FormatError("the encoder tells no bounds of a column", column=chunk.path_in_schema)
