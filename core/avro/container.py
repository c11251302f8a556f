"""Avro object container files: header and blocks, packed and unpacked. Spec: 02, 1."""

from __future__ import annotations

import bz2
import json
import lzma
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

import cramjam

from core.avro.unpack import (
    Unpack,
    unpack_bzip2,
    unpack_deflate,
    unpack_snappy,
    unpack_xz,
    unpack_zstd,
)
from core.errors import FormatError, UnsupportedError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAGIC = b"Obj\x01"
_SYNC = 16
_MAX_VARINT = 10
BLOCK_BYTES = 256 << 20
"""The most that a block may hold, unpacked: a few packed bytes can stand for any number of them."""
_PIECE = 16 << 20  # bytes that are read at once


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of a container, unpacked."""

    count: int  # rows
    data: bytes


@dataclass(frozen=True, slots=True)
class Container:
    """An opened container; `blocks` reads on as it is consumed."""

    schema_text: str  # the writer schema, as written
    schema: Any  # the same, as json.loads gives it
    codec: str
    blocks: Iterator[Block]


def open_container(file: IO[bytes]) -> Container:
    """The header of a container and its blocks to come.

    Raises:
        FormatError: not an Avro container, or cut. UnsupportedError: another codec.
    """
    if file.read(4) != MAGIC:
        raise FormatError("not an Avro object container", offset=0, expected=MAGIC)
    metadata = _read_metadata(file)
    sync = _read(file, _SYNC)
    text = metadata.get("avro.schema", b"").decode(errors="replace")
    codec = metadata.get("avro.codec", b"null").decode(errors="replace")
    if codec not in _UNPACK:
        raise UnsupportedError("an unknown Avro codec", feature=f"Avro codec {codec}")
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError("the Avro schema is not JSON", found=text[:200]) from error
    return Container(text, schema, codec, _iter_blocks(file, codec, sync))


def _read_metadata(file: IO[bytes]) -> dict[str, bytes]:
    metadata: dict[str, bytes] = {}
    while count := _read_long(file):
        if count < 0:  # then the size in bytes follows
            count = -count
            _read_long(file)
        for _ in range(count):
            key = _read(file, _read_long(file)).decode(errors="replace")
            metadata[key] = _read(file, _read_long(file))
    return metadata


def _iter_blocks(file: IO[bytes], codec: str, sync: bytes) -> Iterator[Block]:
    unpack = _UNPACK[codec]
    while (first := file.read(1)) != b"":
        count, size = _read_long(file, first), _read_long(file)
        if count < 0 or size < 0:
            raise FormatError("an Avro block has a negative size", count=count, found=size)
        packed = _read(file, size)
        if _read(file, _SYNC) != sync:
            raise FormatError("an Avro block does not end with the sync marker", expected=sync.hex())
        try:
            data = unpack(packed, BLOCK_BYTES)
        except FormatError as error:
            raise FormatError(f"an Avro block: {error.what}", codec=codec, **error.fields) from error
        if count:
            yield Block(count, data)


@dataclass(frozen=True, slots=True)
class BlockHead:
    """What stands before a block."""

    count: int  # rows
    offset: int  # of its rows in the file
    size: int  # bytes, packed


def iter_block_heads(file: IO[bytes]) -> Iterator[BlockHead]:
    """The blocks of an opened container, none of them read: for a file object that can seek.

    Raises:
        FormatError: the file is cut.
    """
    start = file.tell()
    end = file.seek(0, os.SEEK_END)
    while start < end:
        file.seek(start)
        count, size = _read_long(file), _read_long(file)
        offset = file.tell()
        start = offset + size + _SYNC
        if count < 0 or size < 0 or start > end:
            raise FormatError("an Avro block reaches past its file", count=count, found=size)
        yield BlockHead(count, offset, size)


def _read(file: IO[bytes], size: int) -> bytes:
    """So many bytes; a size that is wrong takes no more memory than the file has bytes."""
    data = file.read(size) if 0 <= size <= _PIECE else _read_in_pieces(file, size)
    if len(data) != size:
        raise FormatError("an Avro file is cut", expected=size, found=len(data))
    return data


def _read_in_pieces(file: IO[bytes], size: int) -> bytes:
    pieces: list[bytes] = []
    while size > 0 and (piece := file.read(min(size, _PIECE))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _read_long(file: IO[bytes], first: bytes = b"") -> int:
    value = 0
    for i in range(_MAX_VARINT):
        byte = (first or _read(file, 1))[0]
        first = b""
        value |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return value >> 1 ^ -(value & 1)
    raise FormatError("an Avro number is too long")


def _unpack_snappy(packed: bytes, most: int) -> bytes:
    """Raw snappy, then a CRC-32 of the content, big endian."""
    data = unpack_snappy(packed[:-4], most)
    if zlib.crc32(data) != int.from_bytes(packed[-4:], "big"):
        raise FormatError("the checksum of packed bytes differs")
    return data


_UNPACK: Mapping[str, Unpack] = {
    "null": lambda packed, most: packed,
    "deflate": unpack_deflate,
    "snappy": _unpack_snappy,
    "bzip2": unpack_bzip2,
    "xz": unpack_xz,
    "zstandard": unpack_zstd,
}


class ContainerWriter:
    """Writes a container block by block."""

    def __init__(self, file: IO[bytes], schema: Any, codec: str = "zstandard", level: int = 1) -> None:
        """Write the header; `codec` is Avro's name, `level` only counts for zstandard.

        Raises:
            UnsupportedError: another codec.
        """
        if codec not in _PACK:
            raise UnsupportedError("an unknown Avro codec", feature=f"Avro codec {codec}")
        self._file = file
        self._pack = _PACK[codec]
        self._level = level
        self._sync = os.urandom(_SYNC)
        metadata = {"avro.schema": json.dumps(schema).encode(), "avro.codec": codec.encode()}
        pairs = (_long(len(part)) + part for k, v in metadata.items() for part in (k.encode(), v))
        file.write(MAGIC + _long(len(metadata)) + b"".join(pairs) + _long(0) + self._sync)

    def write(self, block: Block) -> None:
        packed = self._pack(block.data, self._level)
        self._file.write(_long(block.count) + _long(len(packed)) + packed + self._sync)


def _long(value: int) -> bytes:
    """Zigzag of a number that is not negative."""
    value <<= 1
    data = bytearray()
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*data, value])


def _pack_deflate(data: bytes, level: int) -> bytes:
    return zlib.compress(data, wbits=-zlib.MAX_WBITS)


def _pack_snappy(data: bytes, level: int) -> bytes:
    return bytes(cramjam.snappy.compress_raw(data)) + zlib.crc32(data).to_bytes(4, "big")


_PACK: Mapping[str, Callable[[bytes, int], bytes]] = {
    "null": lambda data, level: data,
    "deflate": _pack_deflate,
    "snappy": _pack_snappy,
    "bzip2": lambda data, level: bz2.compress(data),
    "xz": lambda data, level: lzma.compress(data),
    "zstandard": lambda data, level: zstd.compress(data, level),
}
