"""Bloom filters: whether a value may be in the file at all. Spec: 05, 5.

int32 number of hash functions | bits (bit p is byte p / 8, mask 1 << p % 8)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pyroaring import BitMap

from core.errors import FormatError, InvalidRequestError
from core.fileindex.column_index import ColumnIndex, Rows
from core.fileindex.cursor import Cursor
from core.fileindex.hashes import Hashes, value_hashes
from core.types import DataType

DEFAULT_ITEMS = 1_000_000
DEFAULT_FALSE_POSITIVES = 0.1


@dataclass(frozen=True, slots=True)
class BloomFilter:
    """A filter over 64-bit hashes."""

    hash_functions: int
    data: bytes  # the bits

    @property
    def bits(self) -> int:
        return 8 * len(self.data)

    @property
    def bits_set(self) -> int:
        return int.from_bytes(self.data, "big").bit_count()

    @property
    def fill_ratio(self) -> float:
        """Share of set bits, 0 to 1; about a half when the filter holds what it was sized for."""
        return self.bits_set / self.bits

    @property
    def false_positive_rate(self) -> float:
        """Chance that a value which is not in the file passes, implied by the fill."""
        return float(self.fill_ratio**self.hash_functions)

    @property
    def estimated_items(self) -> int | None:
        """About how many distinct values were added; None when every bit is set."""
        if self.bits_set >= self.bits:
            return None
        return round(-self.bits / self.hash_functions * math.log1p(-self.fill_ratio))

    def may_contain(self, value_hash: int) -> bool:
        """False if no value with this hash was added."""
        places = _places(np.array([value_hash], np.int64), self.hash_functions, self.bits)
        return all(self.data[p >> 3] >> (p & 7) & 1 for p in places.tolist())


def decode_bloom_filter(payload: bytes) -> BloomFilter:
    """Raises `FormatError` where the number of hash functions makes no sense."""
    cursor = Cursor(payload)
    hash_functions = cursor.integer(4)
    data = payload[cursor.position :]
    if not 1 <= hash_functions <= 8 * len(data):
        raise FormatError(
            "not a bloom filter", expected="1 or more hash functions and more bits", found=hash_functions
        )
    return BloomFilter(hash_functions, data)


def encode_bloom_filter(bloom: BloomFilter) -> bytes:
    return bloom.hash_functions.to_bytes(4, "big") + bloom.data


class BloomFilterBuilder:
    """The filter that Java makes for `items` values, of which a share passes that is not in it."""

    def __init__(self, items: int = DEFAULT_ITEMS, false_positives: float = DEFAULT_FALSE_POSITIVES) -> None:
        """Raises `InvalidRequestError` for no items, or a share that is not between 0 and 1."""
        if items < 1 or not 0 < false_positives < 1:
            raise InvalidRequestError(
                "no bloom filter has this size",
                found=f"items {items}, fpp {false_positives}",
                expected="items from 1 up, and a share between 0 and 1",
            )
        wanted = int(-items * math.log(false_positives) / math.log(2) ** 2)
        bits = wanted + 8 - wanted % 8
        self._hash_functions = max(1, math.floor(bits / items * math.log(2) + 0.5))
        self._flags = np.zeros(bits, np.bool_)

    def add(self, hashes: Hashes) -> None:
        self._flags[_places(hashes, self._hash_functions, len(self._flags))] = True

    @property
    def filter(self) -> BloomFilter:
        """Of all that has been added."""
        return BloomFilter(self._hash_functions, np.packbits(self._flags, bitorder="little").tobytes())


def build_bloom_filter(
    hashes: Hashes, items: int = DEFAULT_ITEMS, false_positives: float = DEFAULT_FALSE_POSITIVES
) -> BloomFilter:
    """The filter of these hashes."""
    builder = BloomFilterBuilder(items, false_positives)
    builder.add(hashes)
    return builder.filter


def _places(hashes: Hashes, hash_functions: int, bits: int) -> Hashes:
    """The bits of each hash; all arithmetic wraps at 32 bits as Java's does."""
    low, high = hashes.astype(np.int32), (hashes >> 32).astype(np.int32)
    steps = np.arange(1, hash_functions + 1, dtype=np.int32)
    combined = low[:, None] + steps * high[:, None]
    return np.asarray(np.where(combined < 0, ~combined, combined).astype(np.int64) % bits).ravel()


@dataclass(frozen=True, slots=True)
class BloomFilterIndex(ColumnIndex):
    """A filter over the values of a column: it knows no rows, only that none is there."""

    bloom: BloomFilter
    data_type: DataType

    def any_of(self, leaf_values: Sequence[object]) -> Rows:
        hashes = (h for value in leaf_values for h in value_hashes(self.data_type, value))
        return None if any(map(self.bloom.may_contain, hashes)) else BitMap()
