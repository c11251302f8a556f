"""Values as bitmap, BSI and range-bitmap indexes store them. Spec: 05, 6 to 8."""

from __future__ import annotations

import struct
from collections.abc import Callable
from decimal import Decimal

from core.errors import UnsupportedError
from core.fileindex.cursor import Cursor
from core.types.data_types import (
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
    TimestampType,
    TimeType,
    TinyIntType,
    VarCharType,
)

KeyReader = Callable[[Cursor], object]

_WIDTHS: dict[type[DataType], int] = {
    TinyIntType: 1,
    SmallIntType: 2,
    IntType: 4,
    DateType: 4,
    TimeType: 4,
    BigIntType: 8,
    TimestampType: 8,  # milliseconds up to precision 3, else microseconds
    LocalZonedTimestampType: 8,
}


def key_reader(data_type: DataType) -> KeyReader:
    """Reads one stored value of the type.

    Timestamps stay the stored integer: milliseconds up to precision 3, else microseconds.

    Raises:
        UnsupportedError: no index stores values of this type.
    """
    width = _WIDTHS.get(type(data_type))
    if width is not None:
        return lambda cursor: cursor.integer(width)
    if isinstance(data_type, DecimalType) and data_type.is_compact:
        scale = data_type.scale
        return lambda cursor: Decimal(cursor.integer(8)).scaleb(-scale)
    if isinstance(data_type, (CharType, VarCharType)):
        return lambda cursor: cursor.take(cursor.integer(4)).decode("utf-8", "replace")
    if isinstance(data_type, BooleanType):
        return Cursor.boolean
    if isinstance(data_type, FloatType):
        return lambda cursor: struct.unpack(">f", cursor.take(4))[0]
    if isinstance(data_type, DoubleType):
        return lambda cursor: struct.unpack(">d", cursor.take(8))[0]
    raise UnsupportedError("no file index stores values of this type", feature=type(data_type).__name__)
