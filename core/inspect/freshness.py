"""How up to date a table is, and which rows wait for a compaction to be seen. Design: 3.6, 6.3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow.compute as _pc

from core.inspect.selection import snapshot_or_latest, total
from core.options import DELETION_VECTORS_ENABLED, DELETION_VECTORS_MERGE_ON_READ, MERGE_ENGINE, MergeEngine
from core.snapshot import CommitKind, Snapshot
from core.table import Table

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


@dataclass(frozen=True, slots=True)
class Freshness:
    snapshot: str  # reference
    last_commit_millis: int  # epoch milliseconds, UTC
    watermark: int | None
    batch_reads_skip_level_0: bool
    waiting_rows: int  # in level 0, unseen by batch reads until a compaction
    waiting_files: int
    oldest_waiting_millis: int | None  # the writer's wall clock
    last_compaction_millis: int | None  # newest COMPACT snapshot that is kept


def measure_freshness(table: Table, snapshot: Snapshot | None = None) -> Freshness:
    """The table's state at a snapshot, the latest without one."""
    at = snapshot_or_latest(table, snapshot)
    skips = skips_level_0(table)
    entries = table.manifests.live_entries(at)
    waiting = entries.filter((entries.numpy("level") == 0) & skips)
    return Freshness(
        snapshot=at.reference,
        last_commit_millis=at.time_millis,
        watermark=at.watermark,
        batch_reads_skip_level_0=skips,
        waiting_rows=total(waiting, "row_count"),
        waiting_files=len(waiting),
        oldest_waiting_millis=pc.min(waiting.column("creation_time")).as_py(),
        last_compaction_millis=_last_compaction(table, at),
    )


def skips_level_0(table: Table) -> bool:
    """Whether batch readers leave level 0 out: deletion vectors without merging, or first-row."""
    if not table.schema.primary_keys:
        return False
    options = table.options
    vectors = options.get(DELETION_VECTORS_ENABLED) and not options.get(DELETION_VECTORS_MERGE_ON_READ)
    return vectors or options.get(MERGE_ENGINE) is MergeEngine.FIRST_ROW


def _last_compaction(table: Table, at: Snapshot) -> int | None:
    """Looks back a hundred snapshots at most."""
    for snapshot in table.snapshots.newest(100, before=at.id + 1):
        if snapshot.commit_kind is CommitKind.COMPACT:
            return snapshot.time_millis
    return None
