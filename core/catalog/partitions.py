"""Partitions of a table as its files tell them, for catalogs that keep no records of their own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from core.catalog.facts import Partition, PartitionStatistics
from core.manifest import EntryColumns
from core.options import PARTITION_DEFAULT_NAME, PARTITION_LEGACY_NAME
from core.partition import partition_name
from core.system.placement import Partitions
from core.system.rollup import roll_up
from core.table import Table
from core.write.target import WriteTarget


def partitions_of(table: Table) -> list[Partition]:
    """The partitions of the latest snapshot, by name; none of a table without partition keys."""
    snapshot = table.snapshots.latest()
    if snapshot is None or not table.schema.partition_keys:
        return []
    entries = table.manifests.live_entries(snapshot)
    return [Partition(statistics) for statistics in statistics_of(table, entries)]


def statistics_of(table: WriteTarget, entries: EntryColumns) -> list[PartitionStatistics]:
    """What some files add up to, a partition each, by name."""
    partitions = Partitions.of(table.schema, entries.column("partition"))
    sums = roll_up(partitions, entries, by_bucket=False, sort_by=partitions.names).table
    return [
        PartitionStatistics(
            spec=spec_of(table, partitions.values[row["partition"]]),
            record_count=row["record_count"],
            file_size_in_bytes=row["file_size_in_bytes"],
            file_count=row["file_count"],
            last_file_creation_time=_epoch_millis(row["last_update_time"]),
            total_buckets=row["total_buckets"],
        )
        for row in sums.to_pylist()
    ]


def spec_of(table: WriteTarget, values: Sequence[Any]) -> dict[str, str]:
    """A partition as catalogs know it: its values as directories are called, not escaped."""
    schema, options = table.schema, table.options
    spelled = (options.get(PARTITION_DEFAULT_NAME), options.get(PARTITION_LEGACY_NAME))
    fields = zip(schema.partition_keys, schema.partition_types, values, strict=True)
    return {
        key: partition_name([key], [kind], [value], *spelled).removeprefix(f"{key}=")
        for key, kind, value in fields
    }


def _epoch_millis(wall_clock: int | None) -> int:
    """When it was, if the clock on the writer's wall was that of this machine; 0 where nothing is known."""
    if wall_clock is None:
        return 0
    shown = datetime(1970, 1, 1) + timedelta(milliseconds=wall_clock)
    return round(shown.timestamp() * 1000)
