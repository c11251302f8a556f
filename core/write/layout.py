"""How a table wants its data files: options -> `FileLayout`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.datafile.compression import Compression
from core.datafile.file_format import FileFormat
from core.datafile.format_options import FormatOptions, block_bytes, compression_of
from core.datafile.system_fields import LATE_SEQUENCE_NUMBER, ROW_ID
from core.datafile.write import FileLayout
from core.datafile.write_stats import StatsRules, stats_rules
from core.errors import InvalidRequestError, UnsupportedError
from core.fileindex.columns import indexed_columns
from core.io.external_paths import ExternalPaths
from core.manifest.file_meta import FileSource
from core.options import (
    BLOB_TARGET_FILE_SIZE,
    CHANGELOG_FILE_COMPRESSION,
    CHANGELOG_FILE_FORMAT,
    CHANGELOG_FILE_STATS_MODE,
    DATA_EVOLUTION_ENABLED,
    DATA_FILE_THIN_MODE,
    FILE_BLOCK_SIZE,
    FILE_COMPRESSION,
    FILE_COMPRESSION_PER_LEVEL,
    FILE_FORMAT,
    FILE_FORMAT_PER_LEVEL,
    FILE_INDEX_IN_MANIFEST,
    FILE_SUFFIX_COMPRESSION,
    ROW_TRACKING_ENABLED,
    TARGET_FILE_ROW_NUM,
    TARGET_FILE_SIZE,
    TableOptions,
)
from core.schema.table_schema import TableSchema
from core.stats.modes import parse_stats_mode
from core.types import BlobType, DataField

_WRITTEN = frozenset({"parquet", "orc", "avro"})
_ANY_ROWS = _ANY_SIZE = 2**63 - 1
_TARGET_SIZE_KEYED = 128 * 1024 * 1024
_TARGET_SIZE_APPEND = 256 * 1024 * 1024


def level_zero_layout(schema: TableSchema, options: TableOptions) -> FileLayout:
    """Files of new rows."""
    return file_layout(schema, options, level=0, source=FileSource.APPEND)


def file_layout(schema: TableSchema, options: TableOptions, *, level: int, source: FileSource) -> FileLayout:
    """Files of one level; a compaction writes others than 0."""
    name = options.get(FILE_FORMAT_PER_LEVEL).get(level, options.get(FILE_FORMAT))
    codec = options.get(FILE_COMPRESSION_PER_LEVEL).get(level, options.get(FILE_COMPRESSION))
    plain = _layout(schema, options, name, codec, level, source, stats_rules(schema, options, level))
    return replace(
        plain, indexes=indexed_columns(schema), index_in_manifest=options.get(FILE_INDEX_IN_MANIFEST)
    )


def blob_layouts(layout: FileLayout, options: TableOptions) -> tuple[FileLayout, tuple[FileLayout, ...]]:
    """The layout of what is left beside the BLOB columns, and one for each of them. Spec: 04, A6."""
    blobs = [field for field in layout.fields if isinstance(field.type, BlobType)]
    if not blobs:
        return layout, ()
    plain = some_columns(layout, [field for field in layout.fields if field not in blobs])
    beside = replace(
        plain,
        stats=replace(layout.stats, modes=(parse_stats_mode("none"),)),
        format=FileFormat.BLOB,
        compression=Compression("none"),
        names_codec=False,
        indexes=(),
        target_size=options.get(BLOB_TARGET_FILE_SIZE) or layout.target_size,
        target_rows=_ANY_ROWS,
    )
    return plain, tuple(replace(beside, fields=(field,)) for field in blobs)


def columns_layout(schema: TableSchema, options: TableOptions, fields: Sequence[DataField]) -> FileLayout:
    """One file of some columns of rows that are there, however large it becomes. Spec: 04, A6."""
    return one_file(some_columns(level_zero_layout(schema, options), fields))


def joined_layout(schema: TableSchema, options: TableOptions, *, source: FileSource) -> FileLayout:
    """One file of all columns that have no files of their own, in the place of several."""
    layout = file_layout(schema, options, level=0, source=source)
    return one_file(blob_layouts(layout, options)[0])


def some_columns(layout: FileLayout, fields: Sequence[DataField]) -> FileLayout:
    """The layout for some of its columns, in its order; the manifest names them unless they are all."""
    kept = [i for i, field in enumerate(layout.fields) if field in fields]
    modes = tuple(layout.stats.modes[i] for i in kept)
    return replace(
        layout,
        fields=tuple(layout.fields[i] for i in kept),
        stats=replace(layout.stats, modes=modes),
        indexes=tuple(index for index in layout.indexes if index.field in fields),
        is_part=len(kept) < len(layout.fields),
    )


def one_file(layout: FileLayout) -> FileLayout:
    """The layout without a size at which a file is full."""
    return replace(layout, target_size=_ANY_SIZE, target_rows=_ANY_ROWS)


def row_keeping_layout(layout: FileLayout) -> FileLayout:
    """Files of rows that had ids before, and keep them: their ids and numbers are columns. Spec: 04, A6."""
    fields = (*layout.fields, ROW_ID, LATE_SEQUENCE_NUMBER)
    return replace(layout, fields=fields, stats=layout.stats.widened(2), keeps_row_ids=True)


def rewritten_layout(
    schema: TableSchema, options: TableOptions, *, level: int, source: FileSource
) -> FileLayout:
    """Files of rows that the table had before: they keep their ids, if it gives them any."""
    layout = file_layout(schema, options, level=level, source=source)
    return row_keeping_layout(layout) if options.get(ROW_TRACKING_ENABLED) else layout


def changelog_layout(
    schema: TableSchema, options: TableOptions, *, level: int = 0, source: FileSource = FileSource.APPEND
) -> FileLayout:
    """Files of changes, which may differ from data files in format, codec and statistics."""
    name = options.get(CHANGELOG_FILE_FORMAT) or options.get(FILE_FORMAT)
    codec = options.get(CHANGELOG_FILE_COMPRESSION) or options.get(FILE_COMPRESSION)
    stats = stats_rules(schema, options, level, options.get(CHANGELOG_FILE_STATS_MODE))
    return _layout(schema, options, name, codec, level, source, stats)


def _layout(
    schema: TableSchema,
    options: TableOptions,
    format_name: str,
    codec: str,
    level: int,
    source: FileSource,
    stats: StatsRules,
) -> FileLayout:
    file_format = written_format(format_name)
    return FileLayout(
        schema_id=schema.id,
        fields=schema.fields,
        key_fields=schema.key_fields(),
        is_thin=options.get(DATA_FILE_THIN_MODE),
        evolves=options.get(DATA_EVOLUTION_ENABLED),
        stats=stats,
        level=level,
        source=source,
        format=file_format,
        compression=compression_of(options, codec, file_format),
        settings=FormatOptions.of(options),
        names_codec=options.get(FILE_SUFFIX_COMPRESSION),
        block_size=options.get(FILE_BLOCK_SIZE) or block_bytes(options, file_format),
        target_size=target_file_size(schema, options),
        target_rows=max(options.get(TARGET_FILE_ROW_NUM), 1),
        outside=ExternalPaths.of(options, len(schema.partition_keys)),
    )


def written_format(name: str) -> FileFormat:
    """The format that an option names.

    Raises:
        UnsupportedError: data files are not written in it.
    """
    if name.lower() not in _WRITTEN:
        feature = f"writing file.format {name.lower()}"
        raise UnsupportedError("data files are not written in this format", feature=feature)
    return FileFormat(name.lower())


def target_file_size(schema: TableSchema, options: TableOptions) -> int:
    """Bytes at which a file is closed."""
    given = options.get(TARGET_FILE_SIZE)
    if given is not None and given <= 0:
        raise InvalidRequestError("a target size of no bytes", option=TARGET_FILE_SIZE.key, found=given)
    return given or (_TARGET_SIZE_KEYED if schema.primary_keys else _TARGET_SIZE_APPEND)
