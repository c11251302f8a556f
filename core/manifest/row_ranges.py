"""Files that hold columns of the same rows, in tables with data evolution. Spec: 04, A6. Pure.

A file covers the row ids from its first one on. Files of a bucket whose row ids overlap belong together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from core.errors import FormatError
from core.manifest.file_meta import DataFileMeta

UNNUMBERED = -(2**62)  # row ids are not negative; files without one count down from here


@dataclass(frozen=True, slots=True)
class RowRange:
    """The rows that some files have in common, each the columns that it holds."""

    plain: tuple[DataFileMeta, ...]  # without those of blobs, which may hold some of the rows only
    first: int  # row id of the first row
    count: int

    @property
    def end(self) -> int:
        """The row id behind the last one."""
        return self.first + self.count

    @property
    def anchor(self) -> DataFileMeta:
        """The oldest plain file: a deletion vector of the rows belongs to it."""
        return min(self.plain, key=lambda file: (file.max_sequence_number, file.file_name))


def group_by_row_range(files: Sequence[DataFileMeta]) -> list[list[DataFileMeta]]:
    """The files of one bucket, those with rows in common together, by their first row ids."""
    firsts = np.array(
        [UNNUMBERED + i if f.first_row_id is None else f.first_row_id for i, f in enumerate(files)]
    )
    ends = firsts + np.array([1 if f.first_row_id is None else f.row_count for f in files], dtype=np.int64)
    order = np.argsort(firsts, kind="stable")
    starts = range_starts(firsts[order], ends[order])
    bounds = [*np.flatnonzero(starts).tolist(), len(files)]
    ordered = [files[i] for i in order.tolist()]
    return [ordered[a:b] for a, b in pairwise(bounds)]


def range_starts(firsts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Of files by first row id: whether all rows before have ended."""
    reached = np.maximum.accumulate(ends)
    return np.append(True, firsts[1:] >= reached[:-1]) if len(firsts) else np.zeros(0, dtype=np.bool_)


def row_range_of(files: Sequence[DataFileMeta]) -> RowRange:
    """The rows of one group of `group_by_row_range`.

    Raises:
        FormatError: a file has no row ids, there are blobs alone, or plain files share some of their
            rows only; so that nobody can write further columns of them.
    """
    plain = tuple(file for file in files if not is_part_of_range(file.file_name))
    ranges = {(file.first_row_id, file.row_count) for file in plain}
    first, count = next(iter(ranges)) if len(ranges) == 1 else (None, 0)
    if first is None:
        raise FormatError(
            "files of the same rows do not agree on their row ids",
            files=", ".join(file.file_name for file in files[:3]),
            ranges=len(ranges),
        )
    return RowRange(plain, first, count)


def is_part_of_range(file_name: str) -> bool:
    """Whether a file is one of blobs or vectors: rows of one range lie in several such files."""
    return file_name.endswith(".blob") or ".vector." in file_name
