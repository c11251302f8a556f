"""Casts between numbers, and of floating point numbers to text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from core.arrow import arrow_type
from core.schema.casts.kernels import (
    WIDE,
    Column,
    bad_value,
    cut_to,
    fit_text,
    fitting,
    numpy_of,
    pc,
    plain,
    rounded_to,
    with_nulls_of,
)
from core.types import BigIntType, DataType, DecimalType

_pa: Any = pa  # its stubs have no overloads for types that are found at run time

_MAX_DIGITS = 38  # of a DECIMAL
_WHOLE: Any = pa.decimal256(76, 0)
_SHORTEST = r"^(?P<sign>-?)(?P<whole>[0-9]+)(?:\.(?P<part>[0-9]+))?(?:e(?P<exponent>[+-]?[0-9]+))?$"
_PLAIN_FROM, _PLAIN_TO = -2, 7  # places of the point at which Java prints no exponent: 0.001 to 9999999


def number_to_boolean(column: Column, source: DataType, target: DataType) -> Column:
    return pc.not_equal(column, pa.scalar(0, column.type))


def float_to_integer(column: Column, source: DataType, target: DataType) -> Column:
    """Toward zero, saturated at INT (or BIGINT), NaN to 0; then the low bits, as Java does it."""
    wide = np.int64 if isinstance(target, BigIntType) else np.int32
    values = np.trunc(
        np.nan_to_num(numpy_of(column.cast(pa.float64()).fill_null(0.0)), posinf=np.inf, neginf=-np.inf)
    )
    limits = np.iinfo(wide)
    low, high = values <= float(limits.min), values >= float(limits.max)
    integers = np.where(high, limits.max, np.where(low, limits.min, 0)).astype(wide)
    inside = ~(low | high)
    integers[inside] = values[inside].astype(wide)
    return with_nulls_of(column, pa.array(integers)).cast(arrow_type(target), safe=False)


def decimal_to_integer(column: Column, source: DecimalType, target: DataType) -> Column:
    """Without the fraction; then the low bits."""
    whole = cut_to(column.cast(pa.decimal128(38, source.scale)), 0)
    words = np.frombuffer(whole.buffers()[1], dtype=np.int64).reshape(-1, 2)
    low = words[whole.offset : whole.offset + len(whole), 0]
    return with_nulls_of(column, pa.array(low)).cast(arrow_type(target), safe=False)


def decimal_to_float(column: Column, source: DataType, target: DataType) -> Column:
    return column.cast(pa.string()).cast(arrow_type(target))  # parsing rounds correctly, dividing does not


def to_decimal(column: Column, source: DataType, target: DecimalType) -> Column:
    """From integers and decimals: rounded half up; what does not fit is null."""
    if not isinstance(source, DecimalType):
        column = column.cast(pa.decimal128(38, 0))  # Arrow loses digits on the way to a wide one
    return fitting(column.cast(WIDE), target)


def boolean_to_decimal(column: Column, source: DataType, target: DecimalType) -> Column:
    return to_decimal(column.cast(pa.int8()), source, target)


def float_to_decimal(column: Column, source: DataType, target: DecimalType) -> Column:
    """The shortest text of the number as a DOUBLE, rounded half up; what does not fit is null.

    Raises:
        FormatError: NaN or infinity, which Paimon cannot read either.
    """
    column = column.cast(pa.float64())
    bad = pc.fill_null(pc.invert(pc.is_finite(column)), False)
    if pc.any(bad).as_py():
        raise bad_value(column, bad, target)
    decimals = _Decimals.of(column)
    signed = np.where(decimals.negative, -decimals.digits, decimals.digits)
    digits = pa.array(signed).cast(_WHOLE)
    result: Any = _pa.nulls(len(column), arrow_type(target))
    for exponent in np.unique(decimals.exponent).tolist():
        here = pa.array(decimals.exponent == exponent)
        result = pc.if_else(here, fitting(_moved(digits, exponent, target.scale), target), result)
    return with_nulls_of(column, result)


def _moved(digits: Column, exponent: int, scale: int) -> Column:
    """`digits * 10 ** exponent`, rounded to a scale; null beyond what any DECIMAL has."""
    if exponent > _MAX_DIGITS:
        return pc.if_else(
            pc.equal(digits, pa.scalar(0).cast(_WHOLE)), pa.scalar(0).cast(WIDE), pa.scalar(None, WIDE)
        )
    if exponent >= 0:
        factor = pa.scalar("1" + "0" * exponent).cast(pa.decimal256(39, 0))
        product = pc.multiply(digits.cast(pa.decimal256(20, 0)), factor)
        fits = pc.less(pc.abs(product), pa.scalar("1" + "0" * _MAX_DIGITS).cast(product.type))
        return pc.if_else(fits, product, pa.scalar(None, product.type)).cast(WIDE)
    if -exponent > _WHOLE.precision:
        return pc.if_else(digits.is_valid(), pa.scalar(0).cast(WIDE), pa.scalar(None, WIDE))
    # The same bytes, read with more digits behind the point.
    seen: Any = pa.decimal256(_WHOLE.precision, -exponent)
    small = pa.Array.from_buffers(seen, len(digits), digits.buffers(), offset=digits.offset)
    return rounded_to(small, min(scale, -exponent)).cast(WIDE)


def float_to_text(column: Column, source: DataType, target: Any) -> Column:
    """The shortest digits that tell the number from its neighbours, in Java's form."""
    decimals = _Decimals.of(column)
    texts = pa.array(decimals.digits).cast(pa.string())
    place = decimals.exponent + numpy_of(pc.utf8_length(texts)).astype(
        np.int64
    )  # of the point: 0.digits * 10^place
    text = _scientific(texts, place)
    for at in range(_PLAIN_FROM, _PLAIN_TO + 1):
        if (place == at).any():
            text = pc.if_else(pa.array(place == at), _plain_text(texts, at), text)
    text = pc.if_else(pa.array(decimals.digits == 0), "0.0", text)
    signed = pc.binary_join_element_wise(pc.if_else(pa.array(decimals.negative), "-", ""), text, "")
    special = column.cast(pa.string())
    for theirs, ours in (("nan", "NaN"), ("inf", "Infinity"), ("-inf", "-Infinity")):
        signed = pc.if_else(pc.fill_null(pc.equal(special, theirs), False), ours, signed)
    return fit_text(with_nulls_of(column, signed), target)


