"""Which files of a table with data evolution to join: neighbours by row id. Spec: 04, A6; 07, 7. Pure.

Files of the same rows become one, and so do those of the rows behind them, as long as no id is missing
in between: a new file has a first row id and nothing else that says which rows it holds. Blobs stay
where they are. Deleted rows stay, too, since all ids behind them would move.

    row ids     0 ... 99   100 ... 199            300 ... 399
    base        a b c      a b c                  a b c
    update        b                                                ->  a b c of 0 ... 199; 300 ... 399 waits
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.compact.append import Files, Marks, PackRules
from core.errors import UnsupportedError
from core.manifest.file_meta import DataFileMeta
from core.manifest.row_ranges import RowRange, group_by_row_range, is_part_of_range, row_range_of


def pack_row_ranges(
    files: Sequence[DataFileMeta], rules: PackRules, *, leftovers: bool, marks: Marks
) -> list[Files]:
    """Groups of files of one partition, each to become one file.

    Of groups whose deletion vectors share an index file only the first is there, as two could not both
    replace it: the others wait for the next plan.

    Args:
        files: all live files of the partition.
        rules: the table's options; a group is full above the target size.
        leftovers: also join two files or more, however few (a full compaction).
        marks: the vectors of the files.

    Raises:
        UnsupportedError: vectors lie in files of their own.
        FormatError: files of the same rows do not agree on their row ids.
    """
    fewest = 2 if leftovers else max(2, rules.min_file_num)
    replaced: set[str] = set()
    chosen: list[Files] = []
    for group in _groups(files, rules):
        indexes = {marks.index_file[f.file_name] for f in group if f.file_name in marks.index_file}
        if len(group) >= fewest and not indexes & replaced:
            replaced |= indexes
            chosen.append(group)
    return chosen


@dataclass(slots=True)
class _Bin:
    """Ranges of rows that follow each other."""

    files: list[DataFileMeta] = field(default_factory=list)
    weight: int = 0
    end: int | None = None  # the row id behind the last one

    def add(self, rows: RowRange, weight: int) -> None:
        self.files += rows.plain
        self.weight += weight
        self.end = rows.end


def _groups(files: Sequence[DataFileMeta], rules: PackRules) -> Iterator[Files]:
    waiting = _Bin()
    for group in group_by_row_range(_plain(files)):
        rows = row_range_of(group)
        weight = sum(max(file.file_size, rules.open_file_cost) for file in group)
        is_large = weight > rules.target_file_size
        if waiting.files and (is_large or waiting.end != rows.first):
            yield tuple(waiting.files)
            waiting = _Bin()
        waiting.add(rows, weight)
        if waiting.weight > rules.target_file_size:
            yield tuple(waiting.files)
            waiting = _Bin()
    if waiting.files:
        yield tuple(waiting.files)


def _plain(files: Sequence[DataFileMeta]) -> list[DataFileMeta]:
    for file in files:
        if ".vector." in file.file_name:
            raise UnsupportedError(
                "rows whose vectors lie in files of their own are not rewritten",
                feature="compaction of files of vectors",
                file=file.file_name,
            )
    return [file for file in files if not is_part_of_range(file.file_name)]
