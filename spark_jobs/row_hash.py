"""Paimon's hash of a row as an expression of Spark: rows are placed by it without a way through Python.

Theory, in numbers. Where a function in Python numbers the rows, Spark keeps each whole row in a queue until
its number is back: a quarter of all the work of a write with keys (docs/performance.md). Paimon hashes the
bytes of a BinaryRow by murmur 3, with seed 42; Spark's `hash` of bytes is the same function of bytes that
are whole words of four, as a BinaryRow's are. Spark has no expression for the bytes of a number that is
allowed in ANSI mode, so they are turned around and go through hexadecimal digits. A row of one number is
hashed as a number instead, in arithmetic alone (`_number_hash`).

Spec: 03, 1 and 4. The form for all types is `core.binary.hash_rows`, against which the tests hold this one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 - the name that all of Spark's documentation uses

from core.binary.layout import INLINE_FLAG, INLINE_MAX, SLOT, fixed_size, null_bytes
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

_INTEGERS: Mapping[type[DataType], int] = MappingProxyType(
    {TinyIntType: 1, SmallIntType: 2, IntType: 4, BigIntType: 8}  # bytes
)
_ALL = 0xFFFFFFFF
_AFTER_HEADER = 1748092728  # the INT whose hash is the state of murmur 3 after a header of eight zeros
_FIRST, _SECOND = 0x85EBCA6B, 0xC2B2AE35  # by which murmur 3 multiplies at its end ...
_UNDO_FIRST, _UNDO_SECOND = 0xA5CB9243, 0x7ED1B41D  # ... and their inverses modulo 2^32
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
    if len(types) == 1 and not isinstance(types[0], (*_TEXTS, *_BYTES)):
        return _number_hash(*_number(columns[0], types[0]))
    words = [F.lit(bytes(null_bytes(len(types))))]
    areas = []
    end = F.lit(fixed_size(len(types)))
    for column, data_type in zip(columns, types, strict=True):
        if not isinstance(data_type, (*_TEXTS, *_BYTES)):
            number, width = _number(column, data_type)
            words.append(_little(number, width, SLOT))
            continue
        data = column.cast("binary")
        size = F.octet_length(data)
        is_long = size > INLINE_MAX
        area = F.shiftright(size + (SLOT - 1), 3) * SLOT
        words.append(
            F.when(is_long, F.concat(_little(size, 4, 4), _little(end, 4, 4))).otherwise(_short(data, size))
        )
        areas.append(F.when(is_long, F.rpad(data, area, F.lit(b"\0"))).otherwise(F.lit(b"")))
        end = end + F.when(is_long, area).otherwise(0)
    return F.hash(F.concat(*words, *areas))


def _number(column: Column, data_type: DataType) -> tuple[Column, int]:
    """The number that a slot holds, and how many bytes of it."""
    if isinstance(data_type, DateType):
        return F.unix_date(column), 4
    return column, _INTEGERS[type(data_type)]


def _number_hash(number: Column, width: int) -> Column:
    """The hash of a row of one number.

    Spark's hash of a BIGINT mixes the two words that are the slot of such a row. It knows nothing of the
    row's header, and takes 8 for the size, not 16. So it goes on after an INT that leaves what the header
    leaves; its last steps are undone as far as the size, and done again.
    """
    slot = _long(number)
    if width < SLOT:
        slot = slot.bitwiseAND(_constant((1 << 8 * width) - 1))
    of_eight = F.hash(F.lit(_AFTER_HEADER), slot).cast("bigint").bitwiseAND(_constant(_ALL))
    undone = _times(_mixed(of_eight, 16), _UNDO_SECOND)
    undone = _times(_mixed(undone, 13, 26), _UNDO_FIRST)
    # The next step back and the first one forward, a shift by 16 each, change nothing together.
    done = _times(undone.bitwiseXOR(_constant(8 ^ 16)), _FIRST)
    done = _times(_mixed(done, 13), _SECOND)
    return F.shiftright(F.shiftleft(_mixed(done, 16), 32), 32).cast("int")  # with its sign


def _mixed(number: Column, *shifts: int) -> Column:
    for shifted in [F.shiftright(number, bits) for bits in shifts]:
        number = number.bitwiseXOR(shifted)
    return number


def _times(number: Column, factor: int) -> Column:
    """The product modulo 2^32; with a signed factor it stays within a BIGINT, as ANSI mode asks."""
    signed = factor - (1 << 32) if factor >= 1 << 31 else factor
    return (number * _constant(signed)).bitwiseAND(_constant(_ALL))


def _long(number: Column) -> Column:
    return number.cast("bigint")


def _constant(number: int) -> Column:
    return _long(F.lit(number))


def _short(data: Column, size: Column) -> Column:
    """A text in its slot: the bytes, and their number with a flag in the last byte."""
    flagged = F.hex(size.bitwiseOR(INLINE_FLAG))
    return F.concat(F.rpad(data, F.lit(INLINE_MAX), F.lit(b"\0")), F.unhex(flagged))


def _little(number: Column, width: int, filled: int) -> Column:
    """The last bytes of a whole number, the lowest one first, filled up with zeros."""
    turned = _constant(0)
    for place in range(width):
        byte = F.shiftrightunsigned(_long(number), 8 * place).bitwiseAND(_constant(0xFF))
        turned = turned.bitwiseOR(F.shiftleft(byte, 8 * (width - 1 - place)))
    digits = F.lpad(F.hex(turned), 2 * width, "0")
    return F.unhex(digits if width == filled else F.concat(digits, F.lit("00" * (filled - width))))
