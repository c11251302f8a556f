"""Options that a reader or writer sets for itself, over those of the table. Spec: 09, 1.

Nothing is written. What decides how stored bytes are understood cannot be set so: a key of
`IMMUTABLE_KEYS`, the number of buckets, deletion vectors, the table's path. Any other key can,
known or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.errors import InvalidRequestError
from core.options import (
    BUCKET,
    DELETION_VECTORS_ENABLED,
    DELETION_VECTORS_MODIFIABLE,
    IGNORE_DELETE,
    IGNORE_UPDATE_BEFORE,
    IMMUTABLE_KEYS,
    OPTIONS,
    TABLE_PATH,
    TableOptions,
)
from core.schema.table_schema import TableSchema


def with_dynamic_options(schema: TableSchema, dynamic: Mapping[str, str | None]) -> TableSchema:
    """The schema with options laid over its own; None takes an option away.

    Raises:
        InvalidRequestError: an option that cannot be set so, or not to this value.
    """
    for key, value in dynamic.items():
        if value != schema.options.get(key):
            _check_settable(schema, key, value)
    options = {key: text for key, text in schema.options.items() if key not in dynamic}
    options |= {key: text for key, text in dynamic.items() if text is not None}
    laid_over = TableOptions(options)
    for key in dynamic:
        if key in OPTIONS:
            laid_over.get(OPTIONS[key])
    return replace(schema, options=options)


def _check_settable(schema: TableSchema, key: str, value: str | None) -> None:
    if key in IMMUTABLE_KEYS:
        raise _refused(key, "the option cannot be changed any more")
    if key == TABLE_PATH:
        raise _refused(key, "a table lies where its catalog says; open the other one by its name")
    if key == BUCKET.key:
        raise _refused(key, "the number of buckets does not change with a read or write; rescale the table")
    options = TableOptions(schema.options)
    if key == DELETION_VECTORS_ENABLED.key and not options.get(DELETION_VECTORS_MODIFIABLE):
        raise _refused(key, "deletion vectors cannot be switched without deletion-vectors.modifiable")
    for option in (IGNORE_DELETE, IGNORE_UPDATE_BEFORE):
        if key == option.key and options.get(option):
            raise _refused(key, "the option cannot be switched off again")


def _refused(key: str, what: str) -> InvalidRequestError:
    return InvalidRequestError(what, option=key)
