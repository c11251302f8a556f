"""Keys of any form, each with a number: what finds a key among more than memory holds, as columns.

A key is found by its hash and then compared, so no two keys are ever taken for one. Memory: hashes
and numbers of a million keys at most (12 MiB, three times that while they are sorted), and 16 MiB
of keys; the others lie in mapped files (`core.tableindex.row_store`), in runs sorted by hash.
"""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as _pc

from core.tableindex.row_store import MEMORY_BYTES, RowStore

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

Numbers = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.int32]

_FEW = 64 * 1024  # new keys that wait before they are merged into the many
_MANY = 1024 * 1024  # keys that are in memory before they become a run in a file


class KeyIndex:
    """Numbers keys from 0 on, in the order in which they are added."""

    def __init__(self, memory_keys: int = _MANY, memory_bytes: int = MEMORY_BYTES) -> None:
        self._memory_keys = memory_keys
        self._keys = RowStore(pa.schema([pa.field("key", pa.large_binary())]), memory_bytes)
        self._runs: list[_Run] = []  # in files
        self._many, self._few = _Run.empty(), _Run.empty()

    def __len__(self) -> int:
        return len(self._keys)

    def find(self, keys: Any, hashes: Hashes) -> Numbers:
        """The number of each key, -1 of one that was not added; equal keys have equal hashes."""
        found: Numbers = np.full(len(hashes), -1, np.int64)
        for run in (self._many, self._few, *self._runs):
            missing = np.flatnonzero(found < 0)
            if not len(missing):
                break
            asked, numbers = run.candidates(hashes[missing])
            asked = missing[asked]
            wanted = keys.take(pa.array(asked)).cast(pa.large_binary())
            same = pc.equal(self._keys.take(numbers).column(0), wanted).to_numpy(zero_copy_only=False)
            found[asked[same]] = numbers[same]
        return found

    def add(self, keys: Any, hashes: Hashes) -> Numbers:
        """The numbers of new keys, which are distinct and not here."""
        numbers = np.arange(len(self), len(self) + len(keys), dtype=np.int64)
        self._keys.append(pa.record_batch([keys.cast(pa.large_binary())], ["key"]))
        self._few = self._few.merged(_Run.of(hashes, numbers))
        if len(self._few) > max(_FEW, len(self._many) // 4):
            self._many, self._few = self._many.merged(self._few), _Run.empty()
        if len(self._many) + len(self._few) > self._memory_keys:
            self._runs.append(self._many.merged(self._few).in_file())
            self._many, self._few = _Run.empty(), _Run.empty()
        return numbers


class _Run:
    """Numbers by hash."""

    def __init__(self, hashes: Hashes, numbers: Numbers) -> None:
        self._hashes, self._numbers = hashes, numbers

    @staticmethod
    def empty() -> _Run:
        return _Run(np.empty(0, np.int32), np.empty(0, np.int64))

    @staticmethod
    def of(hashes: Hashes, numbers: Numbers) -> _Run:
        order = np.argsort(hashes, kind="stable")
        return _Run(hashes[order], numbers[order])

    def __len__(self) -> int:
        return len(self._hashes)

    def merged(self, other: _Run) -> _Run:
        hashes = np.concatenate([self._hashes, other._hashes])
        return _Run.of(hashes, np.concatenate([self._numbers, other._numbers]))

    def in_file(self) -> _Run:
        return _Run(_mapped(self._hashes), _mapped(self._numbers))

    def candidates(self, hashes: Hashes) -> tuple[Numbers, Numbers]:
        """Pairs of a place in `hashes` and the number of a key with that hash."""
        first = np.searchsorted(self._hashes, hashes, side="left")
        count = np.searchsorted(self._hashes, hashes, side="right") - first
        asked = np.repeat(np.arange(len(hashes)), count)
        step = np.arange(len(asked)) - np.repeat(np.cumsum(count) - count, count)
        return asked, np.asarray(self._numbers[first[asked] + step])


def _mapped(values: npt.NDArray[Any]) -> Any:
    """The values in a file that has no name."""
    with tempfile.TemporaryFile(prefix="lakescope-") as file:
        values.tofile(file)
        file.flush()
        return np.memmap(file, values.dtype, "r", shape=values.shape)
