"""The sorted runs of a bucket, newest first, as compaction sees them. Spec: 07, 1. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from core.compact.universal import Run
from core.manifest.file_meta import DataFileMeta


@dataclass(frozen=True, slots=True)
class LevelRun:
    """One sorted run: a file of level 0, or all files of another level."""

    level: int
    files: tuple[DataFileMeta, ...]

    @property
    def as_run(self) -> Run:
        return Run(self.level, sum(f.file_size for f in self.files), len(self.files))


def level_runs(files: Sequence[DataFileMeta]) -> list[LevelRun]:
    """The runs of a bucket's live files: level 0 newest first, then level by level."""
    levels: dict[int, list[DataFileMeta]] = defaultdict(list)
    for file in files:
        levels[file.level].append(file)
    newest_first = sorted(levels.pop(0, []), key=_age)
    zeros = [LevelRun(0, (file,)) for file in newest_first]
    return zeros + [LevelRun(level, tuple(levels[level])) for level in sorted(levels)]


def _age(file: DataFileMeta) -> tuple[int, int, int, str]:
    created = file.creation_time_millis or 0
    return -file.max_sequence_number, file.min_sequence_number, created, file.file_name


def highest_level(runs: Sequence[LevelRun], num_levels: int) -> int:
    """The bucket's top level: as the options say, but never below what is there."""
    return max(num_levels - 1, 1, *(run.level for run in runs))
