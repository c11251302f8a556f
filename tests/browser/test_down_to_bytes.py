"""Manifests, files and indexes down to their bytes, beside what Java Paimon says of its own tables."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import WRITER
from tests.browser.facts import Facts, base, count
from tests.browser.screen import Screen
from tests.interop.answers import expected_of, live_entries


def _at(name: str, rest: str) -> str:
    database, _, table = name.partition(".")
    return f"/w/{WRITER}/{database}/{table}/{rest}"


def test_entries_that_later_ones_took_away_are_left_out_on_demand(lake: Facts, screen: Screen) -> None:
    name = "pk.lsm_levels"
    latest = lake.table(name).snapshots.latest_id()
    assert latest is not None
    screen.open(_at(name, f"snapshots/{latest}/manifests?view=effective"))
    tree = screen.page.get_by_role("treegrid", name="Manifests")
    screen.tab_to(tree.locator("[data-cell][tabindex='0']"))
    for _ in range(40):  # down the tree, each manifest opened by the keyboard
        row = tree.locator("[role=row]:focus, [role=row]:has(:focus)").first
        if row.get_attribute("aria-level") == "3" and row.get_attribute("aria-expanded") == "false":
            screen.press("ArrowRight")
            screen.quiet()
        screen.press("ArrowDown")
        screen.quiet()
    shown = {row["name"] for row in screen.grid("Manifests", "treegrid").rows}
    assert {e["file"] for e in live_entries(WRITER, name, latest)} <= {text.split(" ")[-1] for text in shown}


def test_a_manifest_tells_from_where_it_is_reached(lake: Facts, screen: Screen) -> None:
    screen.open(_at("ops.branches", "snapshots/1/manifests"))
    cell = screen.page.get_by_role("treegrid").get_by_text("from_tag:")
    expect(cell.first).to_be_visible()
    kept = expected_of(WRITER, "ops.branches")["branches"]["from_tag"]["latestSnapshotId"]
    assert f"from_tag: {kept} snapshots #1–#{kept}" in screen.text


@pytest.mark.parametrize("name", ["evo.append_parquet", "evo.append_orc", "evo.append_avro"])
def test_the_footer_of_a_file_is_read_on_demand(name: str, lake: Facts, screen: Screen) -> None:
    file = lake.files(name)[0]
    screen.open(_at(name, f"files?open=file:{file['file_path'].rpartition('/')[2]}"))
    drawer = screen.page.get_by_role("dialog")
    drawer.get_by_role("button", name="Read the footer").press("Enter")
    expect(drawer.get_by_role("heading", name="Columns, over all")).to_be_visible()
    assert drawer.get_by_text(count(file["record_count"]), exact=True).count() >= 2  # its own, and of a group


def _told_of_index(lake: Facts, screen: Screen, name: str, index: str) -> dict[str, str]:
    """What the drawer of the first commit's one file says of one of its indexes."""
    (file,) = lake.files(name, snapshot_id=1)
    screen.open(_at(name, f"files?at=1&open=file:{base(file['file_path'])}"))
    heading = screen.page.get_by_role("dialog").get_by_role("heading", name=index, exact=True)
    parts = heading.locator("xpath=..")
    return dict(zip(*(parts.locator(part).all_inner_texts() for part in ("dt", "dd")), strict=True))


@pytest.mark.parametrize("column", ["c", "d"])
def test_a_bitmap_counts_the_values_that_its_file_holds(column: str, lake: Facts, screen: Screen) -> None:
    name = "idx.bitmap_embedded"
    read = expected_of(WRITER, name)["atSnapshot"]["1"]
    values = [row[read["columns"].index(column)] for row in read["rows"]]
    told = _told_of_index(lake, screen, name, f"{column} · bitmap")
    assert told["rows"] == count(len(values))
    assert told["distinct values"] == count(len({*values} - {None}))
    assert told["nulls"] == count(values.count(None))


def test_a_bloom_filter_tells_how_full_it_is_and_how_often_it_errs(lake: Facts, screen: Screen) -> None:
    told = _told_of_index(lake, screen, "idx.bloom_file", "id · bloom-filter")
    (file,) = lake.files("idx.bloom_file", snapshot_id=1)
    assert int(told["items, estimated"]) == pytest.approx(file["record_count"], abs=2)  # its ids are distinct
    full, hashes = (float(told[fact].split()[0]) for fact in ("fill ratio", "hash functions"))
    implied = 100 * (full / 100) ** hashes
    assert float(told["implied false-positive rate"].split()[0]) == pytest.approx(implied, rel=0.1)


def test_the_vectors_of_an_index_file_are_told_with_the_rows_that_they_delete(
    lake: Facts, screen: Screen
) -> None:
    decoded = expected_of(WRITER, "dv.pk_dv")["metadata"]["indexFiles"]
    screen.open(_at("dv.pk_dv", "indexes?view=vectors"))
    (row,) = screen.grid("indexes").rows
    vectors = decoded[row["file"]]
    assert row["data files"] == count(len(vectors))
    assert row["deleted rows"] == count(sum(map(len, vectors.values())))  # counted: 0.9 did not write it down
    screen.page.get_by_role("grid", name="indexes").get_by_role("row").nth(1).click()
    screen.press("Enter")
    drawer = screen.page.get_by_role("dialog")
    for file, positions in vectors.items():
        told = drawer.get_by_role("row").filter(has=screen.page.locator(f"[data-id='{file}']"))
        expect(told.get_by_role("cell", name=count(len(positions)), exact=True)).to_be_visible()
