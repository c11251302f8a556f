"""Drops partitions: a snapshot without their rows. Spec: 08, 13; 10, 7.

The files go when the snapshots before it expire.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.binary import BinaryRow
from core.commit import TableCommit
from core.maintenance.notice import Notice
from core.maintenance.rollback_data import FileTotals
from core.partition import value_text
from core.snapshot import BATCH_COMMIT_IDENTIFIER, Snapshot
from core.system.placement import Partitions
from core.table import Table
from core.write.partition_spec import PartitionSpec, partition_test


@dataclass(frozen=True, slots=True)
class LivePartition:
    row: BinaryRow  # its values; texts may say less
    name: str  # `dt=20240101/hh=10`
    spec: tuple[tuple[str, str | None], ...]  # the texts of its values by partition key, in their order
    updated: datetime  # when its newest file was made: the wall clock of its writer
    files: FileTotals


@dataclass(frozen=True, slots=True, kw_only=True)
class DropPartitionsPlan:
    partitions: tuple[LivePartition, ...]  # in the order of their names
    batch_size: int  # how many go with one snapshot
    while_idle: bool = False  # one that gets rows after the plan stays
    warnings: tuple[Notice, ...] = ()

    @property
    def changes_nothing(self) -> bool:
        return not self.partitions


def plan_drop_partitions(table: Table, specs: Sequence[PartitionSpec]) -> DropPartitionsPlan:
    """The partitions that would go: all that match one of the specs, which may name some keys only.

    Raises:
        InvalidRequestError: a spec names what is no partition key, or no value of its type.
    """
    is_wanted = partition_test(table.schema, specs)
    found = tuple(partition for partition in live_partitions(table) if is_wanted(partition.row))
    return DropPartitionsPlan(partitions=found, batch_size=max(len(found), 1))


def apply_drop_partitions(
    table: Table, plan: DropPartitionsPlan, user: str, identifier: int = BATCH_COMMIT_IDENTIFIER
) -> list[Snapshot]:
    """The snapshots without the partitions, one a batch.

    Rows that came since the plan go, too, unless the partition was to go for having got none.

    Raises:
        CommitConflictError, CommitUnknownError: as `TableCommit.commit`.
    """
    commit, size = TableCommit(table, user), plan.batch_size
    batches = (plan.partitions[i : i + size] for i in range(0, len(plan.partitions), size))
    snapshots = []
    for batch in batches:
        rows = [p.row for p in (_still_idle(table, batch) if plan.while_idle else batch)]
        if rows:
            snapshots.append(commit.truncate_partitions(rows, identifier))
    return snapshots


def _still_idle(table: Table, partitions: Sequence[LivePartition]) -> list[LivePartition]:
    """Those without a file that is newer than when they were planned."""
    updated = {partition.row: partition.updated for partition in live_partitions(table)}
    return [p for p in partitions if p.row in updated and updated[p.row] <= p.updated]


def live_partitions(table: Table) -> list[LivePartition]:
    """The partitions of the latest snapshot, by name."""
    snapshot = table.snapshots.latest()
    if snapshot is None:
        return []
    schema = table.schema
    grouped = (
        table.manifests.live_entries(snapshot)
        .table.group_by("partition")
        .aggregate(
            [("creation_time", "max"), ("file_name", "count"), ("file_size", "sum"), ("row_count", "sum")]
        )
    )
    partitions = Partitions.of(schema, grouped.column("partition"))
    rows = grouped.select(["creation_time_max", "file_name_count", "file_size_sum", "row_count_sum"])
    found = []
    for code, row in zip(partitions.codes.tolist(), rows.to_pylist(), strict=True):  # one a partition
        fields = zip(schema.partition_keys, schema.partition_types, partitions.values[code], strict=True)
        spec = tuple(
            (key, None if value is None else value_text(kind, value, legacy=False))
            for key, kind, value in fields
        )
        totals = FileTotals(row["file_name_count"], row["file_size_sum"], row["row_count_sum"])
        updated = _wall_clock(row["creation_time_max"])
        found.append(LivePartition(partitions.rows[code], partitions.names[code], spec, updated, totals))
    return sorted(found, key=lambda partition: partition.name)


def _wall_clock(millis: int | None) -> datetime:
    """Creation times of files are wall clocks of their writers, as if they were UTC."""
    return datetime(1970, 1, 1) + timedelta(milliseconds=millis or 0)
