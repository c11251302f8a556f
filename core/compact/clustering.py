"""Incremental clustering: an append table kept sorted a part at a time. Spec: 07, 7.4. Pure.

New files lie on level 0, each a run by itself; a compaction sorts some of the runs by the clustering
columns into files of a higher level, which are one run. Which ones is chosen as in a merge tree (universal
compaction), so each row is sorted a few times and not with each batch that arrives. Levels say nothing
about which row is newer: readers do not look at them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.compact.levels import LevelRun, level_runs
from core.compact.sort_order import SortOrder
from core.compact.universal import Pick, PickReason, UniversalRules, pick_full, pick_universal
from core.manifest.file_meta import DataFileMeta


@dataclass(frozen=True, slots=True)
class Clustering:
    """How the rows of a table are clustered."""

    order: SortOrder
    has_order: Callable[[DataFileMeta], bool]  # whether a file was clustered by the same columns


def pick_clustered(
    files: tuple[DataFileMeta, ...],
    clustering: Clustering,
    max_level: int,
    rules: UniversalRules,
    *,
    full: bool,
) -> tuple[Pick | None, list[LevelRun]]:
    """The runs to sort, a prefix of all, and all runs.

    A full clustering takes all, unless they are one run of the top level, sorted by the same columns.
    """
    runs = level_runs(files)
    shapes = [run.as_run for run in runs]
    if not full:
        return pick_universal(shapes, max_level, rules), runs
    pick = pick_full(shapes, max_level)
    if pick is None and runs and not clustering.has_order(runs[0].files[0]):
        pick = Pick(len(runs), max_level, PickReason.REWRITE)
    return pick, runs
