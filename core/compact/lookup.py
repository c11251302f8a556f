"""Which tables look older versions of a key up when level 0 is compacted, and when they do. Spec: 06, 9.4."""

from __future__ import annotations

from core.options import (
    CHANGELOG_PRODUCER,
    COMPACTION_FORCE_UP_LEVEL_0,
    DELETION_VECTORS_ENABLED,
    FORCE_LOOKUP,
    LOOKUP_COMPACT,
    LOOKUP_COMPACT_MAX_INTERVAL,
    MERGE_ENGINE,
    NUM_SORTED_RUN_TRIGGER,
    ChangelogProducer,
    MergeEngine,
    TableOptions,
)

_GENTLE = "gentle"


def looks_up(options: TableOptions) -> bool:
    """Whether rows of level 0 meet the older version of their key, on whatever level that is."""
    return (
        options.get(CHANGELOG_PRODUCER) is ChangelogProducer.LOOKUP
        or options.get(DELETION_VECTORS_ENABLED)
        or options.get(MERGE_ENGINE) is MergeEngine.FIRST_ROW
        or options.get(FORCE_LOOKUP)
    )


def lifts_level_zero(options: TableOptions, level_zero_runs: int) -> bool:
    """Whether level 0 is to be compacted even if neither sizes nor the number of runs ask for it.

    A gentle table waits for `lookup-compact.max-interval` commits. Each leaves a run at least, so
    the runs that wait are counted: that needs no memory of earlier commits.
    """
    if options.get(COMPACTION_FORCE_UP_LEVEL_0):
        return True
    if not looks_up(options):
        return False
    if options.get(LOOKUP_COMPACT).lower() != _GENTLE:
        return True
    trigger = options.get(NUM_SORTED_RUN_TRIGGER)
    return level_zero_runs >= max(options.get(LOOKUP_COMPACT_MAX_INTERVAL) or 2 * trigger, trigger)
