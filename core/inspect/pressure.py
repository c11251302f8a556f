"""How full of sorted runs each bucket is: where compaction lags behind. Design: 6.9; spec: 07, 1 and 2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.inspect.levels import stop_trigger
from core.inspect.selection import snapshot_or_latest
from core.options import NUM_SORTED_RUN_TRIGGER
from core.snapshot import Snapshot
from core.system.placement import Partitions
from core.table import Table


@dataclass(frozen=True, slots=True)
class BucketPressure:
    partition: str  # path form
    partition_text: str  # row form: tells null from blank
    bucket: int
    runs: int
    files: int
    level_0_files: int
    size: int  # bytes
    rows: int
    pressure: float  # runs / trigger
    is_stopping: bool  # runs have reached the number at which writers wait


def list_pressure(table: Table, snapshot: Snapshot | None = None) -> tuple[BucketPressure, ...]:
    """Every bucket of a primary-key table, the most pressed first; empty for an append table."""
    if not table.schema.primary_keys:
        return ()
    at = snapshot_or_latest(table, snapshot)
    entries = table.manifests.live_entries(at)
    if not len(entries):
        return ()
    partitions = Partitions.of(table.schema, entries.column("partition"))
    buckets = entries.numpy("bucket").astype(np.int64)
    levels = entries.numpy("level").astype(np.int64)
    pairs, group = np.unique(np.stack([partitions.codes, buckets]), axis=1, return_inverse=True)
    group = group.reshape(-1)
    count = pairs.shape[1]
    files = np.bincount(group, minlength=count)
    zeros = np.bincount(group[levels == 0], minlength=count)
    upper = np.unique(np.stack([group[levels > 0], levels[levels > 0]]), axis=1)[0]
    runs = zeros + np.bincount(upper, minlength=count)
    size = np.bincount(group, weights=entries.numpy("file_size"), minlength=count)
    rows = np.bincount(group, weights=entries.numpy("row_count"), minlength=count)
    trigger, stop = table.options.get(NUM_SORTED_RUN_TRIGGER), stop_trigger(table.options)
    order = np.lexsort((pairs[1], pairs[0], -size, -runs))
    return tuple(
        BucketPressure(
            partition=partitions.names[pairs[0][i]],
            partition_text=partitions.texts[pairs[0][i]],
            bucket=int(pairs[1][i]),
            runs=int(runs[i]),
            files=int(files[i]),
            level_0_files=int(zeros[i]),
            size=int(size[i]),
            rows=int(rows[i]),
            pressure=float(runs[i] / trigger),
            is_stopping=bool(runs[i] >= stop),
        )
        for i in order.tolist()
    )
