"""Codecs of Avro blocks and ORC chunks, which unpack no more than the caller can hold."""

from __future__ import annotations

import bz2
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import cramjam

from core.errors import FormatError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Unpack = Callable[[bytes, int], bytes]

_XZ_MEMORY = 256 << 20  # bytes of the dictionary that xz may ask for


def unpack_zstd(packed: bytes, most: int) -> bytes:
    """What `packed` holds: `FormatError` if that is damaged, or more than `most` bytes."""
    return _unpacked(zstd.ZstdDecompressor, packed, most)


def unpack_deflate(packed: bytes, most: int) -> bytes:
    """As `unpack_zstd`, of a raw deflate stream."""
    return _unpacked(lambda: zlib.decompressobj(-zlib.MAX_WBITS), packed, most, is_one_stream=True)


def unpack_bzip2(packed: bytes, most: int) -> bytes:
    """As `unpack_zstd`."""
    return _unpacked(bz2.BZ2Decompressor, packed, most)


def unpack_xz(packed: bytes, most: int) -> bytes:
    """As `unpack_zstd`."""
    return _unpacked(lambda: lzma.LZMADecompressor(memlimit=_XZ_MEMORY), packed, most)


def unpack_snappy(packed: bytes, most: int) -> bytes:
    """As `unpack_zstd`, of raw snappy, whose head tells the size."""
    size = shift = 0
    for byte in packed[:5]:
        size |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    _check_size(size, most)
    with _translated():
        return bytes(cramjam.snappy.decompress_raw(packed))


def unpack_lz4(packed: bytes, most: int) -> bytes:
    """As `unpack_zstd`, of a raw lz4 block, which packs 255 bytes into one at best."""
    buffer = bytearray(min(most, 255 * len(packed) + 64))
    with _translated():
        size = cramjam.lz4.decompress_block_into(packed, buffer)
    return bytes(memoryview(buffer)[:size])


def _unpacked(
    open_stream: Callable[[], Any], packed: bytes, most: int, *, is_one_stream: bool = False
) -> bytes:
    pieces: list[bytes] = []
    left = most
    while True:
        stream = open_stream()
        with _translated():
            piece = stream.decompress(packed, left + 1)
        _check_size(most - left + len(piece), most)
        if not stream.eof:
            raise FormatError("packed bytes are cut")
        pieces.append(piece)
        left -= len(piece)
        packed = stream.unused_data
        if is_one_stream or not packed:
            return b"".join(pieces)


def _check_size(found: int, most: int) -> None:
    if found > most:
        raise FormatError("packed bytes hold more than a reader takes at once", expected=f"{most} or less")


@contextmanager
def _translated() -> Iterator[None]:
    """Errors of the libraries as ours."""
    try:
        yield
    except _ERRORS as error:
        raise FormatError(f"packed bytes cannot be unpacked: {error}") from error


_ERRORS = (
    zstd.ZstdError,
    zlib.error,
    lzma.LZMAError,
    cramjam.DecompressionError,
    OSError,
    EOFError,
    ValueError,
)
