"""The columns that Paimon adds to the table's own in a data file. Spec: 04, A1; 09, 4.

A primary-key file holds `_KEY_<c>` for each trimmed primary key column, then
`_SEQUENCE_NUMBER`, `_VALUE_KIND`, then the table's columns. Thin files and those of
pypaimon-rust leave the key columns out: the key is among the values anyway.
"""

from __future__ import annotations

from dataclasses import replace

from core.types.data_types import BigIntType, DataField, TinyIntType

FIRST_SYSTEM_FIELD_ID = 1073741823  # (2^31 - 1) / 2, rounded down; ids from here on are not the user's
KEY_PREFIX = "_KEY_"

SEQUENCE_NUMBER = DataField(2147483646, "_SEQUENCE_NUMBER", BigIntType(nullable=False))
VALUE_KIND = DataField(2147483645, "_VALUE_KIND", TinyIntType(nullable=False))
ROW_ID = DataField(2147483642, "_ROW_ID", BigIntType(nullable=False))


def key_field(field: DataField) -> DataField:
    """The `_KEY_` column that repeats a primary key column."""
    return replace(
        field,
        id=FIRST_SYSTEM_FIELD_ID + field.id,
        name=KEY_PREFIX + field.name,
        type=field.type.with_nullability(False),
    )
