"""Tables that a person watches: marked on their page or from a list by keys, shown first at home."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Api
from tests.browser.facts import Facts
from tests.browser.screen import Screen


@pytest.fixture(autouse=True)
def _nothing_watched_afterwards(api: Api) -> Iterator[None]:
    yield
    for watch in api.get("/watches")["items"]:
        api.delete(f"/watches/{watch['id']}")


def test_a_table_watched_on_its_page_stands_at_home_with_its_last_commit(screen: Screen, demo: Facts) -> None:
    screen.open("/w/demo/sales/orders/overview")
    screen.page.get_by_role("button", name="Watch", exact=True).click()
    expect(screen.page.get_by_role("button", name="Watched")).to_have_attribute("aria-pressed", "true")
    screen.open("/")
    [row] = screen.table("Watched tables").rows
    last = demo.system("sales.orders", "snapshots")[-1]
    assert (row["table"], row["warehouse"]) == ("sales.orders", "demo")
    assert int(row["Δ rows"].replace(",", "").replace("−", "-")) == last["delta_record_count"]
    screen.follow("sales.orders")
    screen.page.get_by_role("button", name="Watched").click()
    expect(screen.page.get_by_role("button", name="Watch", exact=True)).to_be_enabled()


def test_tables_chosen_in_a_list_are_watched_by_keys(screen: Screen, demo: Facts, api: Api) -> None:
    screen.open("/w/demo/sales")
    screen.tab_to(screen.main.locator('[data-cell][tabindex="0"]'))
    screen.press("ArrowDown", "Shift+Space")
    screen.tab_to(screen.main.get_by_role("button", name="Watch"))
    screen.press("Enter")
    expect(screen.page.get_by_text("1 table is watched")).to_be_visible()
    assert [watch["name"] for watch in api.get("/watches")["items"]] == ["orders"]
