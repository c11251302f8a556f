"""Manifest lists <-> `ManifestFileMeta`. Spec: 02, 2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.avro import encode_container
from core.binary.row import BinaryRow
from core.errors import UnsupportedError
from core.manifest.avro_schemas import MANIFEST_LIST_SCHEMA
from core.manifest.container import decode_records
from core.stats.simple_stats import EMPTY_STATS, SimpleStats

LIST_VERSION = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestFileMeta:
    """One manifest as a list records it. Ranges are None where the writer gave none."""

    file_name: str
    file_size: int  # bytes
    num_added_files: int
    num_deleted_files: int
    partition_stats: SimpleStats = EMPTY_STATS
    schema_id: int  # highest of the entries
    min_bucket: int | None = None
    max_bucket: int | None = None
    min_level: int | None = None
    max_level: int | None = None
    min_row_id: int | None = None
    max_row_id: int | None = None
    total_buckets: int | None = None
    extra_files: tuple[str, ...] | None = None  # sidecars: never used, deleted with the manifest


def decode_manifest_list(data: bytes) -> list[ManifestFileMeta]:
    """The manifests of a list, in its order.

    Raises:
        FormatError: no manifest list. UnsupportedError: a record of another version.
    """
    return decode_records(data, _meta_of)


def encode_manifest_list(
    metas: Iterable[ManifestFileMeta], *, codec: str = "zstandard", level: int = 1
) -> bytes:
    """The content of a list file, sidecars are not carried on."""
    return encode_container(
        MANIFEST_LIST_SCHEMA, [_record_of(meta) for meta in metas], codec=codec, level=level
    )


def _meta_of(record: Mapping[str, Any]) -> ManifestFileMeta:
    check_version(record.get("_VERSION"), LIST_VERSION, "manifest list")
    extra_files = record.get("_EXTRA_FILES")
    return ManifestFileMeta(
        file_name=record["_FILE_NAME"],
        file_size=record["_FILE_SIZE"],
        num_added_files=record["_NUM_ADDED_FILES"],
        num_deleted_files=record["_NUM_DELETED_FILES"],
        partition_stats=stats_of(record.get("_PARTITION_STATS")),
        schema_id=record["_SCHEMA_ID"],
        min_bucket=record.get("_MIN_BUCKET"),
        max_bucket=record.get("_MAX_BUCKET"),
        min_level=record.get("_MIN_LEVEL"),
        max_level=record.get("_MAX_LEVEL"),
        min_row_id=record.get("_MIN_ROW_ID"),
        max_row_id=record.get("_MAX_ROW_ID"),
        total_buckets=record.get("_TOTAL_BUCKETS"),
        extra_files=None if extra_files is None else tuple(extra_files),
    )


def _record_of(meta: ManifestFileMeta) -> dict[str, Any]:
    return {
        "_VERSION": LIST_VERSION,
        "_FILE_NAME": meta.file_name,
        "_FILE_SIZE": meta.file_size,
        "_NUM_ADDED_FILES": meta.num_added_files,
        "_NUM_DELETED_FILES": meta.num_deleted_files,
        "_PARTITION_STATS": stats_record(meta.partition_stats),
        "_SCHEMA_ID": meta.schema_id,
        "_MIN_BUCKET": meta.min_bucket,
        "_MAX_BUCKET": meta.max_bucket,
        "_MIN_LEVEL": meta.min_level,
        "_MAX_LEVEL": meta.max_level,
        "_MIN_ROW_ID": meta.min_row_id,
        "_MAX_ROW_ID": meta.max_row_id,
    }


def check_version(found: int | None, expected: int, what: str) -> None:
    if found != expected:
        raise UnsupportedError(f"{what} of another version", feature=f"_VERSION {found}", expected=expected)


def stats_of(record: Mapping[str, Any] | None) -> SimpleStats:
    """The record SimpleStats; foreign writers leave it, or its members, null."""
    if record is None or record["_MIN_VALUES"] is None or record["_MAX_VALUES"] is None:
        return EMPTY_STATS
    return SimpleStats(
        BinaryRow.from_bytes(record["_MIN_VALUES"]),
        BinaryRow.from_bytes(record["_MAX_VALUES"]),
        tuple(record.get("_NULL_COUNTS") or ()),
    )


def stats_record(stats: SimpleStats) -> dict[str, Any]:
    return {
        "_MIN_VALUES": stats.min_values.to_bytes(),
        "_MAX_VALUES": stats.max_values.to_bytes(),
        "_NULL_COUNTS": list(stats.null_counts),
    }
