"""Every page of the demo's `sales.orders` says what core reads from the same files."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from playwright.sync_api import expect

from tests.browser.facts import Facts, base, count, signed, size
from tests.browser.screen import Screen

NAME = "sales.orders"
TABLE = "/w/demo/sales/orders"
KINDS = {"APPEND": "● append", "COMPACT": "◆ compact", "OVERWRITE": "■ overwrite"}

pytestmark = pytest.mark.usefixtures("demo")


def test_home_leads_to_the_demo_warehouse_and_on_to_its_tables(screen: Screen, demo: Facts) -> None:
    screen.open("/")
    screen.card("Warehouses").get_by_role("link", name="demo").click()
    screen.settle()
    for database in demo.databases():
        expect(screen.main.get_by_role("link", name=database, exact=True)).to_be_visible()
    screen.follow("sales", exact=True)
    assert screen.path == "/w/demo/sales"
    assert screen.grid("Tables").column("name") == demo.tables("sales")


def test_the_list_of_tables_has_their_size(screen: Screen, demo: Facts) -> None:
    screen.open("/w/demo/sales")
    [row] = screen.grid("Tables").rows
    files = demo.files(NAME)
    assert row["rows*"] == count(sum(file["record_count"] for file in files))
    assert row["bytes"] == size(sum(file["file_size_in_bytes"] for file in files))
    assert row["files"] == count(len(files))
    assert row["buckets"] == demo.table(NAME).schema.options["bucket"]


def test_the_overview_counts_files_rows_buckets_levels_and_snapshots(screen: Screen, demo: Facts) -> None:
    screen.open(TABLE)
    assert screen.path == f"{TABLE}/overview"
    files = demo.files(NAME)
    assert screen.fact("files", card="Shape") == count(len(files))
    assert screen.fact("live", card="Shape") == size(sum(f["file_size_in_bytes"] for f in files))
    assert screen.fact("rows in files (before merge)", card="Shape") == count(
        sum(f["record_count"] for f in files)
    )
    assert screen.fact("buckets", card="Shape") == count(len({f["bucket"] for f in files}))
    assert screen.fact("snapshots", card="Freshness") == count(len(demo.table(NAME).snapshots.ids()))
    assert screen.fact("primary key", card="Table") == ", ".join(demo.table(NAME).schema.primary_keys)


def test_the_overview_draws_the_last_day_and_names_its_writers(screen: Screen, demo: Facts) -> None:
    commits = demo.system(NAME, "snapshots")
    screen.open(f"{TABLE}/overview")
    strip = screen.card("Recent commits").get_by_role("img", name=re.compile("^Commits, last 24 h"))
    expect(strip.locator("path")).to_have_count(len(commits))
    writers = screen.card("Recent commits").get_by_text(re.compile("^Writers:"))
    for commit in commits:  # a job of this console is named by its id alone
        expect(writers).to_contain_text(commit["commit_user"].removeprefix("lakescope-"))


def test_the_timeline_lists_every_commit_with_its_kind_and_rows(screen: Screen, demo: Facts) -> None:
    screen.open(f"{TABLE}/timeline")
    commits = demo.system(NAME, "snapshots")[::-1]
    shown = screen.grid("Commits")
    assert shown.column("snapshot") == [f"#{c['snapshot_id']}" for c in commits]
    assert shown.column("kind") == [KINDS[c["commit_kind"]] for c in commits]
    assert shown.column("Δ rows") == [signed(c["delta_record_count"]) for c in commits]
    assert shown.column("total rows") == [count(c["total_record_count"]) for c in commits]


def test_the_timeline_sums_its_picture_up(screen: Screen, demo: Facts) -> None:
    screen.open(f"{TABLE}/timeline")
    kinds = Counter(c["commit_kind"].lower() for c in demo.system(NAME, "snapshots"))
    caption = screen.main.locator("figcaption").inner_text()
    assert caption.startswith(f"{kinds.total()} commits")
    assert {kind: int(n) for n, kind in re.findall(r"(\d+) (append|compact|overwrite)", caption)} == kinds


def test_the_timeline_flags_the_tagged_snapshot(screen: Screen, demo: Facts) -> None:
    screen.open(f"{TABLE}/timeline")
    there = {str(number) for number in demo.table(NAME).snapshots.ids()}
    tags = [(f"#{t['snapshot_id']}", t["tag_name"]) for t in demo.system(NAME, "tags")]
    shown = {row["snapshot"]: row["refs"] for row in screen.grid("Commits").rows}
    tagged = [(snapshot, tag) for snapshot, tag in tags if snapshot.removeprefix("#") in there]
    assert tagged
    for snapshot, tag in tagged:
        assert tag in shown[snapshot]
        expect(screen.main.locator("svg text").filter(has_text=tag)).to_have_count(1)


def test_a_range_of_commits_is_selected_by_keys_and_kept_in_the_address(screen: Screen, demo: Facts) -> None:
    ids = demo.table(NAME).snapshots.ids()
    screen.open(f"{TABLE}/timeline")
    screen.tab_to(screen.main.locator("svg [role=button][tabindex='0']"))
    for first in (ids[-2], ids[-3]):
        screen.press("Shift+ArrowLeft")
        expect(screen.page).to_have_url(re.compile(rf"f\.range={first}-{ids[-1]}\b"))
    screen.settle()
    assert screen.grid("Commits").column("snapshot") == [f"#{i}" for i in ids[:-4:-1]]
    screen.press("Shift+ArrowRight")
    expect(screen.page).to_have_url(re.compile(rf"f\.range={ids[-2]}-{ids[-1]}\b"))


def test_a_snapshot_tells_what_its_commit_changed(screen: Screen, demo: Facts) -> None:
    compaction = _last_compaction(demo)
    screen.open(f"{TABLE}/snapshots/{compaction}")
    added, deleted = _changed_files(demo, compaction)
    commit = demo.table(NAME).snapshots.get(compaction)
    assert screen.fact("Δ rows", card="What it changed") == signed(commit.delta_record_count or 0)
    assert screen.fact("files added", card="What it changed").split(" · ")[0] == count(len(added))
    assert screen.fact("files deleted", card="What it changed").split(" · ")[0] == count(len(deleted))
    assert commit.commit_user in screen.card("Origin").inner_html()


def test_the_changes_of_a_snapshot_name_its_files(screen: Screen, demo: Facts) -> None:
    compaction = _last_compaction(demo)
    screen.open(f"{TABLE}/snapshots/{compaction}")
    screen.follow("Changes")
    added, deleted = _changed_files(demo, compaction)
    shown = screen.grid("Changes")
    assert {r["file"] for r in shown.rows if r["change"] == "+ added"} == added
    assert {r["file"] for r in shown.rows if r["change"] == "− deleted"} == deleted


def test_the_manifest_tree_walks_from_lists_to_the_entries(screen: Screen, demo: Facts) -> None:
    screen.open(f"{TABLE}/snapshots/{demo.table(NAME).snapshots.latest_id()}/manifests")
    tree = screen.grid("Manifests", role="treegrid")
    manifests = {m["file_name"]: m for m in demo.system(NAME, "manifests")}
    shown = {row["name"]: row for row in tree.rows if row["name"] in manifests}
    assert set(shown) == set(manifests)
    for name, row in shown.items():
        assert row["added"] == count(manifests[name]["num_added_files"])
        assert row["deleted"] == count(manifests[name]["num_deleted_files"])
    last = screen.page.get_by_role("treegrid").get_by_role("row").last
    before = screen.page.get_by_role("treegrid").get_by_role("row").count()
    entries = manifests[tree.rows[-1]["name"]]
    last.get_by_role("button", name="Expand").click()
    expected = before + entries["num_added_files"] + entries["num_deleted_files"]
    expect(screen.page.get_by_role("treegrid").get_by_role("row")).to_have_count(expected)


def test_the_file_grid_names_every_live_file_and_filters_by_bucket_and_level(
    screen: Screen, demo: Facts
) -> None:
    screen.open(f"{TABLE}/files")
    files = demo.files(NAME)
    assert set(screen.grid("Live files").column("file")) == {base(f["file_path"]) for f in files}
    screen.open(f"{TABLE}/files?f.bucket=0&f.level=0")
    wanted = {base(f["file_path"]) for f in files if f["bucket"] == 0 and f["level"] == 0}
    assert wanted
    assert set(screen.grid("Live files").column("file")) == wanted


def test_a_file_opens_a_drawer_with_its_statistics(screen: Screen, demo: Facts) -> None:
    file = demo.files(NAME)[0]
    name = base(file["file_path"])
    screen.open(f"{TABLE}/files?open=file:{name}")
    drawer = screen.page.get_by_role("dialog")
    for text in (count(file["record_count"]), size(file["file_size_in_bytes"]), f"L{file['level']}"):
        expect(drawer.get_by_text(text, exact=True).first).to_be_visible()
    fields = demo.table(NAME).schemas.get(file["schema_id"]).fields
    expect(drawer.locator("tbody tr")).to_have_count(len(fields))


def test_the_heatmap_has_the_bytes_of_each_bucket(screen: Screen, demo: Facts) -> None:
    screen.open(f"{TABLE}/files?view=heatmap")
    for bucket in demo.system(NAME, "buckets"):
        name = f"bucket {bucket['bucket']}: {size(bucket['file_size_in_bytes'])}"
        expect(screen.main.get_by_role("button", name=name)).to_be_visible()


def test_the_histogram_of_sizes_counts_every_file_once(screen: Screen, demo: Facts) -> None:
    screen.open(f"{TABLE}/files?view=sizes")
    files = demo.files(NAME)
    assert f"of {len(files)} files" in screen.main.locator("figcaption").inner_text()
    screen.main.get_by_role("button", name="Table", exact=True).click()
    counted = sum(int(n.replace(",", "") or 0) for n in screen.twin().column("files"))
    assert counted == len(files)


def test_the_partitions_of_the_events_have_their_rows_and_files(screen: Screen, demo: Facts) -> None:
    screen.open("/w/demo/web/events/files?view=partitions")
    shown = {row["partition"]: (row["rows"], row["files"]) for row in screen.grid("partitions").rows}
    assert shown == {
        p["partition"]: (count(p["record_count"]), count(p["file_count"]))
        for p in demo.system("web.events", "partitions")
    }


def test_the_bucket_list_has_files_rows_and_runs(screen: Screen, demo: Facts) -> None:
    screen.open(f"{TABLE}/lsm")
    shown = {row["bucket"]: (row["files"], row["rows"], row["runs"]) for row in screen.grid("buckets").rows}
    assert shown == {
        str(b["bucket"]): (count(b["file_count"]), count(b["record_count"]), count(_runs(demo, b["bucket"])))
        for b in demo.system(NAME, "buckets")
    }


def test_the_level_diagram_draws_each_file_and_turns_to_its_table_by_v(screen: Screen, demo: Facts) -> None:
    screen.open(f"{TABLE}/lsm/-/2")
    files = [f for f in demo.files(NAME) if f["bucket"] == 2]
    runs = _runs(demo, 2)
    assert screen.main.locator("figcaption").inner_text().startswith(f"{runs} sorted run{'s' * (runs > 1)};")
    picture = screen.main.get_by_role("group", name="Level diagram")
    picture.focus()
    screen.press("v")
    twin = screen.twin()
    assert Counter(twin.column("level")) == Counter(f"L{f['level']}" for f in files)
    assert set(twin.column("file")) == {base(f["file_path"]) for f in files}


def test_the_schema_list_leads_to_the_diff_of_the_added_column(screen: Screen, demo: Facts) -> None:
    screen.open(f"{TABLE}/schemas")
    schemas = [demo.table(NAME).schemas.get(s["schema_id"]) for s in demo.system(NAME, "schemas")]
    assert len(screen.grid("Schema").rows) == len(schemas)
    old, new = schemas[0], schemas[-1]
    screen.main.get_by_role("button", name=f"Schema {old.id} → {new.id}").click()
    screen.settle()
    [added] = set(new.field_names) - set(old.field_names)
    row = screen.main.get_by_role("row").filter(has_text=added)
    expect(row).to_contain_text("added")
    expect(screen.main.get_by_text("1 added")).to_be_visible()


def test_the_indexes_page_says_that_the_table_has_none(screen: Screen, demo: Facts) -> None:
    assert demo.system(NAME, "table_indexes") == []
    screen.open(f"{TABLE}/indexes")
    expect(screen.main.get_by_role("heading", name="No file index")).to_be_visible()


def test_the_refs_page_has_every_tag_with_its_snapshot_and_rows(screen: Screen, demo: Facts) -> None:
    screen.open(f"{TABLE}/refs")
    shown = {(row["name"], row["snapshot"], row["total rows"]) for row in screen.grid("Tags").rows}
    assert shown == {
        (f"⚑ {tag['tag_name']}", f"#{tag['snapshot_id']}", count(tag["record_count"]))
        for tag in demo.system(NAME, "tags")
    }


def test_the_options_that_are_set_are_those_of_the_schema(screen: Screen, demo: Facts) -> None:
    screen.open(f"{TABLE}/options?f.is_default=false")
    shown = {row["option"]: row["value"].split()[0] for row in screen.grid("Options").rows}
    assert shown == {o["key"]: o["value"] for o in demo.system(NAME, "options")}


def test_the_preview_reads_the_rows_that_the_filter_keeps(screen: Screen, demo: Facts) -> None:
    wanted = demo.rows(
        NAME, filter="order_id < 12 AND quantity > 1", columns=["order_id", "quantity", "product"]
    )
    assert wanted
    screen.open(f"{TABLE}/data")
    screen.page.get_by_label("Where").fill("order_id < 12 AND quantity > 1")
    screen.page.get_by_label("Columns", exact=True).first.fill("order_id, quantity, product")
    screen.page.get_by_role("button", name="Read").click()
    shown = screen.grid("Rows")
    values = [tuple(row.values()) for row in shown.rows]
    assert sorted(values) == sorted((str(r["order_id"]), str(r["quantity"]), r["product"]) for r in wanted)


def test_a_wrong_filter_is_explained(screen: Screen) -> None:
    screen.allow(400, 422)
    screen.open(f"{TABLE}/data")
    screen.page.get_by_label("Where").fill("no_such_column = 1")
    screen.page.get_by_role("button", name="Read").click()
    expect(screen.main.get_by_text(re.compile("no_such_column.+")).last).to_be_visible()


def test_pinning_a_tag_shows_the_table_as_it_was(screen: Screen, demo: Facts) -> None:
    tag = demo.system(NAME, "tags")[0]
    screen.open(f"{TABLE}/overview")
    screen.page.get_by_role("button", name="as of").click()
    screen.page.get_by_role("menuitem", name=tag["tag_name"]).click()
    expect(screen.page.get_by_role("button", name="as of")).to_contain_text(f"#{tag['snapshot_id']}")
    screen.settle()
    then = demo.files(NAME, snapshot_id=tag["snapshot_id"])
    expect(screen.card("Shape").locator("dt", has_text=re.compile("^files$")).locator("+ dd")).to_have_text(
        count(len(then))
    )


def _last_compaction(demo: Facts) -> int:
    commits = demo.system(NAME, "snapshots")
    return max(int(c["snapshot_id"]) for c in commits if c["commit_kind"] == "COMPACT")


def _changed_files(demo: Facts, snapshot: int) -> tuple[set[str], set[str]]:
    """Files that were added and deleted, from the live files before and after."""
    before = demo.file_names(NAME, snapshot_id=snapshot - 1)
    after = demo.file_names(NAME, snapshot_id=snapshot)
    return after - before, before - after


def _runs(demo: Facts, bucket: int) -> int:
    """Sorted runs: every file of level 0, and every other level that has files."""
    levels = Counter(f["level"] for f in demo.files(NAME) if f["bucket"] == bucket)
    return levels.pop(0, 0) + len(levels)
