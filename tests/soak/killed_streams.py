"""A streaming writer and its compaction job, killed again and again at any moment: every row is there once.

`python -m tests.soak.killed_streams [KILLS]`, 50 if no number is given; `make soak` does so. Each process
is a driver of Spark of its own, which SIGKILL ends while it works. Events go on coming meanwhile.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from core import Table, open_catalog
from core.maintenance.check import Severity, check_table
from core.types import BigIntType, DataField, parse_type
from tests.soak.stream_roles import EVENTS, KEYS, SUMS, table_of

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

ROOT = Path(__file__).parents[2]
ROLES = ("write", "compact")
ROWS = 100  # of one commit of events
PAUSE = 0.25  # seconds between two of them
BEHIND = 40  # commits that the streaming writer has still to take: no more events until it has
LONGEST = 8.0  # seconds that a process is left alive when it may be killed
PATIENCE = 1800.0  # seconds until a process has to work
# A JVM that starts twice as fast, and does not live long enough to lose by it.
JVM = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


class Events:
    """The table of events, which grows as long as anybody waits, but not far ahead of who reads it."""

    def __init__(self, folder: Path) -> None:
        self.table, self.rows, self._last = table_of(folder, EVENTS), 0, 0.0
        self._offsets = folder / "checkpoint" / "offsets"

    def wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if time.monotonic() - self._last >= PAUSE and not self._is_far_ahead():
                self._append()
                self._last = time.monotonic()
            time.sleep(0.05)

    def _is_far_ahead(self) -> bool:
        batch = newest(self._offsets)
        if batch is None:
            return self.rows >= BEHIND * ROWS
        offset = json.loads((self._offsets / str(batch)).read_text().splitlines()[-1])
        return self.rows // ROWS - int(offset["next_snapshot"]) >= BEHIND

    def _append(self) -> None:
        keys = pa.array(range(self.rows, self.rows + ROWS), pa.int64())
        with self.table.new_write() as write:
            write.write(pa.table({"k": keys, "v": pc.multiply(keys, 7)}))
            self.table.new_commit("application").commit(write.prepare_commit(), self.rows)
        self.rows += ROWS


class Process:
    """One of the two drivers; a new one takes the place of one that was killed."""

    def __init__(self, folder: Path, role: str, chance: random.Random) -> None:
        self.folder, self.role, self._chance = folder, role, chance
        self.ready = folder / f"{role}.ready"
        self.start()

    def start(self) -> None:
        self.ready.unlink(missing_ok=True)
        self.process = start(self.folder, self.role, f", {self._chance.random() < 0.5}")

    @property
    def works(self) -> bool:
        if self.process.poll() is not None:
            log = (self.folder / f"{self.role}.log").read_text()
            sys.exit(f"{self.role} has ended by itself:\n{log}")
        return self.ready.exists()

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def start(folder: Path, role: str, more: str = "") -> subprocess.Popen[bytes]:
    code = (
        f"import pathlib, tests.soak.stream_roles as roles; roles.{role}(pathlib.Path({str(folder)!r}){more})"
    )
    with open(folder / f"{role}.log", "ab") as log:
        command = [sys.executable, "-c", code]
        return subprocess.Popen(
            command, cwd=ROOT, env=os.environ | JVM, stdout=log, stderr=log, start_new_session=True
        )


def newest(log: Path) -> int | None:
    """The batch that a log of the checkpoint ends with."""
    return max((int(file.name) for file in log.glob("[0-9]*")), default=None)


def moment(folder: Path) -> str:
    """Where in a batch the streaming writer was killed."""
    point = folder / "checkpoint"
    batch, logged = newest(point / "offsets"), newest(point / "commits")
    if batch is None or batch == logged:
        return "between two batches"
    query = json.loads((point / "metadata").read_text())["id"]
    is_there = not table_of(folder, SUMS).new_commit(query).filter_committed([batch])
    return "after its commit, before Spark's log" if is_there else "in a batch, before its commit"


def new_tables(folder: Path) -> None:
    catalog = open_catalog(str(folder / "wh"))
    catalog.create_database("db")
    types = ("BIGINT NOT NULL", "BIGINT", "BIGINT")
    sums = [DataField(i, name, parse_type(types[i])) for i, name in enumerate(("k", "n", "total"))]
    event = [DataField(0, "k", BigIntType()), DataField(1, "v", BigIntType())]
    catalog.create_table(EVENTS, event, options={"bucket": "-1"})
    options = {
        "bucket": "2",
        "merge-engine": "aggregation",
        "fields.default-aggregate-function": "sum",
        "changelog-producer": "lookup",
        "write-only": "true",
    }
    catalog.create_table(SUMS, sums, primary_keys=["k"], options=options)


def kill_again_and_again(folder: Path, events: Events, kills: int, chance: random.Random) -> Counter[str]:
    """Kill one of those that may be killed, again and again; how often each was killed, and where."""
    killed: Counter[str] = Counter()
    running = [Process(folder, role, chance) for role in ROLES]
    try:
        for kill in range(kills):
            victim = next_victim(running, events, chance)
            events.wait(chance.uniform(0, LONGEST))
            victim.kill()
            killed[victim.role if victim.role == "compact" else moment(folder)] += 1
            print(f"{kill + 1} killed, {events.rows} events", flush=True)
            victim.start()
    finally:
        for process in running:
            process.kill()
    return killed


def next_victim(running: Sequence[Process], events: Events, chance: random.Random) -> Process:
    end = time.monotonic() + PATIENCE
    while not (working := [process for process in running if process.works]):
        assert time.monotonic() < end, "nothing works"
        events.wait(0.1)
    return chance.choice(working)


def expected(rows: int) -> pa.Table:
    keys = pa.array(range(rows), pa.int64())
    of_key = pa.array([i % KEYS for i in range(rows)], pa.int64())
    sums = pa.table({"k": of_key, "v": pc.multiply(keys, 7)}).group_by("k")
    found = sums.aggregate([("v", "count"), ("v", "sum")]).rename_columns(["k", "n", "total"])
    return found.sort_by("k").combine_chunks()


def told(table: Table) -> pa.Table:
    """The rows as the changelog makes them, from the first snapshot on."""
    last: dict[int, dict[str, Any]] = {}
    for batch in table.stream(from_=1).read_available():
        for row in batch.to_pylist():
            if row.pop("rowkind") in ("+I", "+U"):
                last[row["k"]] = row
            else:
                del last[row["k"]]
    schema = pa.schema([(name, pa.int64()) for name in ("k", "n", "total")])
    return pa.Table.from_pylist(list(last.values()), schema).sort_by("k").combine_chunks()


def faults(table: Table, rows: int) -> list[str]:
    """What is wrong with the table of sums after so many events."""
    wanted = expected(rows)
    found = table.to_arrow().cast(wanted.schema).sort_by("k").combine_chunks()
    wrong = [] if found.equals(wanted) else [f"rows: {found.to_pylist()} instead of {wanted.to_pylist()}"]
    wrong += [] if told(table).equals(wanted) else ["the changelog tells other rows"]
    return wrong + [str(f) for f in check_table(table).findings if f.severity is Severity.ERROR]


def main(kills: int) -> None:
    """Play, and hold the table against the events."""
    seed = random.randrange(2**32)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="killed-streams-") as name:
        folder = Path(name)
        new_tables(folder)
        events = Events(folder)
        events.wait(PAUSE)
        killed = kill_again_and_again(folder, events, kills, random.Random(seed))
        if start(folder, "finish").wait():
            sys.exit((folder / "finish.log").read_text())
        table = table_of(folder, SUMS)
        wrong = faults(table, events.rows)
        history = list(table.snapshots.iter_all())
        kinds = Counter(s.commit_kind.value for s in history)
        print(f"seed {seed}, {time.monotonic() - began:.0f} s, killed {dict(killed)}, {events.rows} events")
        print(f"snapshots {dict(kinds)}; " + ("every event counted once" if not wrong else "WRONG"))
        if wrong:
            made = [f"{s.id} {s.commit_kind.value} {s.commit_user} {s.commit_identifier}" for s in history]
            sys.exit("\n".join([*made, *wrong]))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
