"""Roaring bitmaps in the portable format: the only place that touches pyroaring's bytes. Spec: 05, 1."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap

from core.errors import FormatError

_COOKIE_NO_RUNS = 12346
_COOKIE_RUNS = 12347
_OFFSETS_FROM = 4  # with runs, the offset header is written from this many containers on


def bitmap_of(rows: npt.NDArray[Any]) -> BitMap:
    """The set of some row numbers."""
    numbers = array("I")
    numbers.frombytes(rows.astype(np.uint32).tobytes())
    return BitMap(numbers)


def encode_bitmap(bitmap: BitMap) -> bytes:
    """The bytes that Java writes for the same set (it optimizes runs first)."""
    optimized = BitMap(bitmap)
    optimized.run_optimize()
    return bytes(optimized.serialize())


def decode_bitmap(data: bytes) -> BitMap:
    """The set in `data`, which may go on behind the bitmap.

    Raises:
        FormatError: these bytes are no bitmap.
    """
    try:
        return BitMap.deserialize(data)
    except (ValueError, IndexError) as error:
        raise FormatError("not a roaring bitmap", found=data[:8].hex() or "nothing") from error


def bitmap_size(data: bytes, offset: int = 0) -> int:
    """How many bytes the bitmap at `offset` takes, for streams that hold several without lengths."""
    cookie = _little(data, offset, 4)
    if cookie & 0xFFFF == _COOKIE_RUNS:
        count = (cookie >> 16) + 1
        run_flags = _slice(data, offset + 4, (count + 7) // 8)
        keys = offset + 4 + len(run_flags)
        head = keys + 4 * count + (4 * count if count >= _OFFSETS_FROM else 0)
    elif cookie == _COOKIE_NO_RUNS:
        count = _little(data, offset + 4, 4)
        run_flags = b""
        keys = offset + 8
        head = keys + 8 * count
    else:
        raise FormatError("not a roaring bitmap", offset=offset, found=hex(cookie))
    position = head
    for index in range(count):
        if run_flags and run_flags[index // 8] >> (index % 8) & 1:
            position += 2 + 4 * _little(data, position, 2)
            continue
        cardinality = _little(data, keys + 4 * index + 2, 2) + 1
        position += 2 * cardinality if cardinality <= 4096 else 8192
    _slice(data, offset, position - offset)
    return position - offset


def _slice(data: bytes, offset: int, length: int) -> bytes:
    part = data[offset : offset + length]
    if len(part) != length:
        raise FormatError("roaring bitmap is cut", offset=offset, expected=length, found=len(part))
    return part


def _little(data: bytes, offset: int, width: int) -> int:
    return int.from_bytes(_slice(data, offset, width), "little")
