"""The budgets of the console's design, each asked for as a page asks, and how long the answers took."""

from __future__ import annotations

import gzip
import json
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.console.asking import Person, T, p95
from bench.console.measured import Measured
from bench.console.reference import WAITING
from bench.console.servers import ROOT, Console

WARMING = 5  # rounds for each that goes before and is not counted: each of two web processes has a cache
CONNECTIONS = 4  # after a restart: they come to both processes, or nearly so
LONG = 1000  # milliseconds: what may take longer is asked for a third as often
BIG = f"{T}/big"
INDEX = "index of the files of *big*, cold"


@dataclass(frozen=True, slots=True)
class Budget:
    """What something may take, in the unit of its name, and how it is asked for."""

    name: str
    most: float
    ask: Callable[[Person], None]
    cold: bool = False  # the first request of a console that has just started


def _get(*paths: str) -> Callable[[Person], None]:
    def ask(person: Person) -> None:
        for path in paths:
            answer = person.get(path)
            assert answer.status == 200, (path, answer.status, answer.body[:500])

    return ask


def _rollback_plan(person: Person) -> None:
    answer = person.post(f"{BIG}/plans", {"kind": "rollback", "params": {"to": {"snapshot": "4950"}}})
    assert answer.status in (201, 202), answer.body[:500]
    operation = answer.json["id"] if answer.status == 202 else None  # it takes longer than a request waits
    while operation and (state := person.get(f"/operations/{operation}").json)["state"] == "running":
        time.sleep(0.05)
    assert operation is None or state["state"] == "succeeded", state


FILE_PAGES = (
    f"{BIG}/files?limit=200",
    f"{BIG}/files?limit=200&sort=-bytes",
    f"{BIG}/files?limit=200&bucket=3&sort=bytes",
    f"{BIG}/files?limit=200&partition=p%3D1999",
    f"{BIG}/files?limit=200&level=0&sort=-max_sequence_number",
)
BUDGETS = (
    Budget("table header and overview, cold", 1500, _get(f"{T}/heat", f"{T}/heat/snapshots?limit=12"), True),
    Budget("100 snapshots of *big*, cold", 1000, _get(f"{BIG}/snapshots?limit=100"), True),
    Budget(INDEX, 8000, _get(f"{BIG}/files?limit=200"), True),
    Budget("table header and overview of *big*", 150, _get(BIG)),
    Budget("search over 10,000 tables", 100, _get("/tables?q=team_0512&limit=50")),
    Budget("100 snapshots of *big*", 120, _get(f"{BIG}/snapshots?limit=100")),
    *(
        Budget(f"200 files of *big*: `{path.partition('&')[2] or 'as they come'}`", 200, _get(path))
        for path in FILE_PAGES
    ),
    Budget("changes of a snapshot, first page", 250, _get(f"{BIG}/snapshots/4990/changes?limit=200")),
    Budget("levels of a bucket of 2,000 files", 200, _get(f"{T}/levels/buckets/p%3D0/0/lsm")),
    Budget("levels of *deep*, 5,000 files", 500, _get(f"{T}/deep/buckets/p%3D0/0/lsm")),
    Budget("heatmap 200 x 16", 200, _get(f"{T}/heat/heatmap")),
    Budget("schema diff, 1,000 fields", 100, _get(f"{T}/wide/schemas/diff?from=0&to=1")),
    Budget("rollback plan of *big* over 50 commits", 3000, _rollback_plan),
)


def measure(console: Console, warehouse: Path, rounds: int) -> Iterator[Measured]:
    """Every budget in turn, what is warm in so many rounds; a fresh console, as cold answers come first."""
    person = Person(console.port, console.tokens[0])
    before = console.memory_mib()
    for budget in BUDGETS:
        count = 1 if budget.cold else rounds // 3 if budget.most > LONG else rounds
        for _ in range(0 if budget.cold else count // WARMING):
            budget.ask(person)
        seconds = [_timed(budget.ask, person) for _ in range(count)]
        how = "first answer" if budget.cold else f"p95 of {count}"
        yield Measured(budget.name, budget.most, "ms", p95(seconds) * 1000, how)
        if budget.name == INDEX:
            more = console.memory_mib() - before
            yield Measured(
                "memory of that index, and of how it was made", 150, "MiB", more, "more than before"
            )
    yield _commits(person, warehouse)
    yield _size_of_levels(person)
    yield from _restarted(console)


def _restarted(console: Console) -> Iterator[Measured]:
    """What people see first of processes that have just started, and find on the disk what others kept."""
    for budget in (b for b in BUDGETS if b.cold):
        console.restart_web()
        people = [Person(console.port, token) for token in console.tokens[:CONNECTIONS]]
        seconds = [_timed(budget.ask, person) for person in people]
        name = budget.name.replace(", cold", ", after a restart")
        how = f"slowest of the first answers on {CONNECTIONS} connections"
        yield Measured(name, budget.most, "ms", max(seconds) * 1000, how)


def _timed(ask: Callable[[Person], None], person: Person) -> float:
    began = time.perf_counter()
    ask(person)
    return time.perf_counter() - began


def _commits(person: Person, warehouse: Path) -> Measured:
    """A commit comes in, and the files are asked for again; the first answer after each of some commits."""
    folder = warehouse / "ref.db/big/snapshot"
    seconds = []
    new = sorted((warehouse / WAITING).glob("snapshot-*"))
    hint = folder / "LATEST"
    latest = hint.read_text()
    try:
        for file in new:
            shutil.copy(file, folder / file.name)
            hint.write_text(file.name.removeprefix("snapshot-"))
            seconds.append(_timed(_get(f"{BIG}/files?limit=200"), person))
    finally:
        for file in new:
            (folder / file.name).unlink(missing_ok=True)
        hint.write_text(latest)
    return Measured(
        "index of the files of *big* after a commit", 300, "ms", p95(seconds) * 1000, f"p95 of {len(new)}"
    )


def _size_of_levels(person: Person) -> Measured:
    answer = person.get(f"{T}/levels/buckets/p%3D0/0/lsm")
    return Measured("levels of 2,000 files, compressed", 400, "kB", answer.size / 1000, "bytes on the wire")


def bundles() -> Iterator[Measured]:
    """Scripts that the browser loads, compressed; `frontend/dist` has to be built."""
    folder = ROOT / "frontend" / "dist"
    manifest = json.loads((folder / ".vite" / "manifest.json").read_text())
    sizes = {
        key: len(gzip.compress((folder / part["file"]).read_bytes())) / 1000 for key, part in manifest.items()
    }
    entry = next(key for key, part in manifest.items() if part.get("isEntry"))
    initial = _needed(manifest, entry)
    yield Measured(
        "initial script, compressed", 220, "kB", sum(sizes[key] for key in initial), "gzip of the files"
    )
    pages = {key: size for key, size in sizes.items() if key not in initial and key.startswith("src/pages/")}
    largest = max(pages, key=lambda key: pages[key])
    yield Measured("largest page chunk, compressed", 60, "kB", pages[largest], f"`{largest}`")


def _needed(manifest: dict[str, Any], key: str) -> set[str]:
    """A script and all that it imports at once."""
    found, waiting = set(), [key]
    while waiting:
        here = waiting.pop()
        if here not in found:
            found.add(here)
            waiting += manifest[here].get("imports", [])
    return {part for part in found if str(manifest[part]["file"]).endswith(".js")}
