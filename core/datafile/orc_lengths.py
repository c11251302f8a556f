"""Lengths in an ORC stripe that no value can have, told before Arrow decodes it.

Arrow's decoder believes the lengths of texts, lists and maps: one below zero ends the process. They
stand in streams of their own, as runs of whole numbers in four encodings ("RLE version 2"):

    short repeat   one value, up to ten times
    direct         values of a fixed width in bits: none is below zero, unless it has all 64
    patched base   the same above a base, which has a sign
    delta          a base, a first step with a sign, further steps of a fixed width in its direction

So only the heads of runs are looked at, and the steps where they go down.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO

import numpy as np

from core.datafile.orc_tail import DICTIONARY_V2, DIRECT_V2, LENGTH, OrcTail, read_at, read_streams, varint
from core.errors import FormatError

_WIDTHS = (*range(1, 25), 26, 28, 30, 32, 40, 48, 56, 64)  # by their codes
_MOST = 1 << 32  # no text and no list is as long


def check_lengths(source: IO[bytes], tail: OrcTail, stripe: int, columns: Iterable[str]) -> None:
    """Nothing if the lengths of these columns can be.

    Raises:
        FormatError: one is below zero or beyond 4 GiB, or the stripe is damaged otherwise.
    """
    types = {number for name in columns for number in tail.columns.get(name, ())}
    streams, encodings = read_streams(source, tail, tail.stripes[stripe])
    for stream in streams:
        if stream.kind != LENGTH or stream.column not in types or stream.column >= len(encodings):
            continue
        if encodings[stream.column] in (DIRECT_V2, DICTIONARY_V2):
            runs = tail.chunks.unpack(read_at(source, stream.offset, stream.length))
            _check_runs(runs, stream.column)


def _check_runs(data: bytes, column: int) -> None:
    position = 0
    while position < len(data):
        head = data[position]
        least, most, position = _READERS[head >> 6](data, position)
        if least < 0 or most >= _MOST:
            raise FormatError(
                "a length in an ORC stripe that cannot be", column=column, least=least, most=most
            )
        if position > len(data):
            raise FormatError("the lengths of an ORC stripe are cut", column=column)


Bounds = tuple[int, int, int]  # the least and the most value of a run at most, and where the next run is


def _short_repeat(data: bytes, position: int) -> Bounds:
    width = (data[position] >> 3 & 7) + 1
    value = int.from_bytes(data[position + 1 : position + 1 + width], "big")
    return value, value, position + 1 + width


def _direct(data: bytes, position: int) -> Bounds:
    width, count = _width_and_count(data, position)
    # A writer takes the least width that does; one that could hold more is no length.
    return 0, 0 if width <= 32 else _MOST, position + 2 + _bytes(width * count)


def _patched_base(data: bytes, position: int) -> Bounds:
    width, count = _width_and_count(data, position)
    third, fourth = data[position + 2 : position + 4].ljust(2, b"\0")
    base_bytes, patch_width = (third >> 5) + 1, _WIDTHS[third & 31]
    gap_width, patches = (fourth >> 5) + 1, fourth & 31
    base = int.from_bytes(data[position + 4 : position + 4 + base_bytes], "big")
    sign = 1 << (8 * base_bytes - 1)
    entry = next(w for w in _WIDTHS if w >= min(gap_width + patch_width, 64))
    end = position + 4 + base_bytes + _bytes(width * count) + _bytes(entry * patches)
    least = base if base < sign else -(base - sign)
    return least, least if width + patch_width <= 40 else _MOST, end


def _delta(data: bytes, position: int) -> Bounds:
    code = data[position] >> 1 & 31
    width, count = (_WIDTHS[code] if code else 0), _count(data, position)
    base, position = varint(data, position + 2)
    zigzag, position = varint(data, position)
    step = zigzag >> 1 ^ -(zigzag & 1)
    if not width:
        last = base + step * (count - 1)
        return min(base, last), max(base, last), position
    packed = data[position : position + _bytes(width * max(count - 2, 0))]
    way = _sum(packed, width, max(count - 2, 0)) if width <= 32 else _MOST
    last = base + step + (way if step >= 0 else -way)
    return (
        min(base, base + step, last),
        max(base, base + step, last),
        position + _bytes(width * max(count - 2, 0)),
    )


def _sum(packed: bytes, width: int, count: int) -> int:
    """The sum of numbers of so many bits, the highest first."""
    bits = np.unpackbits(np.frombuffer(packed, np.uint8), count=min(width * count, 8 * len(packed)))
    whole = len(bits) // width
    values = bits[: whole * width].reshape(whole, width).sum(axis=0, dtype=np.int64)
    return sum(int(ones) << (width - 1 - place) for place, ones in enumerate(values))


def _width_and_count(data: bytes, position: int) -> tuple[int, int]:
    return _WIDTHS[data[position] >> 1 & 31], _count(data, position)


def _count(data: bytes, position: int) -> int:
    low = data[position + 1] if position + 1 < len(data) else 0
    return ((data[position] & 1) << 8 | low) + 1


def _bytes(bits: int) -> int:
    return (bits + 7) // 8


_READERS = (_short_repeat, _direct, _patched_base, _delta)  # by the highest two bits
