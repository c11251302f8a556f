"""Values -> BinaryRow, one row at a time: the clear form of `columns.py`. Spec: 03, 1."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import Any

from core.binary.layout import (
    DECIMAL_AREA,
    FIXED_FORMATS,
    HEADER_BITS,
    INLINE_FLAG,
    INLINE_MAX,
    array_header_size,
    element_width,
    fixed_size,
    is_long_timestamp,
    null_bytes,
    padded,
    reserved_area,
)
from core.binary.row import BinaryRow
from core.errors import InvalidRequestError, UnsupportedError
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
from core.types.row_kind import RowKind

_COUNT = IntType(nullable=False)  # the values of a MULTISET


def encode_row(types: Sequence[DataType], values: Sequence[Any], kind: RowKind = RowKind.INSERT) -> BinaryRow:
    """The row of `values`, in the projection form: nulls keep their reserved areas. Spec: 03, 1.2.

    Raises:
        InvalidRequestError: a value does not fit its type.
        UnsupportedError: a type without a binary form.
    """
    if len(types) != len(values):
        raise InvalidRequestError(
            "a row needs one value for each type", expected=len(types), found=len(values)
        )
    writer = _Writer(fixed_size(len(types)))
    writer.data[0] = kind
    slots = null_bytes(len(types))
    for i, (data_type, value) in enumerate(zip(types, values, strict=True)):
        if value is None:
            writer.set_bit(0, HEADER_BITS + i)
            writer.reserve(slots + 8 * i, reserved_area(data_type))
        else:
            writer.put(slots + 8 * i, data_type, value)
    return BinaryRow(len(types), bytes(writer.data))


class _Writer:
    """A fixed part that is filled in place, and a variable part that grows behind it."""

    def __init__(self, size: int) -> None:
        self.data = bytearray(size)

    def set_bit(self, start: int, bit: int) -> None:
        self.data[start + bit // 8] |= 1 << bit % 8

    def reserve(self, slot: int, size: int) -> None:
        """Point `slot` to a zero area of `size` bytes with length 0; nothing when size is 0."""
        if size:
            struct.pack_into("<ii", self.data, slot, 0, len(self.data))
            self.data += bytes(size)

    def put(self, slot: int, data_type: DataType, value: Any) -> None:
        try:
            self._put(slot, data_type, value)
        except (struct.error, TypeError, AttributeError, OverflowError, ValueError) as error:
            raise InvalidRequestError(
                "a value does not fit its type", type=data_type, value=repr(value)
            ) from error

    def _put(self, slot: int, data_type: DataType, value: Any) -> None:
        code = FIXED_FORMATS.get(type(data_type))
        if code is not None:
            struct.pack_into("<" + code, self.data, slot, value)
            return
        match data_type:
            case TimestampType() | LocalZonedTimestampType():
                self._put_timestamp(slot, data_type, value)
            case DecimalType():
                self._put_decimal(slot, data_type, value)
            case CharType() | VarCharType():
                self._put_bytes(slot, value.encode())
            case BinaryType() | VarBinaryType() | BlobType() | GeometryType() | GeographyType():
                self._put_bytes(slot, bytes(value))
            case _:
                self._put_area(slot, encode_nested(data_type, value))

    def _put_timestamp(self, slot: int, data_type: DataType, value: Any) -> None:
        if not is_long_timestamp(data_type):
            struct.pack_into("<q", self.data, slot, value.millis)
            return
        struct.pack_into("<ii", self.data, slot, value.nanos_of_milli, len(self.data))
        self.data += struct.pack("<q", value.millis)

    def _put_decimal(self, slot: int, data_type: DecimalType, value: Decimal) -> None:
        unscaled = unscaled_value(value, data_type)
        if data_type.is_compact:
            struct.pack_into("<q", self.data, slot, unscaled)
            return
        minimal = unscaled.to_bytes(minimal_size(unscaled), "big", signed=True)
        struct.pack_into("<ii", self.data, slot, len(minimal), len(self.data))
        self.data += minimal.ljust(DECIMAL_AREA, b"\0")

    def _put_bytes(self, slot: int, value: bytes) -> None:
        if len(value) > INLINE_MAX:
            self._put_area(slot, value)
            return
        self.data[slot : slot + len(value)] = value
        self.data[slot + 7] = INLINE_FLAG | len(value)

    def _put_area(self, slot: int, value: bytes) -> None:
        struct.pack_into("<ii", self.data, slot, len(value), len(self.data))
        self.data += value.ljust(padded(len(value)), b"\0")


def encode_nested(data_type: DataType, value: Any) -> bytes:
    """The bytes of an ARRAY, MAP, MULTISET, ROW, VARIANT or VECTOR value. Spec: 03, 1.3."""
    match data_type:
        case ArrayType():
            return _encode_array(data_type.element, value)
        case MapType():
            return _encode_map(data_type.key, data_type.value, value)
        case MultisetType():
            return _encode_map(data_type.element, _COUNT, value)
        case RowType():
            return encode_row([f.type for f in data_type.fields], value).data
        case VariantType():
            body, metadata = value
            return struct.pack("<i", len(body)) + bytes(body) + bytes(metadata)
        case VectorType():
            if len(value) != data_type.length:
                raise ValueError("a VECTOR has a fixed length")
            code = FIXED_FORMATS[type(data_type.element)]
            return struct.pack(f"<i{len(value)}{code}", len(value), *value)
        case _:
            raise UnsupportedError("no binary form for this type", feature=data_type)


def _encode_array(element: DataType, values: Sequence[Any]) -> bytes:
    width = element_width(element)
    start = array_header_size(len(values))
    writer = _Writer(padded(start + width * len(values)))
    struct.pack_into("<i", writer.data, 0, len(values))
    for i, value in enumerate(values):
        if value is None:
            writer.set_bit(4, i)
        else:
            writer.put(start + width * i, element, value)
    return bytes(writer.data)


def _encode_map(key: DataType, value: DataType, entries: Sequence[tuple[Any, Any]]) -> bytes:
    keys = _encode_array(key, [k for k, _ in entries])
    return struct.pack("<i", len(keys)) + keys + _encode_array(value, [v for _, v in entries])


def unscaled_value(value: Decimal, data_type: DecimalType) -> int:
    """The digits of `value` at the type's scale as an integer.

    Raises:
        ValueError: digits would be lost, or there are more than the precision.
    """
    with localcontext() as context:
        context.prec = 80  # beyond any DECIMAL, so that nothing is rounded on the way
        scaled = Decimal(value).scaleb(data_type.scale)
        unscaled = int(scaled)
        if unscaled != scaled or len(str(abs(unscaled))) > data_type.precision:
            raise ValueError(f"{value} is not a {data_type}")
    return unscaled


def minimal_size(unscaled: int) -> int:
    """Bytes of the shortest two's complement form, at least 1."""
    magnitude = unscaled if unscaled >= 0 else ~unscaled
    return magnitude.bit_length() // 8 + 1
