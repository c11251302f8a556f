"""Which files of an append table to pack together. Spec: 07, 7.1 and 7.2. Pure.

Without buckets the files of a partition have no order, so small ones are packed by size.
With buckets the order of rows is kept: only neighbours by sequence number are packed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.manifest.file_meta import DataFileMeta


@dataclass(frozen=True, slots=True)
class PackRules:
    """The options of packing."""

    target_file_size: int  # bytes
    small_file_size: int  # bytes; a file below this counts as small
    min_file_num: int = 5  # fewer leftovers wait for company
    open_file_cost: int = 4 * 1024 * 1024  # bytes that opening a file is worth
    deleted_ratio: float = 0.2  # a file of which more rows are deleted is rewritten, whatever its size


@dataclass(frozen=True, slots=True)
class Marks:
    """The deletion vectors of some files, by name of the data file."""

    index_file: Mapping[str, str] = field(default_factory=dict)  # that has the file's vector
    deleted: Mapping[str, int | None] = field(default_factory=dict)  # rows; None if that is not known

    def too_many(self, file: DataFileMeta, ratio: float) -> bool:
        """Whether so many rows are deleted that the file is worth a rewrite; not to know counts as many."""
        if file.file_name not in self.deleted:
            return False
        deleted = self.deleted[file.file_name]
        return deleted is None or deleted > file.row_count * ratio


NO_MARKS = Marks()

Files = tuple[DataFileMeta, ...]


def pack_unordered(
    files: Sequence[DataFileMeta],
    rules: PackRules,
    *,
    leftovers: bool,
    marks: Marks = NO_MARKS,
    most_files: int | None = None,
) -> list[Files]:
    """Groups of files of one partition, each to become one file or a few of target size.

    Files whose vectors are in one index file are in one group: two groups cannot both replace it.

    Args:
        files: all live files of the partition.
        rules: the table's options.
        leftovers: also pack a rest of two files or more, however few (a full compaction).
        marks: the vectors of the files.
        most_files: in all groups; the others wait for the next plan. A group that has vectors is not
            divided, so it alone may have more.
    """
    chosen = [
        f for f in files if f.file_size < rules.small_file_size or marks.too_many(f, rules.deleted_ratio)
    ]
    plain = [f for f in chosen if f.file_name not in marks.index_file]
    marked = pack_marked(chosen, rules, marks)
    groups = [*marked, *_pack_plain(plain, rules, leftovers=leftovers)]
    return groups if most_files is None else list(_limited(groups, most_files, len(marked)))


def _limited(groups: Sequence[Files], most_files: int, undivided: int) -> Iterator[Files]:
    """The first groups that have so many files together; the last of them may be cut to two or more."""
    room = most_files
    for number, group in enumerate(groups):
        if room <= 0:
            return
        taken = group if number < undivided else group[:room]
        if number < undivided or len(taken) > 1:
            yield taken
        room -= len(taken)


def pack_marked(files: Sequence[DataFileMeta], rules: PackRules, marks: Marks) -> list[Files]:
    """Files with vectors, those of an index file together; all of them, as each vector is to go."""
    together: dict[str, list[DataFileMeta]] = defaultdict(list)
    for file in sorted(files, key=_size_and_name):
        if file.file_name in marks.index_file:
            together[marks.index_file[file.file_name]].append(file)
    groups: list[Files] = []
    waiting: list[DataFileMeta] = []
    for _, members in sorted(together.items(), key=lambda item: (sum(f.file_size for f in item[1]), item[0])):
        waiting += members
        if sum(f.file_size + rules.open_file_cost for f in waiting) >= 2 * rules.target_file_size:
            groups.append(tuple(waiting))
            waiting = []
    return [*groups, tuple(waiting)] if waiting else groups


def _pack_plain(files: Sequence[DataFileMeta], rules: PackRules, *, leftovers: bool) -> list[Files]:
    small = sorted(files, key=_size_and_name)
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


def pack_ordered_full(files: Sequence[DataFileMeta], rules: PackRules, marks: Marks = NO_MARKS) -> Files:
    """All files of a bucket from its first small or marked one on; empty if most of them are big already
    and none is marked."""
    ordered = _by_sequence(files)
    small = [f.file_size < rules.small_file_size for f in ordered]
    marked = [f.file_name in marks.index_file for f in ordered]
    first = next((i for i in range(len(ordered)) if small[i] or marked[i]), len(ordered))
    rest = ordered[first:]
    worth = len(rest) >= 2 and sum(small[first:]) > len(rest) - sum(small[first:])
    return tuple(rest) if worth or any(marked) else ()


def _by_sequence(files: Sequence[DataFileMeta]) -> list[DataFileMeta]:
    return sorted(files, key=lambda f: (f.min_sequence_number, f.max_sequence_number, f.file_name))
