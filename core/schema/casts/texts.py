"""Casts from text and bytes, and of plain values to text."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from core.arrow import arrow_type, timestamp_unit
from core.schema.casts.kernels import (
    WIDE,
    Column,
    bad_value,
    fit_text,
    fitting,
    parsed,
    pc,
    require,
    with_nulls_of,
)
from core.schema.casts.times import UNIT_DIGITS, in_local_zone, wall_clock
from core.types import (
    DataType,
    DecimalType,
    LocalZonedTimestampType,
    TimestampType,
    TimeType,
    VarBinaryType,
)

_pa: Any = pa  # its stubs have no overloads for units that are found at run time

_INTEGER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)$"
_FLOAT = r"^[\x00-\x20]*[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[fFdD]?|NaN|Infinity)[\x00-\x20]*$"
_DECIMAL = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,9})?$"
_TOO_LONG = r"^[+-]?0*[1-9][0-9]{38,}(\.[0-9]*)?$"  # more digits before the point than any DECIMAL has
_DATE = r"^([0-9]+|[0-9]{1,4}-[0-9]{1,2}-[0-9]{1,2}( .*)?)$"
_TIME = r"^([0-9]+|[0-9]{1,2}:[0-9]{1,2}(:[0-9]{1,2}(\.[0-9]{1,9})?)?)$"
_TIME_PARTS = r"^(?P<h>[0-9]+):(?P<m>[0-9]+)(?::(?P<s>[0-9]+)(?:\.(?P<f>[0-9]+))?)?$"
_TIMESTAMP = r"^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([ T][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(\.[0-9]{1,9})?)?$"
_TRUE = ["t", "true", "y", "yes", "1"]
_FALSE = ["f", "false", "n", "no", "0"]
_MILLIS_A_DAY = 86_400_000


# --- to text -----------------------------------------------------------------------


def text_to_text(column: Column, source: DataType, target: Any) -> Column:
    return fit_text(column, target)


def simple_to_text(column: Column, source: DataType, target: Any) -> Column:
    return fit_text(column.cast(pa.string()), target)


def decimal_to_text(column: Column, source: DecimalType, target: Any) -> Column:
    """All digits of the scale, never an exponent (Arrow prints small numbers with one)."""
    unscaled = pa.Array.from_buffers(
        pa.decimal128(38, 0), len(column), column.buffers(), column.null_count, column.offset
    )
    if source.scale == 0:
        return fit_text(unscaled.cast(pa.string()), target)
    digits = pc.utf8_lpad(pc.abs(unscaled).cast(pa.string()), source.scale + 1, "0")
    point = pc.binary_join_element_wise(
        pc.utf8_slice_codeunits(digits, 0, -source.scale),
        pc.utf8_slice_codeunits(digits, -source.scale),
        ".",
    )
    sign = pc.if_else(pc.less(unscaled, pa.scalar(0).cast(unscaled.type)), "-", "")
    return fit_text(pc.binary_join_element_wise(sign, point, ""), target)


def timestamp_to_text(column: Column, source: TimestampType | LocalZonedTimestampType, target: Any) -> Column:
    """The wall clock with as many digits as the precision has."""
    text = wall_clock(column).cast(pa.string())
    surplus = UNIT_DIGITS[timestamp_unit(source.precision)] - source.precision
    surplus += source.precision == 0  # the point goes too
    return fit_text(pc.utf8_slice_codeunits(text, 0, -surplus) if surplus else text, target)


def time_to_text(column: Column, source: TimeType, target: Any) -> Column:
    """`04:05:06`, and for a precision of its own the digits of its milliseconds without zeros at the end."""
    text = column.cast(pa.string())  # always three digits
    if source.precision == 0:
        return fit_text(pc.utf8_slice_codeunits(text, 0, 8), target)
    cut = pc.utf8_slice_codeunits(text, 0, 9 + min(source.precision, 3))
    return fit_text(pc.replace_substring_regex(cut, r"(\.[0-9])([0-9]*?)0*$", r"\1\2"), target)


# --- from text ---------------------------------------------------------------------


def text_to_boolean(column: Column, source: DataType, target: DataType) -> Column:
    lower = pc.utf8_lower(column)
    true = pc.is_in(lower, pa.array(_TRUE))
    known = pc.or_(true, pc.is_in(lower, pa.array(_FALSE)))
    bad = pc.and_(pc.invert(known), column.is_valid())
    if pc.any(bad).as_py():
        raise bad_value(column, bad, target)
    return with_nulls_of(column, true)


def text_to_integer(column: Column, source: DataType, target: DataType) -> Column:
    """Without the fraction."""
    require(column, _INTEGER, target)
    whole = pc.replace_substring_regex(column, r"^\+|\..*$", "")
    whole = pc.replace_substring_regex(whole, r"^-?$", "0")
    return parsed(whole, arrow_type(target), target)


def text_to_float(column: Column, source: DataType, target: DataType) -> Column:
    require(column, _FLOAT, target)
    bare = pc.replace_substring_regex(column, r"^[\x00-\x20]*\+?|[\x00-\x20]*$", "")
    bare = pc.replace_substring_regex(bare, r"([0-9.])[fFdD]$", r"\1")
    return parsed(bare, arrow_type(target), target)


def text_to_decimal(column: Column, source: DataType, target: DecimalType) -> Column:
    """Rounded half up; what does not fit is null."""
    require(column, _DECIMAL, target)
    too_long = pc.match_substring_regex(column, _TOO_LONG)
    column = pc.if_else(too_long, pa.scalar(None, pa.string()), column)
    # Half up looks at the first digit behind the scale and no further.
    cut = pc.replace_substring_regex(column, rf"(\.[0-9]{{{min(target.scale + 1, 38)}}})[0-9]+$", r"\1")
    return fitting(parsed(cut, WIDE, target), target)


def text_to_date(column: Column, source: DataType, target: DataType) -> Column:
    """A date, whatever stands behind a blank after it; digits alone are days since 1970."""
    require(column, _DATE, target)
    day = pc.replace_substring_regex(column, " .*$", "")
    return _or_number(day, parsed(_padded(_or_null(day)), pa.date32(), target), target)


def text_to_time(column: Column, source: DataType, target: DataType) -> Column:
    """A time cut to milliseconds; digits alone are milliseconds of the day."""
    require(column, _TIME, target)
    parts = pc.extract_regex(_or_null(column), _TIME_PARTS)
    hours, minutes, seconds = (_number(pc.struct_field(parts, name)) for name in ("h", "m", "s"))
    bad = pc.or_(pc.greater(hours, 23), pc.or_(pc.greater(minutes, 59), pc.greater(seconds, 59)))
    if pc.any(bad).as_py():
        raise bad_value(column, pc.fill_null(bad, False), target)
    millis = _number(pc.utf8_rpad(pc.utf8_slice_codeunits(pc.struct_field(parts, "f"), 0, 3), 3, "0"))
    whole = pc.add(pc.multiply(pc.add(pc.multiply(hours, 60), minutes), 60), seconds)
    of_day = pc.add(pc.multiply(whole, 1000), millis).cast(pa.int32())
    return _or_number(column, of_day.cast(arrow_type(target)), target)


def _number(digits: Column) -> Column:
    """0 for no digits."""
    return pc.if_else(pc.equal(digits, ""), "0", digits).cast(pa.int64())


def text_to_timestamp(
    column: Column, source: DataType, target: TimestampType | LocalZonedTimestampType
) -> Column:
    """A wall clock, its fraction cut to the precision; for an instant the local zone's."""
    require(column, _TIMESTAMP, target)
    padded = _padded(column)
    cut = pc.utf8_slice_codeunits(padded, 0, 19 + (target.precision + 1 if target.precision else 0))
    clock = parsed(cut, _pa.timestamp(timestamp_unit(target.precision)), target)
    return in_local_zone(clock) if isinstance(target, LocalZonedTimestampType) else clock


