"""Values as indexes store, order and compare them. Spec: 05, 5 to 8.

A key is an integer, or the bytes of a text. Times are counted in milliseconds up to
precision 3 and in microseconds above, decimals by their unscaled value. A float is the
integer of its bits, turned so that keys stand in Java's order: -0.0 below 0.0, NaN above
all. So a filter's zero has two keys, as SQL takes both zeros for one number.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeAlias

from core.binary.encode import unscaled_value
from core.errors import FormatError, UnsupportedError
from core.fileindex.cursor import Cursor
from core.types import (
    BigIntType,
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
    Timestamp,
    TimestampType,
    TimeType,
    TinyIntType,
    VarCharType,
)

Key: TypeAlias = int | bytes

_LENGTH_BYTES = 4
_INTEGER_WIDTHS: dict[type[DataType], int] = {
    BooleanType: 1,
    TinyIntType: 1,
    SmallIntType: 2,
    IntType: 4,
    DateType: 4,
    TimeType: 4,
    BigIntType: 8,
}
_MILLI_DIGITS, _MICRO_DIGITS = 3, 6


@dataclass(frozen=True, slots=True)
class KeyForm:
    """How values of one type are stored."""

    width: int | None  # bytes of a stored key; None for texts, which carry their length
    of: Callable[[Any], tuple[Key, ...]]  # the keys that `=` takes for an internal value, ascending
    show: Callable[[Key], object]  # as people read it
    is_exact: bool = True  # False where different values share a key, so that order says little
    _turned: bool = False  # whether the stored bytes are those of a float

    def read(self, cursor: Cursor) -> Key:
        """The key that stands next."""
        if self.width is None:
            return cursor.take(cursor.integer(_LENGTH_BYTES))
        stored = cursor.integer(self.width)
        return _turn(stored, self.width) if self._turned else stored

    def write(self, key: Key) -> bytes:
        """The stored form."""
        if isinstance(key, bytes):
            return len(key).to_bytes(_LENGTH_BYTES, "big") + key
        assert self.width is not None
        return (_turn(key, self.width) if self._turned else key).to_bytes(self.width, "big", signed=True)


@lru_cache(maxsize=256)
def key_form(data_type: DataType) -> KeyForm:
    """The form of a type's keys.

    Raises:
        UnsupportedError: no index stores values of this type.
    """
    width = _INTEGER_WIDTHS.get(type(data_type))
    if width is not None:
        return KeyForm(width, lambda value: (int(value),), _shown_as(data_type))
    match data_type:
        case CharType() | VarCharType():
            return KeyForm(None, lambda value: (value.encode(),), _text)
        case FloatType():
            return _float_form(4, "f")
        case DoubleType():
            return _float_form(8, "d")
        case DecimalType() if data_type.is_compact:
            scale = data_type.scale
            return KeyForm(
                8,
                lambda value: (unscaled_value(value, data_type),),
                lambda key: Decimal(int(key)).scaleb(-scale),
            )
        case TimestampType() | LocalZonedTimestampType():
            is_exact = data_type.precision <= _MICRO_DIGITS
            return KeyForm(8, lambda value: (_ticks(value, data_type.precision),), int, is_exact)
    raise UnsupportedError("no file index stores values of this type", feature=type(data_type).__name__)


def _ticks(value: Timestamp, precision: int) -> int:
    return value.millis if precision <= _MILLI_DIGITS else value.millis * 1000 + value.nanos_of_milli // 1000


def _float_form(width: int, code: str) -> KeyForm:
    def of(value: float) -> tuple[Key, ...]:
        if value == 0.0:
            return (-1, 0)
        bits = struct.pack(f">{code}", math.nan if math.isnan(value) else value)
        return (_turn(int.from_bytes(bits, "big", signed=True), width),)

    def show(key: Key) -> object:
        return struct.unpack(f">{code}", _turn(int(key), width).to_bytes(width, "big", signed=True))[0]

    return KeyForm(width, of, show, _turned=True)


def _turn(bits: int, width: int) -> int:
    """Bits of a float as a number in its order, and back: below zero more magnitude is less."""
    return bits if bits >= 0 else bits ^ (1 << 8 * width - 1) - 1


def _shown_as(data_type: DataType) -> Callable[[Key], object]:
    return bool if isinstance(data_type, BooleanType) else int


def _text(key: Key) -> str:
    assert isinstance(key, bytes)
    try:
        return key.decode()
    except UnicodeDecodeError as error:
        raise FormatError("a key of an index is no UTF-8", found=key[:32].hex()) from error
