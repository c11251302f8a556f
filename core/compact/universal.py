"""Which sorted runs of a bucket to merge: universal compaction. Spec: 07, 1 and 3.

Theory, in numbers. `runs` stand newest first: each level-0 file is a run of its own, each
other level is one run. A pick is always a prefix of them, because a key's newest version
must never end up below an older one. With T = `num-sorted-run.compaction-trigger`:

    early full    one of three options asks for it, whatever T says
    size amp      len(runs) >= T and everything but the oldest run exceeds maxSizeAmp percent of it: all runs
    size ratio    len(runs) >= T: grow from the newest run while the next one is not much bigger
    file number   len(runs) > T: the same from len(runs) - T + 1 runs, so that T are left
    level 0       nothing of that, and the table wants no rows to stay on level 0: the same from its runs

Pure: no file is opened and no clock is read here. The rewriting is in `core.write.compaction`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Run:
    """A sorted run as far as the choice is concerned."""

    level: int
    size: int  # bytes of all its files
    files: int = 1


class PickReason(StrEnum):
    FULL = "full"  # asked for
    EARLY_FULL = "early full"
    SIZE_AMPLIFICATION = "size amplification"
    SIZE_RATIO = "size ratio"
    FILE_NUMBER = "file number"
    LEVEL_ZERO = "level 0"  # rows of level 0 are not seen, or not in the changelog, before they are merged
    REWRITE = "rewrite"  # a file at its place, for its own sake


@dataclass(frozen=True, slots=True)
class Pick:
    """Merge the newest `count` runs into `output_level`."""

    count: int
    output_level: int
    reason: PickReason


@dataclass(frozen=True, slots=True)
class UniversalRules:
    """The options of universal compaction, the hour of the day already looked at."""

    trigger: int = 5  # sorted runs
    max_size_amplification: int = 200  # percent
    size_ratio: int = 1  # percent, off-peak ratio included
    optimization_interval_millis: int | None = None
    total_size_threshold: int | None = None  # bytes
    incremental_size_threshold: int | None = None  # bytes


def pick_universal(
    runs: Sequence[Run], max_level: int, rules: UniversalRules, millis_since_full: int | None = None
) -> Pick | None:
    """What to merge next; None if nothing should be.

    Args:
        runs: newest first.
        max_level: the bucket's highest level.
        rules: the table's options.
        millis_since_full: age of the last full compaction, None if there was none.
    """
    pick = (
        _early_full(runs, max_level, rules, millis_since_full)
        or _by_size_amplification(runs, max_level, rules)
        or _by_size_ratio(runs, max_level, rules)
        or _by_file_number(runs, max_level, rules)
    )
    return _unless_idle(runs, pick)


def pick_level_zero(runs: Sequence[Run], max_level: int, rules: UniversalRules) -> Pick | None:
    """All of level 0 upwards, and further runs that are not much bigger; None if level 0 is empty."""
    zeros = sum(run.level == 0 for run in runs)
    if zeros == 0:
        return None
    return _unless_idle(
        runs, _unit(runs, _grow(runs, zeros, rules, forced=True), max_level, PickReason.LEVEL_ZERO)
    )


def pick_full(runs: Sequence[Run], max_level: int) -> Pick | None:
    """All runs to the highest level; None if that is how they stand already."""
    if not runs or (len(runs) == 1 and runs[0].level == max_level):
        return None
    return Pick(len(runs), max_level, PickReason.FULL)


def _unless_idle(runs: Sequence[Run], pick: Pick | None) -> Pick | None:
    """No pick if it is a single file that is at the output level already."""
    if pick is None:
        return None
    picked = runs[: pick.count]
    idle = sum(run.files for run in picked) == 1 and picked[-1].level == pick.output_level
    return None if idle else pick


def _early_full(
    runs: Sequence[Run], max_level: int, rules: UniversalRules, millis_since_full: int | None
) -> Pick | None:
    if len(runs) <= 1:
        return None
    interval = rules.optimization_interval_millis
    overdue = interval is not None and (millis_since_full is None or millis_since_full > interval)
    total = sum(run.size for run in runs)
    small = rules.total_size_threshold is not None and total < rules.total_size_threshold
    incremental = sum(run.size for run in runs if run.level != max_level)
    grown = rules.incremental_size_threshold is not None and incremental > rules.incremental_size_threshold
    return Pick(len(runs), max_level, PickReason.EARLY_FULL) if overdue or small or grown else None


def _by_size_amplification(runs: Sequence[Run], max_level: int, rules: UniversalRules) -> Pick | None:
    if len(runs) < rules.trigger:
        return None
    newer = sum(run.size for run in runs[:-1])
    if newer * 100 <= rules.max_size_amplification * runs[-1].size:
        return None
    return Pick(len(runs), max_level, PickReason.SIZE_AMPLIFICATION)


def _by_size_ratio(runs: Sequence[Run], max_level: int, rules: UniversalRules) -> Pick | None:
    if len(runs) < rules.trigger:
        return None
    count = _grow(runs, 1, rules)
    return _unit(runs, count, max_level, PickReason.SIZE_RATIO) if count > 1 else None


def _by_file_number(runs: Sequence[Run], max_level: int, rules: UniversalRules) -> Pick | None:
    if len(runs) <= rules.trigger:
        return None
    count = _grow(runs, len(runs) - rules.trigger + 1, rules)
    return _unit(runs, count, max_level, PickReason.FILE_NUMBER)


def _grow(runs: Sequence[Run], count: int, rules: UniversalRules, *, forced: bool = False) -> int:
    """How many runs to take: `count`, and each next one that is not much bigger than those before."""
    size = sum(run.size for run in runs[:count])
    triggered = forced or count > 1
    for run in runs[count:]:
        much_bigger = size * (100 + rules.size_ratio) < run.size * 100
        if much_bigger and (not triggered or run.level > 1):
            break
        size += run.size
        count += 1
        triggered = True
    return count


def _unit(runs: Sequence[Run], count: int, max_level: int, reason: PickReason) -> Pick:
    """Just above the next run, but never on level 0: then take in runs up to one on a level."""
    output = max_level if count == len(runs) else max(0, runs[count].level - 1)
    while output == 0 and count < len(runs):
        output = runs[count].level
        count += 1
    return Pick(count, max_level if count == len(runs) else output, reason)
