"""Sorted runs, and the sections of a bucket that can be merged apart. Spec: 07, 1 and 4.

Key ranges are handled as ranks: the smallest and largest keys of all files at hand are
encoded together and numbered, so that everything below compares plain integers, whatever
the key's type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappush, heapreplace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.binary import decode_rows
from core.manifest.file_meta import DataFileMeta
from core.mergetree.keys import comparable_keys
from core.types.data_types import DataType

Ranks: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SortedRun:
    """Files whose key ranges do not overlap, in key order."""

    files: tuple[DataFileMeta, ...]

    @property
    def min_sequence_number(self) -> int:
        return min(f.min_sequence_number for f in self.files)

    @property
    def max_sequence_number(self) -> int:
        return max(f.max_sequence_number for f in self.files)


@dataclass(frozen=True, slots=True)
class Section:
    """Runs that overlap one another and nothing outside; a merge needs one section at a time.

    Runs stand oldest first by sequence number, which decides nothing unless
    `ordered_by_sequence`.
    """

    runs: tuple[SortedRun, ...]

    @property
    def files(self) -> tuple[DataFileMeta, ...]:
        return tuple(f for run in self.runs for f in run.files)

    @property
    def ordered_by_sequence(self) -> bool:
        """Whether every row of a run is older than every row of the next run."""
        return all(
            older.max_sequence_number < newer.min_sequence_number
            for older, newer in zip(self.runs, self.runs[1:], strict=False)
        )


def rank_key_ranges(
    key_types: Sequence[DataType], min_keys: pa.BinaryArray, max_keys: pa.BinaryArray
) -> tuple[Ranks, Ranks]:
    """The smallest and largest key of each file as numbers that order as the keys do.

    Args:
        key_types: types of the trimmed primary key.
        min_keys: serialized rows, arity first, as manifests hold them.
        max_keys: the same for the largest keys.
    """
    columns = decode_rows(key_types, pa.concat_arrays([min_keys, max_keys]))
    _, ranks = np.unique(comparable_keys(columns), return_inverse=True)
    ranks = ranks.astype(np.int64)
    return ranks[: len(min_keys)], ranks[len(min_keys) :]


def section_starts(group: Ranks, low: Ranks, high: Ranks) -> npt.NDArray[np.bool_]:
    """Whether a section starts at each file; files are sorted by (`group`, `low`, `high`).

    `group` numbers the buckets from 0: sections never cross buckets.
    """
    if len(low) == 0:
        return np.zeros(0, dtype=np.bool_)
    # One running maximum for all groups: each group's ranks are lifted above those before.
    span = int(high.max()) + 1
    lifted_low, lifted_high = low + group * span, high + group * span
    reached = np.maximum.accumulate(lifted_high)
    starts = np.ones(len(low), dtype=np.bool_)
    starts[1:] = lifted_low[1:] > reached[:-1]
    return starts


def assign_runs(low: Sequence[int], high: Sequence[int]) -> list[list[int]]:
    """Positions of a section's files in as few runs as possible; files are sorted by (`low`, `high`)."""
    runs: list[list[int]] = []
    ends: list[tuple[int, int]] = []  # (largest key, run), a heap
    for position, (first, last) in enumerate(zip(low, high, strict=True)):
        if ends and first > ends[0][0]:
            run = ends[0][1]
            runs[run].append(position)
            heapreplace(ends, (last, run))
        else:
            runs.append([position])
            heappush(ends, (last, len(runs) - 1))
    return runs


def interval_partition(files: Sequence[DataFileMeta], key_types: Sequence[DataType]) -> list[Section]:
    """The sections of one bucket's files, in key order, each with its sorted runs."""
    if not files:
        return []
    low, high = rank_key_ranges(
        key_types,
        pa.array([f.min_key.to_bytes() for f in files], pa.binary()),
        pa.array([f.max_key.to_bytes() for f in files], pa.binary()),
    )
    order = np.lexsort((high, low))
    low, high = low[order], high[order]
    starts = np.flatnonzero(section_starts(np.zeros_like(low), low, high))
    sections = []
    for start, end in zip(starts, [*starts[1:], len(files)], strict=True):
        members = [files[i] for i in order[start:end]]
        runs = assign_runs(low[start:end].tolist(), high[start:end].tolist())
        sections.append(_section([SortedRun(tuple(members[i] for i in run)) for run in runs]))
    return sections


def _section(runs: list[SortedRun]) -> Section:
    return Section(tuple(sorted(runs, key=lambda r: (r.max_sequence_number, r.min_sequence_number))))
