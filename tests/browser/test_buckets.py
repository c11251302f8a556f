"""One bucket's levels: a key is looked for, and the commits that changed it are walked by keys."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from core.inspect import probe_key
from tests.browser.facts import Facts
from tests.browser.screen import Screen

NAME, TABLE = "sales.orders", "/w/demo/sales/orders"
pytestmark = pytest.mark.usefixtures("demo")


def test_a_typed_key_tells_the_files_to_open_newest_first(screen: Screen, demo: Facts) -> None:
    found = probe_key(demo.table(NAME), "", 2, {"order_id": "77"})
    screen.open(f"{TABLE}/lsm/-/2")
    field = screen.card("Probe a key").get_by_label("order_id")
    screen.tab_to(field)
    screen.page.keyboard.type("77")
    screen.press("Enter")
    files = screen.card("Probe a key").get_by_role("listitem")
    expect(files).to_have_count(len(found.files))
    shown = [files.nth(i).locator("code").inner_text() for i in range(len(found.files))]
    assert shown == [file.name for file in found.files]
    if found.belongs_to != 2:
        expect(screen.card("Probe a key")).to_contain_text("hashes to another bucket")
    assert "f.order_id=77" in screen.path  # a link to it shows the same
    screen.page.reload()
    expect(files).to_have_count(len(found.files))
    screen.main.get_by_role("button", name="Value", exact=True).click()
    expect(screen.page).to_have_url(re.compile("view=value"))
    screen.allow(400)
    field.fill("no number")
    screen.press("Enter")
    expect(field).to_have_attribute("aria-invalid", "true")


def test_brackets_and_the_slider_walk_over_the_commits_of_the_bucket(screen: Screen, demo: Facts) -> None:
    touching = _touching(demo, 2)
    screen.open(f"{TABLE}/lsm/-/2")
    slider = screen.main.get_by_role("slider", name=re.compile("commits to this bucket"))
    expect(slider).to_have_attribute("aria-valuetext", re.compile(f"^#{touching[-1]}:"))
    screen.press("[")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(f"^#{touching[-2]}:"))
    expect(screen.page.get_by_role("button", name="as of")).to_contain_text(f"#{touching[-2]} ")
    screen.tab_to(slider)
    screen.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(f"^#{touching[0]}:"))
    screen.press("ArrowRight")  # the step before has not taken the focus
    expect(slider).to_have_attribute("aria-valuetext", re.compile(f"^#{touching[1]}:"))
    expect(slider).to_be_focused()


def _touching(demo: Facts, bucket: int) -> list[int]:
    """Snapshots whose live files of the bucket are others than those before."""
    table, before, found = demo.table(NAME), set[tuple[str, int]](), list[int]()
    for snapshot in table.snapshots.ids():
        live = demo.files(NAME, snapshot_id=snapshot)
        files = {(f["file_path"], f["level"]) for f in live if f["bucket"] == bucket}
        if files != before:
            found.append(snapshot)
        before = files
    return found
