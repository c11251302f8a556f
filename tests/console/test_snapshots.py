"""`T/snapshots` and what hangs below one snapshot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.utils import timezone

from console.jobs.models import Job, Plan
from console.warehouses.models import Warehouse
from core import Table
from tests.console.conftest import TABLE, Caller
from tests.tables import put


def test_snapshots_come_newest_first(alice: Caller, table: Table) -> None:
    items = alice.items(f"{TABLE}/snapshots")
    assert [item["id"] for item in items] == [6, 5, 4, 3, 2, 1]
    assert [item["kind"] for item in items] == ["append", "append", "append", "compact", "append", "append"]
    assert items[0]["is_latest"]
    assert items[4]["tags"] == ["v2"]


def test_a_page_does_not_shift_when_somebody_commits(alice: Caller, table: Table) -> None:
    first = alice.json(f"{TABLE}/snapshots?limit=2")
    put(table, ("2026-11-20", 99, 1, "meanwhile"))
    second = alice.json(f"{TABLE}/snapshots?limit=2&cursor={first['next']}")
    assert [item["id"] for item in first["items"] + second["items"]] == [6, 5, 4, 3]


def test_a_cursor_of_another_list_is_refused(alice: Caller, table: Table) -> None:
    cursor = alice.json(f"{TABLE}/snapshots?limit=2")["next"]
    response = alice.get(f"{TABLE}/snapshots?limit=2&kind=append&cursor={cursor}")
    assert (response.status_code, response.json()["code"]) == (400, "cursor-mismatch")


def test_snapshots_are_filtered_by_kind_and_time(alice: Caller, table: Table) -> None:
    compacted = alice.items(f"{TABLE}/snapshots?kind=compact")
    assert [item["id"] for item in compacted] == [3]
    assert alice.items(f"{TABLE}/snapshots?after=2100-01-01T00:00:00Z") == []


def test_snapshots_are_filtered_by_a_partition_that_they_changed(alice: Caller, table: Table) -> None:
    all_of_them = alice.items(f"{TABLE}/snapshots")
    touched = {item["id"]: alice.json(f"{TABLE}/snapshots/{item['id']}") for item in all_of_them}
    partition = touched[6]["partitions_touched"][0]
    shown = alice.items(f"{TABLE}/snapshots?partition={partition}")
    assert [s["id"] for s in shown] == [i for i, s in touched.items() if partition in s["partitions_touched"]]
    assert {s["id"]: s["partitions"] for s in all_of_them} == {
        i: len(s["partitions_touched"]) for i, s in touched.items()
    }
    assert alice.items(f"{TABLE}/snapshots?partition=dt=1999-01-01") == []


def test_64_bit_numbers_are_strings_and_counts_are_numbers(alice: Caller, table: Table) -> None:
    item = alice.items(f"{TABLE}/snapshots")[0]
    assert item["commit_identifier"] == str(2**63 - 1)
    assert isinstance(item["total_rows"], int)
    assert item["committed_at"].endswith("Z")


def test_files_and_bytes_of_a_commit_are_those_of_its_delta(alice: Caller, table: Table) -> None:
    item = alice.json(f"{TABLE}/snapshots/3")
    snapshot = table.snapshots.get(3)
    delta = table.manifests.delta_entries(snapshot)
    added, deleted = delta.adds(), delta.deletes()
    assert (item["files_added"], item["files_deleted"]) == (len(added), len(deleted))
    assert item["bytes_added"] == int(added.numpy("file_size").sum())
    assert sum(level["bytes_removed"] for level in item["levels"]) == item["bytes_deleted"]
    assert sum(level["rows_added"] for level in item["levels"]) == int(added.numpy("row_count").sum())
    assert item["previous_at"] == alice.json(f"{TABLE}/snapshots/2")["committed_at"]


def test_a_bare_id_and_an_identity_name_the_same_snapshot(alice: Caller, table: Table) -> None:
    reference = table.snapshots.get(4).reference
    assert alice.json(f"{TABLE}/snapshots/4")["ref"] == reference
    assert alice.json(f"{TABLE}/snapshots/{reference}")["id"] == 4


def test_an_identity_that_lost_its_id_is_told_apart(alice: Caller, table: Table) -> None:
    holder = table.snapshots.get(4).reference
    response = alice.get(f"{TABLE}/snapshots/4~00000000")
    assert (response.status_code, response.json()["code"]) == (410, "snapshot-replaced")
    assert response.json()["current"] == holder


def test_a_snapshot_that_is_gone_names_its_neighbours(alice: Caller, table: Table) -> None:
    table.snapshots.delete(4)
    problem = alice.get(f"{TABLE}/snapshots/4").json()
    assert problem["code"] == "snapshot-expired"
    assert problem["neighbours"] == {"previous": 3, "next": 5}


def test_a_snapshot_that_a_job_took_away_names_the_job(alice: Caller, lake: Warehouse, table: Table) -> None:
    gone = table.snapshots.get(6)
    plan = alice.post(f"{TABLE}/plans", {"kind": "rollback", "params": {"to": {"snapshot": "4"}}}).json()
    table.snapshots.delete(6)
    assert alice.get(f"{TABLE}/snapshots/6").json()["removed_by"] is None
    made = {"warehouse": lake, "database": "db", "table": "t", "kind": "rollback", "spec": {}}
    job = Job.objects.create(
        public_id="j-1", state="succeeded", plan=Plan.objects.get(public_id=plan["id"]),
        requested_by=alice.user, ended_at=timezone.now(), **made,
    )  # fmt: skip
    for reference in ("6", gone.reference):
        problem = alice.get(f"{TABLE}/snapshots/{reference}").json()
        assert (problem["removed_by"]["job"], problem["removed_by"]["requested_by"]) == ("j-1", "alice")
    put(table, ("2026-11-20", 1, 1, "of another history"))
    table.snapshots.delete(5)
    assert alice.get(f"{TABLE}/snapshots/{gone.reference}").json()["removed_by"]["job"] == "j-1"
    assert alice.get(f"{TABLE}/snapshots/6~00000000").json()["removed_by"] is None
    Job.objects.filter(pk=job.pk).update(state="failed")
    assert alice.get(f"{TABLE}/snapshots/{gone.reference}").json()["removed_by"] is None


def test_changes_show_each_file_of_the_commit(alice: Caller, table: Table) -> None:
    changes = alice.items(f"{TABLE}/snapshots/3/changes?limit=1000")
    snapshot = table.snapshots.get(3)
    assert len(changes) <= len(table.manifests.delta_entries(snapshot))
    assert {change["change"] for change in changes} <= {"added", "deleted", "moved"}
    assert alice.items(f"{TABLE}/snapshots/3/changes?change=added&level[gt]=0")


def test_changes_are_summed_for_each_partition_and_each_bucket(alice: Caller, table: Table) -> None:
    changes = alice.items(f"{TABLE}/snapshots/3/changes?limit=1000")
    for by, keys in (("partition", ("partition",)), ("bucket", ("partition", "bucket"))):
        groups = alice.items(f"{TABLE}/snapshots/3/changes/groups?by={by}")
        assert [g["id"] for g in groups] == sorted({g["id"] for g in groups})
        for group in groups:
            inside = [c for c in changes if all(c[key] == group[key] for key in keys)]
            for word in ("added", "deleted", "moved"):
                rows = [c for c in inside if c["change"] == word]
                sums = (len(rows), sum(c["bytes"] for c in rows), sum(c["rows"] for c in rows))
                assert tuple(group[f"{n}_{word}"] for n in ("files", "bytes", "rows")) == sums
        assert sum(g["files_moved"] for g in groups) > 0
    assert alice.get(f"{TABLE}/snapshots/3/changes/groups?by=level").status_code == 400


def test_a_file_that_only_went_to_another_level_is_one_row(alice: Caller, table: Table) -> None:
    moved = alice.items(f"{TABLE}/snapshots/3/changes?change=moved")
    assert moved
    assert all(row["moved_from_level"] == 0 and row["level"] > 0 for row in moved)


def test_a_commit_tells_which_index_files_came_and_went(alice: Caller, corpus: Any) -> None:
    corpus("java09")
    address = "/warehouses/java09/databases/dv/tables/append_dv/snapshots"
    told: list[str] = []
    for snapshot in reversed(alice.items(address)):
        changes = alice.items(f"{address}/{snapshot['id']}/index-changes")
        for change in changes:
            assert change["kind"] == "DELETION_VECTORS"
            (told.append if change["change"] == "added" else told.remove)(change["name"])
        tree = alice.json(f"{address}/{snapshot['id']}/manifests")
        assert sorted(told) == sorted(f["name"] for part in tree["lists"] for f in part["index_files"])
    assert told


def test_what_changed_since_an_expired_snapshot_is_not_known(alice: Caller, table: Table) -> None:
    table.snapshots.delete(4)
    assert alice.get(f"{TABLE}/snapshots/5/index-changes").json()["code"] == "snapshot-expired"


def test_the_manifest_tree_names_every_manifest(alice: Caller, table: Table) -> None:
    tree = alice.json(f"{TABLE}/snapshots/6/manifests")
    shown = {m["name"] for part in tree["lists"] for m in part["manifests"]}
    assert shown == {m.file_name for m in table.manifests.manifests(table.snapshots.get(6))}


def test_a_missing_manifest_is_an_answer(alice: Caller, table: Table) -> None:
    manifest = table.manifests.delta_manifests(table.snapshots.get(6))[0].file_name
    table.io.delete(table.paths.manifest_file(manifest))
    tree = alice.json(f"{TABLE}/snapshots/6/manifests")
    missing = [m["name"] for part in tree["lists"] for m in part["manifests"] if m["missing"]]
    assert missing == [manifest]
    assert alice.json(f"{TABLE}/snapshots/6")["problem"]


def test_entries_of_a_manifest_are_listed(alice: Caller, table: Table) -> None:
    manifest = table.manifests.delta_manifests(table.snapshots.get(1))[0].file_name
    items = alice.items(f"{TABLE}/manifests/{manifest}/entries")
    assert {item["change"] for item in items} == {"added"}


def test_what_is_no_manifest_is_not_read(alice: Caller, table: Table) -> None:
    response = alice.get(f"{TABLE}/manifests/..%2Fsnapshot%2Fsnapshot-1/entries")
    assert response.status_code == 404


def test_statistics_of_an_analyzed_table_are_shown(alice: Caller, corpus: Any) -> None:
    corpus("java09")
    path = "/warehouses/java09/databases/ops/tables/analyzed"
    analyzed = [s for s in alice.items(f"{path}/snapshots") if s["kind"] == "analyze"]
    stats = alice.json(f"{path}/snapshots/{analyzed[0]['ref']}/stats")
    assert stats["analyzed"]
    assert stats["columns"]


def test_a_damaged_snapshot_keeps_its_row_among_the_others(alice: Caller, corpus: Any) -> None:
    corpus("damaged")
    items = alice.items("/warehouses/damaged/databases/broken/tables/snapshot_cut_short/snapshots")
    broken = [item for item in items if item["problem"]]
    assert len(items) > len(broken) == 1
    assert broken[0]["committed_at"] is None


def test_a_snapshot_is_named_by_the_watermark_that_it_has_reached(alice: Caller, table: Table) -> None:
    for number, watermark in ((4, 1000), (5, 2000)):
        path = Path(table.paths.snapshot_file(number))
        path.write_text(json.dumps(json.loads(path.read_text()) | {"watermark": watermark}))
    assert alice.json(f"{TABLE}?at=watermark:1001")["at"]["id"] == 5
    assert alice.json(f"{TABLE}?at=watermark:1970-01-01T00:00:01Z")["at"]["id"] == 4
    assert alice.get(f"{TABLE}?at=watermark:2001").status_code == 404
    assert alice.get(f"{TABLE}?at=watermark:soon").status_code == 400
