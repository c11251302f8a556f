"""Avro's zigzag numbers, many at once."""

from __future__ import annotations

import numpy as np

from core.binary.pieces import Buffer, Bytes, Longs, Words
from core.errors import FormatError

_LAST = np.uint64(0x8080808080808080)  # the bit that is clear in the last byte of a number
_ONE = np.uint64(1)
_TWO_BYTES = np.uint64(0x8000)


def ends(buffer: Buffer, pos: Longs) -> Longs:
    """Where the numbers that begin at `pos` end."""
    if not np.count_nonzero(buffer.bytes.take(pos) & 0x80):
        return pos + 1
    last = _last_bit(buffer.words[pos])
    if np.count_nonzero(last) < len(pos):
        return pos + _sizes(buffer.bytes, pos)
    return pos + _size_up_to(last)


def numbers_and_ends(buffer: Buffer, pos: Longs) -> tuple[Longs, Longs]:
    """The numbers that begin at `pos`, and where they end."""
    first = buffer.bytes.take(pos)
    if not np.count_nonzero(first & 0x81):  # one byte, not negative
        return (first >> 1).astype(np.int64), pos + 1
    if not np.count_nonzero(first & 0x80):
        return _unzigzag(first.astype(np.uint64)), pos + 1
    word = buffer.words[pos]
    last = _last_bit(word)
    if np.count_nonzero(last) < len(pos):
        return _any_numbers(buffer, pos, word, last)
    end = pos + _size_up_to(last)
    word &= (last << _ONE) - _ONE
    if not np.count_nonzero(last > _TWO_BYTES):
        return _unzigzag(word & np.uint64(0x7F) | (word & np.uint64(0x7F00)) >> _ONE), end
    return _unzigzag(_squeezed(word)), end


def _last_bit(word: Words) -> Words:
    """The top bit of the last byte of each number; 0 where it is longer than a word."""
    last = ~word & _LAST
    return last & -last


def _size_up_to(last: Words) -> Longs:
    """Bytes up to the one with the given bit."""
    size: Longs = (np.bitwise_count(last - _ONE) + np.uint8(1) >> np.uint8(3)).astype(np.int64)
    return size


def _unzigzag(raw: Words) -> Longs:
    odd = raw & _ONE
    raw = raw >> _ONE
    raw ^= -odd
    return raw.view(np.int64)


def _squeezed(word: Words) -> Words:
    """The 7-bit groups of eight bytes, joined: pairs first, then pairs of pairs, then both halves."""
    word = word & np.uint64(0x7F7F7F7F7F7F7F7F)
    word = word & np.uint64(0x007F007F007F007F) | (word & np.uint64(0x7F007F007F007F00)) >> _ONE
    word = word & np.uint64(0x00003FFF00003FFF) | (word & np.uint64(0x3FFF00003FFF0000)) >> np.uint64(2)
    return word & np.uint64(0x000000000FFFFFFF) | (word & np.uint64(0x0FFFFFFF00000000)) >> np.uint64(4)


def _any_numbers(buffer: Buffer, pos: Longs, word: Words, last: Words) -> tuple[Longs, Longs]:
    """As `numbers_and_ends`, where some take nine or ten bytes, which is rare."""
    raw = _squeezed(word & ((last << _ONE) - _ONE))
    long = np.flatnonzero(last == 0)
    raw[long] = _longest_numbers(buffer.bytes, pos[long])
    return _unzigzag(raw), pos + _sizes(buffer.bytes, pos)


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
