"""Options set and removed by a change of the schema, and which of them may be. Spec: 09, 1; 04, D."""

from __future__ import annotations

from dataclasses import replace

from core.errors import InvalidRequestError
from core.options import (
    BUCKET,
    DELETION_VECTORS_ENABLED,
    DELETION_VECTORS_MODIFIABLE,
    IGNORE_DELETE,
    IGNORE_UPDATE_BEFORE,
    IMMUTABLE_KEYS,
    TABLE_PATH,
    TYPE,
    TableOptions,
    parse_boolean,
    parse_integer,
)
from core.schema.changes import RemoveOption, SetOption
from core.schema.table_schema import TableSchema


def set_option(schema: TableSchema, change: SetOption, has_snapshots: bool) -> TableSchema:
    """The schema with the option; `InvalidRequestError` if it cannot be set any more."""
    key, value = change.key, change.value
    if schema.options.get(key) == value:
        return schema
    _check_mutable(key, has_snapshots)
    if has_snapshots and key == BUCKET.key:
        _check_bucket_change(schema, parse_integer(value))
    if has_snapshots and key == DELETION_VECTORS_ENABLED.key:
        _check_deletion_vectors_change(schema)
    if has_snapshots and key in (IGNORE_DELETE.key, IGNORE_UPDATE_BEFORE.key) and not parse_boolean(value):
        raise InvalidRequestError("the option cannot go from true to false", option=key)
    return replace(schema, options={**schema.options, key: value})


def remove_option(schema: TableSchema, change: RemoveOption, has_snapshots: bool) -> TableSchema:
    """The schema without the option; `InvalidRequestError` if it cannot go any more."""
    key = change.key
    if key not in schema.options:
        return schema
    _check_mutable(key, has_snapshots)
    if has_snapshots and key == BUCKET.key:
        raise InvalidRequestError("bucket cannot be reset once the table has snapshots", option=key)
    if has_snapshots and key == DELETION_VECTORS_ENABLED.key:
        _check_deletion_vectors_change(schema)
    return replace(schema, options={k: v for k, v in schema.options.items() if k != key})


def _check_mutable(key: str, has_snapshots: bool) -> None:
    if key == TABLE_PATH:
        raise InvalidRequestError("a table lies where its catalog says", option=key)
    if key == TYPE.key or (has_snapshots and key in IMMUTABLE_KEYS):
        raise InvalidRequestError("the option cannot be changed any more", option=key)


def _check_bucket_change(schema: TableSchema, new: int) -> None:
    old = TableOptions(schema.options).get(BUCKET)
    if old != new and -1 in (old, new):
        raise InvalidRequestError("bucket cannot change from or to -1", old=old, new=new)


def _check_deletion_vectors_change(schema: TableSchema) -> None:
    if not TableOptions(schema.options).get(DELETION_VECTORS_MODIFIABLE):
        raise InvalidRequestError(
            "deletion vectors cannot be switched once the table has snapshots",
            option=DELETION_VECTORS_ENABLED.key,
            needs=DELETION_VECTORS_MODIFIABLE.key,
        )
