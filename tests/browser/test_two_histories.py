"""A rollback that uses ids again: pages that are pinned to what had the id before say so."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from core import Table
from core.maintenance.rollback import apply_rollback
from core.maintenance.rollback_plan import plan_rollback
from core.snapshot import Snapshot
from tests.browser.conftest import WRITER
from tests.browser.facts import Facts
from tests.browser.screen import Screen
from tests.tables import put

NAME = "pk.seq_field"
TABLE = f"/w/{WRITER}/pk/seq_field"


def latest(lake: Facts) -> Snapshot:
    found = lake.table(NAME).snapshots.latest()
    assert found is not None
    return found


def rewind_and_write_again(table: Table) -> None:
    """The latest snapshot goes, and the next commit gets its id."""
    newest = table.snapshots.latest_id()
    assert newest is not None
    apply_rollback(table, plan_rollback(table, newest - 1))
    put(table, tuple(table.to_arrow().to_pylist()[0].values()))
    assert table.snapshots.latest_id() == newest


def test_an_open_page_says_that_its_id_was_used_again(lake: Facts, screen: Screen) -> None:
    before = latest(lake)
    screen.open(f"{TABLE}/overview")
    rewind_and_write_again(lake.table(NAME))
    said = screen.page.get_by_text(f"#{before.id} is now another commit.")
    expect(said).to_be_visible()
    screen.page.get_by_role("button", name="Show the latest snapshot").click()
    expect(said).to_have_count(0)


@pytest.mark.parametrize("page", ["overview", "files", "manifests"])
def test_a_link_to_what_had_the_id_before_leads_to_what_has_it_now(
    page: str, lake: Facts, screen: Screen
) -> None:
    before = latest(lake)
    rewind_and_write_again(lake.table(NAME))
    now = latest(lake)
    screen.allow(410)
    pinned = (
        f"snapshots/{before.reference}/manifests" if page == "manifests" else f"{page}?at={before.reference}"
    )
    screen.open(f"{TABLE}/{pinned}")
    expect(screen.page.get_by_role("heading", name=f"#{before.id} is now another commit.")).to_be_visible()
    screen.page.get_by_role("alert").get_by_role("button", name=f"Show what is #{now.id} now").press("Enter")
    screen.page.wait_for_url(lambda url: now.reference in url)
    expect(screen.page.get_by_role("alert")).to_have_count(0)
