"""Which files of an append table to pack together. Spec: 07, 7.1 and 7.2. Pure.

Without buckets the files of a partition have no order, so small ones are packed by size.
With buckets the order of rows is kept: only neighbours by sequence number are packed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.manifest.file_meta import DataFileMeta


@dataclass(frozen=True, slots=True)
class PackRules:
    """The options of packing."""

    target_file_size: int  # bytes
    small_file_size: int  # bytes; a file below this counts as small
    min_file_num: int = 5  # fewer leftovers wait for company
    open_file_cost: int = 4 * 1024 * 1024  # bytes that opening a file is worth


Files = tuple[DataFileMeta, ...]


def pack_unordered(files: Sequence[DataFileMeta], rules: PackRules, *, leftovers: bool) -> list[Files]:
    """Groups of small files of one partition, each to become one file or a few of target size.

    Args:
        files: all live files of the partition.
        rules: the table's options.
        leftovers: also pack a rest of two files or more, however few (a full compaction).
    """
    small = sorted((f for f in files if f.file_size < rules.small_file_size), key=_size_and_name)
    fewest = 2 if leftovers else max(2, rules.min_file_num)
    groups: list[Files] = []
    waiting: list[DataFileMeta] = []
    weight = 0
    for file in small:
        waiting.append(file)
        weight += file.file_size + rules.open_file_cost
        if len(waiting) > 1 and weight >= 2 * rules.target_file_size:
            groups.append(tuple(waiting))
            waiting, weight = [], 0
    if len(waiting) >= fewest:
        groups.append(tuple(waiting))
    return groups


def _size_and_name(file: DataFileMeta) -> tuple[int, str]:
    return file.file_size, file.file_name


def pack_ordered(files: Sequence[DataFileMeta], rules: PackRules) -> Files:
    """The oldest stretch of neighbours in a bucket that is worth packing; empty if none is."""
    window: list[DataFileMeta] = []
    size = 0
    for file in _by_sequence(files):
        window.append(file)
        size += file.file_size
        if len(window) >= rules.min_file_num:
            return tuple(window)
        while size >= 2 * rules.target_file_size:
            size -= window.pop(0).file_size
    return ()


def pack_ordered_full(files: Sequence[DataFileMeta], rules: PackRules) -> Files:
    """All files of a bucket from its first small one on; empty if most of them are big already."""
    ordered = _by_sequence(files)
    first = next((i for i, f in enumerate(ordered) if f.file_size < rules.small_file_size), len(ordered))
    rest = ordered[first:]
    small = sum(f.file_size < rules.small_file_size for f in rest)
    return tuple(rest) if len(rest) >= 2 and small > len(rest) - small else ()


def _by_sequence(files: Sequence[DataFileMeta]) -> list[DataFileMeta]:
    return sorted(files, key=lambda f: (f.min_sequence_number, f.max_sequence_number, f.file_name))
