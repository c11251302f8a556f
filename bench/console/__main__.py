"""The console's budgets and fifty people at it, on SQLite and on PostgreSQL: `make crowd`.

    python -m bench.console [--only sqlite] [--seconds 60] [--no-browser] [--write docs/performance.md]

Makes the reference set once, in build/bench/console. Every answer of the object store takes 20 ms. The tables
are printed, and kept in build/bench/crowd.md as soon as a database is done; `--write` puts them in place of
those of the page. No test asserts a time.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from playwright.sync_api import Error as BrowserError

from bench.console import browser, budgets, load, reference
from bench.console.measured import Measured
from bench.console.servers import ROOT, Console, console, object_store, postgres

BEGIN, END = "<!-- console: begin -->", "<!-- console: end -->"
WAREHOUSE = ROOT / "build/bench/console/warehouse"
KEPT = ROOT / "build/bench/crowd.md"


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.console")
    parser.add_argument("--only", choices=("sqlite", "postgresql"))
    parser.add_argument("--seconds", type=float, default=load.SECONDS, help="of the crowd; 0: without it")
    parser.add_argument("--rounds", type=int, default=30, help="of each warm answer")
    parser.add_argument("--no-browser", action="store_true", help="leave out what Chromium needs to draw")
    parser.add_argument("--write", type=Path, help="the page to put the tables into")
    given = parser.parse_args()
    made = WAREHOUSE.with_name("made")
    if not made.exists():
        reference.make(WAREHOUSE)
        made.touch()
    if not (WAREHOUSE / "ref.db/tower").exists():
        reference.make_tower(WAREHOUSE)
    kinds = [given.only] if given.only else ["sqlite", "postgresql"]
    parts: list[str] = []
    for kind in kinds:
        draws = kind == kinds[0] and not given.no_browser  # which has nothing to do with the database
        parts.append(_part(kind, given.rounds, given.seconds, draws=draws))
        KEPT.write_text("\n".join(parts))
    text = "\n".join(parts)
    print(text)
    if given.write:
        page = given.write.read_text()
        head, tail = page.partition(BEGIN)[0], page.partition(END)[2]
        given.write.write_text(f"{head}{BEGIN}\n{text}\n{END}{tail}")


def _part(kind: str, rounds: int, seconds: float, *, draws: bool) -> str:
    """The tables of one database, as Markdown."""
    with contextlib.ExitStack() as running:
        endpoint = running.enter_context(object_store(WAREHOUSE))
        database = running.enter_context(postgres()) if kind == "postgresql" else None
        it = running.enter_context(console(endpoint, database, people=load.PEOPLE))
        lines = [
            f"### On {'PostgreSQL' if database else 'SQLite'}\n",
            _circumstances(),
            "",
            *_table(chain(budgets.measure(it, WAREHOUSE, rounds), budgets.bundles())),
        ]
        if seconds:
            lines += ["", *_crowd("alone", load.run(it, seconds), it.memory_mib())]
            with spark():
                lines += [
                    "",
                    *_crowd("beside a Spark job in `local[1]`", load.run(it, seconds), it.memory_mib()),
                ]
        if draws:
            lines += ["", *_browser(it)]
        return "\n".join(lines) + "\n"


def _circumstances() -> str:
    """When, on how many cores, and how busy they were with other things."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"{now}; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the first request."


def _browser(it: Console) -> Iterator[str]:
    """What could be measured: the other tables are not lost for a page that does not come."""
    yield "In a browser (Chromium without a screen, on the same cores):\n"
    try:
        yield from _table(browser.measure(it))
    except (BrowserError, FileNotFoundError, AssertionError) as error:
        yield f"\nThe rest was not measured: {str(error).splitlines()[0]}"


def _table(found: Iterable[Measured]) -> Iterator[str]:
    yield "| what | budget | measured | how | met |"
    yield "| --- | --- | --- | --- | --- |"
    for m in found:
        met = "yes" if m.met else "**no**"
        print(f"{m.name}: {m.found:,.0f} {m.unit}", file=sys.stderr, flush=True)
        yield f"| {m.name} | {m.most:g} {m.unit} | {m.found:,.0f} {m.unit} | {m.how} | {met} |"


def _crowd(beside: str, outcome: load.Outcome, memory: float) -> Iterator[str]:
    pages = sum(len(times) for times in outcome.seconds.values())
    yield f"{load.PEOPLE} people, {beside}: {pages} pages, {len(outcome.errors)} errors."
    busy = f"Load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores at the end"
    yield f"{busy}; the larger web process had {memory:,.0f} MiB.\n"
    yield "| page | opened | budget of an answer | median | p95 |"
    yield "| --- | --- | --- | --- | --- |"
    for page, opened, most, median, worst in outcome.lines():
        yield f"| {page} | {opened} | {most:g} ms | {median:,.0f} ms | {worst:,.0f} ms |"
    for error in outcome.errors[:5]:
        print(error, file=sys.stderr)


@contextmanager
def spark() -> Iterator[None]:
    """One Spark job in `local[1]` that computes all the while."""
    code = (
        "from pyspark.sql import SparkSession\n"
        "s = SparkSession.builder.master('local[1]').config('spark.ui.enabled', 'false').getOrCreate()\n"
        "print('ready', flush=True)\n"
        "while True: s.range(5_000_000).selectExpr('sum(hash(id))').collect()\n"
    )
    log = subprocess.DEVNULL
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "ready"
        yield
    finally:
        process.terminate()
        process.wait(60)


if __name__ == "__main__":
    began = time.monotonic()
    main()
    print(f"{time.monotonic() - began:.0f} s in all", file=sys.stderr)
