"""Sorts keys and says where each came from; keys that are equal stay in their order.

Theory, in numbers. Keys that come in sorted runs (a merge) are left to numpy's stable sort, which finds
the runs: some 25 nanoseconds a row of five runs, one of a single run. Integers in random order (a
flush) take it 100 to 170, as it compares through positions; so the position is put below the key in
one 64-bit number, and those are sorted as they are: 25 nanoseconds. That needs keys whose spread
and whose positions together fit into 64 bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.mergetree.keys import KeyArray

Positions = npt.NDArray[np.intp]

_RUN_ROWS = 64  # runs that are shorter on average are none to the stable sort either


@dataclass(frozen=True, slots=True)
class SortedKeys:
    """`keys[i]` was at `positions[i]`."""

    positions: Positions
    keys: KeyArray


def sort_keys(keys: KeyArray) -> SortedKeys:
    """The keys in ascending order; equal ones in the order in which they stand."""
    packed = _with_positions(keys) if _is_random(keys) else None
    if packed is not None:
        return packed
    positions: Positions = np.argsort(keys, kind="stable")
    return SortedKeys(positions, keys[positions])


def _is_random(keys: KeyArray) -> bool:
    if keys.dtype.kind not in "iu" or not len(keys):
        return False
    descents = np.count_nonzero(keys[1:] < keys[:-1])
    return bool(descents * _RUN_ROWS > len(keys))


def _with_positions(keys: KeyArray) -> SortedKeys | None:
    """Sorted as numbers that hold key and position; None if both do not fit into one."""
    least = int(keys.min())
    bits = (len(keys) - 1).bit_length()
    if (int(keys.max()) - least).bit_length() + bits > 64:
        return None
    # Differences are right modulo 2^64, whatever the sign of the keys.
    offset, shift = np.uint64(least % 2**64), np.uint64(bits)
    wide = keys if keys.dtype == np.uint64 else keys.astype(np.int64, copy=False).view(np.uint64)
    packed = (wide - offset) << shift
    packed |= np.arange(len(keys), dtype=np.uint64)
    packed.sort()
    positions: Positions = (packed & np.uint64((1 << bits) - 1)).astype(np.intp)
    packed >>= shift
    packed += offset
    ordered = packed if keys.dtype == np.uint64 else packed.view(np.int64).astype(keys.dtype, copy=False)
    return SortedKeys(positions, ordered)
