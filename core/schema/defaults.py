"""Values in place of null. Spec: 06, 8.

`fields.<column>.default-value`, an option of Paimon before 1.0, is shown by reads. The
`defaultValue` of a column, which came after it, is put in by writers; reads know nothing of it.
"""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa

from core.arrow import from_python
from core.partition import parse_value
from core.schema.casts import cast_column
from core.schema.table_schema import TableSchema
from core.types import STRING, DataType

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


def default_scalar(data_type: DataType, text: str) -> pa.Scalar[Any]:
    """The `defaultValue` of a column, which schemas hold as text, possibly in single quotes.

    Raises:
        InvalidRequestError: the text is no value of the type.
    """
    quoted = len(text) >= 2 and text[0] == text[-1] == "'"
    value = parse_value(data_type, text[1:-1] if quoted else text)
    scalar: pa.Scalar[Any] = from_python([value], data_type)[0]
    return scalar
