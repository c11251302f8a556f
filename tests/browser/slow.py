"""A slower machine than this one, on demand: what hides here for want of time shows there.

    LAKESCOPE_SLOW=6 .venv/bin/pytest tests/browser/test_keyboard.py

Pages then compute at a sixth of their speed, and each answer of the API comes up to 300 ms later, so that
answers overtake each other. LAKESCOPE_SLOW_SEED draws other delays.
"""

from __future__ import annotations

import os
import random
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error, Page, Route

FACTOR = float(os.environ.get("LAKESCOPE_SLOW") or 1)
LATEST = 300  # milliseconds by which an answer is late at most


def slowed(browser: Browser) -> Browser:
    """The same browser, whose windows are slow if that is asked for."""
    if FACTOR <= 1:
        return browser
    drawn = random.Random(os.environ.get("LAKESCOPE_SLOW_SEED", "1"))
    new_context = browser.new_context

    def late(route: Route) -> None:
        try:
            route.request.frame.page.wait_for_timeout(drawn.uniform(0, LATEST))
            route.fallback()
        except Error:  # the window was closed meanwhile
            return

    def slow(page: Page) -> None:
        session = page.context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": FACTOR})

    def slow_context(**options: Any) -> BrowserContext:
        context = new_context(**options)
        context.on("page", slow)
        context.route("**/api/**", late)
        return context

    browser.new_context = slow_context  # type: ignore[method-assign]
    return browser
