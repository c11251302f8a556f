"""Deletion vectors of each bucket: files with vectors, rows they delete. Design: 6.11."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.inspect.selection import snapshot_or_latest, total
from core.manifest import DeletionVectorRange, EntryColumns, IndexManifestEntry
from core.snapshot import Snapshot
from core.system.placement import Partitions
from core.table import Table


@dataclass(frozen=True, slots=True)
class BucketVectors:
    partition: str  # path form
    bucket: int
    index_files: tuple[str, ...]
    files: int  # live data files of the bucket
    files_with_vectors: int
    deleted_rows: int | None  # None: a writer of 0.9 did not say
    rows: int  # physical rows of the bucket


def list_deletion_vectors(table: Table, snapshot: Snapshot | None = None) -> tuple[BucketVectors, ...]:
    """The buckets that have deletion vectors, by partition and bucket."""
    at = snapshot_or_latest(table, snapshot)
    index = [e for e in table.manifests.index_entries(at) if e.index_type == "DELETION_VECTORS"]
    if not index:
        return ()
    entries = table.manifests.live_entries(at)
    partitions = Partitions.of(table.schema, entries.column("partition"))
    buckets = entries.numpy("bucket")
    found = []
    for row, bucket in dict.fromkeys((e.partition, e.bucket) for e in index):
        code = partitions.rows.index(row) if row in partitions.rows else -1
        mine = entries.filter((partitions.codes == code) & (buckets == bucket))
        files = [e for e in index if (e.partition, e.bucket) == (row, bucket)]
        name = partitions.names[code] if code >= 0 else row.data.hex()
        found.append(_bucket(name, bucket, files, mine))
    return tuple(sorted((b for b in found if b.files_with_vectors), key=lambda b: (b.partition, b.bucket)))


def _bucket(name: str, bucket: int, index: Sequence[IndexManifestEntry], mine: EntryColumns) -> BucketVectors:
    ranges = [r for entry in index for r in entry.deletion_vector_ranges or ()]
    return BucketVectors(
        partition=name,
        bucket=bucket,
        index_files=tuple(entry.file_name for entry in index),
        files=len(mine),
        files_with_vectors=len(ranges),
        deleted_rows=_deleted(ranges),
        rows=total(mine, "row_count"),
    )


def _deleted(ranges: Sequence[DeletionVectorRange]) -> int | None:
    counts = [r.cardinality for r in ranges]
    return None if None in counts else sum(count or 0 for count in counts)
