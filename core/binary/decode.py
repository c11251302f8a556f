"""BinaryRow -> values, one row at a time: the clear form of `columns.py`. Spec: 03, 1."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import Any

from core.binary.layout import (
    FIXED_FORMATS,
    HEADER_BITS,
    INLINE_FLAG,
    array_header_size,
    element_width,
    fixed_size,
    is_long_timestamp,
    null_bytes,
    padded,
)
from core.binary.row import BinaryRow
from core.errors import FormatError, UnsupportedError
from core.types.data_types import (
    ArrayType,
    BinaryType,
    BlobType,
    CharType,
    DataType,
    DecimalType,
    GeographyType,
    GeometryType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    RowType,
    TimestampType,
    VarBinaryType,
    VarCharType,
    VariantType,
    VectorType,
)
from core.types.timestamp import Timestamp

_COUNT = IntType(nullable=False)


def decode_row(types: Sequence[DataType], row: BinaryRow) -> tuple[Any, ...]:
    """The values of a row, one for each type.

    Raises:
        FormatError: the arity differs, or a length or offset points outside the row.
    """
    if row.arity != len(types):
        raise FormatError("a BinaryRow has another arity", expected=len(types), found=row.arity)
    return _decode_fields(types, row.data)


def decode_field(types: Sequence[DataType], row: BinaryRow, place: int) -> Any:
    """The value at one place of a row, for which the others are not decoded.

    Raises:
        FormatError: as `decode_row`.
    """
    if row.arity != len(types):
        raise FormatError("a BinaryRow has another arity", expected=len(types), found=row.arity)
    if len(row.data) < fixed_size(len(types)):
        raise FormatError("a BinaryRow is cut", expected=fixed_size(len(types)), found=len(row.data))
    if _bit(row.data, 0, HEADER_BITS + place):
        return None
    return _decode(types[place], row.data, null_bytes(len(types)) + 8 * place)


def _decode_fields(types: Sequence[DataType], data: bytes) -> tuple[Any, ...]:
    if len(data) < fixed_size(len(types)):
        raise FormatError("a BinaryRow is cut", expected=fixed_size(len(types)), found=len(data))
    slots = null_bytes(len(types))
    return tuple(
        None if _bit(data, 0, HEADER_BITS + i) else _decode(data_type, data, slots + 8 * i)
        for i, data_type in enumerate(types)
    )


def _decode(data_type: DataType, data: bytes, slot: int) -> Any:
    code = FIXED_FORMATS.get(type(data_type))
    if code is not None:
        return struct.unpack_from("<" + code, data, slot)[0]
    match data_type:
        case TimestampType() | LocalZonedTimestampType():
            return _decode_timestamp(data_type, data, slot)
        case DecimalType(is_compact=True):
            return decimal_value(struct.unpack_from("<q", data, slot)[0], data_type.scale)
        case DecimalType():
            return decimal_value(int.from_bytes(_area(data, slot), "big", signed=True), data_type.scale)
        case CharType() | VarCharType():
            return _text(_bytes(data, slot))
        case BinaryType() | VarBinaryType() | BlobType() | GeometryType() | GeographyType():
            return _bytes(data, slot)
        case _:
            return decode_nested(data_type, _area(data, slot))


def _decode_timestamp(data_type: DataType, data: bytes, slot: int) -> Timestamp:
    if not is_long_timestamp(data_type):
        return Timestamp(struct.unpack_from("<q", data, slot)[0])
    nanos, offset = struct.unpack_from("<ii", data, slot)
    return Timestamp(struct.unpack("<q", _slice(data, offset, 8))[0], nanos)


def decode_nested(data_type: DataType, data: bytes) -> Any:
    """The value of an ARRAY, MAP, MULTISET, ROW, VARIANT or VECTOR. Spec: 03, 1.3."""
    match data_type:
        case ArrayType():
            return _decode_array(data_type.element, data)
        case MapType():
            return _decode_map(data_type.key, data_type.value, data)
        case MultisetType():
            return _decode_map(data_type.element, _COUNT, data)
        case RowType():
            return _decode_fields([f.type for f in data_type.fields], data)
        case VariantType():
            size = _int32(data, 0)
            return _slice(data, 4, size), data[4 + size :]
        case VectorType():
            return _decode_vector(data_type, data)
        case _:
            raise UnsupportedError("no binary form for this type", feature=data_type)


def _decode_vector(data_type: VectorType, data: bytes) -> list[Any]:
    count = _int32(data, 0)
    if count != data_type.length:
        raise FormatError("a VECTOR has another length", expected=data_type.length, found=count)
    packed = _slice(data, 4, count * element_width(data_type.element))
    return list(struct.unpack(f"<{count}{FIXED_FORMATS[type(data_type.element)]}", packed))


def _decode_array(element: DataType, data: bytes) -> list[Any]:
    count = _int32(data, 0)
    width, start = element_width(element), array_header_size(count)
    _slice(data, 0, padded(start + width * count))  # all elements are there
    return [None if _bit(data, 4, i) else _decode(element, data, start + width * i) for i in range(count)]


def _decode_map(key: DataType, value: DataType, data: bytes) -> list[tuple[Any, Any]]:
    size = _int32(data, 0)
    keys = _decode_array(key, _slice(data, 4, size))
    values = _decode_array(value, data[4 + size :])
    if len(keys) != len(values):
        raise FormatError("a MAP has more keys than values or fewer", expected=len(keys), found=len(values))
    return list(zip(keys, values, strict=True))


def _bytes(data: bytes, slot: int) -> bytes:
    last = data[slot + 7]
    if not last & INLINE_FLAG:
        return _area(data, slot)
    size = last & ~INLINE_FLAG
    if size > 7:
        raise FormatError("an inlined value is longer than its slot", offset=slot, found=size)
    return data[slot : slot + size]


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise FormatError("text is not UTF-8", found=data) from error


def _area(data: bytes, slot: int) -> bytes:
    size, offset = struct.unpack_from("<ii", data, slot)
    return _slice(data, offset, size)


def _slice(data: bytes, offset: int, size: int) -> bytes:
    if offset < 0 or size < 0 or offset + size > len(data):
        raise FormatError("an area lies outside the row", offset=offset, expected=size, found=len(data))
    return data[offset : offset + size]


def _int32(data: bytes, offset: int) -> int:
    value = int.from_bytes(_slice(data, offset, 4), "little", signed=True)
    if value < 0:
        raise FormatError("a length is negative", offset=offset, found=value)
    return value


def _bit(data: bytes, start: int, bit: int) -> bool:
    return bool(data[start + bit // 8] & 1 << bit % 8)


def decimal_value(unscaled: int, scale: int) -> Decimal:
    """`unscaled` * 10^-scale with exactly `scale` digits after the point."""
    with localcontext() as context:
        context.prec = 80
        return Decimal(unscaled).scaleb(-scale)
