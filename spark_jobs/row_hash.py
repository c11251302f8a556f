"""Paimon's hash of a row as an expression of Spark: rows are placed by it without a way through Python.

Theory, in numbers. Where a function in Python numbers the rows, Spark keeps each whole row in a queue until
its number is back: a quarter of all the work of a write with keys (docs/performance.md). Paimon hashes the
bytes of a BinaryRow by murmur 3, with seed 42; Spark's `hash` of bytes is the same function of bytes that
are whole words of four, as a BinaryRow's are. Spark has no expression for the bytes of a number that is
allowed in ANSI mode, so they are turned around and go through hexadecimal digits.

Spec: 03, 1 and 4. The form for all types is `core.binary.hash_rows`, against which the tests hold this one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 - the name that all of Spark's documentation uses

from core.binary.layout import INLINE_FLAG, INLINE_MAX, fixed_size, null_bytes
from core.types import (
    BigIntType,
    BinaryType,
    CharType,
    DataType,
    DateType,
    IntType,
    SmallIntType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
)

_WORD = 8
_INTEGERS: Mapping[type[DataType], int] = MappingProxyType(
    {TinyIntType: 1, SmallIntType: 2, IntType: 4, BigIntType: 8}  # bytes
)
_TEXTS = (CharType, VarCharType)
_BYTES = (BinaryType, VarBinaryType)


def can_hash(given: DataType, stored: DataType) -> bool:
    """Whether `row_hash` knows values of one type that are stored as those of another, and are never null."""
    if stored.nullable:
        return False
    if isinstance(stored, DateType):
        return isinstance(given, DateType)
    if type(stored) in _INTEGERS:
        return type(given) in _INTEGERS
    return any(isinstance(stored, kind) and isinstance(given, kind) for kind in (_TEXTS, _BYTES))


def row_hash(columns: Sequence[Column], types: Sequence[DataType]) -> Column:
    """The hash of the row of these columns, as `core.binary.hash_row` has it.

    Args:
        columns: none of them null; a row in which one is has some hash.
        types: as which the values are stored; see `can_hash`.
    """
    words = [F.lit(bytes(null_bytes(len(types))))]
    areas = []
    end = F.lit(fixed_size(len(types)))
    for column, data_type in zip(columns, types, strict=True):
        if not isinstance(data_type, (*_TEXTS, *_BYTES)):
            words.append(_number(column, data_type))
            continue
        data = column.cast("binary")
        size = F.octet_length(data)
        is_long = size > INLINE_MAX
        area = F.shiftright(size + (_WORD - 1), 3) * _WORD
        words.append(
            F.when(is_long, F.concat(_little(size, 4), _little(end, 4))).otherwise(_short(data, size))
        )
        areas.append(F.when(is_long, F.rpad(data, area, F.lit(b"\0"))).otherwise(F.lit(b"")))
        end = end + F.when(is_long, area).otherwise(0)
    return F.hash(F.concat(*words, *areas))


def _number(column: Column, data_type: DataType) -> Column:
    if isinstance(data_type, DateType):
        return _little(F.unix_date(column), 4, _WORD)
    return _little(column, _INTEGERS[type(data_type)], _WORD)


def _short(data: Column, size: Column) -> Column:
    """A text in its slot: the bytes, and their number with a flag in the last byte."""
    flagged = F.hex(size.bitwiseOR(INLINE_FLAG))
    return F.concat(F.rpad(data, F.lit(INLINE_MAX), F.lit(b"\0")), F.unhex(flagged))


def _little(number: Column, width: int, filled: int | None = None) -> Column:
    """The last bytes of a whole number, the lowest one first, filled up with zeros."""
    wide = number.cast("bigint")
    turned = F.lit(0).cast("bigint")
    for place in range(width):
        byte = F.shiftrightunsigned(wide, 8 * place).bitwiseAND(F.lit(0xFF).cast("bigint"))
        turned = turned.bitwiseOR(F.shiftleft(byte, 8 * (width - 1 - place)))
    digits = F.lpad(F.hex(turned), 2 * width, "0")
    return F.unhex(F.concat(digits, F.lit("00" * ((filled or width) - width))))
