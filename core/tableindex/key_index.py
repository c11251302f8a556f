"""Keys of any form, each with a number: what finds a key among millions, as columns.

Memory: the bytes of each key, once, and 20 bytes beside them; twice that while new keys are
merged in. A key is found by its hash and then compared, so no two keys are ever taken for one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as _pc

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

Numbers = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.int32]

_FEW = 64 * 1024  # new keys that wait before they are merged into the many


class KeyIndex:
    """Numbers keys from 0 on, in the order in which they are added."""

    def __init__(self) -> None:
        self._many, self._few = _Sorted.empty(), _Sorted.empty()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def find(self, keys: Any, hashes: Hashes) -> Numbers:
        """The number of each key, -1 of one that was not added; equal keys have equal hashes."""
        found = self._many.find(keys, hashes)
        missing = np.flatnonzero(found < 0)
        if len(missing):
            found[missing] = self._few.find(keys.take(pa.array(missing)), hashes[missing])
        return found

    def add(self, keys: Any, hashes: Hashes) -> Numbers:
        """The numbers of new keys, which are distinct and not here."""
        numbers = np.arange(self._count, self._count + len(keys), dtype=np.int64)
        self._count += len(keys)
        self._few = self._few.merged(_Sorted.of(keys, hashes, numbers))
        if len(self._few.hashes) > max(_FEW, len(self._many.hashes) // 4):
            self._many, self._few = self._many.merged(self._few), _Sorted.empty()
        return numbers


class _Sorted:
    """Keys by hash."""

    def __init__(self, hashes: Hashes, keys: Any, numbers: Numbers) -> None:
        self.hashes, self._keys, self._numbers = hashes, keys, numbers

    @staticmethod
    def empty() -> _Sorted:
        return _Sorted(np.empty(0, np.int32), pa.array([], pa.large_binary()), np.empty(0, np.int64))

    @staticmethod
    def of(keys: Any, hashes: Hashes, numbers: Numbers) -> _Sorted:
        order = np.argsort(hashes, kind="stable")
        ordered = keys.cast(pa.large_binary()).take(pa.array(order))
        return _Sorted(hashes[order], ordered, numbers[order])

    def merged(self, other: _Sorted) -> _Sorted:
        keys = pa.concat_arrays([self._keys, other._keys])
        hashes = np.concatenate([self.hashes, other.hashes])
        return _Sorted.of(keys, hashes, np.concatenate([self._numbers, other._numbers]))

    def find(self, keys: Any, hashes: Hashes) -> Numbers:
        """Compares each key with all that have its hash."""
        found: Numbers = np.full(len(hashes), -1, np.int64)
        first = np.searchsorted(self.hashes, hashes, side="left")
        count = np.searchsorted(self.hashes, hashes, side="right") - first
        asked = np.repeat(np.arange(len(hashes)), count)
        step = np.arange(len(asked)) - np.repeat(np.cumsum(count) - count, count)
        candidates = first[asked] + step
        wanted = keys.take(pa.array(asked)).cast(pa.large_binary())
        same = pc.equal(self._keys.take(pa.array(candidates)), wanted).to_numpy(zero_copy_only=False)
        found[asked[same]] = self._numbers[candidates[same]]
        return found
