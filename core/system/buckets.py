"""`$buckets`: sums over the live files of each bucket. Spec: 04, B."""

from __future__ import annotations

import pyarrow as pa

from core.manifest import EntryColumns
from core.snapshot import Snapshot
from core.system.columns import Columns, Shows, SystemTableKind, fields_of, required
from core.system.placement import Partitions
from core.system.rollup import roll_up
from core.table import Table
from core.types import STRING, BigIntType, IntType, TimestampType

FIELDS = fields_of(
    partition=STRING,
    bucket=required(IntType()),
    record_count=required(BigIntType()),
    file_size_in_bytes=required(BigIntType()),
    file_count=required(BigIntType()),
    last_update_time=TimestampType(3),
)


def _read(table: Table, at: Snapshot | None) -> Columns:
    entries = EntryColumns.empty() if at is None else table.manifests.live_entries(at)
    partitions = Partitions.of(table.schema, entries.column("partition"))
    rollup = roll_up(partitions, entries, by_bucket=True, sort_by=partitions.texts)
    return {
        "partition": lambda: rollup.spread(partitions.texts),
        "bucket": lambda: rollup.column("bucket"),
        "record_count": lambda: rollup.column("record_count"),
        "file_size_in_bytes": lambda: rollup.column("file_size_in_bytes"),
        "file_count": lambda: rollup.column("file_count"),
        "last_update_time": lambda: rollup.column("last_update_time").cast(pa.timestamp("ms")),
    }


BUCKETS = SystemTableKind("buckets", FIELDS, _read, shows=Shows.SNAPSHOT)
