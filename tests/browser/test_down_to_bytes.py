"""Manifests, files and indexes down to their bytes, beside what Java Paimon says of its own tables."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import WRITER, Newcomer
from tests.browser.facts import Facts, count
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


def test_the_vectors_of_an_index_file_are_told_with_the_rows_that_they_delete(
    lake: Facts, screen: Screen
) -> None:
    decoded = expected_of(WRITER, "dv.pk_dv")["metadata"]["indexFiles"]
    screen.open(_at("dv.pk_dv", "indexes?view=vectors"))
    (row,) = screen.grid("indexes").rows
    vectors = decoded[row["file"]]
    assert row["data files"] == count(len(vectors))
    assert row["deleted rows"] == count(sum(map(len, vectors.values())))  # counted: 0.9 did not write it down
    screen.page.get_by_role("grid").last.get_by_role("row").nth(1).click()
    screen.press("Enter")
    drawer = screen.page.get_by_role("dialog")
    for file, positions in vectors.items():
        told = drawer.get_by_role("row").filter(has=screen.page.locator(f"[data-id='{file}']"))
        expect(told.get_by_role("cell", name=count(len(positions)), exact=True)).to_be_visible()


LOOKS = [("en-US", "light"), ("en-US", "dark"), ("zh-CN", "light"), ("zh-CN", "dark")]


@pytest.mark.parametrize(("locale", "scheme"), LOOKS)
def test_they_are_seen_in_each_look(
    locale: str, scheme: str, lake: Facts, newcomer: Newcomer, signed_in: object
) -> None:
    screen = newcomer(signed_in, height=1100, locale=locale, color_scheme=scheme)
    screen.open(_at("ops.branches", "snapshots/1/manifests"))
    screen.picture(f"bytes-manifests-{locale}-{scheme}")
    file = lake.files("evo.append_parquet")[0]["file_path"].rpartition("/")[2]
    screen.open(_at("evo.append_parquet", f"files?open=file:{file}"))
    screen.page.get_by_role("dialog").get_by_role("button").last.click()
    screen.quiet()
    screen.page.get_by_role("dialog").get_by_role("heading").last.scroll_into_view_if_needed()
    screen.picture(f"bytes-footer-{locale}-{scheme}")
    index = lake.table("dv.pk_dv").snapshots.latest()
    assert index is not None
    screen.open(_at("dv.pk_dv", "indexes?view=vectors"))
    screen.page.get_by_role("grid").last.get_by_role("row").nth(1).click()
    screen.press("Enter")
    screen.quiet()
    screen.picture(f"bytes-vectors-{locale}-{scheme}")