def _padded(texts: Column) -> Column:
    """Months, days and times of one digit get a second one."""
    return pc.replace_substring_regex(texts, r"([-: T])([0-9])\b", r"\10\2")


def _or_null(texts: Column) -> Column:
    """Null where there are digits alone."""
    return pc.if_else(pc.match_substring_regex(texts, "^[0-9]+$"), pa.scalar(None, pa.string()), texts)


def _or_number(texts: Column, values: Column, target: DataType) -> Column:
    """`values`, and where the text is digits alone their number as the type's own."""
    digits = pc.match_substring_regex(texts, "^[0-9]+$")
    if not pc.any(digits).as_py():
        return values
    numbers = parsed(pc.if_else(digits, texts, "0"), pa.int32(), target)
    if isinstance(target, TimeType):
        bad = pc.and_(digits, pc.greater_equal(numbers, _MILLIS_A_DAY))
        if pc.any(bad).as_py():
            raise bad_value(texts, bad, target)
    return pc.if_else(digits, numbers.cast(values.type), values)


# --- bytes -------------------------------------------------------------------------


def text_to_bytes(column: Column, source: DataType, target: Any) -> Column:
    return bytes_to_bytes(column.cast(pa.binary()), source, target)


def bytes_to_text(column: Column, source: DataType, target: Any) -> Column:
    """The bytes as they are: Paimon neither cuts nor pads here."""
    return parsed(column, pa.string(), target)


def bytes_to_bytes(column: Column, source: DataType, target: Any) -> Column:
    """Cut to the length; BINARY is filled with zeros to it."""
    longest = pc.max(pc.binary_length(column)).as_py() or 0
    cut = pc.binary_slice(column, 0, target.length) if longest > target.length else column
    if isinstance(target, VarBinaryType):
        return cut
    missing = pc.subtract(target.length, pc.binary_length(cut))
    return pc.binary_join_element_wise(cut, pc.binary_repeat(pa.scalar(b"\0"), missing), b"")
