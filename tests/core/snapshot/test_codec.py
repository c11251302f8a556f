from __future__ import annotations

import json
from dataclasses import fields

import pytest

from core.errors import FormatError, UnsupportedError
from core.snapshot import CommitKind, Snapshot, decode_snapshot, encode_snapshot
from core.snapshot.codec import _MEMBERS
from tests.builders import snapshot

FULL = snapshot(
    7,
    uuid="3f0c",
    base_manifest_list_size=10,
    delta_manifest_list_size=11,
    changelog_manifest_list="c",
    changelog_manifest_list_size=12,
    index_manifest="i",
    writer_version="x",
    commit_kind=CommitKind.OVERWRITE,
    log_offsets={"0": 5},
    changelog_record_count=1,
    watermark=99,
    statistics="stat",
    properties={"a": "b"},
    next_row_id=4,
    operation="DELETE",
)


@pytest.mark.parametrize("value", [FULL, snapshot(1)])
def test_decode_is_the_inverse_of_encode(value: Snapshot) -> None:
    assert decode_snapshot(encode_snapshot(value)) == value


def test_every_member_has_its_place_in_the_file() -> None:
    assert set(_MEMBERS) == {f.name for f in fields(Snapshot)}
    assert set(json.loads(encode_snapshot(FULL))) == set(_MEMBERS.values())


def test_what_is_absent_is_left_out() -> None:
    members = json.loads(encode_snapshot(snapshot(1)))
    assert None not in members.values()
    assert "properties" not in members


def test_members_we_do_not_know_are_passed_over() -> None:
    members = json.loads(encode_snapshot(FULL)) | {"fromTheFuture": {"x": [1]}}
    assert decode_snapshot(json.dumps(members).encode()) == FULL


def test_a_missing_version_is_the_first() -> None:
    members = json.loads(encode_snapshot(FULL))
    del members["version"]
    assert decode_snapshot(json.dumps(members).encode()).version == 1


def test_the_lowest_watermark_means_none() -> None:
    members = json.loads(encode_snapshot(FULL)) | {"watermark": -(2**63)}
    assert decode_snapshot(json.dumps(members).encode()).watermark is None


@pytest.mark.parametrize(("member", "value"), [("version", 4), ("commitKind", "MERGE")])
def test_what_could_change_rows_and_is_unknown_is_refused(member: str, value: object) -> None:
    members = json.loads(encode_snapshot(FULL)) | {member: value}
    with pytest.raises(UnsupportedError, match=str(value)):
        decode_snapshot(json.dumps(members).encode())


@pytest.mark.parametrize("member", ["id", "schemaId", "baseManifestList", "deltaManifestList", "timeMillis"])
def test_a_required_member_that_is_missing_is_named(member: str) -> None:
    members = json.loads(encode_snapshot(FULL)) | {member: None}
    with pytest.raises(FormatError, match=member):
        decode_snapshot(json.dumps(members).encode())


def test_a_file_that_was_cut_is_a_format_error() -> None:
    with pytest.raises(FormatError, match="JSON"):
        decode_snapshot(encode_snapshot(FULL)[:100])


@pytest.mark.parametrize("version", [-1, 0, 4])
def test_versions_that_nobody_has_defined_are_refused(version: int) -> None:
    data = json.loads(encode_snapshot(FULL)) | {"version": version}
    with pytest.raises(UnsupportedError, match=f"snapshot version {version}"):
        decode_snapshot(json.dumps(data).encode())
