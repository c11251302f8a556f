"""Group the files of a plan into splits. Spec: 09, 8.1.

Everything here is arrays of numbers, one a file; objects are made by `Splits` when asked for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from core.manifest import EntryColumns, ManifestEntry
from core.mergetree.sorted_run import rank_key_ranges, section_starts
from core.scan.deletion_files import NO_DELETION_FILES, DeletionFiles
from core.scan.split import Split
from core.types import DataType

Numbers: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]

_FILES_AT_ONCE = 4096  # whose entries become objects together


@dataclass(frozen=True, slots=True)
class Packing:
    """How large a split may become."""

    target_size: int  # bytes
    open_file_cost: int  # bytes that opening a file counts as


@dataclass(frozen=True, slots=True)
class Layout:
    """Splits as ranges of ordered files: split i has the files `order[ends[i-1]:ends[i]]`."""

    order: Numbers
    ends: Numbers
    raw: Flags  # per split


class Splits(Sequence[Split]):
    """The splits of a plan, each made when it is asked for: 100,000 files stay columns until then."""

    def __init__(
        self,
        snapshot_id: int,
        entries: EntryColumns,
        layout: Layout,
        deletion_files: DeletionFiles = NO_DELETION_FILES,
        *,
        is_streaming: bool = False,
        branch: str | None = None,
    ) -> None:
        self._snapshot_id = snapshot_id
        self._is_streaming = is_streaming
        self._branch = branch
        self._deletion_files = deletion_files
        self._entries = entries  # in the order of `layout`
        self._starts = np.concatenate([[0], layout.ends]).tolist()
        self._raw = layout.raw.tolist()

    def __len__(self) -> int:
        return len(self._raw)

    @overload
    def __getitem__(self, index: int) -> Split: ...
    @overload
    def __getitem__(self, index: slice) -> list[Split]: ...
    def __getitem__(self, index: int | slice) -> Split | list[Split]:
        if isinstance(index, slice):
            chosen = range(*index.indices(len(self)))
            return list(self._iter(chosen) if chosen.step == 1 else map(self.__getitem__, chosen))
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        index %= len(self)
        return next(self._iter(range(index, index + 1)))

    def __iter__(self) -> Iterator[Split]:
        return self._iter(range(len(self)))

    def _iter(self, chosen: range) -> Iterator[Split]:
        """Splits that follow one another, their entries read some thousand at a time."""
        index = chosen.start
        while index < chosen.stop:
            first = self._starts[index]
            stop = bisect_right(self._starts, first + _FILES_AT_ONCE, index + 2, chosen.stop + 1) - 1
            entries = self._entries.slice(first, self._starts[stop]).entries()
            for split in range(index, stop):
                yield self._make(split, list(islice(entries, self._starts[split + 1] - self._starts[split])))
            index = stop

    def _make(self, index: int, entries: Sequence[ManifestEntry]) -> Split:
        first, files = entries[0], tuple(entry.file for entry in entries)
        return Split(
            snapshot_id=self._snapshot_id,
            partition=first.partition,
            bucket=first.bucket,
            total_buckets=first.total_buckets,
            files=files,
            raw_convertible=bool(self._raw[index]),
            deletion_files=self._deletion_files.of(first.partition, first.bucket, files),
            is_streaming=self._is_streaming,
            branch=self._branch,
        )


def bucket_groups(entries: EntryColumns) -> Numbers:
    """A number for each file's (partition, bucket), counted from 0 in order of first appearance."""
    partitions = entries.column("partition").combine_chunks().dictionary_encode().indices.to_numpy()
    buckets = entries.numpy("bucket").astype(np.int64)
    low = int(buckets.min(initial=0))
    span = int(buckets.max(initial=0)) - low + 1
    _, first, codes = np.unique(partitions * span + buckets - low, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[codes]


def append_layout(entries: EntryColumns, packing: Packing) -> Layout:
    """Splits of an append table: files of a bucket in writing order, all raw."""
    group = bucket_groups(entries)
    order = np.lexsort((entries.numpy("min_sequence_number"), group))
    ends = pack(_weights(entries, packing)[order], group[order], packing.target_size)
    return Layout(order, ends, np.ones(len(ends), dtype=np.bool_))


def merge_tree_layout(
    entries: EntryColumns, key_types: Sequence[DataType], packing: Packing, *, unique_above_zero: bool = False
) -> Layout:
    """Splits of a primary-key table: whole sections, so that no key is in two splits.

    `unique_above_zero`: no key is in two files above level 0, whatever their levels.
    """
    group = bucket_groups(entries)
    minima: Any = entries.column("min_key").combine_chunks()
    maxima: Any = entries.column("max_key").combine_chunks()
    low, high = rank_key_ranges(key_types, minima, maxima)
    order = np.lexsort((high, low, group))
    group, low, high = group[order], low[order], high[order]
    without_deletes = (_delete_counts(entries) == 0)[order]
    level = entries.numpy("level")[order]
    unique = _all_of(group, level > 0) if unique_above_zero else on_one_upper_level(group, level)
    plain = _all_of(group, without_deletes) & unique
    starts = section_starts(group, low, high) | plain
    section = np.cumsum(starts) - 1
    weights = np.bincount(section, weights=entries.numpy("file_size")[order]).astype(np.int64)
    first = np.flatnonzero(starts)
    section_ends = pack(np.maximum(weights, packing.open_file_cost), group[first], packing.target_size)
    ends = np.append(first, len(order))[section_ends]
    sizes = np.diff(ends, prepend=0)
    last = ends - 1
    raw = plain[last] | ((sizes == 1) & without_deletes[last])
    return Layout(order, ends, raw)


def pack(weights: Numbers, group: Numbers, target: int) -> Numbers:
    """Where each bin ends: items in order, a bin closed before it would pass `target` or leave its group."""
    reached = np.cumsum(weights).tolist()
    group_ends = np.append(np.flatnonzero(np.diff(group)) + 1, len(group)).tolist()
    ends: list[int] = []
    start = 0
    for group_end in group_ends:
        while start < group_end:
            before = reached[start - 1] if start else 0
            end = bisect_right(reached, before + target, start, group_end)
            start = max(end, start + 1)  # one item may be larger than the target
            ends.append(start)
    return np.array(ends, dtype=np.int64)


def _weights(entries: EntryColumns, packing: Packing) -> Numbers:
    sizes: Numbers = np.maximum(entries.numpy("file_size"), packing.open_file_cost)
    return sizes


def _delete_counts(entries: EntryColumns) -> Any:
    """Retracts in each file; unknown counts as none, a raw read looks at the rows itself."""
    counts: Any = entries.column("delete_row_count")
    return counts.fill_null(0).to_numpy()


def _all_of(group: Numbers, flags: Flags) -> Flags:
    """Whether the flag of every file of a file's group is set."""
    misses = np.bincount(group, weights=~flags, minlength=int(group.max(initial=-1)) + 1)
    return np.asarray(misses == 0)[group]


def on_one_upper_level(group: Numbers, level: npt.NDArray[Any]) -> Flags:
    """Whether all files of a file's group lie on one level, and not on level 0."""
    first_of_group = np.zeros(int(group.max(initial=-1)) + 1, dtype=np.int64)
    first_of_group[group[::-1]] = level[::-1]
    return _all_of(group, (level == first_of_group[group]) & (level > 0))
