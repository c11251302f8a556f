"""Ctrl-C, and the next start on the same data folder."""

from __future__ import annotations

import time
from typing import Any

from playwright.sync_api import Browser

from tests.browser.facts import Facts
from tests.browser.running import RunningConsole
from tests.browser.screen import Screen


def test_ctrl_c_stops_everything_and_the_second_start_serves_a_page(
    console: RunningConsole, chromium: Browser, signed_in: Any, demo: Facts, record_property: Any
) -> None:
    """The cookies stay good, the demo is not made again, and no set-up link is printed."""
    assert console.stop() == 0
    assert console.children() == {}
    started = time.monotonic()
    console.start()
    with chromium.new_context(storage_state=signed_in, locale="en-US") as context:
        screen = Screen(context.new_page(), console.url)
        screen.open("/w/demo/sales/orders/overview")
        took = time.monotonic() - started
        jobs = context.request.get(f"{console.url}/api/v1/jobs?kind=demo").json()["items"]
    record_property("seconds_to_the_first_page", round(took, 1))
    print(f"second start: {took:.1f} s to the first page")
    assert len(jobs) == 1
    assert "set up the administrator" not in console.output
    assert screen.complaints == []
