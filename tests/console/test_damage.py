"""Damage is shown where it is: pages answer, and name what is broken, who points to it, what is left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.console.conftest import Caller

DAMAGED = Path(__file__).parents[1] / "corpora" / "damaged" / "broken.db"
TABLES = sorted(folder.name for folder in DAMAGED.iterdir())
PARTS = ("files", "partitions", "buckets", "indexes", "schemas", "options", "tags", "branches", "consumers")
EXPECTED = {404, 410, 422}


@pytest.fixture(autouse=True)
def _registered(corpus: Any) -> None:
    corpus("damaged")


def table(name: str) -> str:
    return f"/warehouses/damaged/databases/broken/tables/{name}"


def addresses(who: Caller, name: str) -> Iterator[str]:
    """Every read-only resource of the table."""
    yield table(name)
    yield from (f"{table(name)}/{part}" for part in PARTS)
    snapshots = who.items(f"{table(name)}/snapshots")
    for snapshot in snapshots:
        one = f"{table(name)}/snapshots/{snapshot['id']}"
        yield from (one, f"{one}/changes", f"{one}/manifests", f"{one}/stats")
        yield f"{table(name)}/files?at={snapshot['id']}"
    yield f"{table(name)}/compare?from={snapshots[-1]['id']}&at={snapshots[0]['id']}"


@pytest.mark.parametrize("name", TABLES)
def test_every_resource_answers_and_says_in_words_what_it_lacks(name: str, alice: Caller) -> None:
    for address in addresses(alice, name):
        reply = alice.get(address)
        if reply.status_code == 200:
            continue
        problem = reply.json()
        assert reply.status_code in EXPECTED, (address, problem)
        assert problem["damage"]["name"] in problem["detail"], address
        assert "path=" not in problem["detail"], address


def damages(who: Caller, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = who.json(table(name))["damages"]
    return found


OVERVIEW = {
    "corrupt_manifest_list": ("damaged", "manifest_list", [("snapshot", "4", "base")], "3~"),
    "missing_manifest_list": ("missing", "manifest_list", [("snapshot", "7", "delta")], "6~"),
    "snapshot_cut_short": ("damaged", "snapshot", [], "3~"),
    "garbage_index_manifest": ("damaged", "index_manifest", [("snapshot", "4", "index")], "3~"),
}


@pytest.mark.parametrize("name", OVERVIEW)
def test_the_overview_names_the_object_its_snapshot_and_what_is_left(name: str, alice: Caller) -> None:
    code, kind, named_by, readable = OVERVIEW[name]
    (damage,) = damages(alice, name)
    assert (damage["code"], damage["object"]) == (code, kind)
    assert [(p["kind"], p["name"], p["role"]) for p in damage["named_by"]] == named_by
    assert damage["readable"].startswith(readable)


def test_a_damaged_manifest_is_named_with_the_list_and_the_snapshot(alice: Caller) -> None:
    (damage,) = damages(alice, "truncated_manifest")
    assert (damage["code"], damage["object"]) == ("damaged", "manifest")
    assert [p["kind"] for p in damage["named_by"]] == ["manifest_list", "snapshot"]
    assert damage["readable"].startswith("3~")


def test_lost_schemas_are_named_with_a_file_that_needs_them(alice: Caller) -> None:
    found = damages(alice, "schema_missing")
    assert [(d["code"], d["object"], d["name"]) for d in found] == [
        ("missing", "schema", "0"),
        ("missing", "schema", "2"),
    ]
    assert all(d["named_by"][0]["kind"] == "data_file" for d in found)
    listed = alice.json(f"{table('schema_missing')}/schemas")
    assert [d["name"] for d in listed["damages"]] == ["0", "2"]


def test_a_file_of_a_lost_schema_is_shown_without_its_columns(alice: Caller) -> None:
    files = f"{table('schema_missing')}/files"
    name = next(f["name"] for f in alice.items(files) if f["schema_id"] == 2)
    view = alice.json(f"{files}/{name}")
    assert (view["exists"], view["columns"], view["damage"]["object"]) == (True, [], "schema")


def test_the_words_are_in_the_readers_language(alice: Caller) -> None:
    address = table("missing_manifest_list")
    (english,) = alice.json(address)["problems"]
    (chinese,) = alice.json(address, **{"Accept-Language": "zh-CN"})["problems"]
    assert english.startswith("Manifest list manifest-list-")
    assert "is missing. Named by snapshot 7" in english
    assert chinese.startswith("清单列表 manifest-list-")
    assert "缺失" in chinese


def test_tags_that_cannot_be_used_are_listed_and_say_why(alice: Caller) -> None:
    tags = {tag["name"]: tag for tag in alice.items(f"{table('bad_tag')}/tags")}
    cut, dangling = tags["v1"]["damage"], tags["same-a"]["damage"]
    assert (cut["code"], cut["object"], cut["reason"]) == ("damaged", "tag", "not valid JSON")
    assert (dangling["code"], dangling["object"]) == ("missing", "manifest_list")
    assert dangling["named_by"] == [{"kind": "tag", "name": "same-a", "role": "base"}]
    assert tags["v1"]["ref"] is None
    assert tags["same-b"]["damage"] is None


def test_an_unreadable_tag_leaves_the_sorting_of_tags_alone(alice: Caller) -> None:
    tags = alice.items(f"{table('bad_tag')}/tags?sort=-committed_at&snapshot_id=2")
    assert sorted(tag["name"] for tag in tags) == ["2024-01-01", "same-a", "same-b"]


def test_a_damaged_consumer_is_listed(alice: Caller) -> None:
    consumers = {c["id"]: c["damage"] for c in alice.items(f"{table('bad_consumer')}/consumers")}
    assert (consumers["job-a"]["code"], consumers["job_b"]) == ("damaged", None)


def test_a_commit_whose_list_is_missing_says_so_in_its_row(alice: Caller) -> None:
    rows = {row["id"]: row for row in alice.items(f"{table('missing_manifest_list')}/snapshots")}
    assert rows[7]["damage"]["named_by"] == [{"kind": "snapshot", "name": "7", "role": "delta"}]
    assert rows[6]["damage"] is None


def test_the_manifest_tree_marks_the_manifest_that_is_cut(alice: Caller) -> None:
    tree = alice.json(f"{table('truncated_manifest')}/snapshots/4/manifests")
    found = [m["damage"] for part in tree["lists"] for m in part["manifests"] if m["damage"]]
    assert [d["code"] for d in found] == ["wrong-size"]


def test_the_manifest_tree_is_shown_without_a_schema(alice: Caller) -> None:
    tree = alice.json(f"{table('schema_garbage')}/snapshots/5/manifests")
    assert [part["damage"] for part in tree["lists"]] == [None, None]
    assert tree["lists"][0]["manifests"]
    assert tree["target_bytes"] is None


@pytest.mark.parametrize(
    ("name", "code", "exists"),
    [
        ("missing_data_file", "missing", False),
        ("wrong_size", "wrong-size", True),
        ("empty_parquet", "wrong-size", True),
    ],
)
def test_a_data_file_says_what_is_wrong_with_it(name: str, code: str, exists: bool, alice: Caller) -> None:
    files = f"{table(name)}/files"
    views = [alice.json(f"{files}/{file['name']}") for file in alice.items(files)]
    (found,) = [view for view in views if view["damage"]]
    assert (found["damage"]["code"], found["exists"]) == (code, exists)
    assert found["damage"]["name"] == found["name"]


def test_files_are_listed_though_the_index_manifest_is_damaged(alice: Caller) -> None:
    files = alice.items(f"{table('garbage_index_manifest')}/files")
    assert files
    assert {file["dv"] for file in files} == {None}
    (damage,) = alice.json(f"{table('garbage_index_manifest')}/indexes")["damages"]
    assert damage["object"] == "index_manifest"


def test_damaged_indexes_are_named(alice: Caller) -> None:
    vectors = alice.json(f"{table('garbage_dv_index')}/indexes")["deletion_vectors"]
    assert [v["damage"]["code"] for v in vectors if v["damage"]] == ["damaged"]
    (damage,) = alice.json(f"{table('garbage_file_index')}/indexes")["damages"]
    assert (damage["object"], damage["named_by"][0]["kind"]) == ("file_index", "data_file")


def asked_rollback(who: Caller, name: str, target: int) -> Any:
    asked = {"kind": "rollback", "params": {"to": {"snapshot": str(target)}}}
    return who.post(f"{table(name)}/plans", asked)


@pytest.mark.parametrize(
    ("name", "code", "target"),
    [
        ("missing_manifest_list", "head-missing", 6),
        ("corrupt_manifest_list", "head-damaged", 3),
        ("truncated_manifest", "head-damaged", 3),
    ],
)
def test_a_rollback_that_repairs_a_damaged_head_is_planned(
    name: str, code: str, target: int, alice: Caller
) -> None:
    reply = asked_rollback(alice, name, target)
    view = reply.json()
    assert reply.status_code == 201, view
    effects, (warning,) = view["effects"], [w for w in view["warnings"] if w["code"] == code]
    assert warning["ref"].startswith("manifest-")
    assert effects["files_leaving"] == {"count": None, "bytes": None}
    assert effects["files_returning"] == {"count": None, "bytes": None, "missing": 0}
    assert (effects["rows_delta"], effects["bytes_delta"], effects["unreferenced_bytes"]) == (None,) * 3
    assert (view["blockers"], view["undo"]) == ([], None)


def test_a_target_that_is_damaged_itself_is_not_called_gone(alice: Caller) -> None:
    problem = asked_rollback(alice, "missing_manifest_list", 7).json()
    assert (problem["code"], problem["damage"]["object"]) == ("object-missing", "manifest_list")
