"""VARIANT values: their binary form -> JSON. Spec: 04, A6.

A value is a tree of nodes; the first byte of a node says what it is. Member names are numbers
of a dictionary, the metadata.

    low 2 bits   0 primitive, 1 short text, 2 object, 3 array
    high 6 bits  the primitive's type, the text's length, or the widths of counts and offsets
"""

from __future__ import annotations

import base64
import json
import struct
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Context, Decimal
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from core.errors import FormatError, UnsupportedError

VERSION = 1
_PRIMITIVE, _SHORT_TEXT, _OBJECT = 0, 1, 2
_MAX_DEPTH = 200
_EPOCH = datetime(1970, 1, 1)
_EXACT = Context(prec=80)  # Python's own rounds at 28 digits


def variant_to_json(value: bytes, metadata: bytes) -> str:
    """The JSON text of a VARIANT: what JSON has no form for is text, as Paimon prints it.

    Raises:
        FormatError: the bytes are no variant. UnsupportedError: a version or type that we do not know.
    """
    return _json_text(variant_value(value, metadata))


def variant_value(value: bytes, metadata: bytes) -> Any:
    """The value as dicts, lists, texts, numbers, booleans and None; raises as `variant_to_json`."""
    try:
        return _Decoder(value, _names(metadata), budget=len(value)).node(0, 0)
    except (struct.error, IndexError, UnicodeDecodeError, OverflowError) as error:
        raise FormatError(f"not a variant: {error}", found=value[:16].hex()) from error


def _json_text(value: Any) -> str:
    """As `json.dumps`, with every digit of a decimal."""
    match value:
        case dict():
            return "{" + ", ".join(f"{_json_text(k)}: {_json_text(v)}" for k, v in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_json_text, value)) + "]"
        case Decimal():
            return f"{value:f}"
        case _:
            return json.dumps(value, ensure_ascii=False)


def _names(metadata: bytes) -> list[str]:
    """The dictionary of member names."""
    if not metadata:
        raise FormatError("a variant without metadata")
    if metadata[0] & 0x0F != VERSION:
        raise UnsupportedError(
            "a variant of another version", feature=f"variant version {metadata[0] & 0x0F}"
        )
    width = (metadata[0] >> 6) + 1
    count = _number(metadata, 1, width)
    start = 1 + width * (count + 2)
    if start > len(metadata):
        raise FormatError("the names of a variant do not fit into its metadata", found=count)
    bounds = [_number(metadata, 1 + width * (i + 1), width) for i in range(count + 1)]
    return [metadata[start + a : start + b].decode() for a, b in pairwise(bounds)]


def _number(data: bytes, at: int, width: int) -> int:
    piece = data[at : at + width]
    if len(piece) < width:
        raise FormatError("a variant ends within a number", offset=at)
    return int.from_bytes(piece, "little")


@dataclass(slots=True)
class _Decoder:
    data: bytes
    names: list[str]
    budget: int  # nodes that can still be there: each takes a byte, so shared ones cannot blow up

    def node(self, at: int, depth: int) -> Any:
        self.budget -= 1
        if self.budget < 0 or depth > _MAX_DEPTH:
            raise FormatError("a variant is nested too deeply, or in itself", offset=at)
        head = self.data[at]
        basic, header = head & 3, head >> 2
        if basic == _PRIMITIVE:
            return self._primitive(header, at + 1)
        if basic == _SHORT_TEXT:
            return self._piece(at + 1, header).decode()
        if basic == _OBJECT:
            return self._object(header, at + 1, depth)
        return self._array(header, at + 1, depth)

    def _primitive(self, kind: int, at: int) -> Any:
        if kind in _LONG:
            length = _number(self.data, at, 4)
            return _LONG[kind](self._piece(at + 4, length))
        if kind not in _FIXED:
            raise UnsupportedError("a variant of an unknown type", feature=f"variant type {kind}")
        size, convert = _FIXED[kind]
        return convert(self._piece(at, size))

    def _piece(self, at: int, length: int) -> bytes:
        piece = self.data[at : at + length]
        if len(piece) < length:
            raise FormatError("a variant ends within a value", offset=at, expected=length, found=len(piece))
        return piece

    def _object(self, header: int, at: int, depth: int) -> dict[str, Any]:
        offset_width, id_width = (header & 3) + 1, (header >> 2 & 3) + 1
        count, ids = self._count(at, large=bool(header >> 4 & 1), width=offset_width + id_width)
        offsets = ids + count * id_width
        values = offsets + (count + 1) * offset_width
        members = {}
        for i in range(count):
            name = self.names[_number(self.data, ids + i * id_width, id_width)]
            offset = _number(self.data, offsets + i * offset_width, offset_width)
            members[name] = self.node(values + offset, depth + 1)
        return members

    def _array(self, header: int, at: int, depth: int) -> list[Any]:
        width = (header & 3) + 1
        count, offsets = self._count(at, large=bool(header >> 2 & 1), width=width)
        values = offsets + (count + 1) * width
        return [
            self.node(values + _number(self.data, offsets + i * width, width), depth + 1)
            for i in range(count)
        ]

    def _count(self, at: int, *, large: bool, width: int) -> tuple[int, int]:
        """Number of elements, and where their numbers begin."""
        size = 4 if large else 1
        count = _number(self.data, at, size)
        if count * width > len(self.data):
            raise FormatError("a variant has more elements than bytes", offset=at, found=count)
        return count, at + size


def _integer(piece: bytes) -> int:
    return int.from_bytes(piece, "little", signed=True)


def _decimal(piece: bytes) -> Decimal:
    return Decimal(_integer(piece[1:])).scaleb(-piece[0], _EXACT)


def _real(layout: str) -> Callable[[bytes], Any]:
    def convert(piece: bytes) -> Any:
        (number,) = struct.unpack(layout, piece)
        return number if number == number and abs(number) != float("inf") else str(number)

    return convert


def _moment(ticks_a_second: int, suffix: str) -> Callable[[bytes], str]:
    def convert(piece: bytes) -> str:
        seconds, ticks = divmod(_integer(piece), ticks_a_second)
        digits = len(str(ticks_a_second)) - 1
        return f"{_EPOCH + timedelta(seconds=seconds)}.{ticks:0{digits}d}{suffix}"

    return convert


def _time(piece: bytes) -> str:
    return str((_EPOCH + timedelta(microseconds=_integer(piece))).time())


def _date(piece: bytes) -> str:
    return str(date(1970, 1, 1) + timedelta(days=_integer(piece)))


_Conversion = Callable[[bytes], Any]
_FIXED: Mapping[int, tuple[int, _Conversion]] = MappingProxyType(
    {
        0: (0, lambda _: None),
        1: (0, lambda _: True),
        2: (0, lambda _: False),
        3: (1, _integer),
        4: (2, _integer),
        5: (4, _integer),
        6: (8, _integer),
        7: (8, _real("<d")),
        8: (5, _decimal),
        9: (9, _decimal),
        10: (17, _decimal),
        11: (4, _date),
        12: (8, _moment(10**6, "+00:00")),
        13: (8, _moment(10**6, "")),
        14: (4, _real("<f")),
        17: (8, _time),
        18: (8, _moment(10**9, "+00:00")),
        19: (8, _moment(10**9, "")),
        20: (16, lambda piece: str(uuid.UUID(bytes=piece))),
    }
)
_LONG: Mapping[int, _Conversion] = MappingProxyType(
    {15: lambda piece: base64.b64encode(piece).decode(), 16: lambda piece: piece.decode()}
)
