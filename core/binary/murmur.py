"""Murmur3, 32 bits, over whole little-endian words. Spec: 03, 3."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from core.binary.encode_rows import row_words
from core.binary.row import BinaryRow
from core.types import DataType

Hashes = npt.NDArray[np.uint32]

SEED = 42
C1 = 0xCC9E2D51
C2 = 0x1B873593
_MASK = 0xFFFFFFFF
_BLOCK_ROWS = 16 * 1024


def hash_row(row: BinaryRow) -> int:
    """The signed 32-bit hash of all bytes of a row, padding included, arity excluded."""
    return hash_words(row.data)


def hash_words(data: bytes, seed: int = SEED) -> int:
    """The signed hash of `data`, whose length is a multiple of 4."""
    return _signed_end(_after_words(data, seed), len(data))


def hash_text(text: str) -> int:
    """The signed hash of a text's UTF-8 with seed 0, by the algorithm's own rule for a rest of up to 3 bytes.

    Spec: 01, 1.3; Paimon's hash of bytes knows another rule.
    """
    data = text.encode()
    whole = len(data) // 4 * 4
    rest = _scrambled(int.from_bytes(data[whole:], "little"))
    return _signed_end(_after_words(data[:whole], 0) ^ rest, len(data))


def _after_words(data: bytes, seed: int) -> int:
    h = seed
    for word in struct.unpack(f"<{len(data) // 4}I", data):
        h = (_rotate(h ^ _scrambled(word), 13) * 5 + 0xE6546B64) & _MASK
    return h


def _scrambled(word: int) -> int:
    return _rotate(word * C1 & _MASK, 15) * C2 & _MASK


def _signed_end(h: int, size: int) -> int:
    h ^= size
    h = (h ^ h >> 16) * 0x85EBCA6B & _MASK
    h = (h ^ h >> 13) * 0xC2B2AE35 & _MASK
    h ^= h >> 16
    return h - (1 << 32) if h >= 1 << 31 else h


def _rotate(x: int, bits: int) -> int:
    return (x << bits | x >> 32 - bits) & _MASK


def hash_rows(types: Sequence[DataType], arrays: Sequence[Any]) -> npt.NDArray[np.int32]:
    """`hash_row` of every row of the columns, which are in canonical Arrow form."""
    rows = row_words(types, arrays)
    if len(rows.size) and (rows.size == rows.size[0]).all():
        return _equally_long(rows.words.view(np.uint32).reshape(len(rows.size), -1))
    order = np.argsort(-rows.size, kind="stable")  # so that rows with words left are a prefix
    words, begin, size = rows.words.view(np.uint32), rows.begin[order] * 2, rows.size[order] * 2
    h = np.full(len(order), SEED, np.uint32)
    for i in range(int(size[0]) if len(size) else 0):
        active = int(np.searchsorted(-size, -i, side="left"))
        h[:active] = _mixed(h[:active], words[begin[:active] + i])
    hashes = np.empty(len(h), np.int32)
    hashes[order] = _finished(h, (size * 4).astype(np.uint32)).view(np.int32)
    return hashes


def _equally_long(words: npt.NDArray[np.uint32]) -> npt.NDArray[np.int32]:
    """Of a row of words each; a block at a time, so that what is computed stays in the cache."""
    hashes = np.empty(len(words), np.uint32)
    for start in range(0, len(words), _BLOCK_ROWS):
        block = words[start : start + _BLOCK_ROWS]
        h = np.full(1, SEED, np.uint32)  # of all rows, as long as their words are the same
        for i in range(block.shape[1]):
            column = block[:, i]
            alike = len(h) == 1 and bool((column == column[0]).all())
            h = _mixed(h, column[:1] if alike else column)
        hashes[start : start + _BLOCK_ROWS] = _finished(h, np.uint32(block.shape[1] * 4))
    return hashes.view(np.int32)


def _mixed(h: Hashes, words: Hashes) -> Hashes:
    """Hashes with one more word each."""
    k = _rotate_all(words * np.uint32(C1), 15) * np.uint32(C2)
    return _rotate_all(h ^ k, 13) * np.uint32(5) + np.uint32(0xE6546B64)


def _finished(h: Hashes, sizes: Any) -> Hashes:
    """The hashes of all words, of which `sizes` says how many bytes they are."""
    h = h ^ sizes
    h = (h ^ h >> np.uint32(16)) * np.uint32(0x85EBCA6B)
    h = (h ^ h >> np.uint32(13)) * np.uint32(0xC2B2AE35)
    return h ^ h >> np.uint32(16)


def _rotate_all(x: Hashes, bits: int) -> Hashes:
    return x << np.uint32(bits) | x >> np.uint32(32 - bits)
