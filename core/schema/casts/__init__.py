"""Cast columns from one type to another, as Paimon casts values. Spec: 09, 2.

One table says which types may become which, and how; `core.types.casts` says which of it has to
be asked for. Where the spec is silent the casts of Java Paimon 0.9.0 were run: see
tests/core/schema/casts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pyarrow as pa

from core.errors import UnsupportedError
from core.schema.casts.kernels import Column, fit_text, pc, plain
from core.schema.casts.numbers import (
    boolean_to_decimal,
    decimal_to_float,
    decimal_to_integer,
    float_to_decimal,
    float_to_integer,
    float_to_text,
    number_to_boolean,
    to_decimal,
)
from core.schema.casts.texts import (
    bytes_to_bytes,
    bytes_to_text,
    decimal_to_text,
    simple_to_text,
    text_to_boolean,
    text_to_bytes,
    text_to_date,
    text_to_decimal,
    text_to_float,
    text_to_integer,
    text_to_text,
    text_to_time,
    text_to_timestamp,
    time_to_text,
    timestamp_to_text,
)
from core.schema.casts.times import (
    date_to_timestamp,
    integer_to_timestamp,
    time_to_timestamp,
    timestamp_to_date,
    timestamp_to_integer,
    timestamp_to_time,
    timestamp_to_timestamp,
)
from core.types import (
    STRING,
    ArrayType,
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    RowType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    type_to_text,
)

__all__ = ["cast_column", "check_cast"]

Cast: TypeAlias = Callable[[Any, Any, Any], Any]  # column, source type, target type -> column

_INTEGERS = (TinyIntType, SmallIntType, IntType, BigIntType)
_FLOATS = (FloatType, DoubleType)
_TEXTS = (CharType, VarCharType)
_BYTES = (BinaryType, VarBinaryType)
_TIMESTAMPS = (TimestampType, LocalZonedTimestampType)


def cast_column(column: Column, source: DataType, target: DataType) -> Column:
    """`column` as `target`, in canonical form; nulls stay null.

    Raises:
        UnsupportedError: this cast does not exist; both types are named.
        FormatError: a stored value cannot be cast, such as the text `abc` to a number.
    """
    if source.with_nullability(True) == target.with_nullability(True):
        return column
    result = _find(source, target)(column, source, target)
    return result.combine_chunks() if isinstance(result, pa.ChunkedArray) else result


def check_cast(source: DataType, target: DataType) -> None:
    """`UnsupportedError` that names both types if `cast_column` would refuse them."""
    if source.with_nullability(True) == target.with_nullability(True):
        return
    _find(source, target)
    for part in _parts(source):
        check_cast(part, STRING)


def _find(source: DataType, target: DataType) -> Cast:
    for sources, targets, cast in _CASTS:
        if isinstance(source, sources) and isinstance(target, targets):
            return cast
    raise UnsupportedError(
        "this change of a column's type is not read",
        feature=f"cast from {type_to_text(source)} to {type_to_text(target)}",
    )


# --- constructed values to text ------------------------------------------------------


def _parts(source: DataType) -> tuple[DataType, ...]:
    """The types whose values are printed inside of a value."""
    match source:
        case ArrayType():
            return (source.element,)
        case MapType():
            return (source.key, source.value)
        case RowType():
            return tuple(field.type for field in source.fields)
        case _:
            return ()


def _array_to_text(column: Column, source: ArrayType, target: Any) -> Column:
    """`[1, null]`."""
    elements = _texts(column.values, source.element)
    return _joined(column, elements, "[", "]", target)


def _map_to_text(column: Column, source: MapType, target: Any) -> Column:
    """`{a -> 1}`."""
    keys, values = _texts(column.keys, source.key), _texts(column.items, source.value)
    return _joined(column, pc.binary_join_element_wise(keys, values, " -> "), "{", "}", target)


def _row_to_text(column: Column, source: RowType, target: Any) -> Column:
    """`{1, null}`."""
    members = [_texts(column.field(i), field.type) for i, field in enumerate(source.fields)]
    inner = pc.binary_join_element_wise(*members, ", ")
    return _enclosed(column, inner, "{", "}", target)


def _texts(column: Column, kind: DataType) -> Column:
    return pc.fill_null(cast_column(column, kind, STRING), "null")


def _joined(column: Column, elements: Column, opening: str, closing: str, target: Any) -> Column:
    """The texts of the elements of each list; `elements` has all of them, whatever slice `column` is."""
    lists = pa.ListArray.from_arrays(column.offsets, elements)
    return _enclosed(column, pc.binary_join(lists, ", "), opening, closing, target)


def _enclosed(column: Column, inner: Column, opening: str, closing: str, target: Any) -> Column:
    text = pc.binary_join_element_wise(opening, inner, closing, "")
    return fit_text(pc.if_else(column.is_valid(), text, pa.scalar(None, pa.string())), target)


_CASTS: tuple[tuple[tuple[type[DataType], ...], tuple[type[DataType], ...], Cast], ...] = (
    ((BooleanType,), (*_INTEGERS, *_FLOATS), plain),
    ((BooleanType,), (DecimalType,), boolean_to_decimal),
    (_INTEGERS, (BooleanType,), number_to_boolean),
    (_INTEGERS, (*_INTEGERS, *_FLOATS), plain),
    (_INTEGERS, (DecimalType,), to_decimal),
    ((IntType, BigIntType), _TIMESTAMPS, integer_to_timestamp),
    (_FLOATS, _INTEGERS, float_to_integer),
    (_FLOATS, _FLOATS, plain),
    (_FLOATS, (DecimalType,), float_to_decimal),
    (_FLOATS, _TEXTS, float_to_text),
    ((DecimalType,), _INTEGERS, decimal_to_integer),
    ((DecimalType,), _FLOATS, decimal_to_float),
    ((DecimalType,), (DecimalType,), to_decimal),
    ((DecimalType,), _TEXTS, decimal_to_text),
    ((BooleanType, *_INTEGERS), _TEXTS, simple_to_text),
    (_TEXTS, _TEXTS, text_to_text),
    (_TEXTS, _BYTES, text_to_bytes),
    (_TEXTS, (BooleanType,), text_to_boolean),
    (_TEXTS, _INTEGERS, text_to_integer),
    (_TEXTS, _FLOATS, text_to_float),
    (_TEXTS, (DecimalType,), text_to_decimal),
    (_TEXTS, (DateType,), text_to_date),
    (_TEXTS, (TimeType,), text_to_time),
    (_TEXTS, _TIMESTAMPS, text_to_timestamp),
    (_BYTES, _TEXTS, bytes_to_text),
    (_BYTES, _BYTES, bytes_to_bytes),
    ((DateType,), (VarCharType,), simple_to_text),
    ((DateType,), _TIMESTAMPS, date_to_timestamp),
    ((TimeType,), (VarCharType,), time_to_text),
    ((TimeType,), _TIMESTAMPS, time_to_timestamp),
    (_TIMESTAMPS, (VarCharType,), timestamp_to_text),
    (_TIMESTAMPS, _TIMESTAMPS, timestamp_to_timestamp),
    (_TIMESTAMPS, (DateType,), timestamp_to_date),
    (_TIMESTAMPS, (TimeType,), timestamp_to_time),
    (_TIMESTAMPS, (IntType, BigIntType), timestamp_to_integer),
    ((ArrayType,), _TEXTS, _array_to_text),
    ((MapType,), _TEXTS, _map_to_text),
    ((RowType,), _TEXTS, _row_to_text),
)
