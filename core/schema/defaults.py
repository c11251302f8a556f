"""Values that a read shows in place of null: `fields.<column>.default-value`. Spec: 06, 8.

Paimon before 1.0 had this option. The `defaultValue` of a column, which came after it, is put in
by writers; reads know nothing of it.
"""

from __future__ import annotations

import re
from typing import Any

from core.arrow import from_python
from core.schema.casts import cast_column
from core.schema.table_schema import TableSchema
from core.types import STRING

_OPTION = re.compile(r"fields\.(.+)\.default-value")


def defaulted_columns(schema: TableSchema) -> frozenset[str]:
    """The columns whose nulls a read fills, so that what files know of them does not hold for its rows."""
    names = (_OPTION.fullmatch(key) for key in schema.options)
    return frozenset(match[1] for match in names if match) & frozenset(schema.field_names)


def read_defaults(schema: TableSchema) -> dict[str, Any]:
    """What stands in place of null, by column, as Arrow scalars.

    Raises:
        FormatError: a text that is no value of its column. UnsupportedError: no text becomes one.
    """
    defaults: dict[str, Any] = {}
    for name in defaulted_columns(schema):
        text = from_python([schema.options[f"fields.{name}.default-value"]], STRING)
        defaults[name] = cast_column(text, STRING, schema.field(name).type)[0]
    return defaults
