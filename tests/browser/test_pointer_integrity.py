"""A hint that points below a gap: the overview says what disagrees, the timeline where ids are missing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from core import Table
from core.io import LocalFileIO
from tests.browser.conftest import Api
from tests.browser.screen import Screen
from tests.tables import new_table, put


@pytest.fixture(scope="module")
def torn(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    """Six snapshots without the fourth, and a hint to the third."""
    folder = tmp_path_factory.mktemp("torn")
    table = new_table({"id": "INT NOT NULL"}, ["id"], io=LocalFileIO(), warehouse=str(folder))
    for i in range(6):
        put(table, (i,))
    table.snapshots.delete(4)
    table.snapshots.write_hint(3)
    with api.registered("torn", folder):
        yield table


def test_the_overview_names_hint_listing_and_gap(torn: Table, screen: Screen) -> None:
    screen.open("/w/torn/db/t/overview")
    said = "LATEST says '3', the listing says 6; missing between EARLIEST and LATEST: 4"
    expect(screen.main.get_by_text(said)).to_be_visible()
    expect(screen.main.get_by_text("Recent commits")).to_be_visible()


def test_the_timeline_has_the_snapshots_of_both_sides_of_the_gap(torn: Table, screen: Screen) -> None:
    screen.open("/w/torn/db/t/timeline")
    assert screen.grid("Commits").column("snapshot") == ["#6", "#5", "#3", "#2", "#1"]
    expect(screen.main.locator("svg text").filter(has_text="⌇")).to_have_count(1)
