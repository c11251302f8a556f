"""One console, one demo warehouse and one browser for all tests here: making them takes most of the time."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from tests.browser.facts import Facts
from tests.browser.running import ROOT, RunningConsole, eventually
from tests.browser.screen import LONG, Screen
from tests.browser.slow import slowed
from tests.interop.answers import CORPORA

WRITER = "java09"  # a warehouse of the corpora
ADMIN, PASSWORD = "ada", "a lake of many colours"
FLAGS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
# The first start is seen by the first tests, and the second one ends the first.
ENDED = re.compile("succeeded|failed|cancelled")
FIRST, LAST = "test_first_start.py", "test_second_start.py"

Newcomer = Callable[..., Screen]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = [item for item in items if item.path.parent == Path(__file__).parent]
    for item in here:
        item.add_marker(pytest.mark.browser)
    ordered = iter(sorted(here, key=_place))
    ours = set(here)
    items[:] = [next(ordered) if item in ours else item for item in items]


def _place(item: pytest.Item) -> tuple[bool, bool, bool]:
    """What does not need the demo warehouse runs while that is being made."""
    assert isinstance(item, pytest.Function)
    needs_demo = "demo" in item.fixturenames
    return item.path.name == LAST, needs_demo, item.path.name != FIRST


def chromium_of_machine() -> str:
    """The browser to use; the test that asks is skipped where there is none."""
    named = os.environ.get("LAKESCOPE_BROWSER")
    found = named or shutil.which("chromium") or shutil.which("google-chrome")
    if not found:
        pytest.skip("no browser: install chromium, or name one in LAKESCOPE_BROWSER")
    return found


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    executable = chromium_of_machine()
    expect.set_options(timeout=LONG)
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=[*FLAGS, *root])
        yield slowed(browser)
        browser.close()


@pytest.fixture(scope="session")
def frontend() -> None:
    """The pages, built from the sources as they are."""
    if _is_built():
        return
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("the frontend is not built, and there is no npm to build it")
    subprocess.run([npm, "run", "build"], cwd=ROOT / "frontend", check=True)


def _is_built() -> bool:
    folder = ROOT / "frontend"
    built = folder / "dist" / ".vite" / "manifest.json"
    places = [folder / name for name in ("src", "public", "package-lock.json", "vite.config.ts")]
    sources = [path for place in places for path in (place, *place.rglob("*")) if path.is_file()]
    return built.exists() and built.stat().st_mtime >= max(path.stat().st_mtime for path in sources)


@pytest.fixture(scope="session")
def console(
    frontend: None, chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningConsole]:
    """A console at its first start, its demo warehouse still in the making."""
    running = RunningConsole(tmp_path_factory.mktemp("console") / "data")
    running.start()
    yield running
    if not running.has_died():
        assert running.stop() == 0
        assert running.children() == {}


@pytest.fixture(scope="session")
def signed_in(console: RunningConsole, chromium: Browser) -> Any:
    """The cookies of the administrator, who was made by the set-up link."""
    with chromium.new_context(locale="en-US") as context:
        page = context.new_page()
        page.goto(console.set_up_link())
        page.get_by_label("User name").fill(ADMIN)
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.locator("#again").fill(PASSWORD)
        page.get_by_role("button").click()
        page.wait_for_url(f"{console.url}/")
        return context.storage_state()


@pytest.fixture
def newcomer(console: RunningConsole, chromium: Browser) -> Iterator[Newcomer]:
    """Opens windows, signed in as somebody or not, and listens to what the browser complains about."""
    contexts: list[BrowserContext] = []
    screens: list[Screen] = []

    def make(cookies: Any = None, *, height: int = 2400, **options: Any) -> Screen:
        context = chromium.new_context(
            storage_state=cookies,
            viewport={"width": 1600, "height": height},
            locale=options.pop("locale", "en-US"),
            timezone_id="UTC",
            **options,
        )
        contexts.append(context)
        screens.append(Screen(context.new_page(), console.url))
        return screens[-1]

    yield make
    for context in contexts:
        context.close()
    assert [complaint for screen in screens for complaint in screen.complaints] == []


@pytest.fixture(scope="session")
def desk(signed_in: Any, chromium: Browser) -> Iterator[BrowserContext]:
    """The administrator's browser: it keeps what it loaded once. It is tall, so that grids draw all rows."""
    with chromium.new_context(
        storage_state=signed_in,
        viewport={"width": 1600, "height": 2400},
        locale="en-US",
        timezone_id="UTC",
    ) as context:
        yield context


