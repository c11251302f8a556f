"""What the browser needs for the console's pages: the budgets of the design that no answer of the API shows.

A real Chromium without a screen, at the console that the other budgets are measured of. It draws in software,
on the same cores as the console and the object store.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from statistics import median
from typing import Any

from playwright.sync_api import Page, sync_playwright

from bench.console.asking import PASSWORD, PERSON, p95
from bench.console.measured import Measured
from bench.console.servers import Console

WINDOW = {"width": 1440, "height": 900}
PATIENCE = 60_000  # milliseconds
LOADS = 5  # of each page, after one that is not counted
TABLE = "/w/lake/ref"
PAINTED = {
    "home": "/",
    "500 tables of a database": "/w/lake/d01",
    "overview of *big*": f"{TABLE}/big/overview",
    "timeline of *big*": f"{TABLE}/big/timeline",
    "files of *big*": f"{TABLE}/big/files",
    "levels of *deep*": f"{TABLE}/deep/lsm/p%3D0/0",
    "schemas of *wide*": f"{TABLE}/wide/schemas",
}
# Before any script of a page: what was painted when, how long each key and click waited for its picture, and
# when the canvas of the levels was begun and ended.
WATCH = """
window.bench = { painted: 0, waits: new Map(), draws: [] };
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.bench.painted = entry.startTime;
}).observe({ type: 'largest-contentful-paint', buffered: true });
new PerformanceObserver((list) => {
  for (const { interactionId: id, duration } of list.getEntries()) {
    if (id) window.bench.waits.set(id, Math.max(duration, window.bench.waits.get(id) ?? 0));
  }
}).observe({ type: 'event', buffered: true, durationThreshold: 16 });
const { clearRect, fillRect } = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.clearRect = function (x, y, width, height) {
  const draw = { began: performance.now(), rects: 0 };
  window.bench.draws.push(draw);
  queueMicrotask(() => { draw.ended = performance.now(); });  // reading it for each takes as long as it
  return clearRect.call(this, x, y, width, height);
};
CanvasRenderingContext2D.prototype.fillRect = function (x, y, width, height) {
  const draw = window.bench.draws.at(-1);
  if (draw) draw.rects += 1;
  return fillRect.call(this, x, y, width, height);
};
"""
# Frames of a list that goes so many pixels further before each of them.
SCROLL = """async (list, { step, count }) => {
  const end = list.scrollHeight - list.clientHeight, frames = [];
  let most = 0, last = performance.now();
  for (let frame = 0; frame < count; frame += 1) {
    list.scrollTop = (frame * step) % end;
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    frames.push(now - last);
    last = now;
    most = Math.max(most, list.querySelectorAll('[role=row]').length);
  }
  return { frames: frames.slice(1), most, end };
}"""
STEPS = {
    "a step": (97, 200),
    "a jump": (9_000, 100),
}  # pixels and frames: a wheel's, and those of a scroll bar
# What the same browser needs for as many pixels of a list that no script draws.
PLAIN = """() => {
  const list = document.createElement('div'), cells = '<span>a cell</span>'.repeat(4);
  list.style = 'height: 320px; overflow: auto; font: 13px sans-serif';
  list.innerHTML = `<div style="height: 28px; display: flex; gap: 40px">${cells}</div>`.repeat(1000);
  document.body.replaceChildren(list);
}"""


def measure(console: Console) -> Iterator[Measured]:
    """Every budget of the browser, of pages whose answers are warm."""
    with _chromium(console) as page:
        for name, path in PAINTED.items():
            found = [_painted(page, path) for _ in range(LOADS + 1)][1:]
            yield Measured(f"largest paint: {name}", 1200, "ms", p95(found), f"p95 of {LOADS}")
        by_page = _waits(page)
        waits = sorted(chain.from_iterable(by_page.values()))
        worst = ", ".join(f"{name} {max(found):.0f}" for name, found in by_page.items())
        how = f"worst but one in fifty of {len(waits)} keys and clicks; the worst of {worst}"
        yield Measured("interaction to next paint", 100, "ms", waits[-1 - len(waits) // 50], how)
        yield from _scrolled(page)
        yield _drawn(page, "deep", 5_000, 50)
        yield _drawn(page, "tower", 100_000, 300)


@contextmanager
def _chromium(console: Console) -> Iterator[Page]:
    """A window in which somebody has signed in."""
    named = os.environ.get("LAKESCOPE_BROWSER")
    executable = named or shutil.which("chromium") or shutil.which("google-chrome")
    if not executable:
        raise FileNotFoundError(
            "no browser: install chromium, name one in LAKESCOPE_BROWSER, or --no-browser"
        )
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=root)
        context = browser.new_context(
            viewport=WINDOW, locale="en-US", base_url=f"http://127.0.0.1:{console.port}"
        )
        context.add_init_script(WATCH)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto("/sign-in")
        page.locator("#username").fill(PERSON)
        page.locator("#password").fill(PASSWORD)
        page.get_by_role("button").first.click()
        page.wait_for_url("**/")
        yield page
        browser.close()


def _open(page: Page, path: str) -> None:
    page.goto(path)
    page.locator("main h1, main h2").first.wait_for()
    page.wait_for_function("() => !document.querySelector('main [aria-busy=true]')")
    page.wait_for_timeout(700)  # an open page goes on listening for events, so the network is never idle


def _painted(page: Page, path: str) -> float:
    """Milliseconds from the address to the largest thing that was painted."""
    _open(page, path)
    found: float = page.evaluate("() => window.bench.painted")
    return found


def _waits(page: Page) -> dict[str, list[float]]:
    """How long many keys and clicks of each page waited for the next picture; short ones count as sixteen."""
    waits: dict[str, list[float]] = {}
    for name, path, act in (
        ("files", f"{TABLE}/big/files", _use_grid),
        ("tables", "/w/lake/d01", _use_grid),
        ("levels", f"{TABLE}/deep/lsm/p%3D0/0", _use_levels),
        ("search", f"{TABLE}/big/timeline", _use_palette),
    ):
        _open(page, path)
        count = act(page)
        page.wait_for_timeout(300)
        seen: list[float] = page.evaluate("() => [...window.bench.waits.values()]")
        waits[name] = [*seen, *[16.0] * max(0, count - len(seen))]
    return waits


def _press(page: Page, *keys: str) -> int:
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_timeout(60)
    return len(keys)


def _use_grid(page: Page) -> int:
    """Sort by two columns, walk over the rows, and open one."""
    grid = page.get_by_role("grid").first
    clicks = 0
    for number in (0, 1, 1):
        grid.locator("[role=columnheader][aria-sort]").nth(number).click()
        page.wait_for_timeout(400)
        clicks += 1
    grid.locator("[data-cell='0:2']").click()
    return clicks + 1 + _press(page, *["ArrowDown"] * 6, "PageDown", "End", "Home")


def _use_levels(page: Page) -> int:
    """Walk over the files of a picture of five thousand."""
    page.locator("[role=group][tabindex='0']").first.focus()
    return _press(page, *["ArrowRight"] * 6, "ArrowDown", "ArrowUp", "Escape")


def _use_palette(page: Page) -> int:
    """Look for a table among ten thousand."""
    return _press(page, "Control+k", *"team_0512", "ArrowDown", "Escape")


def _scrolled(page: Page) -> Iterator[Measured]:
    """Frames of a grid of 100,000 rows, each beside those of a plain list in the same browser."""
    with page.context.new_page() as other:
        other.evaluate(PLAIN)
        floor = {name: _frames(other, "div", step)["frames"] for name, step in STEPS.items()}
    _open(page, "/gallery")
    page.evaluate("() => document.getAnimations().forEach(each => each.pause())")  # of other samples there
    grid = "[role=grid][aria-label=Files]"
    page.locator(grid).scroll_into_view_if_needed()
    most = 0
    for name, step in STEPS.items():
        seen = _frames(page, grid, step)
        assert seen["end"] > 1_000_000, seen["end"]  # else something else scrolls
        frames, most = seen["frames"], max(most, seen["most"])
        how = f"p95 of {len(frames)}, median {median(frames):.0f}; a plain list {p95(floor[name]):.0f}"
        yield Measured(f"scrolling 100,000 rows: the frame of {name}", 25, "ms", p95(frames), how)
    yield Measured("scrolling 100,000 rows: rows in the page", 60, "rows", most, "most of them")


def _frames(page: Page, which: str, step: tuple[int, int]) -> Any:
    page.bring_to_front()
    page.wait_for_timeout(500)
    return page.locator(which).first.evaluate(SCROLL, {"step": step[0], "count": step[1]})


def _drawn(page: Page, table: str, files: int, most: float) -> Measured:
    """How long the canvas of a bucket takes, where the first drawing is the longest."""
    _open(page, f"{TABLE}/{table}/lsm/p%3D0/0")
    page.wait_for_function("() => window.bench.draws.some((draw) => draw.rects > 0)")
    found: list[dict[str, float]] = page.evaluate("() => window.bench.draws")
    largest = max(found, key=lambda draw: (draw["rects"] > files / 2, draw["ended"] - draw["began"]))
    took = largest["ended"] - largest["began"]
    how = f"slowest of {len(found)} drawings, {largest['rects']:,} rectangles"
    return Measured(f"drawing the levels of {files:,} files", most, "ms", took, how)
