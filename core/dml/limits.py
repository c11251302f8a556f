"""Which tables take which statements. Spec: 06, 10; 10, 7."""

from __future__ import annotations

from collections.abc import Iterable

from core.errors import InvalidRequestError, UnsupportedError
from core.options import (
    AGGREGATION_REMOVE_ON_DELETE,
    IGNORE_DELETE,
    MERGE_ENGINE,
    PARTIAL_UPDATE_REMOVE_ON_DELETE,
    PARTIAL_UPDATE_REMOVE_ON_SEQUENCE_GROUP,
    MergeEngine,
    TableOptions,
)
from core.schema.defaults import read_defaults
from core.schema.table_schema import TableSchema


def check_rows_change(schema: TableSchema) -> None:
    """Refuse a table whose rows are not read as they are stored, and so could not be put back."""
    filled = read_defaults(schema)
    if filled:
        raise UnsupportedError(
            "rows that show a default in place of null are not changed by this release",
            feature=f"fields.{min(filled)}.default-value",
        )


def check_deletes(schema: TableSchema, options: TableOptions) -> None:
    """Refuse a primary-key table that keeps what is deleted.

    Raises:
        UnsupportedError: its merge engine takes no batch delete.
        InvalidRequestError: it ignores deletes.
    """
    if not schema.primary_keys:
        return
    if options.get(IGNORE_DELETE):
        raise InvalidRequestError("the table ignores deletes", option=IGNORE_DELETE.key)
    engine = options.get(MERGE_ENGINE)
    if not _removes_records(engine, options):
        raise UnsupportedError(
            "the merge engine takes no batch delete as the table is set",
            feature=f"DELETE with merge-engine = {engine}",
        )


def _removes_records(engine: MergeEngine, options: TableOptions) -> bool:
    match engine:
        case MergeEngine.DEDUPLICATE:
            return True
        case MergeEngine.PARTIAL_UPDATE:
            by_group = options.is_set(PARTIAL_UPDATE_REMOVE_ON_SEQUENCE_GROUP)
            return bool(options.get(PARTIAL_UPDATE_REMOVE_ON_DELETE) or by_group)
        case MergeEngine.AGGREGATION:
            return bool(options.get(AGGREGATION_REMOVE_ON_DELETE))
        case _:
            return False


def check_updates(schema: TableSchema, options: TableOptions, columns: Iterable[str]) -> None:
    """Refuse to change some columns.

    Raises:
        InvalidRequestError: no such column, or one of the primary key.
        UnsupportedError: the merge engine would not show a row as it was written.
    """
    for name in columns:
        schema.field(name)
        if name in schema.primary_keys:
            raise InvalidRequestError("a column of the primary key cannot be updated", column=name)
    engine = options.get(MERGE_ENGINE)
    if schema.primary_keys and engine is not MergeEngine.DEDUPLICATE:
        raise UnsupportedError(
            "an update writes whole rows, which this merge engine merges into others",
            feature=f"UPDATE with merge-engine = {engine}",
        )
