"""Cast columns from one type to another, as Paimon casts values. Spec: 09, 2.

Casts whose result depends on a session's time zone (between DATE, TIMESTAMP or text and
TIMESTAMP WITH LOCAL TIME ZONE), that print floating point numbers the Java way, or that
print nested values are refused by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute

from core.arrow import arrow_type, timestamp_unit
from core.errors import FormatError, UnsupportedError
from core.types import (
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
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    type_to_text,
)

Column: TypeAlias = Any  # a pa.Array: which one is known when it runs, not to its stubs
pc: Any = pyarrow.compute  # likewise
Cast: TypeAlias = Callable[[Any, Any, Any], Any]  # column, source type, target type -> column

_INTEGERS = (TinyIntType, SmallIntType, IntType, BigIntType)
_FLOATS = (FloatType, DoubleType)
_TEXTS = (CharType, VarCharType)
_BYTES = (BinaryType, VarBinaryType)
_TIMESTAMPS = (TimestampType, LocalZonedTimestampType)
_UNIT_DIGITS = {"ms": 3, "us": 6, "ns": 9}
_SECONDS_A_DAY = 86_400


def cast_column(column: Column, source: DataType, target: DataType) -> Column:
    """`column` as `target`, in canonical form; nulls stay null.

    Raises:
        UnsupportedError: this cast is not implemented; both types are named.
        FormatError: a stored value cannot be cast, such as the text `abc` to a number.
    """
    if source.with_nullability(True) == target.with_nullability(True):
        return column
    cast = _find(source, target)
    result = cast(column, source, target)
    return result.combine_chunks() if isinstance(result, pa.ChunkedArray) else result


def check_cast(source: DataType, target: DataType) -> None:
    """`UnsupportedError` that names both types if `cast_column` would refuse them."""
    if source.with_nullability(True) != target.with_nullability(True):
        _find(source, target)


def _find(source: DataType, target: DataType) -> Cast:
    for sources, targets, cast in _CASTS:
        if isinstance(source, sources) and isinstance(target, targets):
            return cast
    raise UnsupportedError(
        "this change of a column's type is not read",
        feature=f"cast from {type_to_text(source)} to {type_to_text(target)}",
    )


def _bad_value(values: Column, bad: Column, target: DataType) -> FormatError:
    value = values.filter(bad)[0].as_py()
    return FormatError("a stored value cannot be cast", value=repr(value), target=type_to_text(target))


# --- numbers -----------------------------------------------------------------------


def _plain(column: Column, source: DataType, target: DataType) -> Column:
    return column.cast(arrow_type(target), safe=False)


def _number_to_boolean(column: Column, source: DataType, target: DataType) -> Column:
    return pc.not_equal(column, pa.scalar(0, column.type))


def _float_to_integer(column: Column, source: DataType, target: DataType) -> Column:
    """Toward zero, saturated at INT (or BIGINT), NaN to 0; then the low bits, as Java does it."""
    wide = np.int64 if isinstance(target, BigIntType) else np.int32
    values = np.nan_to_num(
        _numpy(column.cast(pa.float64()).fill_null(0.0)), nan=0.0, posinf=np.inf, neginf=-np.inf
    )
    limits = np.iinfo(wide)
    clipped = np.trunc(values)
    integers = np.where(
        clipped >= float(limits.max),
        limits.max,
        np.where(clipped <= float(limits.min), limits.min, 0),
    ).astype(wide)
    inside = (clipped < float(limits.max)) & (clipped > float(limits.min))
    integers[inside] = clipped[inside].astype(wide)
    return _with_nulls_of(column, pa.array(integers)).cast(arrow_type(target), safe=False)


def _decimal_to_integer(column: Column, source: DecimalType, target: DataType) -> Column:
    """Without the fraction; then the low bits."""
    whole = pc.trunc(column).cast(pa.decimal128(38, 0))
    words = np.frombuffer(whole.buffers()[1], dtype=np.int64).reshape(-1, 2)
    low = words[whole.offset : whole.offset + len(whole), 0]
    return _with_nulls_of(column, pa.array(low)).cast(arrow_type(target), safe=False)


def _decimal_to_float(column: Column, source: DataType, target: DataType) -> Column:
    return column.cast(pa.string()).cast(arrow_type(target))  # parsing rounds correctly, dividing does not


def _to_decimal(column: Column, source: DataType, target: DecimalType) -> Column:
    """From integers and decimals: rounded half up; what does not fit is null."""
    wide = column.cast(pa.decimal256(76, 38))
    rounded = pc.round(wide, ndigits=target.scale, round_mode="half_towards_infinity")
    return _fitting(rounded, target)


def _fitting(wide: Column, target: DecimalType) -> Column:
    bound = pa.scalar(f"1{'0' * (target.precision - target.scale)}").cast(pa.decimal256(76, 38))
    fits = pc.less(pc.abs(wide), bound)
    return pc.if_else(fits, wide, pa.scalar(None, wide.type)).cast(arrow_type(target))


# --- to text -----------------------------------------------------------------------


def _fit_text(column: Column, target: CharType | VarCharType) -> Column:
    """Cut to the length; CHAR is padded with blanks to it."""
    longest = pc.max(pc.utf8_length(column)).as_py() or 0
    cut = pc.utf8_slice_codeunits(column, 0, target.length) if longest > target.length else column
    return pc.utf8_rpad(cut, target.length, " ") if isinstance(target, CharType) else cut


def _text_to_text(column: Column, source: DataType, target: Any) -> Column:
    return _fit_text(column, target)


def _simple_to_text(column: Column, source: DataType, target: Any) -> Column:
    return _fit_text(column.cast(pa.string()), target)


def _decimal_to_text(column: Column, source: DecimalType, target: Any) -> Column:
    """All digits of the scale, never an exponent (Arrow prints small numbers with one)."""
    unscaled = pa.Array.from_buffers(
        pa.decimal128(38, 0), len(column), column.buffers(), column.null_count, column.offset
    )
    if source.scale == 0:
        return _fit_text(unscaled.cast(pa.string()), target)
    digits = pc.utf8_lpad(pc.abs(unscaled).cast(pa.string()), source.scale + 1, "0")
    point = pc.binary_join_element_wise(
        pc.utf8_slice_codeunits(digits, 0, -source.scale),
        pc.utf8_slice_codeunits(digits, -source.scale),
        ".",
    )
    sign = pc.if_else(pc.less(unscaled, pa.scalar(0).cast(unscaled.type)), "-", "")
    return _fit_text(pc.binary_join_element_wise(sign, point, ""), target)


def _timestamp_to_text(column: Column, source: TimestampType, target: Any) -> Column:
    text = column.cast(pa.string())
    surplus = _UNIT_DIGITS[timestamp_unit(source.precision)] - source.precision
    surplus += source.precision == 0  # the point goes too
    return _fit_text(pc.utf8_slice_codeunits(text, 0, -surplus) if surplus else text, target)


# --- from text ---------------------------------------------------------------------

_INTEGER = r"^[+-]?[0-9]+(\.[0-9]*)?$"
_FLOAT = r"^[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|NaN|Infinity)$"
_DECIMAL = r"^[+-]?[0-9]{1,38}(\.[0-9]{0,38})?$"
_DATE = r"^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}$"
_TIMESTAMP = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?)?$"
_TRUE = ["t", "true", "y", "yes", "1"]
_FALSE = ["f", "false", "n", "no", "0"]


def _require(column: Column, pattern: str, target: DataType) -> None:
    bad = pc.fill_null(pc.invert(pc.match_substring_regex(column, pattern)), False)
    if pc.any(bad).as_py():
        raise _bad_value(column, bad, target)


def _parsed(column: Column, text: Column, target: DataType, kind: pa.DataType) -> Column:
    try:
        return text.cast(kind)
    except pa.ArrowInvalid as error:
        raise FormatError(f"a stored value cannot be cast: {error}", target=type_to_text(target)) from error


def _text_to_boolean(column: Column, source: DataType, target: DataType) -> Column:
    lower = pc.utf8_lower(column)
    true = pc.is_in(lower, pa.array(_TRUE))
    known = pc.or_(true, pc.is_in(lower, pa.array(_FALSE)))
    bad = pc.and_(pc.invert(known), column.is_valid())
    if pc.any(bad).as_py():
        raise _bad_value(column, bad, target)
    return _with_nulls_of(column, true)


def _text_to_integer(column: Column, source: DataType, target: DataType) -> Column:
    _require(column, _INTEGER, target)
    whole = pc.replace_substring_regex(column, r"^\+|\..*$", "")
    return _parsed(column, whole, target, arrow_type(target))


def _text_to_float(column: Column, source: DataType, target: DataType) -> Column:
    _require(column, _FLOAT, target)
    return _parsed(column, pc.replace_substring_regex(column, r"^\+", ""), target, arrow_type(target))


def _text_to_decimal(column: Column, source: DataType, target: DecimalType) -> Column:
    _require(column, _DECIMAL, target)
    wide = _parsed(column, column, target, pa.decimal256(76, 38))
    return _fitting(pc.round(wide, ndigits=target.scale, round_mode="half_towards_infinity"), target)


def _text_to_date(column: Column, source: DataType, target: DataType) -> Column:
    _require(column, _DATE, target)
    padded = pc.replace_substring_regex(column, r"-([0-9])\b", r"-0\1")
    return _parsed(column, padded, target, pa.date32())


def _text_to_timestamp(column: Column, source: DataType, target: TimestampType) -> Column:
    _require(column, _TIMESTAMP, target)
    cut = pc.utf8_slice_codeunits(column, 0, 19 + (target.precision + 1 if target.precision else 0))
    return _parsed(column, cut, target, arrow_type(target))


# --- bytes -------------------------------------------------------------------------


def _text_to_bytes(column: Column, source: DataType, target: Any) -> Column:
    return _bytes_to_bytes(column.cast(pa.binary()), source, target)


def _bytes_to_text(column: Column, source: DataType, target: Any) -> Column:
    return _fit_text(_parsed(column, column, target, pa.string()), target)


def _bytes_to_bytes(column: Column, source: DataType, target: Any) -> Column:
    """Cut to the length; BINARY is filled with zeros to it."""
    longest = pc.max(pc.binary_length(column)).as_py() or 0
    cut = pc.binary_slice(column, 0, target.length) if longest > target.length else column
    if isinstance(target, VarBinaryType):
        return cut
    missing = pc.subtract(target.length, pc.binary_length(cut))
    return pc.binary_join_element_wise(cut, pc.binary_repeat(pa.scalar(b"\0"), missing), b"")


# --- time --------------------------------------------------------------------------


def _date_to_timestamp(column: Column, source: DataType, target: DataType) -> Column:
    return column.cast(arrow_type(target))


def _timestamp_to_timestamp(column: Column, source: Any, target: Any) -> Column:
    """More digits are zeros; fewer are cut off."""
    if target.precision < source.precision:
        nanos = 10 ** (9 - target.precision)
        unit = 10 ** (9 - _UNIT_DIGITS[timestamp_unit(source.precision)])
        step = max(nanos // unit, 1)
        ticks = _ticks(column)
        column = pc.multiply(_floor_divide(ticks, step), step).cast(column.type)
    return column.cast(arrow_type(target))


def _timestamp_to_date(column: Column, source: TimestampType, target: DataType) -> Column:
    ticks_a_day = _SECONDS_A_DAY * 10 ** _UNIT_DIGITS[timestamp_unit(source.precision)]
    return _floor_divide(_ticks(column), ticks_a_day).cast(pa.int32()).cast(pa.date32())


def _timestamp_to_time(column: Column, source: TimestampType, target: DataType) -> Column:
    ticks_a_milli = 10 ** (_UNIT_DIGITS[timestamp_unit(source.precision)] - 3)
    millis = _floor_divide(_ticks(column), ticks_a_milli)
    days = _floor_divide(millis, _SECONDS_A_DAY * 1000)
    of_day = pc.subtract(millis, pc.multiply(days, _SECONDS_A_DAY * 1000))
    return of_day.cast(pa.int32()).cast(pa.time32("ms"))


def _timestamp_to_integer(column: Column, source: Any, target: DataType) -> Column:
    ticks_a_second = 10 ** _UNIT_DIGITS[timestamp_unit(source.precision)]
    return _floor_divide(_ticks(column), ticks_a_second).cast(arrow_type(target), safe=False)


def _integer_to_timestamp(column: Column, source: DataType, target: TimestampType) -> Column:
    ticks_a_second = 10 ** _UNIT_DIGITS[timestamp_unit(target.precision)]
    return pc.multiply(column.cast(pa.int64()), ticks_a_second).cast(arrow_type(target))


def _ticks(column: Column) -> Column:
    return column.view(pa.int64())


def _floor_divide(ticks: Column, by: int) -> Column:
    values = _numpy(ticks.fill_null(0)) // by
    return _with_nulls_of(ticks, pa.array(values, pa.int64()))


def _numpy(column: Column) -> Any:
    return column.to_numpy(zero_copy_only=False)


def _with_nulls_of(column: Column, values: Column) -> Column:
    if column.null_count == 0:
        return values
    return pc.if_else(column.is_valid(), values, pa.scalar(None, values.type))


_CASTS: tuple[tuple[tuple[type[DataType], ...], tuple[type[DataType], ...], Cast], ...] = (
    ((BooleanType,), (*_INTEGERS, *_FLOATS), _plain),
    (_INTEGERS, (BooleanType,), _number_to_boolean),
    (_INTEGERS, (*_INTEGERS, *_FLOATS), _plain),
    (_INTEGERS, (DecimalType,), _to_decimal),
    ((IntType, BigIntType), (TimestampType,), _integer_to_timestamp),
    (_FLOATS, _INTEGERS, _float_to_integer),
    (_FLOATS, _FLOATS, _plain),
    ((DecimalType,), _INTEGERS, _decimal_to_integer),
    ((DecimalType,), _FLOATS, _decimal_to_float),
    ((DecimalType,), (DecimalType,), _to_decimal),
    ((DecimalType,), _TEXTS, _decimal_to_text),
    ((BooleanType, *_INTEGERS), _TEXTS, _simple_to_text),
    (_TEXTS, _TEXTS, _text_to_text),
    (_TEXTS, _BYTES, _text_to_bytes),
    (_TEXTS, (BooleanType,), _text_to_boolean),
    (_TEXTS, _INTEGERS, _text_to_integer),
    (_TEXTS, _FLOATS, _text_to_float),
    (_TEXTS, (DecimalType,), _text_to_decimal),
    (_TEXTS, (DateType,), _text_to_date),
    (_TEXTS, (TimestampType,), _text_to_timestamp),
    (_BYTES, _TEXTS, _bytes_to_text),
    (_BYTES, _BYTES, _bytes_to_bytes),
    ((DateType,), (VarCharType,), _simple_to_text),
    ((DateType,), (TimestampType,), _date_to_timestamp),
    ((TimestampType,), (VarCharType,), _timestamp_to_text),
    ((TimestampType,), (TimestampType,), _timestamp_to_timestamp),
    ((LocalZonedTimestampType,), (LocalZonedTimestampType,), _timestamp_to_timestamp),
    ((TimestampType,), (DateType,), _timestamp_to_date),
    ((TimestampType,), (TimeType,), _timestamp_to_time),
    (_TIMESTAMPS, (IntType, BigIntType), _timestamp_to_integer),
)
