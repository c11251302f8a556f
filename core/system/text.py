"""Columns as text, in the form that `$files` prints internal values. Spec: 04, B, files.

The clear form is `core.types.plain_text`, a value at a time; this is the same over Arrow
columns. What Arrow prints otherwise than Java (floating point, far-away years) goes
through the clear form once per distinct value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as _pc

from core.arrow import to_python
from core.types import (
    BigIntType,
    BooleanType,
    CharType,
    DataType,
    DateType,
    IntType,
    LocalZonedTimestampType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarCharType,
    plain_text,
)

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

Column: TypeAlias = Any  # an Arrow array of any type

_BY_CAST = (BooleanType, TinyIntType, SmallIntType, IntType, BigIntType, CharType, VarCharType)
_YEAR_1, _YEAR_10000 = -62135596800, 253402300800  # epoch seconds: what Arrow prints with four digits


def text_column(data_type: DataType, values: Column) -> Column:
    """The values as strings; null where the value is null."""
    if isinstance(data_type, _BY_CAST):
        return pc.cast(values, pa.string())
    if isinstance(data_type, (DateType, TimeType)):
        return pc.cast(pc.cast(values, pa.int32()), pa.string())
    if isinstance(data_type, (TimestampType, LocalZonedTimestampType)) and _has_plain_years(values):
        return _iso_timestamps(values)
    return _by_distinct_value(data_type, values)


def joined(values: Sequence[Column], opening: str, closing: str, rows: int) -> Column:
    """`[a, b]` a row, nulls as `null`."""
    shown = [pc.fill_null(column, "null") for column in values]
    if not shown:
        return pa.repeat(pa.scalar(opening + closing), rows)
    inner = shown[0] if len(shown) == 1 else pc.binary_join_element_wise(*shown, ", ")
    return pc.binary_join_element_wise(opening, inner, closing, "")


def named(values: Mapping[str, Column], rows: int) -> Column:
    """`{a=1, b=null}` a row, names sorted."""
    pairs = [
        pc.binary_join_element_wise(f"{name}=", pc.fill_null(values[name], "null"), "")
        for name in sorted(values)
    ]
    return joined(pairs, "{", "}", rows)


def _has_plain_years(values: Column) -> bool:
    seconds = pc.cast(values.cast(pa.timestamp("s", values.type.tz), safe=False), pa.int64())
    limits = pc.min_max(seconds).as_py()
    return limits["min"] is None or (limits["min"] >= _YEAR_1 and limits["max"] < _YEAR_10000)


def _iso_timestamps(values: Column) -> Column:
    """`2024-02-29T01:02`, `…T01:02:03.004`: zero seconds and trailing groups of three zeros left out."""
    wall_clock = pc.cast(values, pa.timestamp(values.type.unit))
    text = pc.replace_substring(wall_clock.cast(pa.string()), " ", "T", max_replacements=1)
    text = pc.replace_substring_regex(text, r"(\.(\d{3})*?)(000)+$", r"\1")
    text = pc.replace_substring_regex(text, r"\.$", "")
    return pc.replace_substring_regex(text, r"T(\d\d:\d\d):00$", r"T\1")


def _by_distinct_value(data_type: DataType, values: Column) -> Column:
    if values.null_count == len(values):  # as always for nested types, which have no minimum
        return pa.nulls(len(values), pa.string())
    if data_type.is_nested:
        return _texts(data_type, values)
    encoded = values.dictionary_encode()
    return pc.take(_texts(data_type, encoded.dictionary), encoded.indices)


def _texts(data_type: DataType, values: Column) -> Column:
    texts = (None if v is None else plain_text(data_type, v) for v in to_python(values, data_type))
    return pa.array(texts, pa.string())
