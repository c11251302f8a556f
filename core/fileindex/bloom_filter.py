"""The head of a bloom filter: what can be said of it without its values. Spec: 05, 5."""

from __future__ import annotations

import math
from dataclasses import dataclass

from core.errors import FormatError
from core.fileindex.cursor import Cursor


@dataclass(frozen=True, slots=True)
class BloomFilterHead:
    hash_functions: int
    bits: int
    bits_set: int

    @property
    def fill_ratio(self) -> float:
        """Share of set bits, 0 to 1; about a half when the filter holds what it was sized for."""
        return self.bits_set / self.bits if self.bits else 0.0

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


def decode_bloom_filter(payload: bytes) -> BloomFilterHead:
    """Raises `FormatError` where the number of hash functions makes no sense."""
    cursor = Cursor(payload)
    hash_functions = cursor.integer(4)
    bits = payload[cursor.position :]
    if hash_functions < 1 or not bits:
        raise FormatError(
            "not a bloom filter", expected="1 or more hash functions and bits", found=hash_functions
        )
    return BloomFilterHead(hash_functions, 8 * len(bits), int.from_bytes(bits, "big").bit_count())
