"""Web server, worker and broker are killed in each state of a job: it ends in the state that the table shows.

`make soak` kills each of them in each state, `./test` one in one; `tests/console/test_up.py` has the rest of
what a killed service must not do, `tests/console/jobs` the deaths of the job's own process.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from core import open_catalog
from core.io import LocalFileIO
from tests.console.test_up import Console, T, wait
from tests.crashes import THOROUGH
from tests.tables import new_table, put

# how the engine hangs -> the state of the job then, how it ends if its worker dies, and if it is cancelled
STATES = {
    "silent": ("starting", "failed", "cancelled"),
    "hang": ("running", "failed", "cancelled"),
    "hang-committed": ("running", "failed_committed", "cancelled_committed"),
    "stubborn": ("cancelling", "cancelled", "cancelled"),
}
SERVICES = {"worker": "celery", "web": "gunicorn", "broker": "valkey"}
EVERY = [(service, how) for service in SERVICES for how in STATES]
CHOSEN = EVERY if THOROUGH else [("web", "hang-committed")]

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


def start(console: Console, how: str) -> tuple[str, int]:
    """A compaction in the state in which it hangs, and the latest snapshot before it."""
    table = open_catalog(str(console.lake)).get_table("db.t")
    for value in range(2):
        put(table, ("2026-11-20", 1, value))
    before = table.snapshots.latest_id() or 0
    (console.lake.parent / "engine").write_text(how)
    job = console.start_compaction()
    if how == "hang-committed":
        wait(lambda: (table.snapshots.latest_id() or 0) > before)
    started = ("starting",) if how == "silent" else ("running",)
    wait(lambda: console.get(f"/api/v1/jobs/{job}")["state"] in started)
    return job, before


def kill(console: Console, word: str) -> None:
    """End a service as the kernel does, with all its processes, and wait for the next one."""
    (leader,) = console.children(word)
    if os.getpgid(leader) == leader:
        os.killpg(leader, signal.SIGKILL)
    else:
        os.kill(leader, signal.SIGKILL)
    wait(lambda: console.children(word) not in ([], [leader]))
    wait(lambda: console.answers("/readyz"))


@pytest.mark.parametrize(("service", "how"), CHOSEN)
def test_a_job_outlives_the_death_of_a_service_or_ends_as_its_table_shows(
    console: Console, service: str, how: str
) -> None:
    state, lost, cancelled = STATES[how]
    job, before = start(console, how)
    if state == "cancelling":
        console.post(f"/api/v1/jobs/{job}/cancel", {})
    wait(lambda: console.get(f"/api/v1/jobs/{job}")["state"] == state)
    kill(console, SERVICES[service])
    if service != "worker" and state != "cancelling":  # nobody noticed
        assert console.get(f"/api/v1/jobs/{job}")["state"] == state
        console.post(f"/api/v1/jobs/{job}/cancel", {})
    view = wait(lambda: (found := console.get(f"/api/v1/jobs/{job}"))["ended_at"] and found)
    latest = open_catalog(str(console.lake)).get_table("db.t").snapshots.latest()
    assert latest is not None
    assert view["state"] == (lost if service == "worker" else cancelled)
    assert view["result"]["snapshots"] == ([latest.reference] if latest.id > before else [])
    assert view["state"].endswith("_committed") is (latest.id > before)
    assert console.get(T)["active_job"] is None
