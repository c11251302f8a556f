"""Whether rows keep their ids through a change. Spec: 08, 3, check 7. Pure.

A range is the ids of the rows of one file, from its first to behind its last. Files of some of
the columns of the same rows share a range; blobs and vectors lie in several files within one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

from core.commit.conflicts import apply_delta
from core.errors import CommitConflictError
from core.manifest.entry import FileKind, ManifestEntry
from core.manifest.index_manifest import IndexManifestEntry
from core.manifest.row_ranges import is_part_of_range

Range: TypeAlias = tuple[int, int]


def check_row_ids(
    base: Sequence[ManifestEntry],
    delta: Sequence[ManifestEntry],
    next_row_id: int,
    *,
    is_compaction: bool,
) -> None:
    """Refuse files whose row ids are not those that the table has given out.

    Args:
        base: all live entries of the partitions that `delta` touches.
        delta: what is to be committed; new rows have no ids yet.
        next_row_id: the first id that the table has not given out.
        is_compaction: files are joined, so ranges grow.

    Raises:
        CommitConflictError: `check` is "row ids"; the other fields name the first clash.
    """
    _check_deletes(base, delta)
    for entry in delta:
        found = row_range(entry)
        if entry.kind is FileKind.ADD and found is not None and found[0] < next_row_id:
            _check_known(entry, found, base, is_compaction)
    _check_overlap(apply_delta(base, delta))


def check_index_ranges(indexes: Iterable[IndexManifestEntry], live: Iterable[ManifestEntry]) -> None:
    """Refuse global indexes over rows that are not in the table."""
    ranges = [r for r in map(row_range, live) if r is not None]
    for entry in indexes:
        index = entry.global_index
        if index is None or index.source_meta is not None:
            continue
        if not _covers(ranges, (index.row_range_start, index.row_range_end + 1)):
            raise CommitConflictError(
                "a global index is of rows that are not in the table", check="row ids", file=entry.file_name
            )


def row_range(entry: ManifestEntry) -> Range | None:
    """The ids of the rows of a file; None if they have none yet."""
    first = entry.file.first_row_id
    return None if first is None else (first, first + entry.file.row_count)


def _check_deletes(base: Iterable[ManifestEntry], delta: Iterable[ManifestEntry]) -> None:
    known = {entry.identifier: row_range(entry) for entry in base}
    for entry in delta:
        if entry.kind is FileKind.DELETE and known.get(entry.identifier) != row_range(entry):
            raise _clash("a file to be replaced has got other row ids", entry)


def _check_known(
    entry: ManifestEntry, found: Range, base: Iterable[ManifestEntry], is_compaction: bool
) -> None:
    beside = [e for e in base if (e.partition, e.bucket) == (entry.partition, entry.bucket)]
    ranges = [r for r in map(row_range, beside) if r is not None]
    if is_compaction:
        fits = _covers(ranges, found)
    elif is_part_of_range(entry.file.file_name):
        fits = any(low <= found[0] and found[1] <= high for low, high in ranges)
    else:
        fits = found in ranges
    if not fits:
        raise _clash("a file is of rows that are no longer in the table", entry)


def _check_overlap(live: Iterable[ManifestEntry]) -> None:
    whole = [
        (r, e)
        for e in live
        if not is_part_of_range(e.file.file_name)
        for r in [row_range(e)]
        if r is not None
    ]
    whole.sort(key=lambda pair: pair[0])
    for (left, _), (right, entry) in pairwise(whole):
        if left != right and right[0] < left[1]:
            raise _clash("two files share some of their row ids only", entry)


def _covers(ranges: Iterable[Range], wanted: Range) -> bool:
    reached, end = wanted
    for low, high in sorted(ranges):
        if low > reached:
            break
        reached = max(reached, high)
    return reached >= end


def _clash(what: str, entry: ManifestEntry) -> CommitConflictError:
    return CommitConflictError(
        what,
        check="row ids",
        file=entry.file.file_name,
        first_row_id=entry.file.first_row_id,
        rows=entry.file.row_count,
    )
