"""A session that nears its end: the warning, and what becomes of the page."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import ADMIN, PASSWORD
from tests.browser.running import ROOT, RunningConsole
from tests.browser.screen import Screen
from tests.browser.test_every_page import AXE, AXE_RUN, RULES

# What `manage.py shell` does to the sessions of these keys: nobody was there for so many seconds.
_AGE = """
import sys
from django.contrib.sessions.backends.db import SessionStore
session = SessionStore(sys.stdin.readline().strip())
session["seen"] = session["seen"] - int(sys.stdin.readline())
session.save()
"""
IDLE = 12 * 3600


@pytest.fixture
def window(chromium: Browser, console: RunningConsole, signed_in: Any) -> Iterator[Screen]:
    """A session of its own: the others live on."""
    with chromium.new_context(locale="en-US", timezone_id="UTC") as context:
        screen = Screen(context.new_page(), console.url)
        screen.page.clock.install()
        _sign_in(screen, "/sign-in?next=/account")
        screen.settle()
        yield screen
        assert screen.complaints == []


def _sign_in(screen: Screen, address: str) -> None:
    if address:
        screen.open(address)
    for label, text in (("User name", ADMIN), ("Password", PASSWORD)):
        screen.page.get_by_label(label).fill(text)
    screen.press("Enter")
    screen.page.wait_for_url(f"{screen.url}/account")


def _nobody_was_there(window: Screen, console: RunningConsole, seconds: int) -> None:
    """Neither at the server, nor for a minute at the page."""
    window.page.clock.fast_forward(61_000)  # first: until then what the page asks keeps the session
    key = next(c["value"] for c in window.page.context.cookies() if c["name"] == "sessionid")
    subprocess.run(
        [sys.executable, "manage.py", "shell", "--no-imports", "--command", _AGE],
        input=f"{key}\n{seconds}\n",
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "LAKESCOPE_DATA": str(console.data)},
    )


def test_who_is_away_is_warned_and_stays_by_a_key_and_what_is_typed_outlives_the_session(
    window: Screen, console: RunningConsole
) -> None:
    window.page.get_by_label("New password").fill("Ada, half")
    _nobody_was_there(window, console, IDLE - 200)
    warning = window.page.get_by_role("dialog", name="Are you still there?")
    expect(warning).to_contain_text("You will be signed out in 3 m")
    window.picture("session-warning-light-en")
    window.page.emulate_media(color_scheme="dark")
    window.picture("session-warning-dark-en")
    window.page.evaluate(AXE.read_text(encoding="utf-8"))
    assert window.page.evaluate(AXE_RUN, [RULES, []]) == []
    window.tab_to(warning.get_by_role("button", name="Stay signed in"))
    window.press("Enter")
    expect(warning).to_have_count(0)

    window.allow(401)
    _nobody_was_there(window, console, IDLE + 60)
    ended = window.page.get_by_role("dialog", name="You are signed out")
    beside = ended.get_by_role("link", name="Sign in in another tab")
    expect(beside).to_be_visible()
    window.picture("session-ended-light-en")
    with window.page.expect_popup() as opened:
        window.tab_to(beside)
        window.press("Enter")
    _sign_in(Screen(opened.value, window.url), "")
    opened.value.close()
    expect(ended).to_have_count(0)
    expect(window.page.get_by_label("New password")).to_have_value("Ada, half")
