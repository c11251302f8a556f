"""Tables of metadata alone: 100,000 live files in 100 partitions, and 2,000 snapshots."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bench.plan import make_table
from core.catalog import open_catalog


def make_metadata_tables(warehouse: Path, scale: float) -> None:
    """Write those that are not there yet."""
    for name, clustered in (("files_spread", False), ("files_clustered", True)):
        if not (warehouse / f"bench.db/{name}/snapshot/snapshot-1").exists():
            make_table(str(warehouse), int(100_000 * scale), name=name, clustered=clustered)
    _make_snapshots(warehouse, int(2_000 * scale))


def _make_snapshots(warehouse: Path, count: int) -> None:
    """One snapshot under many numbers: what they name is never opened."""
    directory = warehouse / "bench.db/snapshots/snapshot"
    if (directory / f"snapshot-{count}").exists():
        return
    if not (directory / "snapshot-1").exists():
        make_table(str(warehouse), 100, name="snapshots")
    table = open_catalog(str(warehouse)).get_table("bench.snapshots")
    first = table.snapshots.get(1)
    for number in range(2, count + 1):
        table.snapshots.create(replace(first, id=number, time_millis=first.time_millis + number))
