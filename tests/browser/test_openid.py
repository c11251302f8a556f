"""Signing in by a real OpenID Connect provider as a person does: in Chromium, by keyboard."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Newcomer
from tests.browser.running import ROOT, RunningConsole
from tests.browser.screen import LONG, Screen
from tests.console.openid import SECRET, RunningProvider


@pytest.fixture(scope="module")
def provider(
    console: RunningConsole, signed_in: object, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningProvider]:
    """npm's oidc-provider, which knows Ina, registered by the command that an administrator uses."""
    folder = tmp_path_factory.mktemp("provider")
    running = RunningProvider(folder, console.url)
    running.people = {
        "ina": {"preferred_username": "ina", "name": "Ina of the provider", "groups": ["lake-team"]}
    }
    running.start()
    (folder / "secret").write_text(SECRET)
    command = [sys.executable, str(ROOT / "manage.py"), "openid_provider", "corporate", "--label",
               "Corporate",
               "--issuer", running.address, "--client-id", "lakescope", "--client-secret-file",
               str(folder / "secret"), "--group-role", "lake-team=viewer *"]  # fmt: skip
    environment = os.environ | {"LAKESCOPE_DATA": str(console.data), "LAKESCOPE_PUBLIC_URL": console.url}
    subprocess.run(command, env=environment, check=True)
    yield running
    running.stop()


def to_provider(window: Screen, page: str, button: str) -> Page:
    """Open a page of the console as somebody unknown, and take the provider's way in, by keyboard."""
    window.page.route("https://fonts.googleapis.com/**", _nothing)  # the provider's pages would like a font
    window.page.goto(window.url + page)
    window.quiet()
    window.tab_to(window.page.get_by_role("link", name=button))
    window.press("Enter")
    window.page.wait_for_url("**/interaction/**")
    return window.page


def _nothing(route: Route) -> None:
    route.fulfill(content_type="text/css", body="")


def signed_in_as_ina(window: Screen) -> Page:
    page = to_provider(window, "/jobs", "Sign in with Corporate")
    # The provider's pages put the focus somewhere when they are drawn, which may be after they are loaded.
    for field, text in (("login", "ina"), ("password", "any")):
        expect(page.locator(f"input[name={field}]")).to_be_focused(timeout=LONG)
        page.keyboard.type(text)
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Continue")).to_be_focused(timeout=LONG)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{window.url}/jobs")
    return page


def test_somebody_signs_in_at_the_provider_and_is_back_where_they_wanted(
    provider: RunningProvider, newcomer: Newcomer
) -> None:
    window = newcomer()
    page = signed_in_as_ina(window)
    window.settle()
    assert window.main.get_by_role("heading", level=1).inner_text() == "Jobs"
    me = page.context.request.get(f"{window.url}/api/v1/me").json()
    assert (me["username"], me["display_name"], me["role"]) == ("ina", "Ina of the provider", "viewer")
    cookies = {cookie["name"]: cookie for cookie in page.context.cookies(window.url)}
    assert all(cookies[name]["httpOnly"] for name in cookies if "session" in name)


def test_signing_out_offers_to_leave_the_provider_too(provider: RunningProvider, newcomer: Newcomer) -> None:
    window = newcomer()
    page = signed_in_as_ina(window)
    window.settle()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("link", name="Sign out there, too").click()
    page.get_by_role("button", name="Yes, sign me out").click()
    page.wait_for_url(f"{window.url}/sign-in**")
    window.quiet()  # what it asks for is not cut off
    to_provider(window, "/jobs", "Sign in with Corporate")
    assert page.locator("input[name=login]").is_visible()  # it has forgotten Ina


@pytest.mark.parametrize(
    ("locale", "button", "words"),
    [
        ("en-US", "Sign in with Corporate", "Corporate did not sign you in."),
        ("zh-CN", "使用 Corporate 登录", "Corporate 没有让您登录。"),
    ],
)
def test_who_turns_back_at_the_provider_is_told_so(
    provider: RunningProvider, newcomer: Newcomer, locale: str, button: str, words: str
) -> None:
    window = newcomer(locale=locale)
    window.allow(403)
    page = to_provider(window, "/jobs", button)
    page.get_by_role("link", name="Cancel").click()
    page.wait_for_url(f"{window.url}/**")
    assert words in page.get_by_role("alert").inner_text()
