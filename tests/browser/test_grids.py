"""What all grids can do: leave as a file, show columns that are looked for on demand, choose rows by keys."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.facts import Facts, base
from tests.browser.screen import Screen

NAME, FILES = "sales.orders", "/w/demo/sales/orders/files"
pytestmark = pytest.mark.usefixtures("demo")


def test_a_whole_filtered_list_is_saved_as_a_file(screen: Screen, demo: Facts, tmp_path: Path) -> None:
    screen.open(f"{FILES}?f.bucket=2")
    screen.page.get_by_role("button", name="Export").click()
    with screen.page.expect_download() as saved:
        screen.page.get_by_role("menuitem", name="Export all as CSV").click()
    saved.value.save_as(tmp_path / "files.csv")
    with (tmp_path / "files.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    wanted = {base(f["file_path"]): f["record_count"] for f in demo.files(NAME) if f["bucket"] == 2}
    assert {row["name"]: int(row["rows"]) for row in rows} == wanted


def test_the_commit_of_each_file_is_looked_for_when_its_column_is_chosen(screen: Screen, demo: Facts) -> None:
    screen.open(FILES)
    screen.page.get_by_role("button", name="Columns").click()
    screen.page.get_by_role("menuitemcheckbox", name="born in").click()
    screen.press("Escape")
    expect(screen.main.get_by_role("columnheader", name="born in")).to_be_visible()
    screen.quiet()
    shown = screen.grid("Live files")
    born = {row["file"]: row["born in"].split(" ")[0] for row in shown.rows}
    ids = demo.table(NAME).snapshots.ids()
    live = {i: {base(f["file_path"]) for f in demo.files(NAME, snapshot_id=i)} for i in ids}
    assert born == {file: f"#{next(i for i in ids if file in live[i])}" for file in live[ids[-1]]}


def test_rows_are_chosen_by_keys_and_counted(screen: Screen) -> None:
    screen.open(FILES)
    screen.tab_to(screen.main.locator('[data-cell][tabindex="0"]'))
    screen.press("ArrowDown", "Shift+Space", "ArrowDown", "Shift+Space")
    expect(screen.main.get_by_text("2 rows chosen")).to_be_visible()
    screen.tab_to(screen.main.get_by_role("button", name="Choose none"))
    screen.press("Enter")
    expect(screen.main.get_by_text("rows chosen")).to_have_count(0)


def test_a_view_that_is_saved_is_opened_again_and_removed(screen: Screen) -> None:
    kept = {
        FILES: "?f.level=0&sort=-bytes",
        "/w/demo/sales/orders/timeline": "?f.kind=append",
        "/w/demo/sales": "?f.kind=primary_key",
    }
    screen.open(FILES)
    for page, search in kept.items():
        screen.go(page + search)
        views = screen.main.get_by_role("navigation", name="Saved views")
        views.get_by_role("button", name="Save").click()
        dialog = screen.page.get_by_role("dialog")
        dialog.get_by_label("Name of the view").fill("mine")
        dialog.locator("button[type=submit]").click()
        expect(dialog).to_have_count(0)
        screen.go(page)
        views.get_by_role("button", name="mine", exact=True).click()
        screen.settle()
        assert screen.path == page + search
        views.get_by_role("button", name="Remove the view mine").click()
        expect(views.get_by_role("button", name="mine", exact=True)).to_have_count(0)
