"""Snapshot files <-> `Snapshot`. Spec: 01, 8."""

from __future__ import annotations

import json

from core.errors import FormatError, UnsupportedError
from core.io.json_object import JsonObject
from core.snapshot.snapshot import CommitKind, Snapshot

SNAPSHOT_VERSION = 3  # the newest that we know, and what we write
_NO_WATERMARK = -(2**63)  # how old jobs wrote "none"

# Python name -> member, in the order Paimon writes them.
_MEMBERS = {
    "version": "version",
    "uuid": "uuid",
    "id": "id",
    "schema_id": "schemaId",
    "base_manifest_list": "baseManifestList",
    "base_manifest_list_size": "baseManifestListSize",
    "delta_manifest_list": "deltaManifestList",
    "delta_manifest_list_size": "deltaManifestListSize",
    "changelog_manifest_list": "changelogManifestList",
    "changelog_manifest_list_size": "changelogManifestListSize",
    "index_manifest": "indexManifest",
    "commit_user": "commitUser",
    "writer_version": "writerVersion",
    "commit_identifier": "commitIdentifier",
    "commit_kind": "commitKind",
    "time_millis": "timeMillis",
    "log_offsets": "logOffsets",
    "total_record_count": "totalRecordCount",
    "delta_record_count": "deltaRecordCount",
    "changelog_record_count": "changelogRecordCount",
    "watermark": "watermark",
    "statistics": "statistics",
    "properties": "properties",
    "next_row_id": "nextRowId",
    "operation": "operation",
}
SNAPSHOT_MEMBERS = frozenset(_MEMBERS.values())  # all that a snapshot of any version may hold


def decode_snapshot(data: bytes) -> Snapshot:
    """The snapshot of a snapshot, changelog or tag file; members we do not know are passed over.

    Raises:
        FormatError: no snapshot. UnsupportedError: a newer version, or an unknown kind of commit.
    """
    return snapshot_of(JsonObject.parse(data))


def snapshot_of(value: JsonObject) -> Snapshot:
    """The snapshot that a parsed file holds."""
    version = value.integer_or_none("version")
    version = 1 if version is None else version
    if not 1 <= version <= SNAPSHOT_VERSION:
        raise UnsupportedError("snapshot of an unknown version", feature=f"snapshot version {version}")
    return Snapshot(
        version=version,
        id=value.integer("id"),
        uuid=value.text_or_none("uuid"),
        schema_id=value.integer("schemaId"),
        base_manifest_list=value.text("baseManifestList"),
        base_manifest_list_size=value.integer_or_none("baseManifestListSize"),
        delta_manifest_list=value.text("deltaManifestList"),
        delta_manifest_list_size=value.integer_or_none("deltaManifestListSize"),
        changelog_manifest_list=value.text_or_none("changelogManifestList"),
        changelog_manifest_list_size=value.integer_or_none("changelogManifestListSize"),
        index_manifest=value.text_or_none("indexManifest"),
        commit_user=value.text("commitUser"),
        writer_version=value.text_or_none("writerVersion"),
        commit_identifier=value.integer("commitIdentifier"),
        commit_kind=_commit_kind(value.text("commitKind")),
        time_millis=value.integer("timeMillis"),
        log_offsets=_log_offsets(value),
        total_record_count=value.integer_or_none("totalRecordCount"),
        delta_record_count=value.integer_or_none("deltaRecordCount"),
        changelog_record_count=value.integer_or_none("changelogRecordCount"),
        watermark=_watermark(value.integer_or_none("watermark")),
        statistics=value.text_or_none("statistics"),
        properties=value.text_map("properties"),
        next_row_id=value.integer_or_none("nextRowId"),
        operation=value.text_or_none("operation"),
    )


def encode_snapshot(snapshot: Snapshot) -> bytes:
    """The content of a snapshot file; what is absent is left out."""
    return json.dumps(snapshot_members(snapshot), ensure_ascii=False, indent=2).encode()


def snapshot_members(snapshot: Snapshot) -> dict[str, object]:
    values = {member: getattr(snapshot, name) for name, member in _MEMBERS.items()}
    values["commitKind"] = snapshot.commit_kind.value
    values["properties"] = dict(snapshot.properties) or None
    values["logOffsets"] = None if snapshot.log_offsets is None else dict(snapshot.log_offsets)
    return {member: value for member, value in values.items() if value is not None}


def _commit_kind(text: str) -> CommitKind:
    try:
        return CommitKind(text)
    except ValueError as error:
        raise UnsupportedError("unknown kind of commit", feature=f"commitKind {text}") from error


def _log_offsets(value: JsonObject) -> dict[str, int] | None:
    offsets = value.members.get("logOffsets")
    if offsets is None:
        return None
    if isinstance(offsets, dict) and all(isinstance(v, int) for v in offsets.values()):
        return dict(offsets)
    raise FormatError("a JSON member has the wrong type", member="logOffsets", expected="object of integers")


def _watermark(value: int | None) -> int | None:
    return None if value == _NO_WATERMARK else value