def _scientific(digits: Column, place: Any) -> Column:
    """`1.5E10`."""
    first = pc.utf8_slice_codeunits(digits, 0, 1)
    others = pc.utf8_slice_codeunits(digits, 1)
    others = pc.if_else(pc.equal(others, ""), "0", others)
    exponent = pa.array(place - 1).cast(pa.string())
    return pc.binary_join_element_wise(pc.binary_join_element_wise(first, others, "."), exponent, "E")


def _plain_text(digits: Column, place: int) -> Column:
    """`150.0`, `0.0015`."""
    if place <= 0:
        return pc.binary_join_element_wise(f"0.{'0' * -place}", digits, "")
    padded = pc.utf8_rpad(digits, place + 1, "0")
    whole, part = pc.utf8_slice_codeunits(padded, 0, place), pc.utf8_slice_codeunits(padded, place)
    return pc.binary_join_element_wise(whole, part, ".")


@dataclass(frozen=True, slots=True)
class _Decimals:
    """Floating point numbers as `digits * 10 ** exponent`, digits without zeros at their end."""

    negative: Any
    digits: Any  # int64, at most 17 digits
    exponent: Any  # int64

    @staticmethod
    def of(column: Column) -> _Decimals:
        """0 for null, NaN and infinity."""
        finite = pc.if_else(pc.fill_null(pc.is_finite(column), False), column, pa.scalar(0, column.type))
        parts = pc.extract_regex(finite.cast(pa.string()), _SHORTEST)
        whole, part = pc.struct_field(parts, "whole"), pc.struct_field(parts, "part")
        joined = pc.binary_join_element_wise(whole, part, "")
        digits = pc.utf8_rtrim(joined, "0")
        zeros = pc.subtract(pc.utf8_length(joined), pc.utf8_length(digits))
        exponent = pc.struct_field(parts, "exponent")
        stated = pc.replace_substring(pc.if_else(pc.equal(exponent, ""), "0", exponent), "+", "").cast(
            pa.int64()
        )
        shift = pc.subtract(zeros, pc.utf8_length(part)).cast(pa.int64())
        return _Decimals(
            numpy_of(pc.equal(pc.struct_field(parts, "sign"), "-")),
            numpy_of(pc.if_else(pc.equal(digits, ""), "0", digits).cast(pa.int64())),
            numpy_of(pc.add(stated, shift)),
        )


__all__ = [
    "boolean_to_decimal",
    "decimal_to_float",
    "decimal_to_integer",
    "float_to_decimal",
    "float_to_integer",
    "float_to_text",
    "number_to_boolean",
    "plain",
    "to_decimal",
]
