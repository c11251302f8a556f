"""Web server, worker and broker are killed in each state of a job: it ends in the state that the table shows.

`make soak` kills each of them in each state, `./test` one in one; `tests/console/test_up.py` has the rest of
what a killed service must not do, `tests/console/jobs` the deaths of the job's own process.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from core import open_catalog
from core.io import LocalFileIO
from tests.console.test_up import Console, T, engines, wait
from tests.crashes import THOROUGH
from tests.tables import new_table, put

# a moment of a job: its state then, how its engine hangs, how it ends if its worker dies, and if another does
MOMENTS = {
    "not begun": ("queued", "well", "succeeded", "succeeded"),
    "started": ("starting", "silent", "failed", "cancelled"),
    "at work": ("running", "hang", "failed", "cancelled"),
    "committed": ("running", "hang-committed", "failed_committed", "cancelled_committed"),
    "asked to stop": ("cancelling", "stubborn", "cancelled", "cancelled"),
    "awaiting its verdict": ("verifying", "hang", "failed", "failed"),
}
SERVICES = {"worker": "celery", "web": "gunicorn", "broker": "valkey"}
EVERY = [(service, moment) for service in SERVICES for moment in MOMENTS]
CHOSEN = EVERY if THOROUGH else [("web", "committed")]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    folder = tmp_path_factory.mktemp("killed")
    columns = {"dt": "STRING NOT NULL", "id": "INT NOT NULL", "v": "INT"}
    new_table(columns, ["dt", "id"], partition=["dt"], io=LocalFileIO(), warehouse=str(folder / "lake"))
    running = Console(folder / "data", folder / "lake")
    running.set_up()
    yield running
    running.stop()


@contextmanager
def held(console: Console, moment: str) -> Iterator[tuple[str, int]]:
    """Meanwhile a compaction stands at this moment: its id, and the latest snapshot before it."""
    state, how, *_ = MOMENTS[moment]
    table = open_catalog(str(console.lake)).get_table("db.t")
    for value in range(2):
        put(table, ("2026-11-20", 1, value))
    before = table.snapshots.latest_id() or 0
    (console.lake.parent / "engine").write_text(how)
    workers = console.children("celery") if state == "queued" else []
    away = console.lake.with_name("away")
    try:
        for worker in workers:
            os.killpg(worker, signal.SIGSTOP)
        job = console.start_compaction()
        if how == "hang-committed":
            wait(lambda: (table.snapshots.latest_id() or 0) > before)
        if state in ("cancelling", "verifying"):
            wait(lambda: console.get(f"/api/v1/jobs/{job}")["state"] == "running")
        if state == "cancelling":
            console.post(f"/api/v1/jobs/{job}/cancel", {})
        elif state == "verifying":
            hide(console, away)
        wait(lambda: console.get(f"/api/v1/jobs/{job}")["state"] == state)
        yield job, before
    finally:
        for worker in workers:
            with suppress(ProcessLookupError):
                os.killpg(worker, signal.SIGCONT)
        if away.exists():
            away.rename(console.lake)


def hide(console: Console, away: Path) -> None:
    """The job's process dies when its table cannot be looked at: there is no verdict yet."""
    console.lake.rename(away)
    for engine in engines(console.folder):
        os.killpg(os.getpgid(engine), signal.SIGKILL)


def kill(console: Console, word: str) -> None:
    """End a service as the kernel does, with all its processes, and wait for the next one."""
    (leader,) = console.children(word)
    if os.getpgid(leader) == leader:
        os.killpg(leader, signal.SIGKILL)
    else:
        os.kill(leader, signal.SIGKILL)
    wait(lambda: console.children(word) not in ([], [leader]))
    wait(lambda: console.answers("/readyz"))


@pytest.mark.parametrize(("service", "moment"), CHOSEN)
def test_a_job_outlives_the_death_of_a_service_or_ends_as_its_table_shows(
    console: Console, service: str, moment: str
) -> None:
    state, _, lost, otherwise = MOMENTS[moment]
    with held(console, moment) as (job, before):
        kill(console, SERVICES[service])
        if service != "worker" and state in ("starting", "running"):  # nobody noticed
            assert console.get(f"/api/v1/jobs/{job}")["state"] == state
            console.post(f"/api/v1/jobs/{job}/cancel", {})
    view = wait(lambda: (found := console.get(f"/api/v1/jobs/{job}"))["ended_at"] and found)
    latest = open_catalog(str(console.lake)).get_table("db.t").snapshots.latest()
    assert latest is not None
    assert view["state"] == (lost if service == "worker" else otherwise)
    assert view["result"]["snapshots"] == ([latest.reference] if latest.id > before else [])
    assert (view["state"] in ("succeeded", "failed_committed", "cancelled_committed")) is (latest.id > before)
    assert console.get(T)["active_job"] is None
