"""What holds on every page, in both themes and languages. Leaves pictures in build/screenshots.

A page is opened once and looked at in English, light and dark, and in light Chinese: colours do not depend on
the language, nor words on the colours.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, ViewportSize, expect

from tests.browser import types_of_tables as made
from tests.browser.conftest import Api
from tests.browser.facts import Facts, base
from tests.browser.running import ROOT, RunningConsole
from tests.browser.screen import Screen

TABLE = "/w/demo/sales/orders"
TYPES = f"/w/{made.WAREHOUSE}/db"
PAGES = {
    "home": "/",
    "search": "/search?q=o",
    "jobs": "/jobs",
    "job": "/jobs/{job}",
    "warehouses": "/w",
    "warehouse": "/w/demo",
    "tables": "/w/demo/sales",
    "overview": TABLE + "/overview",
    "timeline": TABLE + "/timeline",
    "compare": TABLE + "/timeline?from=3&at={snapshot}",
    "snapshot": TABLE + "/snapshots/{snapshot}",
    "changes": TABLE + "/snapshots/{snapshot}/changes",
    "manifests": TABLE + "/snapshots/{snapshot}/manifests",
    "files": TABLE + "/files",
    "file": TABLE + "/files?open=file:{file}",
    "heatmap": "/w/demo/sales/orders/files?view=heatmap",
    "sizes": TABLE + "/files?view=sizes",
    "partitions": "/w/demo/web/events/files?view=partitions",
    "buckets": TABLE + "/lsm",
    "bucket": TABLE + "/lsm/-/2",
    "schemas": TABLE + "/schemas",
    "schema": TABLE + "/schemas/{schema}",
    "field": TABLE + "/schemas/{schema}?open=field:1",
    "proposal": TABLE + "/schemas/proposal",
    "schema-diff": TABLE + "/schemas/diff?from=0&to={schema}",
    "indexes": TABLE + "/indexes",
    "data": TABLE + "/data",
    "tags": TABLE + "/refs",
    "branches": TABLE + "/refs?view=branches",
    "consumers": TABLE + "/refs?view=consumers",
    "options": TABLE + "/options",
    "table-jobs": TABLE + "/jobs",
    "types": TYPES,
    "format-table": f"{TYPES}/{made.FORMAT}/overview",
    "object-table": f"{TYPES}/{made.OBJECTS}/overview",
    "object-table-data": f"{TYPES}/{made.OBJECTS}/data",
    "materialized-table": f"{TYPES}/materialized/overview",
    "lance-table": f"{TYPES}/lance/overview",
    "view": f"{TYPES}/{made.VIEW}/view",
    "function": f"{TYPES}/{made.FUNCTION}/function",
    "refresh": f"{TYPES}/materialized/actions/refresh",
    "write-files": f"{TYPES}/{made.FORMAT}/actions/write",
    "write": TABLE + "/actions/write",
    "compact": "/w/demo/web/events/actions/compact",
    "rollback": TABLE + "/actions/rollback",
    "restore": TABLE + "/actions/restore",
    "expire": TABLE + "/actions/expire",
    "tag": TABLE + "/actions/tag",
    "branch": TABLE + "/actions/branch",
    "consumer": TABLE + "/actions/consumer",
    "change-partitions": TABLE + "/actions/partitions",
    "change-options": TABLE + "/actions/options",
    "vectors": TABLE + "/actions/vectors",
    "rewrite-indexes": "/w/demo/web/events/actions/file_index",
    "merge-manifests": TABLE + "/actions/manifests",
    "analyze": TABLE + "/actions/analyze",
    "system": TABLE + "/system",
    "sys": "/w/demo/sys",
    "admin-warehouses": "/admin/warehouses",
    "access": "/admin/access",
    "tokens": "/admin/tokens",
    "audit": "/admin/audit",
    "audit-days": "/admin/audit?view=days",
    "account": "/account",
    "gallery": "/gallery",
    "no-such-page": "/no-such-page",
}
# The gallery shows for ever how loading looks.
LOADING = {"gallery": 1}
LANGUAGES = ("en", "zh-CN")
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
WIDE: ViewportSize = {"width": 1440, "height": 1000}
LOOKS = {"en": THEMES, "zh-CN": THEMES[:1]}
AXE = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
# WCAG 2.2 AA and what is good practice besides, however small the barrier.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# All that the theme has a say in.
COLOURS = ["color-contrast", "link-in-text-block"]
AXE_RUN = """async ([runOnly, without]) => {
    const rules = Object.fromEntries(without.map(rule => [rule, {enabled: false}]));
    const found = await axe.run(document, {resultTypes: ['violations'], runOnly, rules});
    return found.violations.flatMap(v =>
        v.nodes.map(node => `${v.impact} ${v.id}: ${node.target.join(' ')} ${node.html.slice(0, 160)}`));
}"""
# Texts of the page that are an English message whose Chinese is another one, and marks of missing values.
FOREIGN = """async ([english, chinese]) => {
    const texts = new Set();
    const compare = (left, right) => {
        for (const [key, value] of Object.entries(left)) {
            if (typeof value === 'string') { if (value !== right[key]) texts.add(value); }
            else if (typeof value === 'object') compare(value, right[key]);
        }
    };
    compare((await import(english)).en, (await import(chinese)).zhCN);
    const shown = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const parent = walk.currentNode.parentElement;
        if (!parent.closest('code, pre, script, [translate=no]')) shown.push(walk.currentNode.data);
    }
    const named = ['aria-label', 'title', 'placeholder'].map(name => `[${name}]:not([translate=no])`);
    for (const element of document.querySelectorAll(named))
        for (const name of ['aria-label', 'title', 'placeholder'])
            shown.push(element.getAttribute(name) ?? '');
    return shown.map(text => text.trim()).filter(text => texts.has(text));
}"""
BROKEN = """() => document.body.innerText.match(
    /undefined|\\[object|\\bNaN\\b|Invalid Date|\\{[a-z_]+\\}/g) ?? []"""

# What a window of 320 px, which is one of 1280 at 400 % zoom, makes the page scroll sideways for.
NARROW: ViewportSize = {"width": 320, "height": 800}
SIDEWAYS = """() => {
    const main = document.querySelector('main');
    const wide = element => element.scrollWidth > element.clientWidth;
    if (!wide(main) && !wide(document.documentElement)) return [];
    const scrolls = element => element !== main && element !== null
        && (getComputedStyle(element).overflowX !== 'visible' || scrolls(element.parentElement));
    return [...document.querySelectorAll('body *')]
        .filter(e => e.getBoundingClientRect().right > innerWidth && !scrolls(e.parentElement))
        .slice(0, 3).map(e => e.outerHTML.slice(0, 160));
}"""


@dataclass(slots=True)
class Visit:
    """What was found on a page in all its looks."""

    barriers: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    sideways: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def window(chromium: Browser, console: RunningConsole, signed_in: Any) -> Iterator[Screen]:
    with chromium.new_context(
        storage_state=signed_in,
        viewport=WIDE,
        locale="en-US",
        timezone_id="UTC",
        reduced_motion="reduce",
    ) as context:
        # Each page is a browser's first: the page before may write what it keeps to the last moment.
        context.add_init_script("localStorage.clear()")
        yield Screen(context.new_page(), console.url)


@pytest.fixture(scope="module")
def types(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with made.registered(api, tmp_path_factory.mktemp("types")):
        yield


@pytest.fixture(scope="module")
def places(demo: Facts, types: None, console: RunningConsole, window: Screen) -> dict[str, str]:
    """What the addresses of pages name."""
    table = demo.table("sales.orders")
    jobs = window.page.context.request.get(f"{console.url}/api/v1/jobs").json()["items"]
    compactions = [s for s in demo.system("sales.orders", "snapshots") if s["commit_kind"] == "COMPACT"]
    return {
        "snapshot": str(compactions[-1]["snapshot_id"]),
        "file": base(demo.files("sales.orders")[0]["file_path"]),
        "schema": str(table.schema.id),
        "job": jobs[0]["id"],
    }


@pytest.fixture(scope="module", params=PAGES)
def visit(request: pytest.FixtureRequest, window: Screen, places: dict[str, str]) -> Visit:
    """One visit: the page in English, light and dark, then turned to light Chinese where it stands."""
    found = Visit()
    page, name = window.page, request.param
    window.complaints.clear()
    page.emulate_media(color_scheme="light")
    window.open(PAGES[name].format(**places), loading=LOADING.get(name, 0))
    window.quiet()  # a button that becomes alive while it is looked at has the colours of neither state
    page.evaluate(AXE.read_text(encoding="utf-8"))
    for language in LANGUAGES:
        if language != "en":
            _turn_to_chinese(window, LOADING.get(name, 0))
            found.foreign = page.evaluate(FOREIGN, _message_files())
            if name == "gallery":
                found.foreign = [text for text in found.foreign if text not in _samples()]
        found.broken += page.evaluate(BROKEN)
        for theme in LOOKS[language]:
            page.emulate_media(color_scheme=theme)
            expect(page.locator("html")).to_have_attribute("data-theme", theme)
            window.picture(f"{name}-{theme}-{language}")
            rules = [RULES if theme == "light" else COLOURS, [] if language == "en" else COLOURS]
            found.barriers += [f"{theme}, {language}: {line}" for line in page.evaluate(AXE_RUN, rules)]
    page.set_viewport_size(NARROW)
    window.quiet()
    found.sideways = page.evaluate(SIDEWAYS)
    page.set_viewport_size(WIDE)
    found.complaints = list(window.complaints)
    return found


def _turn_to_chinese(window: Screen, loading: int) -> None:
    """By the menu of the top bar, with keys, as a drawer may lie over it; the page stays where it is."""
    window.page.get_by_role("button", name="Language").focus()
    window.press("Enter")
    window.page.get_by_role("menuitemradio", name="简体中文").focus()
    window.press("Enter", "Escape")
    window.page.get_by_role("button", name="退出登录").wait_for()
    window.page.evaluate("document.activeElement.blur()")
    window.quiet()
    window.settle(loading)


def _samples() -> str:
    """Sources of the gallery and the names of icons: what they say in English are samples, no messages."""
    pages = ROOT / "frontend" / "src"
    sources = [*(pages / "pages" / "gallery").glob("*.ts*"), pages / "ui" / "Icon.tsx"]
    return "\n".join(source.read_text(encoding="utf-8") for source in sources)


def _message_files() -> list[str]:
    manifest = json.loads((ROOT / "frontend/dist/.vite/manifest.json").read_text(encoding="utf-8"))
    return [f"/static/{manifest[f'src/i18n/{name}.ts']['file']}" for name in ("en", "zh-CN")]


def test_nothing_keeps_people_from_using_the_page(visit: Visit) -> None:
    assert visit.barriers == []


def test_the_page_is_chinese_where_chinese_is_asked_for(visit: Visit) -> None:
    assert visit.foreign == []


def test_no_value_is_missing_from_a_text(visit: Visit) -> None:
    assert visit.broken == []


def test_a_page_at_400_percent_scrolls_one_way(visit: Visit) -> None:
    assert visit.sideways == []


def test_the_browser_complains_about_nothing(visit: Visit) -> None:
    assert visit.complaints == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("theme", THEMES)
def test_the_sign_in_page_is_sound(
    chromium: Browser, console: RunningConsole, theme: Any, language: str
) -> None:
    with chromium.new_context(locale=language, color_scheme=theme) as context:
        screen = Screen(context.new_page(), console.url)
        screen.open("/sign-in")
        screen.picture(f"sign-in-{theme}-{language}")
        screen.page.evaluate(AXE.read_text(encoding="utf-8"))
        assert screen.page.evaluate(AXE_RUN, [RULES, []]) == []
        assert screen.complaints == []
        assert screen.main.get_by_role("heading").inner_text() == {"en": "Sign in", "zh-CN": "登录"}[language]


def test_language_and_theme_are_chosen_in_the_top_bar_and_stay(screen: Screen, demo: Facts) -> None:
    screen.open("/jobs")
    for menu, choice in (("Theme", "Dark"), ("Language", "简体中文")):
        screen.page.get_by_role("button", name=menu).click()
        screen.page.get_by_role("menuitemradio", name=choice).click()
    screen.page.keyboard.press("Escape")
    screen.page.get_by_role("heading", name="作业").wait_for()
    screen.page.reload()
    screen.settle()
    root = screen.page.locator("html")
    assert (root.get_attribute("data-theme"), root.get_attribute("lang")) == ("dark", "zh-CN")
    assert screen.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(15, 19, 23)"
    screen.page.get_by_role("heading", name="作业").wait_for()
