"""Data files of one bucket, rolled at the target size, with what a manifest records of each.

Theory, in numbers. Rows wait in memory until they make a group: at most 128 Ki rows,
at most 32 MiB of Arrow memory (or `file.block-size`), and few enough that several groups fit
into a file of the target size. A group is written through to the store at once, and the file
is closed when it has reached `target-file-size`; so files pass the target by less than one group.
Parquet makes a row group of each: small ones are what makes lookups in our files fast, as the reader
skips them by their statistics. ORC gathers groups until they make a stripe (see `orc_writer`).

Statistics are gathered from the rows, not from the footer: a footer says nothing of INT96
columns and of NaN.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count

import numpy as np
import pyarrow as pa

from core.arrow import to_python
from core.binary import EMPTY_ROW, BinaryRow, encode_row
from core.datafile.avro_schema import avro_schema
from core.datafile.avro_writer import AvroFileWriter
from core.datafile.blob_writer import BlobFileWriter
from core.datafile.column_bounds import ColumnBounds
from core.datafile.compression import Compression
from core.datafile.file_format import FileFormat
from core.datafile.format_options import DEFAULT_SETTINGS, FormatOptions
from core.datafile.format_writer import FormatWriter
from core.datafile.orc_writer import OrcFileWriter, orc_schema
from core.datafile.parquet_writer import ParquetFileWriter
from core.datafile.system_fields import SEQUENCE_NUMBER, VALUE_KIND, key_field
from core.datafile.write_stats import StatsRules, key_stats
from core.errors import UnsupportedError
from core.fileindex.build import FileIndexBuilder
from core.fileindex.columns import IndexedColumn
from core.fileindex.container import INDEX_SUFFIX
from core.io.external_paths import ExternalPaths
from core.io.file_io import FileIO
from core.manifest.file_meta import DataFileMeta, FileSource
from core.stats.simple_stats import EMPTY_STATS, SimpleStats
from core.types.data_types import DataField
from core.types.row_kind import RowKind

_GROUP_ROWS = 128 * 1024
_GROUP_BYTES = 32 * 1024 * 1024  # of Arrow memory
_FEWEST_ROWS = 1024
_TOO_WIDE = 2  # times the bytes of a group: rows that have them do not wait for the group's last row
_FEWEST_STRIPE_BYTES = 64 * 1024
_ZSTD = Compression()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLayout:
    """What the files of a writer hold, and how. Key-value files have `key_fields`."""

    schema_id: int
    fields: tuple[DataField, ...]  # the table's columns
    key_fields: tuple[DataField, ...] = ()  # those of the trimmed primary key
    evolves: bool = False  # whether other files may hold columns of the rows; each counts them from 0
    is_part: bool = False  # whether `fields` are some of the table's columns, and the manifest names them
    keeps_row_ids: bool = False  # whether `fields` end with those of row tracking: the rows are not new
    is_thin: bool = False  # whether files repeat no key: readers take it from the table's columns
    stats: StatsRules
    level: int = 0
    source: FileSource = FileSource.APPEND
    format: FileFormat = FileFormat.PARQUET
    compression: Compression = _ZSTD
    settings: FormatOptions = DEFAULT_SETTINGS
    names_codec: bool = False  # whether names of files tell the codec
    block_size: int | None = None  # bytes of memory that make a row group or stripe, if the table says so
    indexes: tuple[IndexedColumn, ...] = ()
    index_in_manifest: int = 500  # bytes up to which an index lies in the manifest, not in a file of its own
    target_size: int = 128 * 1024 * 1024  # bytes
    target_rows: int = 2**63 - 1
    outside: ExternalPaths | None = None  # where files lie instead of in the bucket's directory

    @property
    def suffix(self) -> str:
        """What the names of files end with. Spec: 01, 1.1."""
        return f".{self.compression.codec}.{self.format}" if self.names_codec else f".{self.format}"

    @property
    def stored_fields(self) -> tuple[DataField, ...]:
        """The columns of a file, in their order."""
        if not self.key_fields:
            return self.fields
        keys = tuple(key_field(field) for field in self.repeated_fields)
        return (*keys, SEQUENCE_NUMBER, VALUE_KIND, *self.fields)

    @property
    def written_columns(self) -> tuple[str, ...] | None:
        """What a manifest says that a file holds; None for the columns of its schema. Spec: 02, 3."""
        return tuple(f.name for f in self.fields) if self.is_part or self.keeps_row_ids else None

    @property
    def repeated_fields(self) -> tuple[DataField, ...]:
        """The columns that a file holds a second time, as its key."""
        return () if self.is_thin else self.key_fields


class FileNames:
    """Names of new files, data files without their suffix; one writer shares one random id among them."""

    def __init__(self, prefix: str = "data-", suffix: str = "") -> None:
        self._stem = f"{prefix}{uuid.uuid4()}"
        self._suffix = suffix
        self._numbers = count()

    def __next__(self) -> str:
        return f"{self._stem}-{next(self._numbers)}{self._suffix}"

    def __iter__(self) -> FileNames:
        return self

    def gave(self, name: str) -> bool:
        """Whether a file has its name from here."""
        return name.startswith(f"{self._stem}-")


class RollingFileWriter:
    """Writes rows of one bucket in the order given, into as many files as the target size asks for.

    Key-value rows have the columns `_SEQUENCE_NUMBER` and `_VALUE_KIND` besides the
    table's, and come sorted by key, one row a key.
    """

    def __init__(
        self, io: FileIO, directory: str, layout: FileLayout, names: Iterator[str], *, first_sequence: int = 0
    ) -> None:
        """`first_sequence` is the number of the first row of an append table's writer."""
        self._io = io
        self._directory = directory
        self._layout = layout
        self._names = names
        self._next_sequence = first_sequence
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_rows = 0
        self._waiting_bytes = 0
        self._group_rows = 0  # unknown before the first row
        self._file: _OpenFile | None = None
        self._files: list[DataFileMeta] = []

    @property
    def buffered_bytes(self) -> int:
        """Arrow memory of the rows that wait."""
        return self._waiting_bytes

    def write(self, batch: pa.RecordBatch) -> bool:
        """Take some rows; whether a file was finished by it."""
        finished = len(self._files)
        while batch.num_rows:
            room = self.room(batch)
            head = batch.slice(0, room)
            batch = batch.slice(head.num_rows)
            self._waiting.append(head)
            self._waiting_rows += head.num_rows
            self._waiting_bytes += head.nbytes
            if head.num_rows == room:
                self.flush()
        if self._waiting_bytes > _TOO_WIDE * (self._layout.block_size or _GROUP_BYTES):
            self.flush()  # later rows are wider than the first ones, by which groups were judged
        return len(self._files) > finished

    def room(self, rows: pa.RecordBatch) -> int:
        """How many rows of the kind of `rows` can come before a file may be finished; at least one."""
        self._group_rows = self._group_rows or _rows_of_group(rows, self._layout)
        in_file = self._file.rows if self._file is not None else 0
        return min(self._group_rows, self._layout.target_rows - in_file) - self._waiting_rows

    def flush(self) -> None:
        """Write the rows that wait as a row group, and close the file if it is large enough."""
        if not self._waiting:
            return
        rows = pa.Table.from_batches(self._waiting)
        self._waiting, self._waiting_rows, self._waiting_bytes = [], 0, 0
        if self._file is None:
            name = f"{next(self._names)}{self._layout.suffix}"
            self._file = _OpenFile(self._io, self._directory, name, self._layout, rows)
        self._file.write(rows)
        if self._file.is_full:
            self._close_file()

    def _close_file(self) -> None:
        if self._file is not None:
            meta = self._file.close(self._next_sequence)
            self._next_sequence += 0 if self._layout.evolves else meta.row_count
            self._files.append(meta)
            self._file = None

    def roll(self) -> None:
        """Write the rows that wait and close the file, however small it is."""
        self.flush()
        self._close_file()

    def take(self) -> tuple[DataFileMeta, ...]:
        """The finished files since the last call, in order; they no longer belong to this writer."""
        self.roll()
        files, self._files = tuple(self._files), []
        return files

    def abort(self) -> None:
        """Drop the rows that wait, the open file and the finished ones."""
        self._waiting, self._waiting_rows, self._waiting_bytes = [], 0, 0
        if self._file is not None:
            self._file.discard()
            self._file = None
        for meta in self._files:
            delete_data_file(self._io, self._directory, meta)
        self._files = []


