"""The console without a mouse; test_changing.py runs a compaction by keys alone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.facts import Facts
from tests.browser.screen import Screen

TABLE = "/w/demo/sales/orders"
pytestmark = pytest.mark.usefixtures("demo")


def focused(screen: Screen) -> Locator:
    return screen.page.locator(":focus")


def test_the_palette_finds_a_table_and_opens_it(screen: Screen) -> None:
    screen.open("/")
    screen.press("Control+k")
    expect(screen.page.get_by_role("combobox")).to_be_focused()
    screen.page.keyboard.type("orde")
    screen.choose(screen.page.get_by_role("option", name=re.compile(r"sales\.orders\s*demo")))
    screen.page.wait_for_url(f"**{TABLE}/overview")


def test_the_palette_leads_to_snapshots_jobs_commands_and_files(screen: Screen, demo: Facts) -> None:
    latest = demo.table("sales.orders").snapshots.latest()
    assert latest is not None
    screen.allow(404)  # there is no job of that name
    to = f"**{TABLE}/snapshots/{latest.id}"
    screen.open(f"{TABLE}/overview")
    for typed, address in (
        (f"#{latest.id}", f"{to}*"),
        (latest.delta_manifest_list, f"{to}*/manifests*"),
        ("job:j-none", "**/jobs/j-none"),
        (">tokens", "**/admin/tokens"),
    ):
        screen.press("Control+k")
        expect(screen.page.get_by_role("combobox", name="Search")).to_be_focused()
        screen.page.keyboard.type(typed)
        expect(screen.page.get_by_role("option")).to_have_count(1)
        screen.press("Enter")
        screen.page.wait_for_url(address)
        screen.settle()


def test_the_palette_closes_by_escape_and_gives_the_focus_back(screen: Screen) -> None:
    screen.open("/")
    opener = screen.page.get_by_role("button", name=re.compile("^Search"))
    opener.focus()
    screen.press("Enter")
    expect(screen.page.get_by_role("combobox")).to_be_focused()
    screen.press("Escape")
    expect(screen.page.get_by_role("dialog")).to_have_count(0)
    expect(opener).to_be_focused()


@pytest.mark.parametrize(
    ("key", "page"),
    [("t", "timeline"), ("f", "files"), ("l", "lsm"), ("s", "schemas"), ("r", "refs"), ("p", "options")],
)
def test_g_and_a_letter_lead_to_a_tab(screen: Screen, key: str, page: str) -> None:
    screen.open(f"{TABLE}/overview")
    screen.press("g", key)
    screen.page.wait_for_url(f"**{TABLE}/{page}*")


def test_letters_typed_into_a_field_are_no_shortcuts(screen: Screen) -> None:
    screen.open(f"{TABLE}/files")
    screen.press("/")
    expect(focused(screen)).to_have_attribute("data-page-filter", "true")
    screen.page.keyboard.type("gt")
    assert focused(screen).input_value() == "gt"
    assert screen.path.startswith(f"{TABLE}/files")


def test_brackets_step_through_the_snapshots(screen: Screen, demo: Facts) -> None:
    ids = demo.table("sales.orders").snapshots.ids()
    screen.open(f"{TABLE}/overview")
    as_of = screen.page.get_by_role("button", name="as of")
    for key, snapshot in (("[", ids[-2]), ("[", ids[-3]), ("]", ids[-2])):
        screen.press(key)
        expect(as_of).to_contain_text(f"#{snapshot} ")
        screen.settle()


def test_arrows_walk_over_a_grid_and_enter_opens_the_row(screen: Screen) -> None:
    screen.open(f"{TABLE}/lsm")
    grid = screen.page.get_by_role("grid", name="buckets")
    screen.tab_to(grid.locator("[data-cell][tabindex='0']"))
    screen.press("ArrowDown", "ArrowRight")
    expect(focused(screen)).to_have_attribute("data-cell", "1:1")
    bucket = screen.grid("buckets").rows[1]["bucket"]
    screen.press("Enter")
    screen.page.wait_for_url(f"**{TABLE}/lsm/-/{bucket}*")


def test_the_level_diagram_is_walked_by_arrows_and_opens_a_file(screen: Screen) -> None:
    screen.open(f"{TABLE}/lsm/-/2")
    screen.tab_to(screen.main.get_by_role("group", name="Level diagram"))
    screen.press("ArrowRight")
    name = screen.main.get_by_role("status").locator("code").inner_text()
    screen.press("Enter")
    expect(screen.page.get_by_role("dialog")).to_contain_text(name)
    screen.press("Escape")
    expect(screen.page.get_by_role("dialog")).to_have_count(0)


def test_the_manifest_tree_opens_and_closes_by_arrows(screen: Screen, demo: Facts) -> None:
    screen.open(f"{TABLE}/snapshots/{demo.table('sales.orders').snapshots.latest_id()}/manifests")
    tree = screen.page.get_by_role("treegrid")
    rows = tree.get_by_role("row")
    before = rows.count()
    screen.tab_to(tree.locator("[data-cell][tabindex='0']"))
    screen.press("ArrowLeft")
    expect(rows).not_to_have_count(before)
    screen.press("ArrowRight")
    expect(rows).to_have_count(before)


def test_the_list_of_shortcuts_opens_by_a_question_mark(screen: Screen) -> None:
    screen.open("/")
    screen.press("?")
    expect(screen.page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


def test_the_first_tab_offers_to_skip_to_the_page(screen: Screen) -> None:
    screen.open("/jobs")
    screen.press("Tab")
    expect(focused(screen)).to_have_text("Skip to the page")
    screen.press("Enter")
    expect(screen.main).to_be_focused()
