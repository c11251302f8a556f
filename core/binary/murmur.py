"""Murmur3, 32 bits, over whole little-endian words. Spec: 03, 3."""

from __future__ import annotations

import struct

from core.binary.row import BinaryRow

SEED = 42
C1 = 0xCC9E2D51
C2 = 0x1B873593
_MASK = 0xFFFFFFFF


def hash_row(row: BinaryRow) -> int:
    """The signed 32-bit hash of all bytes of a row, padding included, arity excluded."""
    return hash_words(row.data)


def hash_words(data: bytes, seed: int = SEED) -> int:
    """The signed hash of `data`, whose length is a multiple of 4."""
    h = seed
    for word in struct.unpack(f"<{len(data) // 4}I", data):
        k = _rotate(word * C1 & _MASK, 15) * C2 & _MASK
        h = (_rotate(h ^ k, 13) * 5 + 0xE6546B64) & _MASK
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & _MASK
    h = (h ^ h >> 13) * 0xC2B2AE35 & _MASK
    h ^= h >> 16
    return h - (1 << 32) if h >= 1 << 31 else h


def _rotate(x: int, bits: int) -> int:
    return (x << bits | x >> 32 - bits) & _MASK
