"""One process of many that change a table at once: it takes turns, and notes what the commits said."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pyarrow as pa

from core import CommitConflictError, NotFoundError, Table, open_catalog
from core.compact import Strategy
from core.errors import AlreadyExistsError
from core.maintenance.expire import apply_expire_snapshots, plan_expire_snapshots
from core.maintenance.tags import apply_create_tag, plan_create_tag
from core.write import CommitMessage

TABLE = "db.t"
SHARED, OWN = "shared", "own"  # partitions: of all that append, of the one that overwrites
ROWS = 50  # of one commit
KEPT = 10  # snapshots
PATIENCE = 300  # seconds until all workers have to be ready


@dataclass(slots=True)
class Done:
    """`rows` that are there for good, ids of the snapshots in `commits`, `tags`, and how often another was
    faster and what was prepared was thrown away: `lost`."""

    rows: list[int] = field(default_factory=list)
    commits: list[int] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    lost: int = 0


@dataclass(slots=True)
class Worker:
    table: Table
    number: int
    done: Done = field(default_factory=Done)
    turn: int = 0

    def append(self) -> None:
        first = self.number * 1_000_000 + self.turn * ROWS
        ids = list(range(first, first + ROWS))
        with self.table.new_write() as writer:
            writer.write(_rows(SHARED, ids))
            self._commit(writer.prepare_commit())
        self.done.rows += ids

    def overwrite(self) -> None:
        ids = list(range(self.turn * ROWS, self.turn * ROWS + ROWS))
        with self.table.new_write(overwrite=True) as writer:
            writer.write(_rows(OWN, ids))
            made = self.table.new_commit(self._user).overwrite(writer.prepare_commit(), {"p": OWN})
        self.done.commits += [snapshot.id for snapshot in made]
        self.done.rows = ids

    def compact(self) -> None:
        plan = self.table.plan_compaction(strategy=Strategy.FULL if self.turn % 2 else Strategy.MINOR)
        messages = [self.table.run_compaction(task) for task in plan.tasks]
        if any(not message.is_empty for message in messages):
            self._commit(messages)

    def tag(self) -> None:
        name = f"{self.number}-{self.turn}"
        if self.table.snapshots.latest_id() is not None:
            apply_create_tag(self.table, plan_create_tag(self.table, name, now_millis=_now()))
            self.done.tags.append(name)
        time.sleep(0.2)

    def expire(self) -> None:
        now = _now()
        plan = plan_expire_snapshots(
            self.table, now_millis=now, retain_max=KEPT, retain_min=1, older_than_millis=now
        )
        apply_expire_snapshots(self.table, plan)

    @property
    def _user(self) -> str:
        return f"worker-{self.number}"

    def _commit(self, messages: list[CommitMessage]) -> None:
        commit = self.table.new_commit(self._user)
        try:
            made = commit.commit(messages, self.turn)
        except CommitConflictError:
            commit.abort(messages)
            raise
        self.done.commits += [snapshot.id for snapshot in made]


def _now() -> int:
    return time.time_ns() // 1_000_000


def _rows(partition: str, ids: list[int]) -> pa.Table:
    return pa.table(
        {"p": [partition] * len(ids), "k": pa.array(ids, pa.int64()), "v": [f"v{i}" for i in ids]}
    )


def work(worker: Worker, role: str, seconds: float) -> Done:
    """Take turns until the time is up; what another's commit made impossible is tried again later."""
    act: Callable[[], None] = getattr(worker, role)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            act()
        except (CommitConflictError, NotFoundError, AlreadyExistsError):
            if role in ("append", "overwrite"):
                raise
            worker.done.lost += 1
        worker.turn += 1
    return worker.done


def run(
    role: str, number: int, seconds: float, start: Barrier, out: Path, catalog: Mapping[str, str]
) -> None:
    """What one process does; it leaves its `Done` as JSON in `out`."""
    table = open_catalog(catalog).get_table(TABLE)
    assert isinstance(table, Table)
    _rows(SHARED, [0])  # what the first Arrow array imports takes its time
    start.wait(PATIENCE)
    out.write_text(json.dumps(asdict(work(Worker(table, number), role, seconds))))
