"""The console as a REST catalog: snapshots, commits, rollbacks, tags, branches, partitions, consumers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from console.rest_catalog.refs import duration_of, iso_duration
from console.rest_catalog.services import with_sums
from console.warehouses.models import Warehouse
from core import Table
from core.catalog.partitions import partitions_of
from core.catalog.rest.objects import snapshot_to_wire
from core.errors import InvalidRequestError, StorageError
from core.io import LocalFileIO
from core.snapshot import Consumer
from tests.console.conftest import Caller
from tests.console.rest_catalog import LAKE, TABLE, CatalogClient, commit_body, prepared
from tests.tables import put, rows_of

BRANCH = f"{LAKE}/databases/db/tables/t%24branch_b"


@pytest.fixture
def admin(alice: Caller, lake: Warehouse) -> CatalogClient:
    assert alice.user is not None
    return CatalogClient(alice.user)


def test_the_latest_snapshot_comes_with_the_sums_of_its_files(admin: CatalogClient, table: Table) -> None:
    found = admin.get(f"{TABLE}/snapshot")["snapshot"]
    latest = table.snapshots.latest()
    assert latest is not None
    assert found["snapshot"] == snapshot_to_wire(latest)
    files = table.manifests.live_entries(latest)
    assert found["fileCount"] == len(files)
    assert found["fileSizeInBytes"] == sum(files.numpy("file_size").tolist())
    assert found["recordCount"] == latest.total_record_count


def test_sums_that_follow_a_commit_are_those_of_all_files(admin: CatalogClient, table: Table) -> None:
    for snapshot in table.snapshots.iter_all():
        followed = with_sums(table, snapshot)
        statistics = partitions_of(table) if snapshot.id == 6 else None
        assert followed.record_count == snapshot.total_record_count
        assert followed.file_count == len(table.manifests.live_entries(snapshot))
        if statistics is not None:
            times = [partition.statistics.last_file_creation_time for partition in statistics]
            assert followed.last_file_creation_time == max(times)


def test_snapshots_are_found_by_id_tag_and_word(admin: CatalogClient) -> None:
    ids = {
        v: admin.get(f"{TABLE}/snapshots/{v}")["snapshot"]["id"] for v in ("EARLIEST", "LATEST", "3", "v2")
    }
    assert ids == {"EARLIEST": 1, "LATEST": 6, "3": 3, "v2": 2}
    first = admin.get(f"{TABLE}/snapshots", maxResults="4")
    second = admin.get(f"{TABLE}/snapshots", pageToken=first["nextPageToken"])
    assert [s["id"] for s in first["snapshots"] + second["snapshots"]] == [1, 2, 3, 4, 5, 6]
    assert admin.error("GET", f"{TABLE}/snapshots/9")["resourceType"] == "SNAPSHOT"


def test_a_table_without_a_snapshot_has_none_to_show(admin: CatalogClient) -> None:
    admin.make("empty")
    answer = admin.error("GET", f"{LAKE}/databases/db/tables/empty/snapshot")
    assert (answer["code"], answer["resourceType"]) == (404, "SNAPSHOT")


# --- commits --------------------------------------------------------------------------------------
def test_a_commit_becomes_visible_and_the_same_again_succeeds(admin: CatalogClient, table: Table) -> None:
    body = commit_body(admin, table, prepared(table))
    assert admin.post(f"{TABLE}/commit", body) == {"success": True}
    assert admin.post(f"{TABLE}/commit", body) == {"success": True}
    assert table.snapshots.ids() == [1, 2, 3, 4, 5, 6, 7]
    assert ("2026-11-22", 1, 1, "prepared") in rows_of(table)
    assert table.snapshots.hint_report().latest_hint == "7"


def test_of_two_commits_on_one_snapshot_the_second_is_told_to_build_anew(
    admin: CatalogClient, table: Table
) -> None:
    first = prepared(table)
    bodies = [commit_body(admin, table, one) for one in (first, replace(first, uuid="another"))]
    assert [admin.post(f"{TABLE}/commit", body)["success"] for body in bodies] == [True, False]
    assert table.snapshots.get(7) == first


@pytest.mark.parametrize("changes", [{"id": 9}, {"id": 6}])
def test_ids_stay_gapless(admin: CatalogClient, table: Table, changes: dict[str, int]) -> None:
    body = commit_body(admin, table, replace(prepared(table), **changes))
    assert admin.post(f"{TABLE}/commit", body) == {"success": False}
    assert table.snapshots.ids() == [1, 2, 3, 4, 5, 6]


def test_a_commit_on_a_base_that_was_rolled_back_is_a_conflict(admin: CatalogClient, table: Table) -> None:
    body = commit_body(admin, table, prepared(table), baseSnapshotUuid="of-a-snapshot-that-is-gone")
    assert admin.post(f"{TABLE}/commit", body) == {"success": False}


def test_a_commit_to_a_table_that_was_made_anew_is_refused(admin: CatalogClient, table: Table) -> None:
    body = commit_body(admin, table, prepared(table), tableId="0b5b1c1e-0000-4000-8000-000000000000")
    answer = admin.error("POST", f"{TABLE}/commit", body)
    assert (answer["code"], answer["resourceType"]) == (404, "TABLE")


def test_a_snapshot_whose_manifests_are_elsewhere_is_refused(admin: CatalogClient, table: Table) -> None:
    made = replace(prepared(table), delta_manifest_list="manifest-list-none")
    answer = admin.error("POST", f"{TABLE}/commit", commit_body(admin, table, made))
    assert answer["code"] == 400
    assert "same store" in answer["message"]


def test_a_store_that_fails_leaves_the_outcome_open_and_the_same_request_tells(
    admin: CatalogClient, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = commit_body(admin, table, prepared(table))
    create = LocalFileIO.create

    def lost(self: LocalFileIO, path: str, data: bytes) -> None:
        create(self, path, data)
        raise StorageError("connection reset", path=path)

    with monkeypatch.context() as patch:
        patch.setattr(LocalFileIO, "create", lost)
        answer = admin.error("POST", f"{TABLE}/commit", body)
    assert answer["code"] == 500
    assert "may be there or not" in answer["message"]
    assert admin.post(f"{TABLE}/commit", body) == {"success": True}


def test_a_branch_has_snapshots_of_its_own(admin: CatalogClient, table: Table) -> None:
    admin.post(f"{TABLE}/branches", {"branch": "b", "fromTag": "v2"})
    branch = table.with_branch("b")
    body = commit_body(admin, branch, prepared(branch))
    assert admin.get(BRANCH)["name"] == "t$branch_b"
    assert admin.post(f"{BRANCH}/commit", body) == {"success": True}
    assert admin.get(f"{BRANCH}/snapshot")["snapshot"]["snapshot"]["id"] == 3
    assert admin.get(f"{TABLE}/snapshot")["snapshot"]["snapshot"]["id"] == 6


# --- rollback -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("instant", "left"), [({"type": "snapshot", "snapshotId": 4}, 4), ({"type": "tag", "tagName": "v2"}, 2)]
)
def test_a_rollback_goes_back(admin: CatalogClient, table: Table, instant: dict[str, Any], left: int) -> None:
    admin.post(f"{TABLE}/rollback", {"instant": instant, "fromSnapshot": 6})
    assert table.snapshots.latest_id() == left


@pytest.mark.parametrize(
    ("body", "code", "resource"),
    [
        ({"instant": {"type": "snapshot", "snapshotId": 9}}, 404, "SNAPSHOT"),
        ({"instant": {"type": "tag", "tagName": "none"}}, 404, "TAG"),
        ({"instant": {"type": "snapshot", "snapshotId": 2}, "fromSnapshot": 5}, 400, None),
        ({"instant": {"type": "moment"}}, 501, None),
    ],
)
def test_a_rollback_to_nowhere_changes_nothing(
    admin: CatalogClient, table: Table, body: dict[str, Any], code: int, resource: str | None
) -> None:
    answer = admin.error("POST", f"{TABLE}/rollback", body)
    assert (answer["code"], answer["resourceType"]) == (code, resource)
    assert table.snapshots.latest_id() == 6


def test_a_table_under_a_job_is_neither_rolled_back_nor_dropped(
    alice: Caller, admin: CatalogClient, table: Table
) -> None:
    path = "/warehouses/lake/databases/db/tables/t/plans"
    plan = alice.post(path, {"kind": "compact", "params": {}}).json()
    job = alice.post("/jobs", {"plan_id": plan["id"]}).json()
    for verb, at, body in (
        ("POST", f"{TABLE}/rollback", {"instant": {"type": "snapshot", "snapshotId": 2}}),
        ("DELETE", TABLE, None),
    ):
        answer = admin.error(verb, at, body)
        assert answer["code"] == 503
        assert job["id"] in answer["message"]
    assert table.snapshots.latest_id() == 6


# --- tags, branches, partitions, consumers --------------------------------------------------------
def test_tags_come_and_go(admin: CatalogClient) -> None:
    admin.post(f"{TABLE}/tags", {"tagName": "v3", "snapshotId": 3, "timeRetained": "P1D"})
    assert admin.get(f"{TABLE}/tags", tagNamePrefix="v")["tags"] == ["v2", "v3"]
    tag = admin.get(f"{TABLE}/tags/v3")
    assert (tag["tagName"], tag["snapshot"]["id"], tag["tagTimeRetained"]) == ("v3", 3, "PT24H")
    assert tag["tagCreateTime"] > 1_700_000_000_000
    assert admin.error("POST", f"{TABLE}/tags", {"tagName": "v3"})["resourceType"] == "TAG"
    assert (
        admin.error("POST", f"{TABLE}/tags", {"tagName": "v9", "snapshotId": 9})["resourceType"] == "SNAPSHOT"
    )
    admin.delete(f"{TABLE}/tags/v3")
    assert admin.error("DELETE", f"{TABLE}/tags/v3")["resourceType"] == "TAG"


def test_branches_come_go_and_are_made_main(admin: CatalogClient, table: Table) -> None:
    admin.post(f"{TABLE}/branches", {"branch": "a", "fromTag": "v2"})
    assert admin.error("POST", f"{TABLE}/branches", {"branch": "a"})["resourceType"] == "BRANCH"
    assert (
        admin.error("POST", f"{TABLE}/branches", {"branch": "c", "fromTag": "none"})["resourceType"] == "TAG"
    )
    admin.post(f"{TABLE}/branches/a/rename", {"toBranch": "b"})
    assert admin.get(f"{TABLE}/branches")["branches"] == ["b"]
    put(table.with_branch("b"), ("2026-11-22", 9, 9, "of the branch"))
    admin.post(f"{TABLE}/branches/b/forward", {})
    assert table.snapshots.latest_id() == 3
    assert ("2026-11-22", 9, 9, "of the branch") in rows_of(table)
    admin.delete(f"{TABLE}/branches/b")
    for path in ("b", "b/forward"):
        verb = "DELETE" if path == "b" else "POST"
        assert admin.error(verb, f"{TABLE}/branches/{path}")["resourceType"] == "BRANCH"


def test_partitions_are_listed_found_and_marked(admin: CatalogClient, table: Table) -> None:
    listed = admin.get(f"{TABLE}/partitions", partitionNamePattern="dt=2026-11-2%")["partitions"]
    assert [(p["spec"], p["done"]) for p in listed] == [({"dt": "2026-11-20"}, False)]
    assert listed[0]["fileCount"] > 0
    specs = {"specs": [{"dt": "2026-11-19"}, {"dt": "1999-01-01"}]}
    named = admin.post(f"{TABLE}/partitions/list-by-names", specs)["partitions"]
    assert [p["spec"] for p in named] == [{"dt": "2026-11-19"}]
    admin.post(f"{TABLE}/partitions/mark", {"specs": [{"dt": "2026-11-19"}]})
    assert table.io.exists(f"{table.location}/dt=2026-11-19/_SUCCESS")
    assert admin.error("POST", f"{TABLE}/partitions/mark", {"specs": [{"x": "1"}]})["code"] == 400


def test_consumers_are_moved_and_forgotten(admin: CatalogClient, table: Table) -> None:
    table.consumers.put(Consumer("c", 3))
    assert admin.get(f"{TABLE}/consumers")["consumers"] == [{"consumerId": "c", "nextSnapshot": 3}]
    admin.post(f"{TABLE}/consumers/reset", {"consumerId": "c", "nextSnapshotId": 5})
    assert table.consumers.get("c").next_snapshot == 5
    lost = {"consumerId": "c", "nextSnapshotId": 99}
    assert admin.error("POST", f"{TABLE}/consumers/reset", lost)["resourceType"] == "SNAPSHOT"
    admin.post(f"{TABLE}/consumers/reset", {"consumerId": "c", "nextSnapshotId": None})
    assert admin.get(f"{TABLE}/consumers")["consumers"] == []


def test_who_may_read_a_table_may_read_all_of_it(admin: CatalogClient) -> None:
    assert admin.post(f"{TABLE}/auth", {"select": ["id"]}) == {"filter": [], "columnMasking": {}}


@pytest.mark.parametrize(
    ("text", "iso"), [("P1DT2H", "PT26H"), ("PT0.5S", "PT0.5S"), ("90 s", "PT1M30S"), ("1d", "PT24H")]
)
def test_durations_are_read_as_iso_or_as_options_and_written_as_iso(text: str, iso: str) -> None:
    assert iso_duration(duration_of(text)) == iso


@pytest.mark.parametrize("text", ["P", "PT", "soon"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequestError):
        duration_of(text)
