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
from decimal import Decimal
from types import MappingProxyType

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 - the name that all of Spark's documentation uses

from core.binary import encode_row, hash_row
from core.binary.layout import HEADER_BITS, INLINE_FLAG, INLINE_MAX, SLOT, fixed_size, null_bytes
from core.types import (
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    IntType,
    SmallIntType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
)

# Under others that a session may have, bytes are filled up by characters or joined as texts.
SETTINGS: Mapping[str, str] = MappingProxyType(
    {
        "spark.sql.legacy.lpadRpadAlwaysReturnString": "false",
        "spark.sql.function.concatBinaryAsString": "false",
    }
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
    """Whether `row_hash` knows values of one type that are stored as those of another."""
    if isinstance(stored, DecimalType):
        return stored.is_compact and given.with_nullability(stored.nullable) == stored
    if isinstance(stored, (DateType, BooleanType)):
        return isinstance(given, type(stored))
    if type(stored) in _INTEGERS:
        return type(given) in _INTEGERS
    return any(isinstance(stored, kind) and isinstance(given, kind) for kind in (_TEXTS, _BYTES))


def row_hash(columns: Sequence[Column], types: Sequence[DataType]) -> Column:
    """The hash of the row of these columns, as `core.binary.hash_row` has it, in a session under `SETTINGS`.

    Args:
        columns: a row in which one is null has some hash if its type is not nullable.
        types: as which the values are stored; see `can_hash`.
    """
    if len(types) == 1 and not isinstance(types[0], (*_TEXTS, *_BYTES)):
        return _or_null(columns[0], types[0], _number_hash(*_number(columns[0], types[0])))
    words = _null_bits(columns, types)
    areas = []
    end = F.lit(fixed_size(len(types)))
    for column, data_type in zip(columns, types, strict=True):
        if not isinstance(data_type, (*_TEXTS, *_BYTES)):
            slot = _little(*_number(column, data_type), SLOT)
            words.append(_or_zeros(slot, data_type))
            continue
        data = column.cast("binary")
        size = F.octet_length(data)
        is_long = size > INLINE_MAX
        area = F.shiftright(size + (SLOT - 1), 3) * SLOT
        slot = F.when(is_long, F.concat(_little(size, 4, 4), _little(end, 4, 4))).otherwise(
            _short(data, size)
        )
        words.append(_or_zeros(slot, data_type))
        areas.append(F.when(is_long, F.rpad(data, area, F.lit(b"\0"))).otherwise(F.lit(b"")))
        end = end + F.when(is_long, area).otherwise(0)
    return F.hash(F.concat(*words, *areas))


def _null_bits(columns: Sequence[Column], types: Sequence[DataType]) -> list[Column]:
    """The words before the slots: the kind of the row, which is 0, and a bit for each null."""
    words = []
    for start in range(0, 8 * null_bytes(len(types)), 64):
        bits = _constant(0)
        places = {HEADER_BITS + i - start: i for i, data_type in enumerate(types) if data_type.nullable}
        within = {place: i for place, i in places.items() if 0 <= place < 64}
        for place, i in within.items():
            bits = bits.bitwiseOR(F.shiftleft(_long(columns[i].isNull()), place))
        words.append(_little(bits, 8, 8) if within else F.lit(bytes(8)))
    return words


def _or_zeros(slot: Column, data_type: DataType) -> Column:
    return F.coalesce(slot, F.lit(bytes(SLOT))) if data_type.nullable else slot


def _or_null(column: Column, data_type: DataType, found: Column) -> Column:
    """The hash of a row of one number; where that is null, the one of such a row."""
    if not data_type.nullable:
        return found
    of_null = F.lit(hash_row(encode_row([data_type], [None])))
    return F.when(column.isNull(), of_null).otherwise(found)


def _number(column: Column, data_type: DataType) -> tuple[Column, int]:
    """The number that a slot holds, and how many bytes of it."""
    if isinstance(data_type, DateType):
        return F.unix_date(column), 4
    if isinstance(data_type, BooleanType):
        return column.cast("int"), 1
    if isinstance(data_type, DecimalType):
        unscaled = column * F.lit(Decimal(10**data_type.scale)) if data_type.scale else column
        return _long(unscaled), 8
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
