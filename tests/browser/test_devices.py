"""What a reader's device asks for: fingers, colours of their own, paper."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Newcomer
from tests.browser.facts import Facts

TABLE = "/w/demo/sales/orders"
pytestmark = pytest.mark.usefixtures("demo")
# Buttons and links of bars, but of grids and tables, whose cells are as dense as their rows.
SMALL = """() => [...document.querySelectorAll('button, nav a, select')]
    .filter(e => !e.closest('table, [role=grid], [role=treegrid]') && e.checkVisibility())
    .filter(e => e.getBoundingClientRect().height < 44).map(e => e.outerHTML.slice(0, 120))"""
COLOURS = """cells => cells.map(cell => getComputedStyle(cell).backgroundColor)"""


@pytest.mark.parametrize("page", ["overview", "timeline", "files?view=heatmap", "actions/rollback"])
def test_a_finger_finds_44_pixels(page: str, newcomer: Newcomer, signed_in: Any) -> None:
    screen = newcomer(signed_in, has_touch=True, is_mobile=True)
    screen.open(f"{TABLE}/{page}")
    assert screen.page.evaluate("matchMedia('(pointer: coarse)').matches")
    assert screen.page.evaluate(SMALL) == []


def test_values_keep_their_colours_where_the_reader_chose_all_others(
    newcomer: Newcomer, signed_in: Any, demo: Facts
) -> None:
    screen = newcomer(signed_in, forced_colors="active")
    screen.open(f"{TABLE}/files?view=heatmap")
    screen.picture("heatmap-forced-colours")
    files = demo.files("sales.orders")
    assert len({file["bucket"] for file in files}) > 1
    assert len(set(screen.main.locator("tbody td").evaluate_all(COLOURS))) > 1
    screen.open(f"{TABLE}/overview")
    chosen, other = (screen.page.get_by_role("link", name=name).first for name in ("Overview", "Timeline"))
    assert chosen.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
    assert other.evaluate("e => getComputedStyle(e).outlineStyle") == "none"


def test_on_paper_a_page_is_whole_light_and_without_its_frame(newcomer: Newcomer, signed_in: Any) -> None:
    screen = newcomer(signed_in, height=400, color_scheme="dark")
    screen.open(f"{TABLE}/schemas/diff?from=0&to=1")
    screen.page.emulate_media(media="print")
    expect(screen.page.get_by_role("banner")).to_be_hidden()
    assert screen.main.evaluate("e => getComputedStyle(e).overflowY") == "visible"
    assert screen.page.evaluate("getComputedStyle(document.body).color") == "rgb(26, 33, 41)"
