"""Pictures of every page in every look and state, for people to look at: `make pictures`.

    python -m tests.browser.pictures [--only files timeline] [--states empty] [--looks light-en dark-zh]

Starts a console with its demo warehouse and takes each page in light and dark, English and Chinese: as it is;
with every list empty; with lists of 100,000 rows; where the API answers nothing but errors; of a table that
was never written; of damaged tables; of one of 100,000 files; and rich in what the demo lacks. They lie in
build/pictures, where index.html shows them all; what goes beyond its window is told.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Error, Page, Route, sync_playwright

from bench.console.reference import make_tall
from core import open_catalog
from core.types import DataField, parse_type
from tests.browser.conftest import ADMIN, FLAGS, PASSWORD, WRITER, Api, chromium_of_machine
from tests.browser.facts import Facts, base
from tests.browser.running import ROOT, RunningConsole, eventually
from tests.browser.test_every_page import LOADING, NARROW, PAGES, SIDEWAYS, WIDE
from tests.browser.types_of_tables import registered
from tests.interop.answers import CORPORA

FOLDER = ROOT / "build" / "pictures"
LANGUAGES = {"en": "en-US", "zh": "zh-CN"}
LOOKS = tuple(f"{theme}-{language}" for language in LANGUAGES for theme in ("light", "dark"))
PATIENCE = 15_000  # milliseconds for a page to settle; one that does not is told of
ALWAYS = ("/api/v1/me", "/api/v1/meta")  # what the frame of every page needs
A_TABLE = re.compile(r"/api/v1/warehouses/[^/]+/databases/[^/]+/tables/[^/]+")
DOWN = "overview"  # the page for which the table itself does not answer
SETTLED = """loading => {
    const main = document.querySelector('main');
    const busy = [...document.querySelectorAll('main [role=status]')]
        .filter(part => /^(Loading|加载中)$/.test(part.getAttribute('aria-label') ?? part.innerText.trim()));
    const heading = main?.querySelector('h1, h2, h3, [role=heading]');
    return main?.innerText.trim() && heading && busy.length <= loading;
}"""

BY_TABLE = (
    "overview", "timeline", "files", "heatmap", "sizes", "partitions", "buckets", "schemas", "indexes",
    "data", "tags", "options", "table-jobs", "compact", "rollback",
)  # fmt: skip
TALL = {
    "overview": "big/overview",
    "files": "big/files",
    "heatmap": "big/files?view=heatmap",
    "sizes": "big/files?view=sizes",
    "partitions": "big/files?view=partitions",
    "buckets": "big/lsm",
    "changes": "big/snapshots/1/changes",
    "manifests": "big/snapshots/1/manifests",
    "system-files": "big/system?view=files",
    "bucket": "deep/lsm/p=0/0",
    "levels": "levels/lsm/p=0/0",
    "schema-diff": "wide/schemas/diff?from=0&to=1",
}
# Lists that are long by what others made: the demo's rows again and again.
MANY = (
    "search", "jobs", "warehouses", "warehouse", "tables", "timeline", "tags", "options", "table-jobs",
    "admin-warehouses", "access", "tokens", "audit",
)  # fmt: skip
ROWS, PAGE = 100_000, 200
# What the demo has none of, in tables that Java Paimon wrote.
RICH = {
    "branches": "ops/branches/refs?view=branches",
    "consumers": "ops/consumers/refs?view=consumers",
    "heatmap": "append/part_multi_avro/files?view=heatmap",
    "manifests": "ops/branches/snapshots/1/manifests",
    "bucket": "pk/lsm_levels/lsm/-/0",
    "schema-diff": "evo/append_parquet/schemas/diff?from=0&to=5",
    "schema": "merge/agg_functions/schemas/0",
    "indexes": "idx/bloom_file/indexes",
    "coverage": "idx/bloom_file/indexes?view=coverage",
    "vectors": "dv/pk_dv/indexes?view=vectors",
    "partitions": "append/part_multi_avro/files?view=partitions",
    "snapshot": "pk/lsm_levels/snapshots/4",
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.browser.pictures")
    parser.add_argument("--only", nargs="+", metavar="PAGE", help="these pages")
    parser.add_argument(
        "--states",
        nargs="+",
        metavar="STATE",
        help="usual, empty, error, unwritten, damaged, tall, many, rich",
    )
    parser.add_argument("--looks", nargs="+", choices=LOOKS, default=LOOKS)
    given = parser.parse_args()
    with running() as (console, chromium, cookies):
        shots = [
            (state, name, path)
            for state, pages in addresses(console, chromium, cookies).items()
            for name, path in pages.items()
            if name in (given.only or [name]) and state in (given.states or [state])
        ]
        if not (given.only or given.states):
            shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(parents=True, exist_ok=True)
        notes = [
            note
            for language in LANGUAGES
            if (themes := [look.partition("-")[0] for look in given.looks if look.endswith(language)])
            for note in take(console, chromium, cookies, language, themes, shots)
        ]
    index()
    print(f"{len(list(FOLDER.glob('*.png')))} pictures: {FOLDER / 'index.html'}")
    print("\n".join(notes))


@contextmanager
def running() -> Iterator[tuple[RunningConsole, Browser, Any]]:
    """A console with all its warehouses, a browser, and the cookies of its administrator."""
    with tempfile.TemporaryDirectory(prefix="lakescope-pictures-") as name, sync_playwright() as playwright:
        folder = Path(name)
        console = RunningConsole(folder / "data")
        console.start()
        chromium = playwright.chromium.launch(
            executable_path=chromium_of_machine(), args=[*FLAGS, "--no-sandbox"]
        )
        try:
            cookies = set_up(console, chromium)
            with chromium.new_context(storage_state=cookies) as context:
                context.request.get(f"{console.url}/")
                api = Api(context, console.url)
                furnish(api, console, folder)
                with registered(api, folder / "types"):
                    yield console, chromium, cookies
        finally:
            chromium.close()
            console.stop()


def set_up(console: RunningConsole, chromium: Browser) -> Any:
    with chromium.new_context(locale="en-US") as context:
        page = context.new_page()
        page.goto(console.set_up_link())
        page.get_by_label("User name").fill(ADMIN)
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.locator("#again").fill(PASSWORD)
        page.get_by_role("button").click()
        page.wait_for_url(f"{console.url}/")
        return context.storage_state()


def furnish(api: Api, console: RunningConsole, folder: Path) -> None:
    """Register what else is shown, and wait for the demo warehouse."""
    (folder / "tall").mkdir()
    make_tall(folder / "tall")
    unwritten = open_catalog(str(folder / "new"))
    unwritten.create_database("db")
    fields = [DataField(0, "id", parse_type("INT NOT NULL")), DataField(1, "v", parse_type("STRING"))]
    unwritten.create_table("db.t", fields, primary_keys=["id"], options={"bucket": "2"})
    places = {"tall": folder / "tall", "new": folder / "new", "broken": CORPORA / "damaged"}
    for name, place in (places | {WRITER: CORPORA / WRITER}).items():
        api.post("/warehouses", {"name": name, "location": str(place)})

    def is_made() -> bool:
        jobs = api.get("/jobs?kind=demo")["items"]
        return bool(jobs) and jobs[0]["state"] == "succeeded"

    eventually(is_made, within=1800, what="the finished demo warehouse", of=console)


def addresses(console: RunningConsole, chromium: Browser, cookies: Any) -> dict[str, dict[str, str]]:
    """State -> page -> where it is."""
    demo = Facts(console.warehouse)
    snapshots = demo.system("sales.orders", "snapshots")
    with chromium.new_context(storage_state=cookies) as context:
        [job, *_] = Api(context, console.url).get("/jobs")["items"]
    places = {
        "snapshot": str([s for s in snapshots if s["commit_kind"] == "COMPACT"][-1]["snapshot_id"]),
        "file": base(demo.files("sales.orders")[0]["file_path"]),
        "schema": str(demo.table("sales.orders").schema.id),
        "job": job["id"],
    }
    usual = {name: path.format(**places) for name, path in PAGES.items()}
    indexed = base(Facts(CORPORA / WRITER).files("idx.bloom_file")[0]["file_path"])
    rich = RICH | {"file": f"idx/bloom_file/files?open=file:{indexed}"}
    damaged = sorted(place.name for place in (CORPORA / "damaged" / "broken.db").iterdir())
    return {
        "usual": usual | {"sign-in": "/sign-in"},
        "empty": usual,
        "error": usual,
        "unwritten": {name: usual[name].replace("demo/sales/orders", "new/db/t") for name in BY_TABLE},
        "damaged": {name: f"/w/broken/broken/{name}/overview" for name in damaged},
        "tall": {name: f"/w/tall/ref/{path}" for name, path in TALL.items()},
        "many": {name: usual[name] for name in MANY},
        "rich": {name: f"/w/{WRITER}/{path}" for name, path in rich.items()},
    }


def take(
    console: RunningConsole, chromium: Browser, cookies: Any, language: str, themes: list[str],
    shots: list[tuple[str, str, str]],
) -> Iterator[str]:  # fmt: skip
    """The pictures in one language; what was not as it should be."""
    with chromium.new_context(
        storage_state=cookies, viewport=WIDE, locale=LANGUAGES[language], timezone_id="UTC",
        reduced_motion="reduce",
    ) as context:  # fmt: skip
        for state, name, path in shots:
            page = context.new_page()
            if state in ANSWERS:
                wholly = state == "error" and name == DOWN
                page.route("**/api/v1/**", ANSWERS["down" if wholly else state])
            if name == "sign-in":
                context.clear_cookies()
            settled = _open(page, console.url + path, LOADING.get(name, 0))
            if not settled:
                yield f"{state}, {name}: it did not settle ({path})"
            for theme in themes:
                page.emulate_media(color_scheme=cast("Any", theme))
                picture = FOLDER / f"{name}.{state}.{theme}-{language}.png"
                try:
                    page.screenshot(path=picture, timeout=4 * PATIENCE)
                except Error as error:
                    yield f"{picture.name}: no picture ({error.message.splitlines()[0]}) ({path})"
            for window in (WIDE, NARROW):
                page.set_viewport_size(window)
                page.wait_for_timeout(100)  # until what is drawn by its width is drawn anew
                if beyond := page.evaluate(SIDEWAYS):
                    yield f"{state}, {name}, {language}, {window['width']} px wide: {beyond} ({path})"
            page.close()
            if name == "sign-in":
                context.add_cookies(cookies["cookies"])


def _open(page: Page, address: str, loading: int) -> bool:
    page.goto(address)
    try:
        page.wait_for_function(SETTLED, arg=loading, timeout=PATIENCE)
        page.wait_for_timeout(300)  # what fades in
    except Error:
        return False
    return True


def _emptied(route: Route) -> None:
    """The same answer with nothing in its list."""
    if _is_of_the_frame(route):
        return route.continue_()
    answer = route.fetch()
    try:
        body = answer.json()
    except ValueError:
        return route.fulfill(response=answer)
    if isinstance(body, dict) and isinstance(body.get("items"), list):
        body |= {"items": [], "total": 0, "next": None}
    return route.fulfill(response=answer, body=json.dumps(body))


def _repeated(route: Route) -> None:
    """The same answer with 100,000 rows, of which a page is sent."""
    if _is_of_the_frame(route):
        return route.continue_()
    answer = route.fetch(url=route.request.url.replace("cursor=more", ""))
    try:
        body = answer.json()
    except ValueError:
        return route.fulfill(response=answer)
    if isinstance(body, dict) and (items := body.get("items")) and isinstance(items[0], dict):
        rows = [_numbered(items[n % len(items)], n) for n in range(PAGE)]
        body |= {"items": rows, "total": ROWS, "next": "more"}
    return route.fulfill(response=answer, body=json.dumps(body))


def _numbered(row: dict[str, Any], number: int) -> dict[str, Any]:
    """A row like another one, with names of its own."""
    own = {key: f"{row[key]}-{number:05}" for key in ("id", "name", "ref") if isinstance(row.get(key), str)}
    return row | own


def _refused(route: Route) -> None:
    """The warehouse does not answer."""
    if _is_of_the_frame(route):
        return route.continue_()
    problem = {
        "type": "https://lakescope.dev/problems/warehouse-unavailable",
        "title": "The warehouse does not answer",
        "status": 503,
        "code": "warehouse-unavailable",
        "detail": "the store failed: connection refused (s3://lake/demo.db)",
        "instance": route.request.url,
        "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
    }
    return route.fulfill(status=503, content_type="application/problem+json", body=json.dumps(problem))


def _is_of_the_frame(route: Route) -> bool:
    path = route.request.url.partition("/api/")[2]
    return f"/api/{path}".partition("?")[0] in ALWAYS


def _refused_below(route: Route) -> None:
    """The table answers, and nothing that is asked of it: each of its pages shows its own failure."""
    return route.continue_() if A_TABLE.fullmatch(urlsplit(route.request.url).path) else _refused(route)


ANSWERS: dict[str, Callable[[Route], None]] = {
    "empty": _emptied,
    "many": _repeated,
    "error": _refused_below,
    "down": _refused,
}


def index() -> None:
    """A page that shows all pictures, one row a page and state."""
    rows = sorted({path.name.rsplit(".", 2)[0] for path in FOLDER.glob("*.png")}, key=_order)
    cells = "\n".join(f"<h2>{html.escape(row)}</h2><p>{_pictures_of(row)}</p>" for row in rows)
    style = "body{font:14px sans-serif;background:#888}img{width:23%;margin:.5%;vertical-align:top}"
    text = f'<!doctype html><meta charset="utf-8"><title>Lakescope</title><style>{style}</style>{cells}'
    (FOLDER / "index.html").write_text(text, encoding="utf-8")


def _order(row: str) -> tuple[str, ...]:
    return tuple(reversed(row.split(".")))


def _pictures_of(row: str) -> str:
    names = [f"{row}.{look}.png" for look in LOOKS]
    return "".join(
        f'<a href="{name}"><img loading="lazy" src="{name}" alt="{name}"></a>'
        for name in names
        if (FOLDER / name).exists()
    )


if __name__ == "__main__":
    sys.exit(main())
