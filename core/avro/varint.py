"""Avro's zigzag numbers, many at once."""

from __future__ import annotations

import numpy as np

from core.binary.pieces import Bytes, Longs, Words
from core.errors import FormatError

_LAST = np.uint64(0x8080808080808080)  # the bit that is clear in the last byte of a number
_ONE = np.uint64(1)


def ends(data: Bytes, words: Words, pos: Longs) -> Longs:
    """Where the numbers that begin at `pos` end."""
    if not np.count_nonzero(data[pos] & 0x80):
        return pos + 1
    last = ~words[pos] & _LAST
    if np.count_nonzero(last) < len(pos):
        return pos + _sizes(data, pos)
    return pos + (np.bitwise_count((last & -last) - _ONE).astype(np.int64) + 1 >> 3)


def pair(data: Bytes, words: Words, pos: Longs) -> tuple[Longs, Longs]:
    """The numbers that begin at `pos`, and where they end."""
    first = data[pos]
    if not np.count_nonzero(first & 0x81):  # one byte, not negative
        return (first >> 1).astype(np.int64), pos + 1
    return numbers(data, words, pos), ends(data, words, pos)


def numbers(data: Bytes, words: Words, pos: Longs) -> Longs:
    """The numbers that begin at `pos`."""
    first = data[pos]
    longer = np.flatnonzero(first & 0x80)
    if 2 * len(longer) > len(pos):
        return _longer_numbers(data, words, pos)  # right for short ones too
    values = first.astype(np.int64)
    values = values >> 1 ^ -(values & 1)
    if len(longer):
        values[longer] = _longer_numbers(data, words, pos[longer])
    return values


def _longer_numbers(data: Bytes, words: Words, pos: Longs) -> Longs:
    word = words[pos]
    last = ~word & _LAST
    last &= -last
    nine_or_ten = np.flatnonzero(last == 0)
    last <<= _ONE
    last -= _ONE
    word &= last
    raw = _squeezed(word)
    if len(nine_or_ten):
        raw[nine_or_ten] = _longest_numbers(data, pos[nine_or_ten])
    odd = raw & _ONE
    raw >>= _ONE
    raw ^= -odd
    return raw.view(np.int64)


def _squeezed(word: Words) -> Words:
    """The 7-bit groups of eight bytes, joined: pairs first, then pairs of pairs, then both halves."""
    word &= np.uint64(0x7F7F7F7F7F7F7F7F)
    word = word & np.uint64(0x007F007F007F007F) | (word & np.uint64(0x7F007F007F007F00)) >> _ONE
    word = word & np.uint64(0x00003FFF00003FFF) | (word & np.uint64(0x3FFF00003FFF0000)) >> np.uint64(2)
    return word & np.uint64(0x000000000FFFFFFF) | (word & np.uint64(0x0FFFFFFF00000000)) >> np.uint64(4)


def _sizes(data: Bytes, pos: Longs) -> Longs:
    """Bytes of each number, for the rare ones of nine or ten."""
    size = np.ones(len(pos), np.int64)
    lanes = np.arange(len(pos))
    for i in range(10):
        lanes = lanes[data[pos[lanes] + i] & 0x80 != 0]
        if not len(lanes):
            return size
        size[lanes] += 1
    raise FormatError("an Avro number is longer than ten bytes", offset=int(pos[lanes[0]]))


def _longest_numbers(data: Bytes, pos: Longs) -> Words:
    raw = np.zeros(len(pos), np.uint64)
    lanes = np.arange(len(pos))
    for i in range(10):
        byte = data[pos[lanes] + i]
        raw[lanes] |= (byte & 0x7F).astype(np.uint64) << np.uint64(7 * i)
        lanes = lanes[byte & 0x80 != 0]
        if not len(lanes):
            return raw
    raise FormatError("an Avro number is longer than ten bytes", offset=int(pos[lanes[0]]))
