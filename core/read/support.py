"""What this version does not read, in one list.

A table that uses any of it is refused by name before the first row, as reading past it
would give wrong rows. What only speeds reads up (file indexes, global indexes, manifest
sidecars) is not in the list: it is left unused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from core.datafile.file_format import format_of
from core.errors import UnsupportedError
from core.options import (
    PK_CLUSTERING_OVERRIDE,
    SEQUENCE_SNAPSHOT_ORDERING,
    TYPE,
    TableOptions,
)
from core.read.merging import merging_of
from core.schema import TableSchema
from core.schema.defaults import defaulted_columns
from core.schema.table_type import TableType, table_type_name
from core.types import BlobType, inner_types, type_to_text

_READ_TYPES = (TableType.TABLE, TableType.MATERIALIZED)
_BLOBS_ELSEWHERE = ("blob-descriptor-field", "blob-view-field")


def check_readable(schema: TableSchema) -> None:
    """Nothing if rows of the table can be read.

    Raises:
        UnsupportedError: the table uses what we do not read; `feature` names it.
    """
    for feature in unread_features(schema):
        raise UnsupportedError("this table is not read by this version", feature=feature)


def unread_features(schema: TableSchema) -> Iterator[str]:
    """The name of everything in a table's schema that keeps us from reading its rows."""
    options = TableOptions(schema.options)
    for check in _CHECKS:
        yield from check(schema, options)


def check_files(file_names: Iterable[str]) -> None:
    """`UnsupportedError` if a file has a format that we do not read."""
    for name in file_names:
        format_of(name)


def _merging(schema: TableSchema, options: TableOptions) -> Iterator[str]:
    if not schema.primary_keys:
        return
    try:
        merging_of(schema)
    except UnsupportedError as error:
        yield str(error.fields["feature"])
    if options.get(SEQUENCE_SNAPSHOT_ORDERING):
        yield "sequence.snapshot-ordering"
    if options.get(PK_CLUSTERING_OVERRIDE):
        yield "pk-clustering-override"


def _table_kind(schema: TableSchema, options: TableOptions) -> Iterator[str]:
    if table_type_name(schema) not in _READ_TYPES:
        yield f"type = {options.get(TYPE)}"
    for key in schema.options:
        if key.startswith("chain-table."):
            yield key
    for name in defaulted_columns(schema):
        field = schema.field(name)
        if field.type.is_nested:
            yield f"fields.{name}.default-value of a column {type_to_text(field.type)}"


def _blobs(schema: TableSchema, options: TableOptions) -> Iterator[str]:
    for key in _BLOBS_ELSEWHERE:
        if schema.options.get(key, "").strip():
            yield f"{key} = {schema.options[key]} (blobs that lie elsewhere)"
    for field in schema.fields:
        if not isinstance(field.type, BlobType) and any(
            isinstance(inner, BlobType) for inner in inner_types(field.type)
        ):
            yield f"type BLOB inside of column {field.name}"


_CHECKS: tuple[Callable[[TableSchema, TableOptions], Iterator[str]], ...] = (
    _table_kind,
    _merging,
    _blobs,
)
