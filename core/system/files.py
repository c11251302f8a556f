"""`$files`: one row a live data file of the snapshot. Spec: 04, B.

Everything is made by column, and only the columns asked for: the texts of keys and
statistics are by far the dearest, and most readers do not want them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from core.manifest import EntryColumns
from core.options import BUCKET, POSTPONE_BUCKET
from core.snapshot import Snapshot
from core.system.columns import Columns, Shows, SystemTableKind, fields_of, required
from core.system.file_stats import key_texts, stats_texts
from core.system.placement import Partitions, file_paths
from core.system.text import Column
from core.table import Table
from core.types import STRING, ArrayType, BigIntType, IntType, TimestampType

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

FIELDS = fields_of(
    partition=STRING,
    bucket=required(IntType()),
    file_path=required(STRING),
    file_format=required(STRING),
    schema_id=required(BigIntType()),
    level=required(IntType()),
    record_count=required(BigIntType()),
    file_size_in_bytes=required(BigIntType()),
    min_key=STRING,
    max_key=STRING,
    null_value_counts=required(STRING),
    min_value_stats=required(STRING),
    max_value_stats=required(STRING),
    min_sequence_number=BigIntType(),
    max_sequence_number=BigIntType(),
    creation_time=TimestampType(3),
    deleteRowCount=BigIntType(),
    file_source=STRING,
    first_row_id=BigIntType(),
    write_cols=ArrayType(STRING),
)

# Compressed text formats carry the codec as their suffix: data-x-0.json.gz. Spec: 01, 1.1.
_CODEC_SUFFIX = r"\.(gz|gzip|bz2|zst|zstd|lz4|snappy|deflate|xz|lzo)$"


def live_file_columns(table: Table, at: Snapshot | None) -> Columns:
    """The columns of `$files` for the live files of a snapshot; None has none."""
    return file_columns(table, shown_files(table, at))


def shown_files(table: Table, at: Snapshot | None) -> EntryColumns:
    """The live files of a snapshot, less those that wait for a bucket: no batch read sees them."""
    if at is None:
        return EntryColumns.empty()
    entries = table.manifests.live_entries(at)
    if table.options.get(BUCKET) != POSTPONE_BUCKET:
        return entries
    return entries.filter(entries.numpy("bucket") != POSTPONE_BUCKET)


def file_columns(table: Table, entries: EntryColumns) -> Columns:
    """The columns of `$files` for any entries of the table."""
    partitions = Partitions.of(table.schema, entries.column("partition"))

    def stats(which: str) -> Callable[[], Column]:
        return lambda: stats_texts(table.schemas, table.schema, entries, which)

    return {
        "partition": lambda: partitions.spread(partitions.texts),
        "file_path": lambda: file_paths(table.paths, partitions, entries),
        "file_format": lambda: file_formats(entries.column("file_name").combine_chunks()),
        "record_count": _copy(entries, "row_count"),
        "file_size_in_bytes": _copy(entries, "file_size"),
        "min_key": lambda: key_texts(table.schemas, table.schema, entries, "min_key"),
        "max_key": lambda: key_texts(table.schemas, table.schema, entries, "max_key"),
        "null_value_counts": stats("nulls"),
        "min_value_stats": stats("min"),
        "max_value_stats": stats("max"),
        # The wall clock of the writer is stored as if it were UTC, and shown as it is.
        "creation_time": lambda: entries.column("creation_time").combine_chunks().cast(pa.timestamp("ms")),
        "deleteRowCount": _copy(entries, "delete_row_count"),
        "file_source": lambda: file_sources(entries.column("file_source").combine_chunks()),
        **{
            name: _copy(entries, name)
            for name in (
                "bucket",
                "schema_id",
                "level",
                "min_sequence_number",
                "max_sequence_number",
                "first_row_id",
                "write_cols",
            )
        },
    }


def _copy(entries: EntryColumns, name: str) -> Callable[[], Column]:
    return lambda: entries.column(name).combine_chunks()


def file_formats(names: Column) -> Column:
    """`parquet` of `data-x-0.parquet`, `json` of `data-x-0.json.gz`."""
    plain = pc.replace_substring_regex(names, _CODEC_SUFFIX, "")
    return pc.replace_substring_regex(plain, r"^.*\.", "")


def file_sources(codes: Column) -> Column:
    """`APPEND` or `COMPACT`; null where the writer was too old to say."""
    return pc.take(pa.array(["APPEND", "COMPACT"]), codes.cast(pa.int32()))


FILES = SystemTableKind("files", FIELDS, live_file_columns, shows=Shows.SNAPSHOT)
