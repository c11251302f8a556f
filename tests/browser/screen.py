"""What a person sees and does, with an ear for every complaint of the browser."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import ConsoleMessage, Locator, Page, Request, Response, expect

from tests.browser.running import ROOT

PICTURES = ROOT / "build" / "screenshots"
LOADING = re.compile("^(Loading|加载中)$")
# The address changes before the page does, whose code may still be on its way: until then the page before is
# shown, ready and whole. The router says when it has drawn what the address names.
_ARRIVED = """() => {
  const router = window.__TSR_ROUTER__;
  return router === undefined || router.state.resolvedLocation?.href === router.history.location.href;
}"""
# What has come is drawn, and what that asks for is asked: the page has nothing to do, twice, as timers of a
# few milliseconds are no work to a browser. One that draws nothing may never say so: hence the limit.
_IDLE = """() => new Promise(done => requestIdleCallback(
  () => setTimeout(() => requestIdleCallback(() => done(true), {timeout: 150}), 5), {timeout: 150}))"""
LONG = 120_000  # milliseconds: guards against hanging, no test measures time


@dataclass(frozen=True, slots=True)
class Grid:
    """The rows of a grid or table as they are drawn."""

    headers: tuple[str, ...]
    rows: tuple[dict[str, str], ...]

    def column(self, header: str) -> list[str]:
        assert header in self.headers, f"there is no column {header!r}, only {self.headers}"
        return [row[header] for row in self.rows]


class Screen:
    """A browser window on the console."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.complaints: list[str] = []
        self._allowed: set[int] = set()
        self._asked: set[Request] = set()
        page.set_default_timeout(LONG)
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(f"{self.path}: {error}"))
        page.on("response", self._see)
        page.on("request", self._ask)
        page.on("requestfinished", self._end)
        page.on("requestfailed", self._end)

    def _hear(self, message: ConsoleMessage) -> None:
        # The browser repeats what `_see` judges, without the status as a number.
        if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource"):
            self.complaints.append(f"{self.path}: {message.text}")

    def _see(self, response: Response) -> None:
        if response.status >= 400 and response.status not in self._allowed:
            self.complaints.append(f"{self.path}: {response.status} of {response.url}")

    def _ask(self, request: Request) -> None:
        if request.resource_type != "eventsource":  # such a one is never answered to its end
            self._asked.add(request)

    def _end(self, request: Request) -> None:
        self._asked.discard(request)

    def allow(self, *statuses: int) -> None:
        """Answers that this test is about; any other failure is a complaint."""
        self._allowed.update(statuses)

    @property
    def path(self) -> str:
        return self.page.url.removeprefix(self.url)

    # --- going somewhere ---------------------------------------------------------------------------

    def open(self, path: str, loading: int = 0) -> None:
        self.page.goto(path if path.startswith("http") else self.url + path)
        self.settle(loading)

    def go(self, path: str) -> None:
        """To another page of the open document, as a link does."""
        self.page.evaluate("path => history.pushState(null, '', path)", path)
        self.quiet()
        self.settle()

    def settle(self, loading: int = 0) -> None:
        """Wait until the page has something to show, and no part of it (or only so many) is loading."""
        self.page.wait_for_function(_ARRIVED)
        main = self.page.locator("main")
        expect(main).not_to_be_empty(timeout=LONG)
        expect(main.get_by_role("heading").first).to_be_visible(timeout=LONG)
        self.quiet()
        expect(main.get_by_role("status", name=LOADING)).to_have_count(loading, timeout=LONG)
        if not loading:  # what is shown of the snapshot before is dimmed meanwhile
            expect(main.locator("[aria-busy='true']")).to_have_count(0, timeout=LONG)

    def quiet(self) -> None:
        """Wait until all that the page asked for has come, and is drawn."""
        until = time.monotonic() + LONG / 1000
        self.page.wait_for_function(_IDLE)
        while self._asked:
            assert time.monotonic() < until, f"never answered: {[request.url for request in self._asked]}"
            self.page.wait_for_timeout(20)
            if not self._asked:  # what came is to be drawn, and may ask for more
                self.page.wait_for_function(_IDLE)

    def follow(self, name: str | re.Pattern[str], **options: Any) -> None:
        """Click the link of this name in the page."""
        self.main.get_by_role("link", name=name, **options).first.click()
        self.settle()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def tab_to(self, wanted: Locator) -> None:
        """Press Tab until the focus is there."""
        wanted.wait_for()
        for _ in range(80):
            if wanted.evaluate("element => element === document.activeElement"):
                return
            self.press("Tab")
        raise AssertionError(f"Tab never reaches {wanted}")

    def choose(self, wanted: Locator) -> None:
        """Go down a list whose focus stays in a field until it is on this option, and take it."""
        wanted.wait_for()
        self.quiet()
        for _ in range(30):  # what other tests made may stand before it
            if wanted.get_attribute("aria-selected") == "true":
                return self.press("Enter")
            self.press("ArrowDown")
        raise AssertionError(f"the arrow never reaches {wanted}")

    def picture(self, name: str) -> None:
        """Keep how the page looks, for people to look at."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=PICTURES / f"{name}.png")

    # --- reading: what there is once the page is quiet ------------------------------------------------

    @property
    def main(self) -> Locator:
        return self.page.locator("main")

    @property
    def text(self) -> str:
        self.quiet()
        return self.main.inner_text()

    def card(self, title: str) -> Locator:
        heading = self.page.get_by_role("heading", name=title, exact=True)
        return self.main.locator("section").filter(has=heading).last

    def fact(self, name: str, card: str | None = None) -> str:
        """The value that stands beside a name."""
        place = self.main if card is None else self.card(card)
        self.quiet()
        value = place.locator("dt").filter(has_text=re.compile(f"^{re.escape(name)}$")).locator("+ dd")
        return value.first.inner_text().strip()

    def grid(self, label: str, role: Any = "grid") -> Grid:
        """All rows of a grid; the window has to be tall enough to draw them."""
        grid = self.page.get_by_role(role, name=label, exact=True)
        self.quiet()
        expect(grid.get_by_role("row").nth(1)).to_be_visible(timeout=LONG)
        return _grid(grid.get_by_role("row").evaluate_all(_CELLS))

    def twin(self) -> Grid:
        """The table that stands for a picture."""
        self.quiet()
        return _grid(self.main.locator("figure table tr").evaluate_all(_CELLS))

    def table(self, heading: str) -> Grid:
        """The plain table of a card."""
        self.quiet()
        return _grid(self.card(heading).locator("table tr").evaluate_all(_CELLS))


# Identifiers are shortened; they have themselves in full as data.
_CELLS = """rows => rows.map(row => [...row.children].map(cell => {
    const text = cell.querySelector('[data-id]')?.dataset.id ?? cell.innerText;
    return text.replace(/\\s+/g, ' ').trim();
}))"""


def _grid(cells: list[list[str]]) -> Grid:
    headers = tuple(re.sub(r" [▲▼]$", "", header) for header in cells[0])
    return Grid(headers, tuple(dict(zip(headers, row, strict=True)) for row in cells[1:]))
