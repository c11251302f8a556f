"""Tables without snapshots: their pages say what they are, and their rows and objects can be had."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import types_of_tables as made
from tests.browser.conftest import Api
from tests.browser.screen import Screen


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
    screen.page.get_by_role("button", name="Read").click()
    with screen.page.expect_download() as download:
        screen.main.get_by_role("link", name=made.OBJECT).click()
    assert Path(download.value.path()).read_bytes() == made.CONTENT


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
