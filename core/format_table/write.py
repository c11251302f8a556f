"""New files of a format table: written where no reader looks, named by a commit."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from core.binary import decode_row
from core.datafile.compression import Compression
from core.datafile.file_format import FileFormat
from core.datafile.format_options import FormatOptions
from core.datafile.format_writer import FormatWriter
from core.datafile.orc_writer import OrcFileWriter
from core.datafile.parquet_writer import ParquetFileWriter
from core.datafile.write import FileNames, check_held
from core.format_table.commit import STAGING, WrittenFile
from core.format_table.csv_files import check_csv, write_csv
from core.format_table.json_files import check_json
from core.format_table.json_text import write_json
from core.format_table.lines import check_codec, compressed, text_suffix
from core.format_table.options import (
    CsvOptions,
    FileKind,
    JsonOptions,
    check_discovered,
    codec_of,
    file_kind,
    has_hives_types,
    text_line_end,
)
from core.format_table.partitions import PartitionNames
from core.format_table.text_files import check_text, write_text
from core.io.file_io import FileIO
from core.options import FILE_COMPRESSION_ZSTD_LEVEL, TARGET_FILE_ROW_NUM, TARGET_FILE_SIZE, TableOptions
from core.schema.table_schema import TableSchema
from core.write.conform import Rows, conform_rows
from core.write.partitions import partitions_of

_GROUP_ROWS = 128 * 1024
_GROUP_BYTES = 32 * 1024 * 1024
_TARGET_BYTES = 256 * 1024 * 1024


def check_format_writable(schema: TableSchema) -> None:
    """Raises `UnsupportedError` for what new files would not hold, by name; `InvalidRequestError` for an
    option that is wrong."""
    options = schema.options
    fields = [f for f in schema.fields if f.name not in schema.partition_keys]
    kind = file_kind(options)
    check_discovered(options)
    match kind:
        case FileKind.PARQUET | FileKind.ORC:
            check_held(FileFormat(kind), fields)
            Compression.of(codec_of(options, kind), 1, FileFormat(kind))
            has_hives_types(options)
        case FileKind.CSV:
            check_csv(fields)
            CsvOptions.of(options)
        case FileKind.JSON:
            check_json(fields)
            JsonOptions.of(options)
        case FileKind.TEXT:
            check_text(fields)
            text_line_end(options)
    if kind in (FileKind.CSV, FileKind.JSON, FileKind.TEXT):
        check_codec(codec_of(options, kind))


class FormatWrite:
    """Takes rows; `prepare_commit` gives the files that were made. One open file a partition."""

    def __init__(self, io: FileIO, location: str, schema: TableSchema) -> None:
        check_format_writable(schema)
        self._io = io
        self._location = location
        self._schema = schema
        self._fields = tuple(f for f in schema.fields if f.name not in schema.partition_keys)
        self._partitions = PartitionNames.of(schema)
        options = TableOptions(schema.options)
        self._target = options.get(TARGET_FILE_SIZE) or _TARGET_BYTES
        self._most_rows = options.get(TARGET_FILE_ROW_NUM) or 2**63 - 1
        self._kind = file_kind(schema.options)
        codec = codec_of(schema.options, self._kind)
        suffix = text_suffix(codec) if self._kind in (FileKind.CSV, FileKind.JSON) else ""
        self._names = FileNames("data-", f".{self._kind}{suffix}")
        self._open: dict[str, _StagedFile] = {}  # by directory
        self._done: list[WrittenFile] = []

    def write(self, rows: Rows) -> None:
        """Take some rows, in any order.

        Raises:
            InvalidRequestError: a column or a value does not fit; nothing of these rows was taken.
        """
        table = conform_rows(rows, self._schema.fields)
        placed = partitions_of(table, self._schema.partition_fields)
        types = self._schema.partition_types
        steps = [self._partitions.directory(decode_row(types, one)) for one in placed.partitions]
        for code, step in enumerate(steps):
            own = table if len(steps) == 1 else table.take(np.flatnonzero(placed.codes == code))
            self._write(f"{self._location}/{step}" if step else self._location, own)

    def _write(self, directory: str, rows: pa.Table) -> None:
        rows = rows.select([field.name for field in self._fields])
        for group in _groups(rows, self._most_rows):
            staged = self._open.get(directory)
            if staged is None:
                staged = _StagedFile(
                    self._io, directory, next(self._names), self._schema, self._fields, group
                )
                self._open[directory] = staged
            staged.write(group)
            if staged.size >= self._target or staged.rows >= self._most_rows:
                self._done.append(self._open.pop(directory).close())

    def prepare_commit(self) -> list[WrittenFile]:
        """The files that were made since the last call; they do not belong to this writer any more."""
        while self._open:
            directory = next(iter(self._open))
            self._done.append(self._open.pop(directory).close())
        made, self._done = self._done, []
        return made

    def abort(self) -> None:
        """Delete what was made and not given out."""
        for staged in self._open.values():
            staged.discard()
        for made in self._done:
            self._io.delete(made.staged)
        self._open, self._done = {}, []


def _groups(rows: pa.Table, most: int) -> Iterator[pa.Table]:
    width = max(rows.nbytes // max(len(rows), 1), 1)
    count = max(1, min(_GROUP_ROWS, _GROUP_BYTES // width, most))
    for start in range(0, len(rows), count):
        yield rows.slice(start, count)


class _StagedFile:
    """A file that is being written under a name that no reader looks at."""

    def __init__(
        self,
        io: FileIO,
        directory: str,
        name: str,
        schema: TableSchema,
        fields: tuple[Any, ...],
        first: pa.Table,
    ) -> None:
        self._path = f"{directory}/{STAGING}/.tmp.{uuid.uuid4()}"
        self._target = f"{directory}/{name}"
        self._writer = _writer(io, self._path, schema, fields, first)
        self.rows = 0

    @property
    def size(self) -> int:
        return self._writer.size

    def write(self, rows: pa.Table) -> None:
        self._writer.write_group(rows)
        self.rows += len(rows)

    def close(self) -> WrittenFile:
        size = self._writer.close()
        return WrittenFile(self._path, self._target, self.rows, size)

    def discard(self) -> None:
        self._writer.discard()


def _writer(
    io: FileIO, path: str, schema: TableSchema, fields: tuple[Any, ...], first: pa.Table
) -> FormatWriter:
    options = TableOptions(schema.options)
    kind = file_kind(schema.options)
    codec, level = codec_of(schema.options, kind), options.get(FILE_COMPRESSION_ZSTD_LEVEL)
    settings = replace(FormatOptions.of(options), hives_types=has_hives_types(schema.options))
    match kind:
        case FileKind.PARQUET:
            compression = Compression.of(codec, level, FileFormat.PARQUET)
            return ParquetFileWriter(io, path, fields, compression, first, settings)
        case FileKind.ORC:
            compression = Compression.of(codec, level, FileFormat.ORC)
            return OrcFileWriter(
                io,
                path,
                fields,
                compression,
                stripe_bytes=_GROUP_BYTES,
                group_rows=len(first),
                settings=settings,
            )
        case _:
            return _TextFileWriter(io, path, schema, fields, kind, codec)


class _TextFileWriter(FormatWriter):
    """CSV, JSON and text, compressed as a whole."""

    def __init__(
        self,
        io: FileIO,
        path: str,
        schema: TableSchema,
        fields: tuple[Any, ...],
        kind: FileKind,
        codec: str,
    ) -> None:
        super().__init__(io, path)
        self._fields = fields
        self._kind = kind
        self._options = schema.options
        self._is_first = True
        self._ends = ExitStack()
        with self._or_given_up():
            self._out = self._ends.enter_context(compressed(self._sink, codec))

    def _write(self, rows: pa.Table) -> None:
        for piece in self._pieces(rows):
            self._out.write(piece)
        self._is_first = False

    def _pieces(self, rows: pa.Table) -> Iterator[bytes]:
        match self._kind:
            case FileKind.CSV:
                options = CsvOptions.of(self._options)
                yield from write_csv(
                    rows, self._fields, options, with_header=self._is_first and options.has_header
                )
            case FileKind.JSON:
                yield from write_json(rows, self._fields, JsonOptions.of(self._options))
            case _:
                yield from write_text(rows, self._fields[0], text_line_end(self._options))

    def _finish(self) -> None:
        self._ends.close()

    def _silence(self) -> None:
        self._ends.pop_all()
