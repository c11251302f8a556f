"""Takes data files that others wrote over into an append table, as they are. Spec: 10, 6, migrate_table.

The bytes stay. What a manifest tells of a file is gathered from its rows, each of which is read once: a
file that our readers cannot read is refused here, not later. Columns of the partition are those of the
folder, and need not be in the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from core.arrow import from_python
from core.binary import EMPTY_ROW, BinaryRow, decode_row
from core.datafile.column_bounds import ColumnBounds
from core.datafile.file_format import format_of
from core.datafile.foreign import foreign_fields
from core.datafile.read import iter_data_file
from core.datafile.write import wall_clock_millis
from core.errors import FormatError, UnsupportedError
from core.io.file_io import FileIO
from core.manifest.file_meta import DataFileMeta, FileSource
from core.options import BUCKET
from core.scan.source import bucket_directory
from core.stats.simple_stats import EMPTY_STATS
from core.types import DataField, type_to_text
from core.write.layout import level_zero_layout
from core.write.message import CommitMessage
from core.write.target import WriteTarget

_PART = 8 << 20  # bytes that a copy holds


@dataclass(frozen=True, slots=True)
class ForeignFile:
    """A file that is to be taken over. Picklable: executors do it."""

    path: str
    partition: BinaryRow
    name: str  # that it gets, with the suffix of its format; no other file of the table has it


def adopt_file(table: WriteTarget, io: FileIO, file: ForeignFile) -> CommitMessage:
    """The change that makes a copy of the file one of the table's; nobody sees it before the commit.

    Args:
        table: an append table without buckets.
        io: of the store that the file lies in.
        file: whose columns are all those of the table but its partition keys, in any order.

    Raises:
        UnsupportedError: the file has other columns, or a type that the table has not.
        FormatError: it cannot be read.
    """
    schema = table.schema
    stored = [field for field in schema.fields if field.name not in schema.partition_keys]
    check_columns(io, file, stored)
    path = f"{bucket_directory(table, schema, file.partition, 0)}/{file.name}"
    size = _copy(io, table.io, file.path, path)
    bounds = {field.name: ColumnBounds(field) for field in schema.fields}
    rows = 0
    try:
        for _, batch in iter_data_file(table.io, path, stored):
            rows += batch.num_rows
            for field in stored:
                bounds[field.name].add(pa.chunked_array([batch.column(field.name)]))
    except BaseException as error:
        table.io.delete(path)
        if isinstance(error, FormatError):  # the copy is gone: what is damaged is the file itself
            raise FormatError(error.what, **{**error.fields, "path": file.path}) from error
        raise
    _add_partition(table, file.partition, bounds, rows)
    layout = level_zero_layout(schema, table.options)
    told = [bounds[field.name] for field in layout.fields]
    stats, columns = layout.stats.value_stats(layout.fields, told, format_of(file.name))
    meta = DataFileMeta(
        file_name=file.name,
        file_size=size,
        row_count=rows,
        min_key=EMPTY_ROW,
        max_key=EMPTY_ROW,
        key_stats=EMPTY_STATS,
        value_stats=stats,
        value_stats_cols=columns,
        min_sequence_number=0,
        max_sequence_number=max(rows - 1, 0),
        schema_id=schema.id,
        level=0,
        creation_time_millis=wall_clock_millis(),
        delete_row_count=0,
        file_source=FileSource.APPEND,
    )
    buckets = table.options.get(BUCKET)
    return CommitMessage(partition=file.partition, bucket=0, total_buckets=buckets, new_files=(meta,))


def check_columns(io: FileIO, file: ForeignFile, wanted: Sequence[DataField]) -> None:
    """Nothing, if the file has these columns and no others, in any order; reads its head or footer alone.

    Raises as `adopt_file`.
    """
    path = file.path
    found = {f.name: f.type for f in foreign_fields(io, path, format_of(file.name))}
    expected = {f.name: f.type.with_nullability(True) for f in wanted}
    for name in sorted(found.keys() | expected.keys()):
        if found.get(name) != expected.get(name):
            told = [type_to_text(t) if t else "none" for t in (expected.get(name), found.get(name))]
            raise UnsupportedError(
                "a file has other columns than the table",
                feature=f"column {name}",
                path=path,
                expected=told[0],
                found=told[1],
            )


def _add_partition(
    table: WriteTarget, partition: BinaryRow, bounds: dict[str, ColumnBounds], rows: int
) -> None:
    """The columns of the partition: one value in all rows."""
    schema = table.schema
    values = decode_row(schema.partition_types, partition)
    for field, value in zip(schema.partition_fields, values, strict=True):
        if rows:
            bounds[field.name].add(pa.chunked_array([from_python([value], field.type)]))
        if value is None:
            bounds[field.name].null_count = rows


def _copy(source: FileIO, target: FileIO, path: str, to: str) -> int:
    """The bytes of the file; others may copy it at the same time."""
    size = 0
    with source.open_input(path) as data, target.open_output(to) as output:
        while part := data.read(_PART):
            output.write(part)
            size += len(part)
    return size
