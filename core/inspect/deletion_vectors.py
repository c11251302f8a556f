"""Deletion vectors of each bucket: files with vectors, rows they delete. Design: 6.11."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from core.binary import BinaryRow
from core.inspect.selection import snapshot_or_latest
from core.manifest import DeletionVectorRange, EntryColumns, IndexManifestEntry
from core.manifest.index_manifest import DELETION_VECTORS_INDEX
from core.snapshot import Snapshot
from core.system.placement import Partitions
from core.system.rollup import roll_up
from core.table import Table


@dataclass(frozen=True, slots=True)
class BucketVectors:
    partition: str  # path form
    partition_text: str  # row form: tells null from blank
    bucket: int
    index_files: tuple[str, ...]
    files: int  # live data files of the bucket
    files_with_vectors: int
    deleted_rows: int | None  # None: a writer of 0.9 did not say
    rows: int  # physical rows of the bucket


def list_deletion_vectors(table: Table, snapshot: Snapshot | None = None) -> tuple[BucketVectors, ...]:
    """The buckets that have deletion vectors, by partition and bucket.

    Raises:
        NotFoundError: the table has no snapshot.
    """
    at = snapshot_or_latest(table, snapshot)
    index: dict[tuple[BinaryRow, int], list[IndexManifestEntry]] = defaultdict(list)
    for entry in table.manifests.index_entries(at):
        if entry.index_type == DELETION_VECTORS_INDEX and entry.deletion_vector_ranges:
            index[entry.partition, entry.bucket].append(entry)
    if not index:
        return ()
    live = _live(table, table.manifests.live_entries(at))
    named = Partitions.of(table.schema, pa.array([row.to_bytes() for row, _ in index], pa.binary()))
    found = []
    for code, ((row, bucket), entries) in zip(named.codes.tolist(), index.items(), strict=True):
        ranges = [vector for entry in entries for vector in entry.deletion_vector_ranges or ()]
        files, rows = live.get((row, bucket), (0, 0))
        found.append(
            BucketVectors(
                partition=named.names[code],
                partition_text=named.texts[code],
                bucket=bucket,
                index_files=tuple(entry.file_name for entry in entries),
                files=files,
                files_with_vectors=len(ranges),
                deleted_rows=_deleted(ranges),
                rows=rows,
            )
        )
    return tuple(sorted(found, key=lambda b: (b.partition_text, b.bucket)))


def _live(table: Table, entries: EntryColumns) -> dict[tuple[BinaryRow, int], tuple[int, int]]:
    """Files and physical rows of each bucket."""
    partitions = Partitions.of(table.schema, entries.column("partition"))
    sums = roll_up(partitions, entries, by_bucket=True, sort_by=partitions.texts)
    names = ("partition", "bucket", "file_count", "record_count")
    rows = zip(*(sums.column(name).to_pylist() for name in names), strict=True)
    return {(partitions.rows[code], bucket): (files, count) for code, bucket, files, count in rows}


def _deleted(ranges: Sequence[DeletionVectorRange]) -> int | None:
    counts = [r.cardinality for r in ranges]
    return None if None in counts else sum(count or 0 for count in counts)
