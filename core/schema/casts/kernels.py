"""What several casts are made of."""

from __future__ import annotations

from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute

from core.arrow import arrow_type
from core.errors import FormatError
from core.types import CharType, DataType, DecimalType, VarCharType, type_to_text

Column: TypeAlias = Any  # a pa.Array: which one is known when it runs, not to its stubs
pc: Any = pyarrow.compute  # likewise

WIDE = pa.decimal256(76, 38)
_DIGITS_OF_32_BITS = 9


def plain(column: Column, source: DataType, target: DataType) -> Column:
    """Arrow's own cast, the low bits where the target is narrower."""
    return column.cast(arrow_type(target), safe=False)


def numpy_of(column: Column) -> Any:
    return column.to_numpy(zero_copy_only=False)


def with_nulls_of(column: Column, values: Column) -> Column:
    """`values` with null where `column` has it."""
    if column.null_count == 0:
        return values
    return pc.if_else(column.is_valid(), values, pa.scalar(None, values.type))


def divided(ticks: Column, by: int, *, down: bool) -> Column:
    """Whole quotients of an int64 column: rounded down, or toward zero."""
    values = numpy_of(ticks.fill_null(0))
    quotients = values // by
    if not down:
        quotients = quotients + ((values < 0) & (values % by != 0))
    return with_nulls_of(ticks, pa.array(quotients, pa.int64()))


def fitting(wide: Column, target: DecimalType) -> Column:
    """Wide decimals rounded half up to the target's scale; null where they have too many digits."""
    rounded = rounded_to(wide, target.scale)
    largest = f"{'9' * (target.precision - target.scale)}.{'9' * target.scale}"
    fits = pc.less_equal(pc.abs(rounded), pa.scalar(largest).cast(rounded.type))
    return pc.if_else(fits, rounded, pa.scalar(None, rounded.type)).cast(arrow_type(target))


def rounded_to(decimals: Column, scale: int) -> Column:
    """Decimals of a scale that is not larger, rounded half up: the first digit left out decides alone."""
    if decimals.type.scale <= scale:
        return decimals.cast(_of_scale(decimals.type, scale))
    cut = cut_to(decimals, scale + 1)
    return pc.round(cut, ndigits=scale, round_mode="half_towards_infinity").cast(_of_scale(cut.type, scale))


def cut_to(decimals: Column, scale: int) -> Column:
    """Decimals without the digits behind a scale.

    A few at a time: Arrow 26 divides wrongly by numbers of more than 32 bits, so that it makes 4294967297
    of 4294967295.5 with 38 digits behind the point.
    """
    while decimals.type.scale > scale:
        step = min(decimals.type.scale - scale, _DIGITS_OF_32_BITS)
        decimals = decimals.cast(_of_scale(decimals.type, decimals.type.scale - step), safe=False)
    return decimals


def _of_scale(kind: Any, scale: int) -> Any:
    """The decimal type with another scale."""
    return (
        pa.decimal256(kind.precision, scale)
        if pa.types.is_decimal256(kind)
        else pa.decimal128(kind.precision, scale)
    )


def fit_text(column: Column, target: CharType | VarCharType) -> Column:
    """Cut to the length; CHAR is padded with blanks to it."""
    longest = pc.max(pc.utf8_length(column)).as_py() or 0
    cut = pc.utf8_slice_codeunits(column, 0, target.length) if longest > target.length else column
    return pc.utf8_rpad(cut, target.length, " ") if isinstance(target, CharType) else cut


def bad_value(values: Column, bad: Column, target: DataType) -> FormatError:
    value = values.filter(bad)[0].as_py()
    return FormatError("a stored value cannot be cast", value=repr(value), target=type_to_text(target))


def require(column: Column, pattern: str, target: DataType) -> None:
    """`FormatError` with the first text that the pattern does not match."""
    bad = pc.fill_null(pc.invert(pc.match_substring_regex(column, pattern)), False)
    if pc.any(bad).as_py():
        raise bad_value(column, bad, target)


def parsed(text: Column, kind: pa.DataType, target: DataType) -> Column:
    """Arrow's cast of texts; `FormatError` where one is not of that kind."""
    try:
        return text.cast(kind)
    except pa.ArrowInvalid as error:
        raise FormatError(f"a stored value cannot be cast: {error}", target=type_to_text(target)) from error
