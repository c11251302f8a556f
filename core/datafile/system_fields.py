"""The columns that Paimon adds to the table's own in a data file. Spec: 04, A1; 09, 4.

A primary-key file holds `_KEY_<c>` for each trimmed primary key column, then
`_SEQUENCE_NUMBER`, `_VALUE_KIND`, then the table's columns. Thin files and those of
pypaimon-rust leave the key columns out: the key is among the values anyway.

Tables that track rows have two columns that a read shows only when it names them;
`table-read.sequence-number.enabled` shows one of a primary-key table to readers of changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.arguments import column_names
from core.errors import InvalidRequestError
from core.options import (
    DATA_EVOLUTION_ENABLED,
    ROW_TRACKING_ENABLED,
    TABLE_READ_SEQUENCE_NUMBER,
    TableOptions,
)
from core.schema.table_schema import TableSchema
from core.types import STRING, BigIntType, DataField, TinyIntType

FIRST_SYSTEM_FIELD_ID = 1073741823  # (2^31 - 1) / 2, rounded down; ids from here on are not the user's
KEY_PREFIX = "_KEY_"

SEQUENCE_NUMBER = DataField(2147483646, "_SEQUENCE_NUMBER", BigIntType(nullable=False))
VALUE_KIND = DataField(2147483645, "_VALUE_KIND", TinyIntType(nullable=False))
ROW_KIND = DataField(2147483643, "rowkind", STRING)  # of the tables that show changes, never in a file
ROW_ID = DataField(2147483642, "_ROW_ID", BigIntType(nullable=False))
LATE_SEQUENCE_NUMBER = replace(SEQUENCE_NUMBER, type=BigIntType())  # null: that of the snapshot to come


def key_field(field: DataField) -> DataField:
    """The `_KEY_` column that repeats a primary key column."""
    return replace(
        field,
        id=FIRST_SYSTEM_FIELD_ID + field.id,
        name=KEY_PREFIX + field.name,
        type=field.type.with_nullability(False),
    )


def tracks_rows(schema: TableSchema) -> bool:
    """Whether each row of the table has an id that stays. Spec: 04, A6."""
    options = TableOptions(schema.options)
    return options.get(ROW_TRACKING_ENABLED) or evolves_data(schema)


def evolves_data(schema: TableSchema) -> bool:
    """Whether several files may hold the columns of the same rows. Spec: 04, A6."""
    return TableOptions(schema.options).get(DATA_EVOLUTION_ENABLED)


def hidden_fields(schema: TableSchema) -> tuple[DataField, ...]:
    """The columns that can be read beside the table's own, but are not among all columns."""
    if tracks_rows(schema):
        return (ROW_ID, SEQUENCE_NUMBER)
    shows = TableOptions(schema.options).get(TABLE_READ_SEQUENCE_NUMBER)
    return (SEQUENCE_NUMBER,) if schema.primary_keys and shows else ()


def readable_fields(schema: TableSchema) -> tuple[DataField, ...]:
    """The table's columns, then the hidden ones."""
    return (*schema.fields, *hidden_fields(schema))


def select_fields(schema: TableSchema, names: Sequence[str] | None) -> tuple[DataField, ...]:
    """The columns that a read names, in that order; None for all of the table's own.

    Raises:
        InvalidRequestError: no such column, or one is named twice.
    """
    if names is None:
        return schema.fields
    hidden = {field.name: field for field in hidden_fields(schema)}
    fields = tuple(hidden.get(name) or schema.field(name) for name in column_names(names))
    if len({field.name for field in fields}) != len(fields):
        raise InvalidRequestError("a column is named twice", columns=", ".join(f.name for f in fields))
    return fields
