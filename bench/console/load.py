"""Fifty people at the console: each opens a page, thinks for two seconds, and opens the next.

A page is the requests that the browser makes for it, one after the other; its time is theirs in sum.
"""

from __future__ import annotations

import random
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field

from bench.console.asking import Person, T, p95
from bench.console.servers import Console

PEOPLE = 50
THOUGHT = 2.0  # seconds
SECONDS = 60.0

# Page -> budget in milliseconds (of one answer, warm) and its requests.
PAGES: dict[str, tuple[float, tuple[str, ...]]] = {
    "home": (150, ("/me", "/jobs?limit=30", "/tables?sort=-last_commit_at&limit=50")),
    "search": (100, ("/tables?q=team_0{n}&limit=50",)),
    "tables of a database": (150, ("/warehouses/lake/databases/d0{n}/tables?limit=200",)),
    "overview of *big*": (150, (f"{T}/big", f"{T}/big/snapshots?limit=12")),
    "timeline of *big*": (120, (f"{T}/big", f"{T}/big/snapshots?limit=100")),
    "changes": (250, (f"{T}/big/snapshots/49{{n}}0", f"{T}/big/snapshots/49{{n}}0/changes?limit=200")),
    "files of *big*": (200, (f"{T}/big/files?limit=200&sort=-bytes",)),
    "levels": (200, (f"{T}/levels/buckets/p%3D0/0/lsm",)),
    "schema diff": (100, (f"{T}/wide/schemas/diff?from=0&to=1",)),
    "options": (150, (f"{T}/big/options?limit=1000",)),
}


@dataclass
class Outcome:
    """What the people saw: seconds by page, and what went wrong."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)

    def lines(self) -> list[tuple[str, int, float, float, float]]:
        """Page, how often it was opened, budget, median and p95 in milliseconds."""
        return [
            (page, len(times), PAGES[page][0], sorted(times)[len(times) // 2] * 1000, p95(times) * 1000)
            for page, times in sorted(self.seconds.items())
        ]


def run(console: Console, seconds: float = SECONDS) -> Outcome:
    """Let all of them in over one thought's time, and out after so many seconds."""
    outcome = Outcome()
    until = time.monotonic() + seconds
    people = [
        threading.Thread(target=_visit, args=(Person(console.port, token), random.Random(i), until, outcome))
        for i, token in enumerate(console.tokens[:PEOPLE])
    ]
    for person in people:
        person.start()
        time.sleep(THOUGHT / len(people))
    for person in people:
        person.join()
    return outcome


def _visit(person: Person, chance: random.Random, until: float, outcome: Outcome) -> None:
    while time.monotonic() < until:
        page = chance.choice(list(PAGES))
        try:
            outcome.seconds[page].append(_open(person, page, chance.randrange(10), outcome))
        except OSError as error:
            outcome.errors.append(f"{page}: {error}")
        time.sleep(THOUGHT)


def _open(person: Person, page: str, number: int, outcome: Outcome) -> float:
    total = 0.0
    for path in PAGES[page][1]:
        answer = person.get(path.replace("{n}", str(number)))
        total += answer.seconds
        if answer.status != 200:
            outcome.errors.append(f"{page}: {answer.status} {answer.body[:200]!r}")
    return total
