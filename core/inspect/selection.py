"""Which bucket of a table a person speaks of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow.compute as _pc

from core.binary import BinaryRow
from core.errors import NotFoundError
from core.manifest import EntryColumns
from core.snapshot import Snapshot
from core.system.placement import Partitions
from core.table import Table

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


@dataclass(frozen=True, slots=True)
class BucketFiles:
    """The live files of one bucket at one snapshot."""

    snapshot: Snapshot
    partition: BinaryRow
    partition_text: str  # row form
    partition_name: str  # path form
    bucket: int
    entries: EntryColumns


def snapshot_or_latest(table: Table, snapshot: Snapshot | None) -> Snapshot:
    """`snapshot`, or the latest; `NotFoundError` if the table has none."""
    found = snapshot or table.snapshots.latest()
    if found is None:
        raise NotFoundError("the table has no snapshot", table=str(table.identifier))
    return found


def select_bucket(table: Table, partition: str, bucket: int, snapshot: Snapshot | None = None) -> BucketFiles:
    """The files of a bucket. `partition` is its path form (`dt=1/hr=2`) or row form (`{1, 2}`).

    Null and blank values have one path form, so only the row form tells them apart; the
    path form then means the partition that was written first.

    Raises:
        NotFoundError: no live file lies in such a bucket.
    """
    at = snapshot_or_latest(table, snapshot)
    entries = table.manifests.live_entries(at)
    partitions = Partitions.of(table.schema, entries.column("partition"))
    spellings = partitions.texts if partition.startswith("{") else partitions.names
    code = spellings.index(partition) if partition in spellings else -1
    mask = (partitions.codes == code) & (entries.numpy("bucket") == bucket)
    if code < 0 or not mask.any():
        raise NotFoundError(
            "no live file in this bucket", table=str(table.identifier), partition=partition, bucket=bucket
        )
    return BucketFiles(
        at,
        partitions.rows[code],
        partitions.texts[code],
        partitions.names[code],
        bucket,
        entries.filter(mask),
    )


def total(entries: EntryColumns, column: str) -> int:
    """The sum of a column, 0 of nothing."""
    return int(pc.sum(entries.column(column)).as_py() or 0)