@pytest.fixture
def screen(desk: BrowserContext, console: RunningConsole, api: Api) -> Iterator[Screen]:
    """A window of the administrator, without the preferences of the one before."""
    screen = Screen(desk.new_page(), console.url)
    yield screen
    if screen.path.startswith("/"):
        screen.page.evaluate("localStorage.clear()")
    screen.page.close()
    api.put("/me/tree", {"open": []})
    assert screen.complaints == []


@pytest.fixture(scope="session")
def demo(console: RunningConsole, signed_in: Any, chromium: Browser) -> Facts:
    """The finished demo warehouse, as core reads it."""
    with chromium.new_context(storage_state=signed_in) as context:

        def is_made() -> bool:
            jobs = context.request.get(f"{console.url}/api/v1/jobs?kind=demo").json()["items"]
            if not jobs:  # it is asked for once the console serves
                return False
            assert jobs[0]["state"] not in ("failed", "cancelled", "failed_committed"), jobs[0]
            return bool(jobs[0]["state"] == "succeeded")

        eventually(is_made, within=1800, what="the finished demo warehouse", of=console)
    return Facts(console.warehouse)


@dataclass(frozen=True, slots=True)
class Api:
    """The API as the administrator, for what a test needs but is not about."""

    context: BrowserContext
    url: str

    def get(self, path: str) -> Any:
        return self.context.request.get(f"{self.url}/api/v1{path}").json()

    def post(self, path: str, body: Any) -> Any:
        response = self.context.request.post(self._address(path), data=body, headers=self._headers())
        assert response.ok, response.text()
        return response.json()

    def put(self, path: str, body: Any) -> None:
        response = self.context.request.put(self._address(path), data=body, headers=self._headers())
        assert response.ok, response.text()

    def delete(self, path: str) -> None:
        headers = self._headers() | {"If-Match": "*"}
        response = self.context.request.delete(self._address(path), headers=headers)
        assert response.ok, response.text()

    @contextmanager
    def registered(self, name: str, folder: Path) -> Iterator[None]:
        """Meanwhile the console knows this warehouse: other tests would list and find it."""
        self.post("/warehouses", {"name": name, "location": str(folder)})
        yield
        self.delete(f"/warehouses/{name}")

    def _address(self, path: str) -> str:
        return f"{self.url}/api/v1{path}"

    def _headers(self) -> dict[str, str]:
        token = next(c["value"] for c in self.context.cookies() if c["name"] == "csrftoken")
        return {"X-CSRFToken": token, "Origin": self.url}


@pytest.fixture(scope="session")
def api(console: RunningConsole, signed_in: Any, chromium: Browser) -> Iterator[Api]:
    with chromium.new_context(storage_state=signed_in) as context:
        context.request.get(f"{console.url}/")  # the cookie against forged requests
        yield Api(context, console.url)


@pytest.fixture(scope="module")
def lake(api: Api, console: RunningConsole, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Facts]:
    """A copy of tables that Java Paimon wrote, as a warehouse of the console until the module's tests end."""
    folder = tmp_path_factory.mktemp("lake") / WRITER
    for database in ("append", "dv", "evo", "idx", "ops", "pk"):
        shutil.copytree(CORPORA / WRITER / f"{database}.db", folder / f"{database}.db")
    with api.registered(WRITER, folder):
        yield Facts(folder)
        eventually(lambda: not _busy(api), within=600, what="the end of its jobs", of=console)


def _busy(api: Api) -> list[Any]:
    """Jobs that still work in the copy: with one of them it cannot be taken away."""
    return [
        job
        for state in ("queued", "starting", "running", "verifying", "cancelling", "lost")
        for job in api.get(f"/jobs?warehouse={WRITER}&state={state}")["items"]
    ]


def finished(screen: Screen) -> str:
    """Wait until the job of the open page has ended; the state that the page shows."""
    state = screen.main.get_by_role("heading", level=1).get_by_role("status")
    expect(state).to_contain_text(ENDED, timeout=10 * LONG)
    screen.settle()
    return " ".join(state.inner_text().split())
