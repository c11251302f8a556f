"""What this version does not read, in one list.

A table that uses any of it is refused by name before the first row, as reading past it
would give wrong rows. What only speeds reads up (file indexes, global indexes, manifest
sidecars) is not in the list: it is left unused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from core.datafile.file_format import FileFormat
from core.errors import UnsupportedError
from core.options import (
    BUCKET,
    DATA_EVOLUTION_ENABLED,
    PK_CLUSTERING_OVERRIDE,
    ROW_TRACKING_ENABLED,
    SCAN_CREATION_TIME,
    SCAN_FALLBACK_BRANCH,
    SCAN_FILE_CREATION_TIME,
    SCAN_MODE,
    SCAN_PRIMARY_BRANCH,
    SCAN_SNAPSHOT_ID,
    SCAN_TAG_NAME,
    SCAN_TIMESTAMP,
    SCAN_TIMESTAMP_MILLIS,
    SCAN_VERSION,
    SCAN_WATERMARK,
    SEQUENCE_SNAPSHOT_ORDERING,
    TYPE,
    Option,
    ScanMode,
    TableOptions,
)
from core.read.merging import merging_of
from core.schema import TableSchema
from core.types import (
    ArrayType,
    BlobType,
    DataType,
    GeographyType,
    GeometryType,
    MapType,
    MultisetType,
    RowType,
    VariantType,
    VectorType,
)

POSTPONE_BUCKET = -2

_FULL_MODES = (ScanMode.DEFAULT, ScanMode.LATEST_FULL, ScanMode.FULL, ScanMode.LATEST)
_OTHER_STARTS: tuple[Option[Any], ...] = (
    SCAN_SNAPSHOT_ID,
    SCAN_TAG_NAME,
    SCAN_TIMESTAMP,
    SCAN_TIMESTAMP_MILLIS,
    SCAN_WATERMARK,
    SCAN_VERSION,
    SCAN_FILE_CREATION_TIME,
    SCAN_CREATION_TIME,
    SCAN_FALLBACK_BRANCH,
    SCAN_PRIMARY_BRANCH,
)
_OLD_DEFAULT_VALUE = re.compile(r"fields\.(.+)\.default-value")  # applied on read before 1.0
_UNREAD_TYPES = (BlobType, GeometryType, GeographyType, VariantType, VectorType)


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
    known = {f.value for f in FileFormat}
    for name in file_names:
        extension = name.rpartition(".")[2].lower()
        if extension not in known:
            raise UnsupportedError(
                "this table is not read by this version", feature=f"file format {extension}", where=name
            )


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
    if options.get(BUCKET) == POSTPONE_BUCKET:
        yield "postpone bucket (bucket = -2)"


def _row_state(schema: TableSchema, options: TableOptions) -> Iterator[str]:
    if options.get(DATA_EVOLUTION_ENABLED):
        yield "data evolution"
    if options.get(ROW_TRACKING_ENABLED):
        yield "row tracking"


def _table_kind(schema: TableSchema, options: TableOptions) -> Iterator[str]:
    if options.get(TYPE) != "table":
        yield f"type = {options.get(TYPE)}"
    for key in schema.options:
        if key.startswith("chain-table."):
            yield key
        elif _OLD_DEFAULT_VALUE.fullmatch(key):
            yield f"{key} (defaults applied on read)"


def _scan_start(schema: TableSchema, options: TableOptions) -> Iterator[str]:
    mode = options.get(SCAN_MODE)
    if mode not in _FULL_MODES:
        yield f"scan.mode = {mode} in the table's options"
    for option in _OTHER_STARTS:
        if options.is_set(option):
            yield f"{option.key} in the table's options"
    for key in schema.options:
        if key.startswith("incremental-"):
            yield f"{key} in the table's options"


def _types(schema: TableSchema, options: TableOptions) -> Iterator[str]:
    for field in schema.fields:
        for unread in _UNREAD_TYPES:
            if any(isinstance(inner, unread) for inner in inner_types(field.type)):
                name = unread.__name__.removesuffix("Type").upper()
                yield f"type {name} of column {field.name}"


def inner_types(data_type: DataType) -> Iterator[DataType]:
    """A type and all types inside it."""
    yield data_type
    match data_type:
        case ArrayType() | VectorType() | MultisetType():
            yield from inner_types(data_type.element)
        case MapType():
            yield from inner_types(data_type.key)
            yield from inner_types(data_type.value)
        case RowType():
            for field in data_type.fields:
                yield from inner_types(field.type)


_CHECKS: tuple[Callable[[TableSchema, TableOptions], Iterator[str]], ...] = (
    _table_kind,
    _merging,
    _row_state,
    _scan_start,
    _types,
)
