"""What a table must not ask of a writer, as we would write it wrongly. One list, tested.

Reading is checked apart (`core.read.support`): a table that cannot be read is not written.
"""

from __future__ import annotations

from collections.abc import Callable

from core.errors import UnsupportedError
from core.options import (
    BUCKET,
    CHANGELOG_PRODUCER,
    DATA_FILE_EXTERNAL_PATHS,
    DATA_FILE_EXTERNAL_STRATEGY,
    FILE_FORMAT,
    FILE_FORMAT_PER_LEVEL,
    RECORD_LEVEL_EXPIRE_TIME,
    ROWKIND_FIELD,
    ChangelogProducer,
    TableOptions,
)
from core.read.support import check_readable
from core.schema.table_schema import TableSchema


def check_writable(schema: TableSchema, options: TableOptions) -> None:
    """Refuse a table that this release cannot write correctly.

    Raises:
        UnsupportedError: `feature` names what the table asks for.
    """
    check_readable(schema)
    for feature in (find(schema, options) for find in _CHECKS):
        if feature is not None:
            raise UnsupportedError("the table cannot be written by this release", feature=feature)


def _file_format(schema: TableSchema, options: TableOptions) -> str | None:
    formats = {options.get(FILE_FORMAT).lower(), *map(str.lower, options.get(FILE_FORMAT_PER_LEVEL).values())}
    others = sorted(formats - {"parquet"})
    return f"writing file.format {others[0]}" if others else None


def _changelog(schema: TableSchema, options: TableOptions) -> str | None:
    producer = options.get(CHANGELOG_PRODUCER)
    wanted = bool(schema.primary_keys) and producer is not ChangelogProducer.NONE
    return f"changelog-producer {producer.value}" if wanted else None


def _buckets(schema: TableSchema, options: TableOptions) -> str | None:
    bucket = options.get(BUCKET)
    if bucket < -1:
        return "writing postponed buckets (bucket = -2)"
    if schema.primary_keys and bucket == -1:
        return "writing dynamic buckets (primary key with bucket = -1)"
    return None


def _cross_partition(schema: TableSchema, options: TableOptions) -> str | None:
    return "primary key without the partition keys" if schema.is_cross_partition else None


def _row_kind_column(schema: TableSchema, options: TableOptions) -> str | None:
    return "rowkind.field" if options.get(ROWKIND_FIELD) else None


def _external_paths(schema: TableSchema, options: TableOptions) -> str | None:
    outside = (
        options.get(DATA_FILE_EXTERNAL_PATHS) and options.get(DATA_FILE_EXTERNAL_STRATEGY).lower() != "none"
    )
    return "writing data-file.external-paths" if outside else None


def _expiring_rows(schema: TableSchema, options: TableOptions) -> str | None:
    return None if options.get(RECORD_LEVEL_EXPIRE_TIME) is None else "record-level.expire-time"


_CHECKS: tuple[Callable[[TableSchema, TableOptions], str | None], ...] = (
    _file_format,
    _changelog,
    _buckets,
    _cross_partition,
    _row_kind_column,
    _external_paths,
    _expiring_rows,
)
