"""What each stage of planning kept and dropped, and why.

Numbers are those of data files, or of their rows at the last stage; a manifest that is never
opened counts the entries its list record speaks of. Spec: 09, 8.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum


class StageName(StrEnum):
    """The stages in the order they run."""

    SNAPSHOTS = "snapshots"  # commits with changes of the kind; only reads of changes have it
    MANIFESTS = "manifests"  # partition ranges in the manifest list
    PARTITIONS = "partitions"  # the partition of each entry
    BUCKETS = "buckets"  # equality on all bucket keys
    LEVELS = "levels"  # level 0 where compaction alone makes rows visible
    SELECTION = "selection"  # levels, times or partitions that the kind of read is about
    STATISTICS = "statistics"  # key and value ranges of each file
    FILE_INDEX = "file index"  # bloom filters and bitmaps of each file
    WHOLE_BUCKETS = "whole buckets"  # value ranges of all files of a bucket together
    DIFFERENCE = "difference"  # files that both of two compared snapshots have
    DELETION_VECTORS = "deletion vectors"  # rows marked as deleted in the files that are left
    INDEX_ROWS = "rows by index"  # rows that the indexes of the files leave, when they are read
    ROW_GROUPS = "row groups"  # statistics of parquet footers
    PAGES = "pages"  # page indexes of parquet files


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a plan.

    `unit` is what was counted (manifests, files, row groups or rows), `size` are bytes of the same;
    a file whose rows are counted counts as kept whole. `reason` says what the stage went by, or why
    it dropped nothing. Rows are those in the files, before merging; a plan leaves them uncounted.
    """

    name: StageName
    unit: str
    kept: int
    dropped: int
    kept_size: int
    dropped_size: int
    reason: str
    kept_rows: int | None = None
    dropped_rows: int | None = None

    @property
    def line(self) -> str:
        """`partitions: kept 3 of 12 files: dt = '2024-01-01'`, with bytes and rows where they are known."""
        parts = [f"{self.kept} of {self.kept + self.dropped} {self.unit}"]
        if self.kept_rows is not None and self.dropped_rows is not None and self.unit != "rows":
            if self.dropped_size:
                parts.append(f"{self.kept_size} of {self.kept_size + self.dropped_size} bytes")
            parts.append(f"{self.kept_rows} of {self.kept_rows + self.dropped_rows} rows")
        return f"{self.name}: kept {', '.join(parts)}: {self.reason}"


def snapshot_stage(kept: int, of: int, reason: str) -> Stage:
    """The first stage of a read of changes: the snapshots that it looks at."""
    return Stage(StageName.SNAPSHOTS, "snapshots", kept, of - kept, 0, 0, reason)


def summed(stages: Iterable[Stage]) -> tuple[Stage, ...]:
    """One stage of each name, in the order first seen: what several plans kept and dropped together."""
    total: dict[StageName, Stage] = {}
    for stage in stages:
        before = total.get(stage.name)
        total[stage.name] = stage if before is None else _sum(before, stage)
    return tuple(total.values())


def _sum(some: Stage, more: Stage) -> Stage:
    return replace(
        some,
        kept=some.kept + more.kept,
        dropped=some.dropped + more.dropped,
        kept_size=some.kept_size + more.kept_size,
        dropped_size=some.dropped_size + more.dropped_size,
    )


@dataclass(frozen=True, slots=True)
class Explain:
    """The stages of one plan, first to last; stages that had nothing to look at are there too.

    `unused` names what the snapshot has to speed reads up and this version leaves alone.
    """

    stages: tuple[Stage, ...]
    unused: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join(
            [*(stage.line for stage in self.stages), *(f"not used: {name}" for name in self.unused)]
        )
