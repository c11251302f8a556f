"""What an ORC file says of itself: its stripes, its columns, and the streams of a stripe.

Messages are protobuf, of which a few members are needed.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from core.avro.unpack import unpack_deflate, unpack_lz4, unpack_snappy, unpack_zstd
from core.errors import FormatError

LENGTH = 2  # Stream.kind: of texts, lists and maps, and of the texts of a dictionary
DIRECT_V2, DICTIONARY_V2 = 2, 3  # ColumnEncoding.kind

_MAGIC = b"ORC"
_DECIMAL = 14  # Type.kind
_MOST_DIGITS = 38
_MOST_TAIL = 64 << 20  # bytes, unpacked
_UNPACK: Mapping[int, Callable[[bytes, int], bytes]] = {
    1: unpack_deflate,
    2: unpack_snappy,
    4: unpack_lz4,
    5: unpack_zstd,
}  # by CompressionKind; 0 is none, 3 is LZO, which Paimon's writers do not take
_LZO = 3


@dataclass(frozen=True, slots=True)
class Chunks:
    """How the bytes of a file are packed."""

    kind: int
    most: int  # bytes of one chunk, unpacked

    @property
    def is_known(self) -> bool:
        return self.kind == 0 or self.kind in _UNPACK

    def unpack(self, data: bytes) -> bytes:
        """Chunks that follow one another, each behind three bytes: its size, and whether it is packed."""
        if self.kind == 0:
            return data
        parts: list[bytes] = []
        position = 0
        while position < len(data):
            head = int.from_bytes(data[position : position + 3], "little")
            position += 3
            chunk = data[position : position + (head >> 1)]
            if len(chunk) != head >> 1:
                raise FormatError("a chunk of an ORC stream is cut", expected=head >> 1, found=len(chunk))
            position += len(chunk)
            parts.append(chunk if head & 1 else _UNPACK[self.kind](chunk, self.most))
        return b"".join(parts)


@dataclass(frozen=True, slots=True)
class Stream:
    """Some bytes of a stripe."""

    kind: int
    column: int  # the number of its type, depth first; the whole row is 0
    offset: int  # in the file
    length: int  # bytes, packed


@dataclass(frozen=True, slots=True)
class Stripe:
    """Where a stripe lies."""

    offset: int
    end: int  # of its streams: there its footer begins
    footer_length: int
    rows: int


@dataclass(frozen=True, slots=True)
class OrcTail:
    """The end of a file."""

    chunks: Chunks
    stripes: tuple[Stripe, ...]
    columns: Mapping[str, range]  # the types of each column of the top
    statistics_offset: int  # of the stripes, packed
    statistics_length: int
    size: int  # of the file, bytes
    footer: Message
    types: tuple[Message, ...]  # depth first; the whole row is the first


def read_tail(source: IO[bytes]) -> OrcTail | None:
    """What the end of a file says; None for a file packed with LZO, into which we do not look.

    Raises:
        FormatError: it is no ORC file, or holds a type that cannot be.
    """
    size = source.seek(0, 2)
    length = read_at(source, size - 1, 1)[0] if size else 0
    postscript = Message.of(read_at(source, size - 1 - length, length)) if length < size else Message({})
    if postscript.all(8000) != [_MAGIC]:
        raise FormatError("not an ORC file: its end is no postscript", offset=size)
    chunks = Chunks(postscript.number(2), postscript.number(3) or 1 << 18)
    if not chunks.is_known:
        if chunks.kind == _LZO:
            return None
        raise FormatError("an ORC file is packed in an unknown way", found=chunks.kind)
    footer_length = postscript.number(1)
    footer = Message.of(chunks.unpack(read_at(source, size - 1 - length - footer_length, footer_length)))
    types = [Message.of(data) for data in footer.all(4)]
    for kind in types:
        if kind.number(1) == _DECIMAL and not 0 <= kind.number(6) <= kind.number(5) <= _MOST_DIGITS:
            raise FormatError("no DECIMAL has so many digits", precision=kind.number(5), scale=kind.number(6))
    stripes = tuple(_stripe(Message.of(data), size) for data in footer.all(3))
    statistics_length = postscript.number(5)
    statistics_offset = size - 1 - length - footer_length - statistics_length
    columns = _columns(types)
    return OrcTail(chunks, stripes, columns, statistics_offset, statistics_length, size, footer, tuple(types))


def read_streams(source: IO[bytes], tail: OrcTail, stripe: Stripe) -> tuple[list[Stream], list[int]]:
    """The streams of a stripe in the order in which they lie, and the encoding of each type."""
    footer = Message.of(tail.chunks.unpack(read_at(source, stripe.end, stripe.footer_length)))
    streams: list[Stream] = []
    offset = stripe.offset
    for data in footer.all(1):
        member = Message.of(data)
        streams.append(Stream(member.number(1), member.number(2), offset, member.number(3)))
        offset += member.number(3)
    if offset > stripe.end:
        raise FormatError(
            "the streams of an ORC stripe reach past its end", expected=stripe.end, found=offset
        )
    return streams, [Message.of(data).number(1) for data in footer.all(2)]


def read_at(source: IO[bytes], offset: int, length: int) -> bytes:
    """Exactly these bytes of a file; `FormatError` if they are not there."""
    if offset < 0:
        raise FormatError("an ORC file is cut", expected=length, offset=offset)
    source.seek(offset)
    data = source.read(length)
    if len(data) != length:
        raise FormatError("an ORC file is cut", offset=offset, expected=length, found=len(data))
    return data


def _stripe(message: Message, size: int) -> Stripe:
    offset, index, data, footer = (message.number(field) for field in (1, 2, 3, 4))
    end = offset + index + data
    if end + footer > size:
        raise FormatError("an ORC stripe reaches past the end of its file", expected=size, found=end + footer)
    return Stripe(offset, end, footer, message.number(5))


def _columns(types: list[Message]) -> dict[str, range]:
    """The members of the top: each has the types from its own to that of the next."""
    if not types:
        raise FormatError("an ORC file has no types")
    firsts = list(types[0].numbers(2))
    names = [name.decode(errors="replace") for name in types[0].all(3)]
    ends = [*firsts[1:], len(types)]
    return {name: range(*span) for name, span in zip(names, zip(firsts, ends, strict=True), strict=False)}


@dataclass(frozen=True, slots=True)
class Message:
    """A protobuf message: the values of each member, by its number."""

    members: Mapping[int, list[Any]]

    @staticmethod
    def of(data: bytes) -> Message:
        members: dict[int, list[Any]] = {}
        position = 0
        while position < len(data):
            tag, position = varint(data, position)
            value: Any
            match tag & 7:
                case 0:
                    value, position = varint(data, position)
                case 2:
                    length, position = varint(data, position)
                    value = data[position : position + length]
                    if len(value) != length:
                        raise FormatError("a message of an ORC file is cut", expected=length)
                    position += length
                case 1 | 5 as width:
                    # Of numbers of fixed width only doubles are needed; one that is cut stays unknown.
                    fixed = data[position : position + (8 if width == 1 else 4)]
                    value = struct.unpack("<d", fixed)[0] if len(fixed) == 8 else None
                    position += 8 if width == 1 else 4
                case wire:
                    raise FormatError("a message of an ORC file has an unknown kind of member", found=wire)
            members.setdefault(tag >> 3, []).append(value)
        return Message(members)

    def all(self, member: int) -> list[bytes]:
        """Texts, messages or packed numbers."""
        values = self.members.get(member, [])
        if not all(isinstance(value, bytes) for value in values):
            raise FormatError("a message of an ORC file has a wrong kind of member", member=member)
        return values

    def numbers(self, member: int) -> Iterator[int]:
        """Of a repeated member: each by itself, or many in one."""
        for value in self.members.get(member, []):
            if isinstance(value, int):
                yield value
                continue
            position = 0
            while isinstance(value, bytes) and position < len(value):
                number, position = varint(value, position)
                yield number

    def double(self, member: int) -> float | None:
        """Of several the last counts; None where there is none."""
        value = self.members.get(member, [None])[-1]
        return value if isinstance(value, float) else None

    def number(self, member: int) -> int:
        """Of several the last counts; 0 where there is none."""
        value = self.members.get(member, [0])[-1]
        if not isinstance(value, int):
            raise FormatError("a message of an ORC file has a wrong kind of member", member=member)
        return value


def varint(data: bytes, position: int) -> tuple[int, int]:
    """The number at a position, and where the next byte is."""
    value = shift = 0
    while shift < 70:
        if position >= len(data):
            raise FormatError("a number of an ORC file is cut", offset=position)
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
    raise FormatError("a number of an ORC file is too long", offset=position)
