"""Legal values of metadata with defaults: a test names only the members that matter to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.binary import EMPTY_ROW, BinaryRow, encode_row
from core.manifest import (
    DataFileMeta,
    DeletionVectorRange,
    FileKind,
    FileSource,
    IndexManifestEntry,
    ManifestEntry,
    ManifestFileMeta,
)
from core.manifest.index_manifest import DELETION_VECTORS_INDEX, HASH_INDEX
from core.schema import TableSchema, initial_schema
from core.snapshot import CommitKind, Snapshot
from core.stats.simple_stats import EMPTY_STATS, SimpleStats
from core.types import DataField, IntType, parse_type

NOON = 1_700_000_000_000  # epoch milliseconds


def row(*numbers: int | None) -> BinaryRow:
    """A row of INT columns."""
    return encode_row([IntType()] * len(numbers), numbers)


def stats(low: Sequence[int | None], high: Sequence[int | None], nulls: Sequence[int | None]) -> SimpleStats:
    """Statistics of INT columns."""
    return SimpleStats(row(*low), row(*high), tuple(nulls))


def data_file(name: str = "data-1.parquet", **changes: Any) -> DataFileMeta:
    default = DataFileMeta(
        file_name=name,
        file_size=1000,
        row_count=10,
        min_key=EMPTY_ROW,
        max_key=EMPTY_ROW,
        key_stats=EMPTY_STATS,
        value_stats=EMPTY_STATS,
        min_sequence_number=0,
        max_sequence_number=9,
        schema_id=0,
        level=0,
        creation_time_millis=NOON,
        delete_row_count=0,
        file_source=FileSource.APPEND,
    )
    return replace(default, **changes)


def entry(
    name: str = "data-1.parquet",
    *,
    kind: FileKind = FileKind.ADD,
    partition: BinaryRow = EMPTY_ROW,
    bucket: int = 0,
    total_buckets: int = -1,
    **changes: Any,
) -> ManifestEntry:
    """An entry of a data file; `changes` are members of the file."""
    return ManifestEntry(kind, partition, bucket, total_buckets, data_file(name, **changes))


def add(name: str = "data-1.parquet", **changes: Any) -> ManifestEntry:
    return entry(name, kind=FileKind.ADD, **changes)


def delete(name: str = "data-1.parquet", **changes: Any) -> ManifestEntry:
    return entry(name, kind=FileKind.DELETE, **changes)


def index_file(name: str = "index-1", **changes: Any) -> IndexManifestEntry:
    """A file of the HASH index."""
    default = IndexManifestEntry(
        partition=EMPTY_ROW, bucket=0, index_type=HASH_INDEX, file_name=name, file_size=8, row_count=2
    )
    return replace(default, **changes)


def vectors(name: str, *data_files: str, **changes: Any) -> IndexManifestEntry:
    """A file with a deletion vector for each of some data files."""
    ranges = tuple(DeletionVectorRange(file, 1 + 30 * i, 22, 1) for i, file in enumerate(data_files))
    kind = {"index_type": DELETION_VECTORS_INDEX, "deletion_vector_ranges": ranges}
    return index_file(name, **{**kind, **changes})


def manifest(name: str = "manifest-1", **changes: Any) -> ManifestFileMeta:
    default = ManifestFileMeta(
        file_name=name, file_size=1000, num_added_files=1, num_deleted_files=0, schema_id=0
    )
    return replace(default, **changes)


def snapshot(snapshot_id: int = 1, **changes: Any) -> Snapshot:
    """Committed one second after the one before."""
    default = Snapshot(
        id=snapshot_id,
        schema_id=0,
        base_manifest_list=f"manifest-list-{snapshot_id}-0",
        delta_manifest_list=f"manifest-list-{snapshot_id}-1",
        commit_user="tester",
        commit_identifier=snapshot_id,
        commit_kind=CommitKind.APPEND,
        time_millis=NOON + snapshot_id * 1000,
        total_record_count=0,
        delta_record_count=0,
    )
    return replace(default, **changes)


def fields(**types: str) -> tuple[DataField, ...]:
    """Fields by name and SQL type; ids count from 0."""
    return tuple(DataField(i, name, parse_type(text)) for i, (name, text) in enumerate(types.items()))


def schema(
    columns: Mapping[str, str] | None = None,
    *,
    primary_keys: Sequence[str] = (),
    partition_keys: Sequence[str] = (),
    options: Mapping[str, str] | None = None,
    **changes: Any,
) -> TableSchema:
    """Schema 0 of a table with an INT column `k` and a STRING column `v`, unless told otherwise."""
    first = initial_schema(
        fields(**(columns or {"k": "INT", "v": "STRING"})),
        partition_keys=partition_keys,
        primary_keys=primary_keys,
        options=options,
        time_millis=NOON,
    )
    return replace(first, **changes)
