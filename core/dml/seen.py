"""Which rows of a merge's source have joined one of the table: the others are inserted."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap64


class Seen:
    """Rows of the source by number. Memory: at most a bit for each of them."""

    def __init__(self) -> None:
        self._rows = BitMap64()

    def note(self, partners: npt.NDArray[np.int64]) -> None:
        """Rows have joined; those below 0 are none."""
        self._rows.update(partners[partners >= 0].astype(np.uint64))

    def within(self, start: int, count: int) -> npt.NDArray[np.bool_]:
        """Of each of `count` rows from `start` on whether it has joined."""
        found = np.zeros(count, np.bool_)
        numbers: Any = self._rows & BitMap64(range(start, start + count))
        found[np.asarray(numbers.to_array()).astype(np.int64) - start] = True
        return found
