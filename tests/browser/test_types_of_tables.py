"""Tables without snapshots: their pages say what they are, and their rows and objects can be had."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import types_of_tables as made
from tests.browser.conftest import Api, finished
from tests.browser.screen import LONG, Screen


@pytest.fixture(scope="module", autouse=True)
def types(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with made.registered(api, tmp_path_factory.mktemp("types")):
        yield


def test_rows_of_files_without_snapshots_are_read(screen: Screen) -> None:
    screen.open(f"/w/{made.WAREHOUSE}/db/{made.FORMAT}/data")
    screen.page.get_by_role("button", name="Read").click()
    assert sorted(screen.grid("Rows").column("k · INT")) == ["1", "2"]


def test_an_object_is_saved_from_the_page_of_its_table(screen: Screen) -> None:
    screen.open(f"/w/{made.WAREHOUSE}/db/{made.OBJECTS}/data")
    screen.page.get_by_role("button", name="List").click()
    with screen.page.expect_download() as download:
        screen.main.get_by_role("link", name=made.OBJECT).click()
    assert Path(download.value.path()).read_bytes() == made.CONTENT
    expect(screen.main.get_by_text("listed at")).to_be_visible()
    expect(screen.page.get_by_role("button", name="List anew")).to_be_enabled()


@pytest.mark.parametrize("name", [made.FORMAT, made.OBJECTS, "lance"])
def test_the_overview_of_a_table_without_snapshots_speaks_of_none(name: str, screen: Screen) -> None:
    screen.open(f"/w/{made.WAREHOUSE}/db/{name}/overview")
    expect(screen.card("What is known by its type")).to_be_visible()
    assert "snapshot" not in screen.text.lower()
    assert "does not read" not in screen.text


def test_the_overview_of_a_materialized_table_tells_its_query(screen: Screen) -> None:
    screen.open(f"/w/{made.WAREHOUSE}/db/materialized/overview")
    assert screen.fact("query") == "SELECT id FROM orders"
    assert screen.fact("freshness") == "30 MINUTE"


def test_a_view_is_run_by_spark_and_shows_its_rows(screen: Screen) -> None:
    screen.open(f"/w/{made.WAREHOUSE}/db/{made.VIEW}/view")
    expect(screen.main.get_by_text("Nothing is read yet")).to_be_visible()
    screen.tab_to(screen.main.get_by_role("button", name="Read", exact=True))
    screen.press("Enter")
    expect(screen.main.get_by_role("button", name="Cancel")).to_be_visible()
    expect(screen.main.get_by_role("grid", name="Rows")).to_be_visible(timeout=10 * LONG)
    assert sorted(screen.grid("Rows").column("id · BIGINT")) == ["1", "2"]
    assert f"Read from db.{made.VIEW}, db.orders." in screen.text
    screen.picture("view-run")
    screen.main.get_by_role("link", name=re.compile("^j-")).click()
    assert finished(screen) == "✓ succeeded"


def test_a_materialized_table_is_refreshed_by_a_plan_and_by_a_schedule(screen: Screen) -> None:
    screen.open(f"/w/{made.WAREHOUSE}/db/materialized/overview")
    assert screen.fact("schedule") == "off: nobody refreshes it from here"
    screen.main.get_by_role("button", name="Actions").click()
    screen.page.get_by_role("menuitem", name="Refresh").click()
    screen.main.get_by_role("button", name="Compute the plan").click()
    expect(screen.main.get_by_text("as a whole: all rows are replaced")).to_be_visible()
    screen.picture("refresh-plan")
    screen.main.get_by_label("I have read what is replaced.").check()
    expect(screen.main.get_by_role("button", name="Refresh", exact=True)).to_be_enabled()
    screen.open(f"/w/{made.WAREHOUSE}/db/materialized/overview")
    screen.main.get_by_role("button", name="Refresh by schedule").click()
    expect(screen.main.get_by_text("on, as ada")).to_be_visible()
    assert "in" in screen.fact("next due")
    screen.picture("refresh-schedule")
    screen.main.get_by_role("button", name="Stop the schedule").click()
    expect(screen.main.get_by_text("off: nobody")).to_be_visible()
