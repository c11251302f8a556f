"""What a statement changes in each bucket, and the messages that say so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from core.binary import BinaryRow
from core.datafile.write import delete_data_file
from core.deletionvectors import DeletionVector, VectorPlace, change_vectors
from core.manifest import DataFileMeta, IndexManifestEntry
from core.scan import Split
from core.scan.source import bucket_directory
from core.snapshot.snapshot import Snapshot
from core.write.message import CommitMessage
from core.write.target import WriteTarget

Place: TypeAlias = tuple[BinaryRow, int]  # a partition, and a bucket of it


@dataclass(slots=True)
class BucketChange:
    """What changes in one bucket."""

    split: Split  # one of those that the bucket is read in
    removed: list[DataFileMeta] = field(default_factory=list)
    made: list[DataFileMeta] = field(default_factory=list)
    marked: dict[str, DeletionVector] = field(default_factory=dict)  # rows that go, by data file


class BucketChanges:
    """The buckets of one statement. What they made belongs to them until the messages are taken for good."""

    def __init__(self, table: WriteTarget, snapshot: Snapshot | None) -> None:
        """`snapshot` is the one that the statement was planned on."""
        self._table, self._snapshot = table, snapshot
        self._buckets: dict[Place, BucketChange] = {}
        self._vectors: list[str] = []  # paths of index files

    def of(self, split: Split) -> BucketChange:
        """That of the split's bucket."""
        return self._buckets.setdefault((split.partition, split.bucket), BucketChange(split))

    def losing_rows(self) -> set[Place]:
        """The buckets in which files go, or rows are marked."""
        return {place for place, bucket in self._buckets.items() if bucket.removed or bucket.marked}

    def directory(self, split: Split) -> str:
        """Where the files of the split's bucket lie."""
        return bucket_directory(self._table, self._table.schema, split.partition, split.bucket)

    def messages(self) -> Iterator[CommitMessage]:
        """One for each bucket in which anything changes; deletion vectors are written on the way."""
        indexes = self._indexes()
        for place, bucket in self._buckets.items():
            if bucket.removed or bucket.made or bucket.marked:
                yield self._message(bucket, indexes.get(place, ()))

    def _indexes(self) -> Mapping[Place, Sequence[IndexManifestEntry]]:
        found: dict[Place, list[IndexManifestEntry]] = {}
        for entry in self._table.manifests.index_entries(self._snapshot) if self._snapshot else ():
            found.setdefault((entry.partition, entry.bucket), []).append(entry)
        return found

    def _message(self, bucket: BucketChange, indexes: Sequence[IndexManifestEntry]) -> CommitMessage:
        table, split, snapshot = self._table, bucket.split, self._snapshot
        keyed = bool(table.schema.primary_keys)
        place = VectorPlace.of(
            table.paths, table.options, split.partition, split.bucket, self.directory(split), keyed=keyed
        )
        names = [file.file_name for file in bucket.removed]
        change = change_vectors(table.io, place, indexes, bucket.marked, names)
        self._vectors += map(place.path_of, change.new)
        return CommitMessage(
            partition=split.partition,
            bucket=split.bucket,
            total_buckets=split.total_buckets,
            made_after=snapshot.reference if snapshot else "",
            new_files=tuple(bucket.made),
            deleted_files=tuple(bucket.removed),
            new_index_files=change.new,
            deleted_index_files=change.deleted,
        )

    def discard(self) -> None:
        """Delete what was made."""
        for path in self._vectors:
            self._table.io.delete(path)
        for bucket in self._buckets.values():
            for file in bucket.made:
                delete_data_file(self._table.io, self.directory(bucket.split), file)
