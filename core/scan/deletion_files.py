"""The deletion vectors of a snapshot, found through its index manifest. Spec: 05, 2; 09, 8."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute

from core.binary import BinaryRow
from core.errors import FormatError, NotFoundError
from core.manifest import EntryColumns, IndexManifestEntry
from core.manifest.file_meta import DataFileMeta
from core.manifest.index_manifest import DELETION_VECTORS_INDEX, HASH_INDEX
from core.options import DELETION_VECTORS_ENABLED, INDEX_FILE_IN_DATA_FILE_DIR, TableOptions
from core.scan.explain import Stage, StageName
from core.scan.source import TableSource, bucket_directory
from core.scan.split import DeletionFile
from core.schema import TableSchema
from core.snapshot.snapshot import Snapshot

pc: Any = pyarrow.compute  # its stubs know no columns whose type is known when it runs


@dataclass(frozen=True, slots=True)
class DeletionFiles:
    """Where the deletion vectors are, by partition, bucket and name of the data file."""

    by_file: Mapping[tuple[BinaryRow, int, str], DeletionFile]
    unused_indexes: tuple[str, ...] = ()  # the other indexes of the snapshot, that no read asks

    def of(
        self, partition: BinaryRow, bucket: int, files: Iterable[DataFileMeta]
    ) -> tuple[DeletionFile, ...]:
        """Those of some files of a bucket, in the order of the files."""
        found = (self.by_file.get((partition, bucket, file.file_name)) for file in files)
        return tuple(deletion for deletion in found if deletion is not None)

    def stage(self, entries: EntryColumns) -> Stage:
        """How many rows of `entries` are deleted, as far as the index manifest says."""
        vectors = [deletion.vector for deletion in self.by_file.values()]
        names = pa.array([vector.data_file for vector in vectors], pa.string())
        place = pc.index_in(entries.column("file_name"), value_set=names)
        places = pc.drop_null(place).to_numpy()
        counts = [vectors[i].cardinality for i in places]
        deleted = sum(count or 0 for count in counts)
        rows, size = int(entries.numpy("row_count").sum()), int(entries.numpy("file_size").sum())
        return Stage(
            StageName.DELETION_VECTORS,
            "rows",
            rows - deleted,
            deleted,
            size,
            0,
            _reason(counts, len(entries)),
        )


NO_DELETION_FILES = DeletionFiles({})


def read_deletion_files(source: TableSource, schema: TableSchema, snapshot: Snapshot | None) -> DeletionFiles:
    """The vectors of a snapshot; none where it has no index manifest.

    A damaged index manifest does not keep rows from being read where there never was a vector
    in it: the hash index of dynamic buckets serves writers only.
    """
    if snapshot is None:
        return NO_DELETION_FILES
    try:
        entries = source.manifests.index_entries(snapshot)
    except (FormatError, NotFoundError):
        if any(TableOptions(known.options).get(DELETION_VECTORS_ENABLED) for known in source.schemas.all()):
            raise
        return NO_DELETION_FILES
    return DeletionFiles(dict(_located(source, schema, entries)), tuple(_unused(schema, entries)))


def _unused(schema: TableSchema, entries: Iterable[IndexManifestEntry]) -> Iterator[str]:
    """`global index btree of a`, once for each kind and columns; the hash index serves writers."""
    names = {field.id: field.name for field in schema.fields}
    found: dict[str, None] = {}
    for entry in entries:
        if entry.global_index is not None:
            ids = (entry.global_index.index_field_id, *(entry.global_index.extra_field_ids or ()))
            columns = ", ".join(names.get(i, f"field {i}") for i in ids)
            found[f"global index {entry.index_type} of {columns}"] = None
        elif entry.index_type not in (DELETION_VECTORS_INDEX, HASH_INDEX):
            found[f"table index {entry.index_type}"] = None
    yield from found


def _located(
    source: TableSource, schema: TableSchema, entries: Iterable[IndexManifestEntry]
) -> Iterator[tuple[tuple[BinaryRow, int, str], DeletionFile]]:
    for entry in entries:
        if entry.index_type == DELETION_VECTORS_INDEX and entry.deletion_vector_ranges:
            path = index_path(source, schema, entry)
            for vector in entry.deletion_vector_ranges:
                yield (entry.partition, entry.bucket, vector.data_file), DeletionFile(path, vector)


def index_path(source: TableSource, schema: TableSchema, entry: IndexManifestEntry) -> str:
    """Of an index file: its external path, in `index/`, or in the bucket's directory. Spec: 01, 1.2."""
    path = source.paths.index_file(entry.file_name, entry.external_path)
    if entry.external_path or not TableOptions(schema.options).get(INDEX_FILE_IN_DATA_FILE_DIR):
        return path
    beside = f"{bucket_directory(source, schema, entry.partition, entry.bucket)}/{entry.file_name}"
    return beside if source.io.exists(beside) else path


def _reason(counts: list[int | None], files: int) -> str:
    if not counts:
        return "no file has a deletion vector"
    reason = f"{len(counts)} of {files} files have a deletion vector"
    unknown = counts.count(None)
    return f"{reason}, {unknown} of which do not say how many rows they delete" if unknown else reason
