"""Index manifests: the table index files of a snapshot, all of them. Spec: 02, 6."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.avro import encode_container
from core.binary.row import BinaryRow
from core.manifest.avro_schemas import INDEX_MANIFEST_SCHEMA
from core.manifest.container import decode_records
from core.manifest.entry import FileKind
from core.manifest.manifest_list import check_version

INDEX_MANIFEST_VERSION = 1

HASH_INDEX = "HASH"
DELETION_VECTORS_INDEX = "DELETION_VECTORS"


@dataclass(frozen=True, slots=True)
class DeletionVectorRange:
    """Where the deletion vector of one data file lies in an index file."""

    data_file: str
    offset: int  # bytes
    length: int  # bytes
    cardinality: int | None = None  # deleted rows; None = unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalIndexMeta:
    """What rows and columns a global index file covers."""

    row_range_start: int
    row_range_end: int  # inclusive
    index_field_id: int
    extra_field_ids: tuple[int, ...] | None = None
    index_meta: bytes | None = None
    source_meta: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexManifestEntry:
    kind: FileKind = FileKind.ADD
    partition: BinaryRow
    bucket: int
    index_type: str  # HASH, DELETION_VECTORS, or a global index type
    file_name: str
    file_size: int  # bytes
    row_count: int  # hashes, vectors or indexed rows
    deletion_vector_ranges: tuple[DeletionVectorRange, ...] | None = None
    external_path: str | None = None
    global_index: GlobalIndexMeta | None = None


def decode_index_manifest(data: bytes) -> list[IndexManifestEntry]:
    """The index files of an index manifest, in its order.

    Raises:
        FormatError: no index manifest. UnsupportedError: a record of another version.
    """
    return decode_records(data, _entry_of)


def encode_index_manifest(
    entries: Iterable[IndexManifestEntry], *, codec: str = "zstandard", level: int = 1
) -> bytes:
    """The content of an index manifest."""
    return encode_container(
        INDEX_MANIFEST_SCHEMA, [_record_of(entry) for entry in entries], codec=codec, level=level
    )


def _entry_of(record: Mapping[str, Any]) -> IndexManifestEntry:
    check_version(record.get("_VERSION"), INDEX_MANIFEST_VERSION, "index manifest")
    ranges = record.get("_DELETIONS_VECTORS_RANGES")
    global_index = record.get("_GLOBAL_INDEX")
    return IndexManifestEntry(
        kind=FileKind(record["_KIND"]),
        partition=BinaryRow.from_bytes(record["_PARTITION"]),
        bucket=record["_BUCKET"],
        index_type=record["_INDEX_TYPE"],
        file_name=record["_FILE_NAME"],
        file_size=record["_FILE_SIZE"],
        row_count=record["_ROW_COUNT"],
        deletion_vector_ranges=None if ranges is None else tuple(_range_of(r) for r in ranges if r),
        external_path=record.get("_EXTERNAL_PATH"),
        global_index=None if global_index is None else _global_index_of(global_index),
    )


def _range_of(record: Mapping[str, Any]) -> DeletionVectorRange:
    return DeletionVectorRange(record["f0"], record["f1"], record["f2"], record.get("_CARDINALITY"))


def _global_index_of(record: Mapping[str, Any]) -> GlobalIndexMeta:
    extra = record.get("_EXTRA_FIELD_IDS")
    return GlobalIndexMeta(
        row_range_start=record["_ROW_RANGE_START"],
        row_range_end=record["_ROW_RANGE_END"],
        index_field_id=record["_INDEX_FIELD_ID"],
        extra_field_ids=None if extra is None else tuple(extra),
        index_meta=record.get("_INDEX_META"),
        source_meta=record.get("_SOURCE_META"),
    )


def _record_of(entry: IndexManifestEntry) -> dict[str, Any]:
    ranges, index = entry.deletion_vector_ranges, entry.global_index
    return {
        "_VERSION": INDEX_MANIFEST_VERSION,
        "_KIND": int(entry.kind),
        "_PARTITION": entry.partition.to_bytes(),
        "_BUCKET": entry.bucket,
        "_INDEX_TYPE": entry.index_type,
        "_FILE_NAME": entry.file_name,
        "_FILE_SIZE": entry.file_size,
        "_ROW_COUNT": entry.row_count,
        "_DELETIONS_VECTORS_RANGES": None if ranges is None else [_range_record(r) for r in ranges],
        "_EXTERNAL_PATH": entry.external_path,
        "_GLOBAL_INDEX": None if index is None else _global_index_record(index),
    }


def _range_record(r: DeletionVectorRange) -> dict[str, Any]:
    return {"f0": r.data_file, "f1": r.offset, "f2": r.length, "_CARDINALITY": r.cardinality}


def _global_index_record(index: GlobalIndexMeta) -> dict[str, Any]:
    extra = index.extra_field_ids
    return {
        "_ROW_RANGE_START": index.row_range_start,
        "_ROW_RANGE_END": index.row_range_end,
        "_INDEX_FIELD_ID": index.index_field_id,
        "_EXTRA_FIELD_IDS": None if extra is None else list(extra),
        "_INDEX_META": index.index_meta,
        "_SOURCE_META": index.source_meta,
    }
