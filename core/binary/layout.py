"""Sizes and positions inside a BinaryRow and a BinaryArray. Spec: 03, 1."""

from __future__ import annotations

from core.types.data_types import (
    BigIntType,
    BooleanType,
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
)

SLOT = 8  # bytes of one field in the fixed part
HEADER_BITS = 8  # the row kind, before the null bits
INLINE_MAX = 7  # longest text or bytes that fit into the slot
INLINE_FLAG = 0x80  # in the last byte of the slot, with the length
DECIMAL_AREA = 16  # bytes reserved for a decimal that is not compact
TIMESTAMP_AREA = 8  # bytes reserved for the milliseconds of a long timestamp

FIXED_FORMATS: dict[type[DataType], str] = {
    BooleanType: "?",
    TinyIntType: "b",
    SmallIntType: "h",
    IntType: "i",
    BigIntType: "q",
    FloatType: "f",
    DoubleType: "d",
    DateType: "i",
    TimeType: "i",
}
"""`struct` codes of the types whose value is the slot; little endian."""

_FIXED_SIZES = {"?": 1, "b": 1, "h": 2, "i": 4, "q": 8, "f": 4, "d": 8}


def null_bytes(arity: int) -> int:
    """Bytes of header and null bits of a row of `arity` fields."""
    return (arity + 63 + HEADER_BITS) // 64 * 8


def fixed_size(arity: int) -> int:
    """Bytes of a row before its variable part."""
    return null_bytes(arity) + arity * SLOT


def padded(size: int) -> int:
    """`size` rounded up to the multiple of 8 that values in the variable part take."""
    return (size + 7) // 8 * 8


def element_width(element: DataType) -> int:
    """Bytes of one element in a BinaryArray."""
    code = FIXED_FORMATS.get(type(element))
    return SLOT if code is None else _FIXED_SIZES[code]


def array_header_size(count: int) -> int:
    """Bytes of a BinaryArray before its first element: the count and the null bits."""
    return 4 + (count + 31) // 32 * 4


def is_long_timestamp(data_type: DataType) -> bool:
    """Whether nanoseconds are in the slot and milliseconds in the variable part."""
    return isinstance(data_type, (TimestampType, LocalZonedTimestampType)) and data_type.precision > 3


def reserved_area(data_type: DataType) -> int:
    """Bytes that a row reserves in its variable part even when the field is null."""
    if isinstance(data_type, DecimalType) and not data_type.is_compact:
        return DECIMAL_AREA
    return TIMESTAMP_AREA if is_long_timestamp(data_type) else 0
