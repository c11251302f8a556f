"""How a table wants its data files: options -> `FileLayout`."""

from __future__ import annotations

from core.datafile.parquet_writer import Compression
from core.datafile.write import FileLayout
from core.datafile.write_stats import stats_rules
from core.errors import InvalidRequestError
from core.manifest.file_meta import FileSource
from core.options import (
    FILE_COMPRESSION,
    FILE_COMPRESSION_PER_LEVEL,
    FILE_COMPRESSION_ZSTD_LEVEL,
    TARGET_FILE_ROW_NUM,
    TARGET_FILE_SIZE,
    TableOptions,
)
from core.schema.table_schema import TableSchema

_TARGET_SIZE_KEYED = 128 * 1024 * 1024
_TARGET_SIZE_APPEND = 256 * 1024 * 1024


def level_zero_layout(schema: TableSchema, options: TableOptions) -> FileLayout:
    """Files of new rows."""
    return file_layout(schema, options, level=0, source=FileSource.APPEND)


def file_layout(schema: TableSchema, options: TableOptions, *, level: int, source: FileSource) -> FileLayout:
    """Files of one level; a compaction writes others than 0."""
    return FileLayout(
        schema_id=schema.id,
        fields=schema.fields,
        key_fields=schema.key_fields(),
        stats=stats_rules(schema, options, level),
        level=level,
        source=source,
        compression=_compression(options, level),
        target_size=target_file_size(schema, options),
        target_rows=max(options.get(TARGET_FILE_ROW_NUM), 1),
    )


def target_file_size(schema: TableSchema, options: TableOptions) -> int:
    """Bytes at which a file is closed."""
    given = options.get(TARGET_FILE_SIZE)
    if given is not None and given <= 0:
        raise InvalidRequestError("a target size of no bytes", option=TARGET_FILE_SIZE.key, found=given)
    return given or (_TARGET_SIZE_KEYED if schema.primary_keys else _TARGET_SIZE_APPEND)


def _compression(options: TableOptions, level: int) -> Compression:
    codec = options.get(FILE_COMPRESSION_PER_LEVEL).get(level, options.get(FILE_COMPRESSION)).lower()
    return Compression({"uncompressed": "none"}.get(codec, codec), options.get(FILE_COMPRESSION_ZSTD_LEVEL))
