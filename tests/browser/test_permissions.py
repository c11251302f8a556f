"""What a viewer may see but not do."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import PASSWORD, Api, Newcomer
from tests.browser.facts import Facts
from tests.browser.running import RunningConsole
from tests.browser.screen import LONG, Screen

TABLE = "/w/demo/sales/orders"


@pytest.fixture(scope="module")
def viewer_cookies(api: Api, chromium: Browser, console: RunningConsole, demo: Facts) -> Any:
    """Vera, a viewer of the demo warehouse, who has chosen her password by the link that she was given."""
    made = api.post("/users", {"username": "vera"})
    api.post("/role-bindings", {"user": "vera", "role": "viewer", "scope": {"warehouse": "demo"}})
    with chromium.new_context(locale="en-US") as context:
        page = context.new_page()
        page.goto(console.url + "/setup/" + made["set_up_link"].rpartition("/")[2])
        page.locator("#password").fill(PASSWORD)
        page.locator("#again").fill(PASSWORD)
        page.get_by_role("button", name="Set the password").click()
        page.wait_for_url(f"{console.url}/")
        return context.storage_state()


@pytest.fixture
def viewer(viewer_cookies: Any, newcomer: Newcomer) -> Screen:
    return newcomer(viewer_cookies)


def test_a_viewer_browses_the_table(viewer: Screen, demo: Facts) -> None:
    viewer.open(f"{TABLE}/overview")
    assert viewer.fact("snapshots", card="Freshness") == str(len(demo.table("sales.orders").snapshots.ids()))


@pytest.mark.parametrize(
    ("action", "permission"),
    [("Write rows", "table:operate"), ("Compact", "table:operate"), ("Roll back", "table:destroy")],
)
def test_the_menu_of_actions_names_the_missing_permission(
    viewer: Screen, action: str, permission: str
) -> None:
    viewer.open(TABLE)
    viewer.page.get_by_role("button", name="Actions").click()
    expect(viewer.page.get_by_role("menuitem", name=action)).to_contain_text(f"needs {permission}")


def test_a_viewer_computes_a_plan_but_cannot_start_it(viewer: Screen) -> None:
    viewer.open(f"{TABLE}/actions/compact")
    viewer.page.get_by_role("button", name="Compute the plan").click()
    expect(viewer.main.get_by_text("starting it needs table:operate")).to_be_visible(timeout=LONG)
    expect(viewer.main.get_by_role("button", name="Compact", exact=True)).to_have_count(0)


def test_rows_need_a_permission_that_the_page_names(viewer: Screen) -> None:
    viewer.open(f"{TABLE}/data")
    notice = viewer.main.get_by_role("alert")
    expect(notice).to_contain_text("You may not see this")
    expect(notice.locator("code")).to_have_text("data:read")


def test_keys_are_hidden_from_a_viewer(viewer: Screen) -> None:
    viewer.open(f"{TABLE}/files")
    assert set(viewer.grid("Live files").column("min key")) == {"•••"}


def test_the_audit_log_is_forbidden_by_name_and_not_linked(viewer: Screen) -> None:
    viewer.allow(403)
    viewer.open("/admin/audit")
    expect(viewer.main.get_by_role("alert").locator("code")).to_have_text("audit:read")
    expect(viewer.page.get_by_role("navigation").get_by_role("link", name="Audit log")).to_have_count(0)
