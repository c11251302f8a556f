"""Every metadata file of the reference warehouses says what real Paimon says it says."""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.binary import BinaryRow, decode_row
from core.catalog import open_catalog
from core.manifest import (
    EntryColumns,
    IndexManifestEntry,
    ManifestEntry,
    ManifestFileMeta,
    decode_manifest_list,
    encode_manifest_list,
)
from core.schema import TableSchema, decode_schema, encode_schema
from core.snapshot import Snapshot, decode_snapshot, decode_tag, encode_snapshot, encode_tag
from core.stats.simple_stats import EMPTY_STATS, SimpleStats
from core.table import Table
from core.types import (
    BinaryType,
    BlobType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    LocalZonedTimestampType,
    Timestamp,
    TimestampType,
    TimeType,
    VarBinaryType,
    type_to_text,
)

CORPORA = Path(__file__).parents[1] / "corpora"
WAREHOUSES = ("java09", "java09bsi", "pypaimon21", "rust04")
TABLES = [
    f"{warehouse}/{path.stem}"
    for warehouse in WAREHOUSES
    for path in sorted((CORPORA / "expected" / warehouse).glob("*.*.json"))
]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def opened(name: str) -> tuple[Table, dict[str, Any]]:
    """A table of the corpora, and what is expected of it."""
    warehouse, table = name.split("/")
    expected = json.loads((CORPORA / "expected" / warehouse / f"{table}.json").read_text())
    return open_catalog(str(CORPORA / warehouse)).get_table(table), expected


def lines(table: Table, expected: dict[str, Any]) -> Iterator[tuple[Table, dict[str, Any]]]:
    """The main line, then each branch, with what is expected of it."""
    yield table, expected
    for branch, on_branch in (expected.get("branches") or {}).items():
        yield table.with_branch(branch), on_branch


def files(table: Table, pattern: str) -> list[Path]:
    return sorted(p for p in Path(table.location).glob(pattern) if p.suffix != ".sidecar")


# --- schemas, snapshots, tags, consumers -------------------------------------------


@pytest.mark.parametrize("name", TABLES)
def test_the_schema_is_the_one_that_paimon_reads(name: str) -> None:
    for table, expected in lines(*opened(name)):
        if isinstance(expected.get("schema"), dict) and "error" not in expected["schema"]:
            assert schema_json(table.schema) == without_place(expected["schema"])


@pytest.mark.parametrize("name", TABLES)
def test_the_latest_and_earliest_snapshots_are_found(name: str) -> None:
    table, expected = opened(name)
    # Java trusts a hint past the last snapshot, and fails; there a listing is what is right.
    latest = 5 if name.endswith("hints_beyond") else expected["latestSnapshotId"]
    assert table.snapshots.latest_id() == latest
    if "earliestSnapshotId" in expected:
        assert table.snapshots.earliest_id() == expected["earliestSnapshotId"]


@pytest.mark.parametrize("name", TABLES)
def test_snapshots_are_those_of_the_system_table(name: str) -> None:
    for table, expected in lines(*opened(name)):
        for row in system_rows(expected, "snapshots"):
            found = snapshot_row(table.snapshots.get(row["snapshot_id"]))
            assert {column: found[column] for column in row} == row


@pytest.mark.parametrize("name", TABLES)
def test_tags_and_consumers_are_those_of_the_system_tables(name: str) -> None:
    for table, expected in lines(*opened(name)):
        for row in system_rows(expected, "tags"):
            tag = table.tags.get(row["tag_name"])
            assert (tag.snapshot.id, tag.snapshot.schema_id) == (row["snapshot_id"], row["schema_id"])
            assert iso(tag.create_time) == row["create_time"]
            assert (tag.time_retained is None) == (row["time_retained"] is None)
        assert len(table.tags.list()) >= len(list(system_rows(expected, "tags")))
        expected_consumers = {
            r["consumer_id"]: r["next_snapshot_id"] for r in system_rows(expected, "consumers")
        }
        if expected_consumers:
            assert {c.id: c.next_snapshot for c in table.consumers.list()} == expected_consumers


@pytest.mark.parametrize("name", TABLES)
def test_json_metadata_survives_being_written_again(name: str) -> None:
    table, _ = opened(name)
    for path in files(table, "**/snapshot-*") + files(table, "**/changelog/changelog-*"):
        value = decode_snapshot(path.read_bytes())
        assert decode_snapshot(encode_snapshot(value)) == value
    for path in files(table, "**/schema/schema-*"):
        schema = decode_schema(path.read_bytes())
        assert decode_schema(encode_schema(schema)) == schema
    for path in (p for p in files(table, "**/tag/tag-*") if p.is_file()):
        tag = decode_tag("t", path.read_bytes())
        assert decode_tag("t", encode_tag(tag)) == tag


# --- manifest lists, manifests, index manifests ------------------------------------


@pytest.mark.parametrize("name", TABLES)
def test_manifest_lists_are_those_that_paimon_reads(name: str) -> None:
    table, expected = opened(name)
    for list_name, rows in metadata(expected, "manifestLists"):
        found = table.manifests.read_list(list_name)
        assert [manifest_json(meta, table.schema) for meta in found] == rows


