"""xxHash64 of many texts at once, each a numpy lane; the seed is 0. Spec: 05, 5."""

from __future__ import annotations

from typing import Any

import numpy as np
import xxhash

from core.binary.pieces import Buffer, Longs, Words

_P1, _P2, _P3, _P4, _P5 = (
    np.uint64(prime)
    for prime in (
        0x9E3779B185EBCA87,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0x85EBCA77C2B2AE63,
        0x27D4EB2F165667C5,
    )
)
_STRIPE = 32
_LONG = 1024  # bytes from which a text is worth a call of its own
_LOW_HALF = np.uint64(0xFFFFFFFF)


def text_digests(column: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The signed hash of each text of a string or binary column without nulls."""
    _, offset_buffer, data = column.buffers()
    if not len(column):
        return np.empty(0, np.int64)
    offsets = np.frombuffer(offset_buffer, np.int32)[column.offset :][: len(column) + 1].astype(np.int64)
    start, length = offsets[:-1], np.diff(offsets)
    buffer = Buffer(b"" if data is None else data.slice(0, int(offsets[-1])))
    digests = np.empty(len(column), np.uint64)
    long = length > _LONG
    short = np.flatnonzero(~long)
    with np.errstate(over="ignore"):
        digests[short] = _digests(buffer, start[short], length[short])
    for lane in np.flatnonzero(long).tolist():
        text = buffer.bytes[start[lane] : start[lane] + length[lane]]
        digests[lane] = xxhash.xxh64_intdigest(text.tobytes())
    return digests.view(np.int64)


def _digests(buffer: Buffer, start: Longs, length: Longs) -> Words:
    state = np.full(len(start), _P5)
    striped = np.flatnonzero(length >= _STRIPE)
    state[striped] = _stripes(buffer, start[striped], length[striped])
    state += length.astype(np.uint64)
    at, end = start + length // _STRIPE * _STRIPE, start + length
    for _ in range(3):
        state, at = _step(buffer, state, at, end, 8)
    state, at = _step(buffer, state, at, end, 4)
    for _ in range(3):
        state, at = _step(buffer, state, at, end, 1)
    state ^= state >> np.uint64(33)
    state *= _P2
    state ^= state >> np.uint64(29)
    state *= _P3
    return state ^ state >> np.uint64(32)


def _stripes(buffer: Buffer, start: Longs, length: Longs) -> Words:
    """What the stripes of 32 bytes come to, four words side by side."""
    lanes = np.empty((4, len(start)), np.uint64)
    lanes[0], lanes[1], lanes[2], lanes[3] = _P1 + _P2, _P2, 0, np.uint64(0) - _P1
    count = length // _STRIPE
    for stripe in range(int(count.max(initial=0))):
        active = np.flatnonzero(count > stripe)
        at = start[active] + stripe * _STRIPE
        for i in range(4):
            lanes[i, active] = _round(lanes[i, active], buffer.words[at + 8 * i])
    state = _rotated(lanes[0], 1) + _rotated(lanes[1], 7) + _rotated(lanes[2], 12) + _rotated(lanes[3], 18)
    for lane in lanes:
        state = (state ^ _round(np.zeros_like(lane), lane)) * _P1 + _P4
    return state


def _step(buffer: Buffer, state: Words, at: Longs, end: Longs, width: int) -> tuple[Words, Longs]:
    """Take the next 8, 4 or 1 bytes of those texts that still have as many."""
    active = np.flatnonzero(at + width <= end)
    word, found = buffer.words[at[active]], state[active]
    if width == 8:
        found = _rotated(found ^ _round(np.zeros_like(word), word), 27) * _P1 + _P4
    elif width == 4:
        found = _rotated(found ^ (word & _LOW_HALF) * _P1, 23) * _P2 + _P3
    else:
        found = _rotated(found ^ (word & np.uint64(0xFF)) * _P5, 11) * _P1
    state, at = state.copy(), at.copy()
    state[active] = found
    at[active] += width
    return state, at


def _round(state: Words, word: Words) -> Words:
    return _rotated(state + word * _P2, 31) * _P1


def _rotated(word: Words, bits: int) -> Words:
    return word << np.uint64(bits) | word >> np.uint64(64 - bits)