def delete_data_file(io: FileIO, directory: str, meta: DataFileMeta) -> None:
    """Delete a data file and the files beside it; `directory` is that of its bucket."""
    path = meta.external_path or f"{directory}/{meta.file_name}"
    io.delete(path)
    for name in meta.extra_files:
        io.delete(f"{path.rpartition('/')[0]}/{name}")


def _rows_of_group(batch: pa.RecordBatch, layout: FileLayout) -> int:
    """So many rows make a group, judged by the width of the first ones."""
    width = max(batch.nbytes // batch.num_rows, 1)
    fitting = max(layout.target_size // width, _FEWEST_ROWS)
    if layout.block_size is None:
        rows = min(_GROUP_ROWS, _GROUP_BYTES // width, fitting)
    else:
        rows = min(layout.block_size // width, fitting)
    return max(1, min(rows, layout.target_rows))


def check_held(file_format: FileFormat, fields: Sequence[DataField]) -> None:
    """`UnsupportedError` if files of the format do not hold a type of these columns."""
    match file_format:
        case FileFormat.ORC:
            orc_schema(fields)
        case FileFormat.AVRO:
            avro_schema(fields)


def _format_writer(io: FileIO, path: str, layout: FileLayout, first: pa.Table) -> FormatWriter:
    """A writer of the layout's format; `first` are the first rows of the file."""
    fields, compression = layout.stored_fields, layout.compression
    match layout.format:
        case FileFormat.PARQUET:
            return ParquetFileWriter(io, path, fields, compression, first, layout.settings)
        case FileFormat.ORC:
            stripe = layout.block_size or min(_GROUP_BYTES, layout.target_size)
            return OrcFileWriter(
                io,
                path,
                fields,
                compression,
                stripe_bytes=max(stripe, _FEWEST_STRIPE_BYTES),
                group_rows=len(first),
                settings=layout.settings,
            )
        case FileFormat.AVRO:
            return AvroFileWriter(io, path, fields, compression)
        case FileFormat.BLOB:
            return BlobFileWriter(io, path, fields[0].name)
    raise UnsupportedError(
        "data files are not written in this format", feature=f"file.format {layout.format}"
    )


class _OpenFile:
    """A data file that is being written, and what its manifest entry needs to know."""

    def __init__(self, io: FileIO, directory: str, name: str, layout: FileLayout, first: pa.Table) -> None:
        self._io = io
        self._name = name
        self._layout = layout
        self._external = layout.outside.path(directory, name) if layout.outside else None
        self._path = self._external or f"{directory}/{name}"
        self._index = FileIndexBuilder(layout.indexes)
        self._writer = _format_writer(io, self._path, layout, _with_keys(first, layout))
        self._bounds = [ColumnBounds(field) for field in layout.fields]
        self._sequences = ColumnBounds(SEQUENCE_NUMBER)
        self._deletes = 0
        self._min_key = EMPTY_ROW
        self._max_key = EMPTY_ROW
        self.rows = 0

    @property
    def is_full(self) -> bool:
        return self._writer.size >= self._layout.target_size or self.rows >= self._layout.target_rows

    def write(self, rows: pa.Table) -> None:
        told = self._writer.write_group(_with_keys(rows, self._layout))
        for field, bound in zip(self._layout.fields, self._bounds, strict=True):
            bound.add(rows.column(field.name), extremes_follow=field.name in told)
        self._index.add(rows)
        if self._layout.key_fields:
            self._note_keys(rows)
        self.rows += len(rows)

    def _note_keys(self, rows: pa.Table) -> None:
        if self.rows == 0:
            self._min_key = _key_of(rows.slice(0, 1), self._layout.key_fields)
        self._max_key = _key_of(rows.slice(len(rows) - 1), self._layout.key_fields)
        self._sequences.add(rows.column(SEQUENCE_NUMBER.name))
        kinds = rows.column(VALUE_KIND.name).to_numpy()
        self._deletes += sum(int(np.count_nonzero(kinds == retract)) for retract in _RETRACTS)

    def close(self, first_sequence: int) -> DataFileMeta:
        index = self._index.finish()
        beside = index is not None and len(index) > self._layout.index_in_manifest
        if index is not None and beside:
            self._io.write(f"{self._path}{INDEX_SUFFIX}", index)
        size = self._writer.close()
        layout = self._layout
        for field, bound in zip(layout.fields, self._bounds, strict=True):
            for extremes in self._writer.told_bounds(field.name):
                bound.add_extremes(*extremes)
        keyed = bool(layout.key_fields)
        value_stats, value_stats_cols = layout.stats.value_stats(layout.fields, self._bounds, layout.format)
        low, high = self._sequence_range(first_sequence)
        return DataFileMeta(
            file_name=self._name,
            file_size=size,
            row_count=self.rows,
            min_key=self._min_key,
            max_key=self._max_key,
            key_stats=self._key_stats() if keyed else EMPTY_STATS,
            value_stats=value_stats,
            value_stats_cols=value_stats_cols,
            min_sequence_number=low,
            max_sequence_number=high,
            schema_id=layout.schema_id,
            level=layout.level,
            extra_files=(f"{self._name}{INDEX_SUFFIX}",) if beside else (),
            embedded_index=None if beside else index,
            creation_time_millis=wall_clock_millis(),
            delete_row_count=self._deletes,
            file_source=layout.source,
            write_cols=layout.written_columns,
            external_path=self._external,
        )

    def _sequence_range(self, first_sequence: int) -> tuple[int, int]:
        """The smallest and largest number; 0 where rows wait for that of their snapshot. Spec: 02, 3.1."""
        if self._layout.key_fields:
            return self._sequences.minimum, self._sequences.maximum
        if self._layout.keeps_row_ids:
            bounds = self._bounds[-1]
            return bounds.minimum or 0, 0 if bounds.null_count else bounds.maximum
        return first_sequence, first_sequence + self.rows - 1

    def _key_stats(self) -> SimpleStats:
        by_name = {f.name: b for f, b in zip(self._layout.fields, self._bounds, strict=True)}
        keys = self._layout.key_fields
        return key_stats(keys, [by_name[f.name] for f in keys], self._layout.format)

    def discard(self) -> None:
        self._writer.discard()
        self._io.delete(f"{self._path}{INDEX_SUFFIX}")


_RETRACTS = (RowKind.UPDATE_BEFORE, RowKind.DELETE)


def _with_keys(rows: pa.Table, layout: FileLayout) -> pa.Table:
    """The rows with the `_KEY_` columns that a key-value file repeats; the bytes are shared."""
    for field in layout.repeated_fields:
        rows = rows.append_column(key_field(field).name, rows.column(field.name))
    return rows


def _key_of(row: pa.Table, key_fields: Sequence[DataField]) -> BinaryRow:
    values = [to_python(row.column(f.name), f.type)[0] for f in key_fields]
    return encode_row([f.type for f in key_fields], values)


def wall_clock_millis(now: datetime | None = None) -> int:
    """The local wall clock as if it were UTC: how Paimon stores times of creation."""
    return int((now or datetime.now()).replace(tzinfo=UTC).timestamp() * 1000)