@pytest.mark.parametrize("name", TABLES)
def test_manifests_are_those_that_paimon_reads(name: str) -> None:
    table, expected = opened(name)
    schemas = {schema.id: schema for line, _ in lines(table, expected) for schema in line.schemas.all()}
    for manifest_name, rows in metadata(expected, "manifests"):
        found = [entry_json(e, schemas) for e in table.manifests.read_entries([manifest_name]).entries()]
        assert len(found) == len(rows)
        for ours, theirs in zip(found, map(comparable, rows), strict=True):
            assert {member: ours[member] for member in theirs} == theirs


@pytest.mark.parametrize("name", TABLES)
def test_index_manifests_are_those_that_paimon_reads(name: str) -> None:
    table, expected = opened(name)
    for manifest_name, rows in metadata(expected, "indexManifests"):
        found = table.manifests.read_index(manifest_name)
        assert [index_json(e, table.schema) for e in found] == [
            {"deletionVectorsRanges": {}} | r for r in rows
        ]


@pytest.mark.parametrize("name", TABLES)
def test_live_files_are_those_of_the_system_table(name: str) -> None:
    table, expected = opened(name)
    listed = expected["system"].get("files", {"error": "it has no such system table"})
    if "error" in listed:
        pytest.skip(f"the writer's own reader cannot list files: {listed['error'][:80]}")
    snapshot = table.snapshots.latest()
    rows = list(system_rows(expected, "files"))
    entries = table.manifests.live_entries(snapshot) if snapshot else EntryColumns.empty()
    if name in HIDDEN_LEVEL_0:
        entries = entries.filter(entries.numpy("level") > 0)
    found = sorted(zip(*(entries.column(c).to_pylist() for c in FILES), strict=True))
    assert found == sorted(tuple(key(r[c]) for c, key in FILES.values()) for r in rows)


# What a batch read of these does not see, Java's $files does not list.
HIDDEN_LEVEL_0 = ("java09/dv.pk_dv_l0", "java09/merge.first_row_l0")

FILES = {
    "file_name": ("file_path", lambda path: path.rpartition("/")[2]),
    "bucket": ("bucket", int),
    "level": ("level", int),
    "row_count": ("record_count", int),
    "file_size": ("file_size_in_bytes", int),
    "schema_id": ("schema_id", int),
    "min_sequence_number": ("min_sequence_number", int),
    "max_sequence_number": ("max_sequence_number", int),
}


@pytest.mark.parametrize("name", TABLES)
def test_manifest_lists_survive_being_written_again(name: str) -> None:
    """What else is in `manifest/` is compared byte by byte in `test_peers_bytes.py`."""
    table, _ = opened(name)
    for path in files(table, "manifest/manifest-list-*"):
        metas = decode_manifest_list(path.read_bytes())
        kept = [_java_members(meta) for meta in metas]
        assert decode_manifest_list(encode_manifest_list(metas)) == kept


def _java_members(meta: ManifestFileMeta) -> ManifestFileMeta:
    """Without the two members that only Python and Rust write."""
    return replace(meta, total_buckets=None, extra_files=None)


# --- our values in the form of the expected files ----------------------------------


def metadata(expected: dict[str, Any], kind: str) -> Iterator[tuple[str, Any]]:
    yield from expected.get("metadata", {}).get(kind, {}).items()
    for on_branch in (expected.get("branches") or {}).values():
        yield from on_branch.get("metadata", {}).get(kind, {}).items()


def system_rows(expected: dict[str, Any], name: str) -> Iterator[dict[str, Any]]:
    """Rows as dicts; none where that reader fails on the system table."""
    table = expected.get("system", {}).get(name, {})
    for row in table.get("rows", ()):
        yield dict(zip(table["columns"], row, strict=True))


def schema_json(schema: TableSchema) -> dict[str, Any]:
    fields = []
    for f in schema.fields:
        field = {"id": f.id, "name": f.name, "type": type_to_text(f.type)}
        field |= {"description": f.description} if f.description is not None else {}
        field |= {"defaultValue": f.default_value} if f.default_value is not None else {}
        fields.append(field)
    return {
        "id": schema.id,
        "fields": fields,
        "highestFieldId": schema.highest_field_id,
        "partitionKeys": list(schema.partition_keys),
        "primaryKeys": list(schema.primary_keys),
        "options": dict(schema.options),
        "comment": schema.comment,
        "timeMillis": schema.time_millis,
    }


def without_place(schema: dict[str, Any]) -> dict[str, Any]:
    """Without the options that only say where the reader opened the table; types as SQL.

    pypaimon's texts of nested rows, `ROW<a: INT>`, are its own.
    """
    options = {k: v for k, v in schema["options"].items() if k not in ("path", "branch")}
    fields = [f | {"type": re.sub(r"(\w+): ", r"`\1` ", f["type"])} for f in schema["fields"]]
    return schema | {"options": options, "fields": fields}


