"""Sorts keys and says where each came from; keys that are equal stay in their order.

Theory, in numbers. Keys that come in sorted runs (a merge) are left to numpy's stable sort, which finds
the runs: some 25 nanoseconds a row of five runs, one of a single run. Eighty runs (a flush of rows that
were sorted a batch at a time) take it 57, integers in random order 100 to 170, as it compares through
positions; so the position is put below the key in one 64-bit number, and those are sorted as they
are: 25 nanoseconds. That needs keys whose spread and whose positions together fit into 64 bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from core.mergetree.keys import KeyArray

Positions = npt.NDArray[np.intp]
Words = npt.NDArray[np.uint64]

_FEW_RUNS = 8  # that the stable sort merges as fast as packed numbers are sorted


@dataclass(frozen=True, slots=True)
class SortedKeys:
    """`keys[i]` was at `positions[i]`."""

    positions: Positions
    keys: KeyArray


def sort_keys(keys: KeyArray) -> SortedKeys:
    """The keys in ascending order; equal ones in the order in which they stand."""
    packed = _with_positions(keys) if _has_many_runs(keys) else None
    if packed is not None:
        return packed
    positions: Positions = np.argsort(keys, kind="stable")
    return SortedKeys(positions, keys[positions])


def order_in_groups(groups: npt.NDArray[np.integer[Any]], keys: KeyArray) -> Positions:
    """Rows by group, those of a group nearly by key, those of equal keys in the order in which they stand.

    Nearly: of integer keys whose spread leaves no room for group and position, the last bits do not count.
    """
    positions = (len(keys) - 1).bit_length()
    least = int(keys.min())
    bits = (int(keys.max()) - least).bit_length()
    dropped = max(bits + int(groups.max()).bit_length() + positions - 64, 0)
    packed = _distances(keys, least) >> np.uint64(dropped)
    packed |= groups.astype(np.uint64) << np.uint64(bits - dropped)
    return _sorted_positions(packed, positions)[0]


def _has_many_runs(keys: KeyArray) -> bool:
    return keys.dtype.kind in "iu" and bool(np.count_nonzero(keys[1:] < keys[:-1]) >= _FEW_RUNS)


def _with_positions(keys: KeyArray) -> SortedKeys | None:
    """Sorted as numbers that hold key and position; None if both do not fit into one."""
    least = int(keys.min())
    bits = (len(keys) - 1).bit_length()
    if (int(keys.max()) - least).bit_length() + bits > 64:
        return None
    positions, ordered = _sorted_positions(_distances(keys, least), bits)
    ordered += np.uint64(least % 2**64)
    ordered = ordered if keys.dtype == np.uint64 else ordered.view(np.int64).astype(keys.dtype, copy=False)
    return SortedKeys(positions, ordered)


def _distances(keys: KeyArray, least: int) -> Words:
    """The keys less the smallest of them: right modulo 2^64, whatever their sign."""
    wide = keys if keys.dtype == np.uint64 else keys.astype(np.int64, copy=False).view(np.uint64)
    return wide - np.uint64(least % 2**64)


def _sorted_positions(numbers: Words, bits: int) -> tuple[Positions, Words]:
    """Where each of the sorted numbers was, and the numbers; positions have so many bits."""
    shift = np.uint64(bits)
    numbers <<= shift
    numbers |= np.arange(len(numbers), dtype=np.uint64)
    numbers.sort()
    positions: Positions = (numbers & np.uint64((1 << bits) - 1)).astype(np.intp)
    numbers >>= shift
    return positions, numbers
