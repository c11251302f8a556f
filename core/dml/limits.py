"""Which tables take which statements, as in Spark SQL. Spec: 06, 10; 10, 7.

    merge-engine      DELETE                                UPDATE, MERGE INTO
    deduplicate       -D rows                               +U and -D rows
    partial-update    -D rows, if an option removes by it   +U rows; -D likewise
    aggregation       -D rows, if an option removes by it   no
    first-row         -                                     no

Where no option lets a -D row remove a record, a DELETE takes the rows out of their files, as it
does on append tables.
"""

from __future__ import annotations

from collections.abc import Iterable

from core.datafile.system_fields import evolves_data
from core.errors import InvalidRequestError, UnsupportedError
from core.manifest import IndexManifestEntry
from core.options import (
    AGGREGATION_REMOVE_ON_DELETE,
    DELETION_VECTORS_ENABLED,
    IGNORE_DELETE,
    MERGE_ENGINE,
    PARTIAL_UPDATE_REMOVE_ON_DELETE,
    PARTIAL_UPDATE_REMOVE_ON_SEQUENCE_GROUP,
    MergeEngine,
    TableOptions,
)
from core.schema.defaults import read_defaults
from core.schema.table_schema import TableSchema
from core.types import BlobType

_UPDATED = (MergeEngine.DEDUPLICATE, MergeEngine.PARTIAL_UPDATE)


def check_rows_change(schema: TableSchema) -> None:
    """`UnsupportedError` for a table whose rows could not be put back as they were read."""
    filled = read_defaults(schema)
    if filled:
        raise UnsupportedError(
            "rows that show a default in place of null are not changed by this release",
            feature=f"fields.{min(filled)}.default-value",
        )


def check_deletes(schema: TableSchema, options: TableOptions) -> None:
    """`InvalidRequestError` if the table has a primary key and ignores deletes."""
    ignores: bool = options.get(IGNORE_DELETE)
    if schema.primary_keys and ignores:
        raise InvalidRequestError("the table ignores deletes", option=IGNORE_DELETE.key)


def check_deletes_in_place(schema: TableSchema, options: TableOptions) -> None:
    """`UnsupportedError` if rows with ids that must not move would have to be taken out of their files."""
    if evolves_data(schema) and not options.get(DELETION_VECTORS_ENABLED):
        raise UnsupportedError(
            "rows of a table with data evolution are deleted by deletion vectors alone",
            feature=f"DELETE with data evolution without {DELETION_VECTORS_ENABLED.key}",
        )


def check_evolving_updates(schema: TableSchema, columns: Iterable[str]) -> None:
    """`UnsupportedError` for columns of a table with data evolution that do not change beside the others."""
    for field in schema.fields_of(tuple(columns)) if evolves_data(schema) else ():
        if field.name in schema.partition_keys:
            raise UnsupportedError(
                "rows with ids cannot move to another partition",
                feature=f"UPDATE of partition column {field.name} with data evolution",
            )
        if isinstance(field.type, BlobType):
            raise UnsupportedError(
                "blobs of rows that are there are not replaced", feature=f"UPDATE of BLOB column {field.name}"
            )


def check_not_indexed(
    indexes: Iterable[IndexManifestEntry], schema: TableSchema, columns: Iterable[str]
) -> None:
    """`UnsupportedError` if a global index holds values of a column that is to change."""
    changing = {field.id: field.name for field in schema.fields_of(tuple(columns))}
    for entry in indexes:
        index = entry.global_index
        held = () if index is None else (index.index_field_id, *(index.extra_field_ids or ()))
        for name in (changing[i] for i in held if i in changing):
            raise UnsupportedError(
                "a global index would go on with the old values: drop it first",
                feature=f"UPDATE of column {name} with a global index",
                index=entry.file_name,
            )


def removes_by_row(schema: TableSchema, options: TableOptions) -> bool:
    """Whether a -D row on top of a primary-key table removes the row below."""
    if not schema.primary_keys:
        return False
    match options.get(MERGE_ENGINE):
        case MergeEngine.DEDUPLICATE:
            return True
        case MergeEngine.PARTIAL_UPDATE:
            by_group = options.is_set(PARTIAL_UPDATE_REMOVE_ON_SEQUENCE_GROUP)
            on_delete: bool = options.get(PARTIAL_UPDATE_REMOVE_ON_DELETE)
            return by_group or on_delete
        case MergeEngine.AGGREGATION:
            return bool(options.get(AGGREGATION_REMOVE_ON_DELETE))
        case _:
            return False


def check_deletes_by_row(schema: TableSchema, options: TableOptions) -> None:
    """Refuse a primary-key table that keeps what a -D row deletes.

    Raises:
        UnsupportedError: its merge engine takes no such row as the table is set.
        InvalidRequestError: it ignores deletes.
    """
    check_deletes(schema, options)
    if schema.primary_keys and not removes_by_row(schema, options):
        raise UnsupportedError(
            "the merge engine removes no record by a row as the table is set",
            feature=f"DELETE within MERGE INTO with merge-engine = {options.get(MERGE_ENGINE)}",
        )


def check_engine(schema: TableSchema, options: TableOptions, statement: str) -> None:
    """`UnsupportedError` if the merge engine takes no UPDATE or MERGE INTO, whichever `statement` names."""
    engine = options.get(MERGE_ENGINE)
    if schema.primary_keys and engine not in _UPDATED:
        raise UnsupportedError(
            f"the merge engine takes no {statement}, only {' and '.join(_UPDATED)} do",
            feature=f"{statement} with merge-engine = {engine}",
        )


def check_updates(schema: TableSchema, columns: Iterable[str]) -> None:
    """`InvalidRequestError` if there is no such column, or it is one of the primary key."""
    for name in columns:
        schema.field(name)
        if name in schema.primary_keys:
            raise InvalidRequestError("a column of the primary key cannot be updated", column=name)
