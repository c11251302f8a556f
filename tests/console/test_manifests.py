"""`T/snapshots/{id}/manifests`: what reaches each, and their entries, beside how real Paimon decoded them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from core import Table
from core.maintenance.restore import apply_restore, plan_restore
from tests.console.conftest import TABLE, Caller
from tests.interop.answers import CORPORA, expected_of, live_entries

JAVA = "/warehouses/java09/databases"


def snapshot_files(name: str, folder: str = "snapshot") -> dict[int, Mapping[str, Any]]:
    """The snapshot files of a table of the corpora as Paimon wrote them."""
    database, _, table = name.partition(".")
    found = (CORPORA / "java09" / f"{database}.db" / table / folder).glob("[sc]*-*")
    read = [json.loads(path.read_text(encoding="utf-8")) for path in found]
    return {row["id"]: row for row in read}


def naming(name: str, manifest: str, rows: Mapping[int, Mapping[str, Any]], *lists: str) -> list[int]:
    """The ids whose lists name the manifest, by Paimon's own reading of them."""
    decoded = expected_of("java09", name)["metadata"]["manifestLists"]
    return sorted(
        i for i, row in rows.items() for each in lists
        if manifest in [meta["file"] for meta in decoded.get(row.get(each), ())]
    )  # fmt: skip


def reach(caller: Caller, table: str, snapshot: int) -> dict[str, list[dict[str, Any]]]:
    shown = caller.json(f"{JAVA}/{table}/snapshots/{snapshot}/manifests/reach")
    assert shown["unreadable"] == 0
    return {item["name"]: item["reached_from"] for item in shown["items"]}


def test_a_manifest_is_reached_from_the_snapshots_whose_lists_name_it(alice: Caller, corpus: Any) -> None:
    corpus("java09")
    rows = snapshot_files("changelog.decoupled")
    found = reach(alice, "changelog/tables/decoupled", 5)
    assert found
    for manifest, (main,) in found.items():
        named = naming("changelog.decoupled", manifest, rows, "baseManifestList", "deltaManifestList",
                       "changelogManifestList")  # fmt: skip
        assert (main["snapshots"], main["first"], main["last"]) == (len(named), named[0], named[-1])


def test_a_long_lived_changelog_reaches_what_it_streams(alice: Caller, corpus: Any) -> None:
    corpus("java09")
    assert set(snapshot_files("changelog.decoupled", "changelog")) == {1, 2, 3}
    files = alice.items(f"{JAVA}/changelog/tables/decoupled/files?at=4")
    story = alice.json(f"{JAVA}/changelog/tables/decoupled/files/{files[0]['name']}/lineage")
    # The data files of expired snapshots 1 to 3 live on in 4 and 5; their changelogs are files of their own.
    (main,) = story["reached_from"]
    assert (main["first"], main["last"], main["changelogs"]) == (4, 5, 0)


def test_other_branches_are_told_beside_main(alice: Caller, corpus: Any) -> None:
    corpus("java09")
    branch = expected_of("java09", "ops.branches")["branches"]["from_tag"]
    listed = {row[0] for row in branch["system"]["manifests"]["rows"]}  # at the branch's snapshot 3
    kept = snapshot_files("ops.branches")
    for manifest, (main, other) in reach(alice, "ops/tables/branches", 1).items():
        named = naming("ops.branches", manifest, kept, "baseManifestList", "deltaManifestList")
        assert (main["branch"], main["snapshots"]) == ("main", len(named))
        assert manifest in listed
        assert (other["branch"], other["first"], other["last"]) == ("from_tag", 1, branch["latestSnapshotId"])


@pytest.mark.parametrize(("name", "at"), [("pk.lsm_levels", None), ("append.overwrites", None)])
def test_effective_entries_of_all_manifests_are_the_live_files(
    name: str, at: None, alice: Caller, corpus: Any
) -> None:
    corpus("java09")
    database, _, table = name.partition(".")
    address, latest = f"{JAVA}/{database}/tables/{table}", max(snapshot_files(name))
    lists = alice.json(f"{address}/snapshots/{latest}/manifests")["lists"]
    manifests = [m["name"] for each in lists if each["kind"] in ("base", "delta") for m in each["manifests"]]
    raw, effective = (
        [e for m in manifests for e in alice.items(f"{address}/manifests/{m}/entries?limit=1000{asked}")]
        for asked in ("", f"&live_at={latest}")
    )
    assert len(raw) > len(effective)
    theirs = sorted((e["file"], e["level"]) for e in live_entries("java09", name, latest))
    assert sorted((e["file"], e["level"]) for e in effective) == theirs


def test_a_file_that_came_back_is_effective_once(alice: Caller, table: Table) -> None:
    plan = plan_restore(table, snapshot_id=2, now_millis=0)  # brings back what the compaction ate
    apply_restore(table, plan, "u")
    latest = table.snapshots.latest_id()
    lists = alice.json(f"{TABLE}/snapshots/{latest}/manifests")["lists"]
    names = [m["name"] for each in lists for m in each["manifests"] if each["kind"] != "changelog"]
    shown = [e["file"] for n in names for e in alice.items(f"{TABLE}/manifests/{n}/entries?live_at={latest}")]
    assert sorted(shown) == sorted(item["name"] for item in alice.items(f"{TABLE}/files"))


def test_a_file_that_only_a_tag_keeps_is_held_by_no_snapshot(alice: Caller, table: Table) -> None:
    eaten = alice.items(f"{TABLE}/snapshots/3/changes?change=deleted")[0]["file"]
    for snapshot_id in (1, 2, 3):
        table.snapshots.delete(snapshot_id)
    story = alice.json(f"{TABLE}/files/{eaten}/lineage")
    assert story["held_by"] == {"tags": ["v2"], "snapshots": 0}
    assert story["reached_from"] == [
        {"branch": "main", "snapshots": 0, "first": None, "last": None, "tags": ["v2"], "changelogs": 0}
    ]
