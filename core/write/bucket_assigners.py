"""How the rows of a writer come to their buckets: one way for each bucket mode. Spec: 01, 13; 03, 4; 05, 3.

HASH_FIXED        a function of the bucket key
HASH_DYNAMIC      an index of key hashes, whose files are written with the data
BUCKET_UNAWARE    there is one, bucket 0
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from core.binary import BinaryRow, hash_row, hash_rows
from core.bucket import BucketMode, assign_buckets, bucket_mode
from core.datafile.write import FileNames
from core.io.decoding import read_decoded
from core.io.external_paths import ExternalPaths
from core.manifest.index_manifest import HASH_INDEX, IndexManifestEntry
from core.mergetree.keys import KeyArray, integer_keys
from core.options import BUCKET, BUCKET_FUNCTION, INDEX_FILE_IN_DATA_FILE_DIR
from core.scan.deletion_files import index_path
from core.scan.source import bucket_directory
from core.tableindex import AssignmentRule, Hashes, PartitionBuckets, decode_hash_index, encode_hash_index
from core.types.data_types import DataField
from core.write.cross_partition import CrossPartitionBuckets
from core.write.partitions import BucketIds, BucketRows, RowPartitions, partitions_of, split_rows
from core.write.restore import WriteBase
from core.write.target import WriteTarget


@dataclass(frozen=True, slots=True)
class IndexReplacement:
    """The index file that a bucket gets, and the one in whose place it comes."""

    new: IndexManifestEntry
    replaced: IndexManifestEntry | None


class BucketAssigner(Protocol):
    """Gives rows to buckets. Index files belong to it until `prepare` gives them away."""

    def route(self, rows: pa.Table) -> Iterator[BucketRows]:
        """The rows by bucket, in their order or nearly by key, as `BucketRows.arrivals` tells.

        A key that moves adds rows that delete its old ones.
        """
        ...

    def prepare(self) -> Iterator[IndexReplacement]:
        """What has to be committed with the rows that were assigned since the last call."""
        ...

    def abort(self) -> None:
        """Delete the files that were not given away."""
        ...


def bucket_assigner(table: WriteTarget, base: WriteBase, names: FileNames | None = None) -> BucketAssigner:
    """The one of the table's bucket mode; `InvalidRequestError` if its options leave no bucket.

    `names` are those that files of the rows get.
    """
    schema, options = table.schema, table.options
    match bucket_mode(schema.primary_keys, schema.partition_keys, options.get(BUCKET)):
        case BucketMode.HASH_DYNAMIC:
            return HashIndexBuckets(table, base, AssignmentRule.of(options))
        case BucketMode.HASH_FIXED:
            fields = schema.fields_of(schema.bucket_keys or schema.field_names)
            return FixedBuckets(fields, table)
        case BucketMode.KEY_DYNAMIC:
            return CrossPartitionBuckets(table, replaces=base.replaces, own=names)
        case _:
            return OneBucket(table)


@dataclass(frozen=True, slots=True)
class OneBucket:
    """All rows are in bucket 0."""

    table: WriteTarget

    def route(self, rows: pa.Table) -> Iterator[BucketRows]:
        yield from split_rows(rows, partitions_of(rows, self.table.schema.partition_fields), None)

    def prepare(self) -> Iterator[IndexReplacement]:
        return iter(())

    def abort(self) -> None: ...


@dataclass(frozen=True, slots=True)
class FixedBuckets:
    """The bucket is a function of the bucket key."""

    fields: tuple[DataField, ...]  # of the bucket key
    table: WriteTarget

    def route(self, rows: pa.Table) -> Iterator[BucketRows]:
        placed = partitions_of(rows, self.table.schema.partition_fields)
        yield from split_rows(rows, placed, self._buckets_of(rows), _keys_of(rows, self.table))

    def _buckets_of(self, rows: pa.Table) -> BucketIds | None:
        count = self.table.options.get(BUCKET)
        if count == 1 or not len(rows):
            return None
        function = self.table.options.get(BUCKET_FUNCTION)
        return assign_buckets([f.type for f in self.fields], _columns(rows, self.fields), count, function)

    def prepare(self) -> Iterator[IndexReplacement]:
        return iter(())

    def abort(self) -> None: ...


@dataclass(slots=True)
class HashIndexBuckets:
    """A key stays in the bucket that the index has for its hash; new hashes are given one.

    The index of a partition is read when its first row comes, and kept: 6 bytes a key. Only one
    writer at a time may write to a partition, as each knows only of the keys that it has given out
    itself; a second one is refused by the commit where both changed the index of one bucket.
    """

    table: WriteTarget
    base: WriteBase
    rule: AssignmentRule
    _partitions: dict[BinaryRow, PartitionBuckets] = field(default_factory=dict)
    _latest: dict[tuple[BinaryRow, int], IndexManifestEntry] = field(default_factory=dict)  # made here
    _made: list[str] = field(default_factory=list)  # paths that were not given away
    _names: Iterator[str] = field(default_factory=lambda: FileNames("index-", ""))

    def route(self, rows: pa.Table) -> Iterator[BucketRows]:
        placed = partitions_of(rows, self.table.schema.partition_fields)
        if len(rows):
            buckets = self._assign(rows, placed)
            yield from split_rows(rows, placed, buckets, _keys_of(rows, self.table))

    def _assign(self, rows: pa.Table, placed: RowPartitions) -> BucketIds:
        keys = self.table.schema.key_fields()
        hashes = hash_rows([f.type for f in keys], _columns(rows, keys))
        buckets = np.empty(len(rows), np.int32)
        for code, partition in enumerate(placed.partitions):
            mine = np.flatnonzero(placed.codes == code)
            buckets[mine] = self._buckets_of(partition).assign(hashes[mine])
        return buckets

    def _buckets_of(self, partition: BinaryRow) -> PartitionBuckets:
        if partition not in self._partitions:
            known = {
                bucket: self._read(entry)
                for (found, bucket), entry in self.base.hash_indexes.items()
                if found == partition
            }
            self._partitions[partition] = PartitionBuckets(self.rule, hash_row(partition), known)
        return self._partitions[partition]

    def prepare(self) -> Iterator[IndexReplacement]:
        for partition, buckets in self._partitions.items():
            for bucket in sorted(buckets.changed):
                key = (partition, bucket)
                replaced = self._latest.get(key, self.base.hash_indexes.get(key))
                self._latest[key] = self._write(partition, bucket, buckets)
                yield IndexReplacement(self._latest[key], replaced)
            buckets.changed.clear()
        self._made.clear()

    def _read(self, entry: IndexManifestEntry) -> Hashes:
        return read_decoded(
            self.table.io, index_path(self.table, self.table.schema, entry), decode_hash_index
        )

    def _write(self, partition: BinaryRow, bucket: int, buckets: PartitionBuckets) -> IndexManifestEntry:
        hashes = buckets.hashes_of(bucket)
        data = encode_hash_index(hashes)
        name = next(self._names)
        directory, outside = self._place(partition, bucket)
        external = outside.path(directory, name) if outside else None
        path = external or f"{directory}/{name}"
        self._made.append(path)
        self.table.io.write(path, data)
        return IndexManifestEntry(
            partition=partition,
            bucket=bucket,
            index_type=HASH_INDEX,
            file_name=name,
            file_size=len(data),
            row_count=len(hashes),
            external_path=external,
        )

    def _place(self, partition: BinaryRow, bucket: int) -> tuple[str, ExternalPaths | None]:
        """The directory of a bucket's index file, and where it lies instead."""
        table = self.table
        if not table.options.get(INDEX_FILE_IN_DATA_FILE_DIR):
            return table.paths.index_dir, None
        outside = ExternalPaths.of(table.options, len(table.schema.partition_keys))
        return bucket_directory(table, table.schema, partition, bucket), outside

    def abort(self) -> None:
        for path in self._made:
            self.table.io.delete(path)
        self._made.clear()


def _keys_of(rows: pa.Table, table: WriteTarget) -> KeyArray | None:
    return integer_keys(_columns(rows, table.schema.key_fields())) if len(rows) else None


def _columns(rows: pa.Table, fields: tuple[DataField, ...]) -> list[pa.Array[Any]]:
    return [pa.concat_arrays(rows.column(field.name).chunks) for field in fields]
