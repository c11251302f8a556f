"""`$partitions`: sums over the live files of each partition. Spec: 04, B.

The audit columns (`created_at` to `options`, `done`) are known to a REST catalog alone.
"""

from __future__ import annotations

import pyarrow as pa

from core.manifest import IndexManifestEntry
from core.snapshot import Snapshot
from core.system.columns import Columns, Shows, SystemTableKind, fields_of, required
from core.system.files import shown_files
from core.system.placement import Partitions
from core.system.rollup import Rollup, roll_up
from core.system.text import Column
from core.table import Table
from core.types import STRING, BigIntType, BooleanType, IntType, TimestampType

FIELDS = fields_of(
    partition=STRING,
    record_count=required(BigIntType()),
    file_size_in_bytes=required(BigIntType()),
    file_count=required(BigIntType()),
    last_update_time=TimestampType(3),
    created_at=TimestampType(3),
    created_by=STRING,
    updated_by=STRING,
    options=STRING,
    total_buckets=required(IntType()),
    done=required(BooleanType()),
    deleted_record_count=BigIntType(),
)


def _read(table: Table, at: Snapshot | None) -> Columns:
    entries = shown_files(table, at)
    partitions = Partitions.of(table.schema, entries.column("partition"))
    rollup = roll_up(partitions, entries, by_bucket=False, sort_by=partitions.cast_names)
    rows = rollup.table.num_rows
    return {
        "partition": lambda: rollup.spread(partitions.cast_names),
        "record_count": lambda: rollup.column("record_count"),
        "file_size_in_bytes": lambda: rollup.column("file_size_in_bytes"),
        "file_count": lambda: rollup.column("file_count"),
        "last_update_time": lambda: rollup.column("last_update_time").cast(pa.timestamp("ms")),
        "created_at": lambda: pa.nulls(rows, pa.timestamp("ms")),
        "created_by": lambda: pa.nulls(rows, pa.string()),
        "updated_by": lambda: pa.nulls(rows, pa.string()),
        "options": lambda: pa.nulls(rows, pa.string()),
        "total_buckets": lambda: rollup.column("total_buckets"),
        "done": lambda: pa.repeat(pa.scalar(False), rows),
        "deleted_record_count": lambda: _deleted(table, at, rollup),
    }


def _deleted(table: Table, at: Snapshot | None, rollup: Rollup) -> Column:
    """Rows that deletion vectors delete, by partition; null where one does not say how many."""
    index_files = () if at is None else table.manifests.index_entries(at)
    counts: dict[bytes, int | None] = {}
    for entry in index_files:
        key = entry.partition.to_bytes()
        counts[key] = _plus(counts.get(key, 0), entry)
    rows = rollup.partitions.rows
    codes = rollup.column("partition").to_pylist()
    return pa.array([counts.get(rows[code].to_bytes(), 0) for code in codes], pa.int64())


def _plus(total: int | None, entry: IndexManifestEntry) -> int | None:
    for vector in entry.deletion_vector_ranges or ():
        total = None if total is None or vector.cardinality is None else total + vector.cardinality
    return total


PARTITIONS = SystemTableKind("partitions", FIELDS, _read, shows=Shows.SNAPSHOT)
