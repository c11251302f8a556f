"""Thrift's compact protocol, as far as the metadata of parquet files uses it: bytes <-> values.

A struct is a dict by field id; each value stands beside its kind, so that what was read can
be written again. There are no maps in parquet's metadata.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from core.errors import FormatError

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, STRUCT = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12)

Struct: TypeAlias = dict[int, tuple[int, Any]]
"""Field id -> kind and value. The value of a list is the kind of its elements and the elements."""

_LONG_LIST = 15
_DEEPEST = 32  # levels; parquet's own has six


def decode_struct(data: bytes, position: int = 0) -> Struct:
    """The struct that starts at `position`.

    Raises:
        FormatError: the bytes end within it, or are none of the protocol.
    """
    return _Reader(data, position).struct(0)


def encode_struct(struct: Struct) -> bytes:
    """The bytes of a struct; ids ascend."""
    parts, last = bytearray(), 0
    for field_id in sorted(struct):
        kind, value = struct[field_id]
        if kind in (TRUE, FALSE):
            kind = TRUE if value else FALSE
        delta = field_id - last
        parts += bytes([delta << 4 | kind]) if delta <= 15 else bytes([kind]) + _zigzag(field_id)
        parts += _encode(kind, value)
        last = field_id
    return bytes(parts) + b"\0"


def _encode(kind: int, value: Any) -> bytes:
    match kind:
        case 1 | 2:
            return b""
        case 3:
            return bytes([value & 0xFF])
        case 4 | 5 | 6:
            return _zigzag(value)
        case 7:
            return bytes(value)
        case 8:
            return _varint(len(value)) + bytes(value)
        case 9 | 10:
            element, elements = value
            count = len(elements)
            head = bytes([min(count, _LONG_LIST) << 4 | element])
            head += _varint(count) if count >= _LONG_LIST else b""
            if element in (TRUE, FALSE):
                return head + bytes(TRUE if one else FALSE for one in elements)
            return head + b"".join(_encode(element, one) for one in elements)
        case _:
            return encode_struct(value)


def _zigzag(number: int) -> bytes:
    return _varint((number << 1) ^ (number >> 63))


def _varint(number: int) -> bytes:
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


class _Reader:
    __slots__ = ("_data", "_position")

    def __init__(self, data: bytes, position: int) -> None:
        self._data = data
        self._position = position

    def struct(self, depth: int) -> Struct:
        if depth > _DEEPEST:
            raise FormatError("metadata is nested too deeply", offset=self._position, limit=_DEEPEST)
        fields: Struct = {}
        last = 0
        while head := self._byte():
            delta, kind = head >> 4, head & 0x0F
            last = last + delta if delta else self._signed()
            fields[last] = (kind, self._value(kind, depth))
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        match kind:
            case 1 | 2:
                return kind == TRUE
            case 3:
                return self._byte()
            case 4 | 5 | 6:
                return self._signed()
            case 7:
                return self._take(8)
            case 8:
                return self._take(self._varint())
            case 9 | 10:
                return self._list(depth)
            case 12:
                return self.struct(depth + 1)
            case _:
                raise FormatError("a value of unknown kind", offset=self._position, found=kind)

    def _list(self, depth: int) -> tuple[int, list[Any]]:
        head = self._byte()
        count, element = head >> 4, head & 0x0F
        if count == _LONG_LIST:
            count = self._varint()
        if count > len(self._data) - self._position:  # each element takes a byte at least
            raise FormatError("a list is longer than its bytes", offset=self._position, found=count)
        if element in (TRUE, FALSE):
            return element, [self._byte() == TRUE for _ in range(count)]
        return element, [self._value(element, depth) for _ in range(count)]

    def _byte(self) -> int:
        if self._position >= len(self._data):
            raise FormatError("metadata ends within a value", offset=self._position)
        self._position += 1
        return self._data[self._position - 1]

    def _varint(self) -> int:
        if (byte := self._byte()) < 0x80:
            return byte
        value, shift = byte & 0x7F, 7
        while (byte := self._byte()) & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
            if shift > 63:
                raise FormatError("a number of more than 64 bits", offset=self._position)
        return value | byte << shift

    def _signed(self) -> int:
        number = self._varint()
        return (number >> 1) ^ -(number & 1)

    def _take(self, count: int) -> bytes:
        end = self._position + count
        if end > len(self._data):
            raise FormatError("metadata ends within a value", offset=self._position, expected=count)
        taken = self._data[self._position : end]
        self._position = end
        return taken