def snapshot_row(snapshot: Snapshot) -> dict[str, Any]:
    return {
        "snapshot_id": snapshot.id,
        "schema_id": snapshot.schema_id,
        "commit_user": snapshot.commit_user,
        "commit_identifier": snapshot.commit_identifier,
        "commit_kind": snapshot.commit_kind.value,
        "base_manifest_list": snapshot.base_manifest_list,
        "delta_manifest_list": snapshot.delta_manifest_list,
        "changelog_manifest_list": snapshot.changelog_manifest_list,
        "total_record_count": snapshot.total_record_count,
        "delta_record_count": snapshot.delta_record_count,
        "changelog_record_count": snapshot.changelog_record_count,
        "watermark": snapshot.watermark,
        "next_row_id": snapshot.next_row_id,
        "writer_version": snapshot.writer_version,
        "operation": snapshot.operation,
        "commit_time": iso(_EPOCH + timedelta(milliseconds=snapshot.time_millis)),
    }


def manifest_json(meta: ManifestFileMeta, schema: TableSchema) -> dict[str, Any]:
    return {
        "file": meta.file_name,
        "size": meta.file_size,
        "added": meta.num_added_files,
        "deleted": meta.num_deleted_files,
        "schemaId": meta.schema_id,
        "partitionStats": stats_json(schema.partition_types, meta.partition_stats),
    }


NO_VECTORS: dict[str, Any] = {"deletionVectorsRanges": {}}


def index_json(entry: IndexManifestEntry, schema: TableSchema) -> dict[str, Any]:
    return {
        "kind": entry.kind.name,
        "partition": values(schema.partition_types, entry.partition),
        "bucket": entry.bucket,
        "indexType": entry.index_type,
        "file": entry.file_name,
        "size": entry.file_size,
        "rows": entry.row_count,
        "deletionVectorsRanges": {
            r.data_file: [r.offset, r.length] for r in entry.deletion_vector_ranges or ()
        },
    }


def entry_json(entry: ManifestEntry, schemas: dict[int, TableSchema]) -> dict[str, Any]:
    file = entry.file
    schema = schemas[file.schema_id]
    key_types = [f.type for f in schema.key_fields()]
    shown = {
        "kind": entry.kind.name,
        "partition": values(schema.partition_types, entry.partition),
        "bucket": entry.bucket,
        "totalBuckets": entry.total_buckets,
        "file": file.file_name,
        "level": file.level,
        "size": file.file_size,
        "rows": file.row_count,
        "minSeq": file.min_sequence_number,
        "maxSeq": file.max_sequence_number,
        "schemaId": file.schema_id,
        "deleteRows": file.delete_row_count,
        "source": None if file.file_source is None else file.file_source.name,
        "creationTime": iso(_EPOCH + timedelta(milliseconds=file.creation_time_millis or 0)),
        "valueStats": stats_json([f.type for f in schema.fields], file.value_stats),
        "extraFiles": list(file.extra_files),
        "embeddedIndex": None
        if file.embedded_index is None
        else base64.b64encode(file.embedded_index).decode(),
        "minKey": values(key_types, file.min_key),
        "maxKey": values(key_types, file.max_key),
    }
    return shown


def comparable(row: dict[str, Any]) -> dict[str, Any]:
    """Expected files leave out what is empty, and of a DELETE all but what identifies the file."""
    if row["kind"] == "DELETE":
        return row
    return {"extraFiles": [], "embeddedIndex": None, "minKey": [], "maxKey": []} | row


def stats_json(types: Any, stats: SimpleStats) -> Any:
    if stats == EMPTY_STATS:
        return {"min": [], "max": [], "nullCounts": []}
    return {
        "min": values(types, stats.min_values),
        "max": values(types, stats.max_values),
        "nullCounts": list(stats.null_counts),
    }


def values(types: Any, row: BinaryRow) -> list[Any]:
    if row.arity == 0:
        return []
    return [value_json(t, v) for t, v in zip(types, decode_row(types, row), strict=True)]


def value_json(data_type: DataType, value: Any) -> Any:
    """An internal value as corpora/README.md writes it."""
    match data_type, value:
        case _, None:
            return None
        case ((FloatType() | DoubleType()), float()) if not math.isfinite(value):
            return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
        case FloatType(), float():
            return float(str(np.float32(value)))
        case DecimalType(), Decimal():
            return f"{value:f}"
        case ((BinaryType() | VarBinaryType() | BlobType()), bytes()):
            return base64.b64encode(value).decode()
        case DateType(), int():
            return str((_EPOCH + timedelta(days=value)).date())
        case TimeType(), int():
            return f"{(_EPOCH + timedelta(milliseconds=value)).time().isoformat('milliseconds')}"
        case ((TimestampType() | LocalZonedTimestampType()), Timestamp()):
            zone = "Z" if isinstance(data_type, LocalZonedTimestampType) else ""
            return timestamp_json(value, data_type.precision) + zone
    return value


def timestamp_json(value: Timestamp, precision: int) -> str:
    moment = _EPOCH + timedelta(milliseconds=value.millis)
    digits = f"{moment.microsecond // 1000:03d}{value.nanos_of_milli:06d}"[:precision]
    return moment.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0") + (f".{digits}" if digits else "")


def iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.replace(tzinfo=None).isoformat(timespec="milliseconds")
