"""Where the writers of a table have to go on: sequence numbers and bucket counts of what is live."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.binary import BinaryRow
from core.errors import FormatError, InvalidRequestError
from core.manifest.columns import EntryColumns
from core.manifest.index_manifest import HASH_INDEX, IndexManifestEntry
from core.options import BUCKET
from core.snapshot.snapshot import Snapshot
from core.write.target import WriteTarget


@dataclass(frozen=True, slots=True)
class WriteBase:
    """What a writer has to know of the live files."""

    max_sequence: Mapping[tuple[BinaryRow, int], int] = field(default_factory=dict)
    total_buckets: Mapping[BinaryRow, int] = field(default_factory=dict)  # of each partition
    hash_indexes: Mapping[tuple[BinaryRow, int], IndexManifestEntry] = field(default_factory=dict)
    replaces: bool = False  # the new rows take the place of what is live in their partitions
    snapshot: str = ""  # the reference of the one that was looked at; empty: there was none

    def next_sequence(self, partition: BinaryRow, bucket: int) -> int:
        """The first sequence number that no live file of the bucket has. Spec: 06, 1."""
        return self.max_sequence.get((partition, bucket), -1) + 1

    def check_buckets(self, partition: BinaryRow, total_buckets: int) -> None:
        """Refuse to write a partition with another number of buckets than it has. Spec: 08, 3, check 8."""
        known = self.total_buckets.get(partition, total_buckets)
        if known != total_buckets and known > 0:
            raise InvalidRequestError(
                "the partition has another number of buckets than the table: overwrite it to rescale",
                partition_buckets=known,
                option_bucket=total_buckets,
            )


def read_write_base(table: WriteTarget) -> WriteBase:
    """The base of the table's latest snapshot; an empty one before the first commit.

    Append tables without buckets need no more than the snapshot: their files have no order. So an
    append to a table of a million files does not read their entries.
    """
    snapshot = table.snapshots.latest()
    if snapshot is None:
        return WriteBase()
    if table.options.get(BUCKET) < 0 and not table.schema.primary_keys:
        return WriteBase(snapshot=snapshot.reference)
    entries = table.manifests.open_entries(table.manifests.manifests(snapshot))
    base = write_base_of(entries.live().adds())
    return replace(base, snapshot=snapshot.reference, hash_indexes=_hash_indexes(table, snapshot))


def _hash_indexes(table: WriteTarget, snapshot: Snapshot) -> dict[tuple[BinaryRow, int], IndexManifestEntry]:
    """The index file of each dynamic bucket.

    Raises:
        FormatError: a bucket has two.
    """
    found: dict[tuple[BinaryRow, int], IndexManifestEntry] = {}
    for entry in table.manifests.index_entries(snapshot):
        if entry.index_type != HASH_INDEX:
            continue
        other = found.setdefault((entry.partition, entry.bucket), entry)
        if other is not entry:
            raise FormatError(
                "a bucket has two HASH indexes",
                bucket=entry.bucket,
                file=entry.file_name,
                other=other.file_name,
            )
    return found


def overwrite_base(table: WriteTarget) -> WriteBase:
    """The base for rows that replace what is there: any number of buckets will do, while sequence
    numbers go on, so that the new rows also win where the messages are merely appended. Dynamic buckets
    are filled anew: what the keys' index says goes with the rows that are replaced."""
    return replace(read_write_base(table), total_buckets={}, hash_indexes={}, replaces=True)


def write_base_of(live: EntryColumns) -> WriteBase:
    """The sequence numbers and bucket counts of live files."""
    names = ["partition", "bucket", "max_sequence_number", "total_buckets"]
    columns = live.with_columns(names).table.select(names)  # of 100,000 files, the others take seconds
    grouped = columns.group_by(["partition", "bucket"]).aggregate(
        [("max_sequence_number", "max"), ("total_buckets", "max")]
    )
    sequences: dict[tuple[BinaryRow, int], int] = {}
    totals: dict[BinaryRow, int] = {}
    for row in grouped.to_pylist():  # one a bucket, not one a file
        partition = BinaryRow.from_bytes(row["partition"])
        sequences[partition, row["bucket"]] = row["max_sequence_number_max"]
        totals[partition] = max(totals.get(partition, -1), row["total_buckets_max"])
    return WriteBase(sequences, totals)
