"""The table overview and the lists of tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
from django.utils import timezone

from console.warehouses.measuring import measure_all_of
from console.warehouses.models import TableStatistics, Warehouse
from core import Table, open_catalog
from core.schema.changes import SetOption
from core.types import DataField, parse_type
from tests.console.conftest import API, TABLE, UNREAD, Caller
from tests.tables import put


def test_the_shape_is_that_of_the_live_files(alice: Caller, table: Table) -> None:
    view = alice.json(TABLE)
    latest = table.snapshots.latest()
    assert latest is not None
    live = table.manifests.live_entries(latest)
    assert view["shape"]["files"] == len(live)
    assert view["shape"]["bytes"] == int(live.numpy("file_size").sum())
    assert view["latest"]["ref"] == view["at"]["ref"] == latest.reference
    assert (view["kind"], view["bucket_mode"], view["buckets"]) == ("primary_key", "fixed", 2)


def test_runs_are_level_0_files_and_the_levels_that_hold_files(alice: Caller, table: Table) -> None:
    view = alice.json(TABLE)
    by_bucket: dict[tuple[bytes, int], set[Any]] = {}
    for entry in table.manifests.live_entries(table.snapshots.get(6)).entries():
        run = entry.file.file_name if entry.file.level == 0 else entry.file.level
        by_bucket.setdefault((entry.partition.data, entry.bucket), set()).add(run)
    runs = [len(found) for found in by_bucket.values()]
    assert view["read_cost"]["runs_max"] == max(runs)
    assert view["read_cost"]["runs_mean"] == pytest.approx(sum(runs) / len(runs))


def test_a_table_is_shown_as_of_any_snapshot(alice: Caller, table: Table) -> None:
    old, tagged = alice.json(f"{TABLE}?at=1"), alice.json(f"{TABLE}?at=tag:v2")
    assert (old["at"]["id"], tagged["at"]["id"]) == (1, 2)
    assert old["shape"]["rows"] < alice.json(TABLE)["shape"]["rows"]
    assert old["latest"]["id"] == 6


def test_a_table_without_snapshots_says_so(alice: Caller, corpus: Any) -> None:
    corpus("java09")
    view = alice.json("/warehouses/java09/databases/append/tables/empty_table")
    assert (view["latest"], view["shape"]["files"] if view["shape"] else None) == (None, None)


def test_what_keeps_rows_from_being_read_is_named(alice: Caller, unread: str) -> None:
    assert alice.json(unread)["unsupported"]["feature"] == UNREAD


def test_a_stale_hint_is_a_finding_of_the_overview(alice: Caller, corpus: Any) -> None:
    corpus("java09")
    pointer = alice.json("/warehouses/java09/databases/ops/tables/hints_beyond")["pointer"]
    assert not pointer["agree"]
    assert pointer["hint"] != pointer["listed"]


def test_a_broken_part_leaves_the_rest_of_the_page(alice: Caller, table: Table) -> None:
    manifest = table.manifests.delta_manifests(table.snapshots.get(6))[0].file_name
    table.io.delete(table.paths.manifest_file(manifest))
    view = alice.json(TABLE)
    assert view["shape"] is None
    assert any(manifest in problem for problem in view["problems"])
    assert view["snapshots"] == 6


def test_an_unchanged_table_answers_304(alice: Caller, table: Table) -> None:
    tag = alice.get(TABLE)["ETag"]
    assert tag.startswith("W/")
    assert alice.get(TABLE, **{"If-None-Match": tag}).status_code == 304
    put(table, ("2026-11-20", 77, 7, "new"))
    assert alice.get(TABLE, **{"If-None-Match": tag}).status_code == 200


def test_what_has_its_identity_in_the_url_is_immutable(alice: Caller, table: Table) -> None:
    reference = table.snapshots.get(3).reference
    pinned = alice.get(f"{TABLE}/files?at={reference}")
    assert "immutable" in pinned["Cache-Control"]
    assert "Session" not in pinned  # which would be told anew from the browser's cache, long after
    assert "immutable" not in alice.get(f"{TABLE}/files?at=3")["Cache-Control"]


def test_lists_show_what_was_measured(alice: Caller, lake: Warehouse) -> None:
    path = f"{API}/warehouses/lake/databases/db/tables"
    assert alice.items(path)[0]["rows"] is None
    assert measure_all_of(lake) == 1
    row = alice.items(path)[0]
    assert (row["name"], row["snapshots"], row["error"]) == ("t", 6, None)
    assert alice.items("/warehouses/lake/databases")[0]["tables"] == 1


def test_measuring_forgets_a_dropped_table(lake: Warehouse) -> None:
    TableStatistics.objects.create(warehouse=lake, database="db", name="gone")
    measure_all_of(lake)
    assert list(TableStatistics.objects.values_list("name", flat=True)) == ["t"]


def test_search_finds_tables_by_a_part_of_their_name(alice: Caller, lake: Warehouse) -> None:
    measure_all_of(lake)
    assert [row["name"] for row in alice.items("/tables?q=DB.T")] == ["t"]
    assert alice.items("/tables?q=nothing") == []


def test_search_ranks_names_by_how_well_they_fit(alice: Caller, lake: Warehouse) -> None:
    for name in ("reorders", "late_orders", "orders_2026", "orders", "border"):
        TableStatistics.objects.create(warehouse=lake, database="db", name=name, measured_at=timezone.now())
    found = [row["name"] for row in alice.items("/tables?q=Order&sort=fit,name")]
    assert found == ["orders", "orders_2026", "late_orders", "border", "reorders"]
    assert alice.items("/tables?q=db.orders&sort=fit,name")[0]["name"] == "orders"
    first = alice.json("/tables?q=order&sort=fit,name&limit=2")
    rest = alice.json(f"/tables?q=order&sort=fit,name&limit=9&cursor={first['next']}")
    assert [row["name"] for row in first["items"] + rest["items"]] == found


def test_search_shows_nobody_what_they_may_not_browse(bob: Caller, carol: Caller, lake: Warehouse) -> None:
    TableStatistics.objects.create(warehouse=lake, database="secret", name="t")
    measure = measure_all_of(lake)
    assert measure == 1
    TableStatistics.objects.create(warehouse=lake, database="secret", name="t")
    assert [row["database"] for row in bob.items("/tables")] == ["db"]
    assert carol.items("/tables") == []


def test_a_heatmap_has_its_partitions_by_their_values(alice: Caller, lake: Warehouse) -> None:
    fields = [DataField(0, "n", parse_type("INT")), DataField(1, "k", parse_type("INT"))]
    catalog = open_catalog({"warehouse": lake.location})
    catalog.create_table("db.numbers", fields, partition_keys=["n"])
    numbers = catalog.get_data_table("db.numbers")
    put(numbers, *[(n, 1) for n in (99, 990, None, 1000, 5)])
    heat = alice.json("/warehouses/lake/databases/db/tables/numbers/heatmap")
    values = [label.removeprefix("n=") for label in heat["partitions"]]
    assert values == ["1000", "990", "99", "5", "__DEFAULT_PARTITION__"]


def test_a_heatmap_has_in_columns_what_the_list_of_buckets_has(alice: Caller, table: Table) -> None:
    for asked in ("", "?partition[prefix]=dt=2026-11-2"):
        heat, rows = alice.json(f"{TABLE}/heatmap{asked}"), alice.items(f"{TABLE}/buckets{asked}")
        shown = zip(heat["partition"], *(heat[name] for name in HEAT), strict=True)
        named = {(heat["partitions"][place], *values) for place, *values in shown}
        assert named == {(row["partition"], *(row[name] for name in HEAT)) for row in rows}
        assert heat["total"] == len(rows) > 0


HEAT = ("bucket", "files", "bytes", "rows", "deletes", "runs")


def test_partitions_and_buckets_add_up_to_the_table(alice: Caller, table: Table) -> None:
    shape = alice.json(TABLE)["shape"]
    partitions, buckets = alice.items(f"{TABLE}/partitions"), alice.items(f"{TABLE}/buckets")
    assert [p["partition"] for p in partitions] == ["dt=2026-11-20", "dt=2026-11-19"]
    for rows in (partitions, buckets):
        assert sum(row["bytes"] for row in rows) == shape["bytes"]
        assert sum(row["files"] for row in rows) == shape["files"]
    pressures = [bucket["pressure"] for bucket in buckets]
    assert pressures == sorted(pressures, reverse=True)


def test_levels_of_a_bucket_place_each_file_in_its_key_range(alice: Caller, table: Table) -> None:
    view = alice.json(f"{TABLE}/buckets/dt=2026-11-20/0/lsm")
    assert view["keys"] == sorted(view["keys"], key=int)
    assert all(0 <= file["lo"] <= file["hi"] < len(view["keys"]) for file in view["files"])
    assert view["runs"] == sum(level["runs"] for level in view["levels"])
    assert sum(level["files"] for level in view["levels"]) == len(view["files"])


def test_ranks_stay_where_values_may_not_be_read(vera: Caller, alice: Caller, table: Table) -> None:
    hidden, shown = (who.json(f"{TABLE}/buckets/dt=2026-11-20/0/lsm") for who in (vera, alice))
    assert (hidden["redacted"], shown["redacted"]) == (True, False)
    assert set(hidden["keys"]) == {"•••"}
    assert [(f["lo"], f["hi"]) for f in hidden["files"]] == [(f["lo"], f["hi"]) for f in shown["files"]]


def test_a_bucket_without_files_is_not_found(alice: Caller, table: Table) -> None:
    assert alice.get(f"{TABLE}/buckets/dt=1999-01-01/0/lsm").status_code == 404
    assert alice.get(f"{TABLE}/buckets/dt=2026-11-20/{10**30}/lsm").status_code == 404


def test_indexes_of_a_table_cover_what_its_files_have(alice: Caller, corpus: Any) -> None:
    corpus("java09")
    path = "/warehouses/java09/databases/idx/tables/bloom_embedded"
    view = alice.json(f"{path}/indexes")
    files = alice.items(f"{path}/files")
    assert {use["type"] for use in view["file_indexes"]} == {"bloom-filter"}
    assert view["file_indexes"][0]["bytes_covered"] == sum(f["bytes"] for f in files if f["index"])


def test_comparing_a_snapshot_with_itself_shows_no_difference(alice: Caller, table: Table) -> None:
    view = alice.json(f"{TABLE}/compare?from=4&at=4")
    assert view["only_base"]["files"] == view["only_at"]["files"] == 0
    assert view["both"]["files"] == len(table.manifests.live_entries(table.snapshots.get(4)))


def test_net_differences_count_no_file_that_came_and_went(alice: Caller, table: Table) -> None:
    view = alice.json(f"{TABLE}/compare?from=1&at=3")
    before = {e.file.file_name for e in table.manifests.live_entries(table.snapshots.get(1)).entries()}
    after = {e.file.file_name for e in table.manifests.live_entries(table.snapshots.get(3)).entries()}
    assert view["only_base"]["files"] == len(before - after)
    assert view["only_at"]["files"] == len(after - before)
    assert {c["kind"]: c["commits"] for c in view["commits"]} == {"append": 1, "compact": 1}
    assert view["transient"]["files"] > 0


def test_the_sum_of_levels_is_what_arrow_counts(alice: Caller, table: Table) -> None:
    levels = alice.json(f"{TABLE}/compare?from=1&at=6")["levels"]
    entries = table.manifests.live_entries(table.snapshots.get(6))
    assert sum(level["after"]["rows"] for level in levels) == pc.sum(entries.column("row_count")).as_py()


def test_no_row_waits_where_batch_readers_read_level_0(alice: Caller, table: Table) -> None:
    assert alice.items(f"{TABLE}/files?level=0")
    assert alice.json(TABLE)["freshness"]["waiting_rows"] == 0


def test_rows_in_level_0_wait_where_batch_readers_skip_it(alice: Caller, table: Table) -> None:
    schema = Path(table.location) / "schema" / "schema-0"
    document = json.loads(schema.read_text())
    document["options"]["deletion-vectors.enabled"] = "true"
    schema.write_text(json.dumps(document))
    waiting = sum(file["rows"] for file in alice.items(f"{TABLE}/files?level=0&limit=1000"))
    assert alice.json(TABLE)["freshness"]["waiting_rows"] == waiting > 0


def test_the_rules_of_compaction_are_told_with_what_they_measure(alice: Caller, table: Table) -> None:
    view = alice.json(f"{TABLE}/buckets/dt=2026-11-20/0/lsm")
    amplification, ratio, count = view["rules"]
    # A run of level 0 is a file, newest first; a higher level is one run: the oldest comes last.
    newest_first = sorted(view["files"], key=lambda f: (f["level"], f["lane"]))
    by_run = [
        [f["bytes"] for f in newest_first if f["level"] == 0 and f["lane"] == lane] for lane in range(9)
    ]
    by_run += [[f["bytes"] for f in newest_first if f["level"] == level] for level in range(1, 9)]
    runs = [sum(sizes) for sizes in by_run if sizes]
    assert amplification["measured"] == pytest.approx(100 * sum(runs[:-1]) / runs[-1])
    assert ratio["measured"] == pytest.approx(100 * runs[1] / runs[0] - 100)
    assert (count["measured"], count["threshold"], len(runs)) == (view["runs"], view["trigger"], view["runs"])


@pytest.mark.parametrize(
    ("trigger", "reason"), [("2", "size amplification"), ("4", "size ratio"), ("9", None)]
)
def test_what_compaction_would_pick_is_told_and_is_what_it_picks(
    alice: Caller, table: Table, trigger: str, reason: str | None
) -> None:
    limit = "100000" if reason == "size ratio" else "1"
    options = {"num-sorted-run.compaction-trigger": trigger, "compaction.size-ratio": "100000",
               "compaction.max-size-amplification-percent": limit}  # fmt: skip
    table.alter([SetOption(key, value) for key, value in options.items()])
    view = alice.json(f"{TABLE}/buckets/dt=2026-11-20/0/lsm")
    assert (view["pick"] and view["pick"]["reason"]) == reason
    assert any(rule["met"] for rule in view["rules"]) is (reason is not None)
    if view["pick"] is not None:
        sizes = {file["name"]: file["bytes"] for file in view["files"]}
        assert view["pick"]["bytes"] == sum(sizes[name] for name in view["pick"]["files"])
        assert view["pick"]["output_level"] > 0


def test_a_bucket_is_shown_as_each_commit_left_it(alice: Caller, table: Table) -> None:
    for snapshot in table.snapshots.iter_all():
        live = table.manifests.live_entries(snapshot)
        shown = alice.json(f"{TABLE}/buckets/dt=2026-11-20/0/lsm?at={snapshot.reference}")
        wanted = {
            entry.file.file_name
            for entry in live.entries()
            if entry.bucket == 0 and entry.partition.to_bytes().find(b"2026-11-20") >= 0
        }
        assert (shown["as_of"], {file["name"] for file in shown["files"]}) == (snapshot.reference, wanted)


BUCKET = f"{TABLE}/buckets/dt=2026-11-20/0"


def test_a_key_is_probed_by_who_may_read_data(alice: Caller, vera: Caller, table: Table) -> None:
    found = alice.post(f"{BUCKET}/probe", {"key": {"id": "3"}}).json()
    lsm = alice.json(f"{BUCKET}/lsm")
    levels = {file["name"]: file["level"] for file in lsm["files"]}
    assert [file["level"] for file in found["files"]] == sorted(levels[f["name"]] for f in found["files"])
    assert found["belongs_to"] in (0, 1)
    assert vera.post(f"{BUCKET}/probe", {"key": {"id": "3"}}).status_code == 403
    refused = alice.post(f"{BUCKET}/probe", {"key": {"id": "x"}})
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "/key")


def test_a_bucket_tells_its_commits_and_what_each_of_them_did(alice: Caller, table: Table) -> None:
    commits = alice.json(f"{BUCKET}/commits")["items"]
    before = None
    for commit in commits:
        names = {f["name"] for f in alice.json(f"{BUCKET}/lsm?at={commit['ref']}")["files"]}
        if before is not None:
            step = alice.json(f"{BUCKET}/lsm?at={commit['ref']}&since={before[0]}")
            assert set(step["added"]) == names - before[1]
            assert {f["name"] for f in step["removed"]} == before[1] - names
            assert (commit["added"], commit["removed"]) == (len(step["added"]), len(step["removed"]))
            ends = {k for f in (*step["files"], *step["removed"]) for k in (f["lo"], f["hi"])}
            assert ends == set(range(len(step["keys"])))
        before = (commit["ref"], names)
    assert len(commits) > 2
