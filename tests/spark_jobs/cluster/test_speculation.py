"""A task that hangs gets a copy on another machine, which wins: its rows are there once.

Spark starts no copy on the host of the first attempt, so the workers have hosts of their own, and only
once another task of the stage has ended. Neither holds of `local[n]`, where there is no speculation.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core import Table
from core.jobs import Resources
from spark_jobs.resources import settings_of
from tests.spark_jobs.cluster import at_length, jobs
from tests.spark_jobs.cluster import driver as sessions
from tests.spark_jobs.cluster.driver import Driver
from tests.spark_jobs.cluster.events import events
from tests.spark_jobs.cluster.processes import LOOPBACK, Standalone, host_of_its_own, until
from tests.spark_jobs.cluster.striking import GO, HOLD, STRUCK
from tests.spark_jobs.cluster.table import KEYS, NEW, OLD, check_whole

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(host_of_its_own(2) == LOOPBACK, reason="the loopback has one address here"),
]

AT_ONCE = {"interval": "100ms", "multiplier": "1.5", "quantile": "0.1", "minTaskRuntime": "2s"}
SPECULATES = {"spark.speculation": "true"} | {f"spark.speculation.{k}": v for k, v in AT_ONCE.items()}


@pytest.fixture
def speculating(driver: Driver, cluster: Standalone, place: Path) -> Driver:
    """The driver with a session that tells all in the event log `speculation`."""
    log = str(place / "speculation")
    asked = Resources(executors=2, executor_memory="512m", event_log=log, conf=SPECULATES)
    cluster.have_workers(2)
    driver.run(sessions.open_on, cluster.master, place, settings_of(asked))
    until(lambda: driver.run(sessions.executors) == 2, "two executors")
    return driver


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("loser_ends", ["late", pytest.param("killed", marks=at_length)])
@pytest.mark.parametrize(
    ("action", "arguments", "rows"),
    [(jobs.compact, (HOLD,), OLD), pytest.param(jobs.write, (KEYS, HOLD), NEW, marks=at_length)],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_of_two_attempts_at_a_task_one_is_committed(
    speculating: Driver, table: Table, tmp_path: Path, place: Path, action, arguments, rows, loser_ends
) -> None:
    before = len(events(place / "speculation", "TaskEnd"))
    speculating.run(action, tmp_path, *arguments)  # while the first attempt is held
    if loser_ends == "late":
        (tmp_path / GO).touch()
    held = int((tmp_path / STRUCK).read_text())
    until(lambda: not is_running(held), "the end of the first attempt")
    until(lambda: speculating.run(sessions.is_idle), "the end of all other attempts")
    ended = [event["Task Info"] for event in events(place / "speculation", "TaskEnd")[before:]]
    assert any(task["Speculative"] and not task["Failed"] and not task["Killed"] for task in ended)
    check_whole(table, rows)
