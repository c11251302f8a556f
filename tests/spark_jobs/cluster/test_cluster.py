"""Jobs on a standalone cluster: what runs on one machine runs unchanged, and what may go wrong.

All tests share one session, which takes most of the time. Others, at length, stand beside this file.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from core import Table
from tests.spark_jobs.cluster import driver as sessions
from tests.spark_jobs.cluster import jobs
from tests.spark_jobs.cluster.driver import Driver
from tests.spark_jobs.cluster.events import events
from tests.spark_jobs.cluster.processes import Standalone, until
from tests.spark_jobs.cluster.striking import FAIL, GO, HOLD, STRUCK
from tests.spark_jobs.cluster.table import FIRST, KEYS, NEW, OLD, check_whole
from tests.tables import put

pytestmark = pytest.mark.spark


def test_executors_get_our_packages_with_the_job(standalone: Driver) -> None:
    (found,) = {Path(file).parts[-3] for file in standalone.run(jobs.where_core_is)}
    assert found == "lakescope.zip"


def test_a_compaction_spreads_over_the_workers(
    standalone: Driver, table: Table, tmp_path: Path, place: Path
) -> None:
    until(lambda: standalone.run(sessions.executors) == 2, "two executors")
    before = len(events(place / "events", "TaskEnd"))
    assert standalone.run(jobs.compact, tmp_path)["files_after"] == 8
    until(lambda: len(events(place / "events", "TaskEnd")) >= before + 8, "the event log")
    spread = Counter(
        task["Task Info"]["Executor ID"] for task in events(place / "events", "TaskEnd")[before:]
    )
    assert len(spread) == 2, spread
    assert sum(spread.values()) == 8
    assert check_whole(table, OLD) == 0


def test_what_a_spec_asks_for_is_what_the_session_has(standalone: Driver, place: Path) -> None:
    told = events(place / "events", "EnvironmentUpdate")[0]["Spark Properties"]
    asked = {"spark.executor.memory": "512m", "spark.cores.max": "2", "spark.executor.cores": "1"}
    assert {name: told[name] for name in asked} == asked


@pytest.mark.parametrize(
    ("action", "arguments", "rows"),
    [(jobs.write, (KEYS, HOLD), NEW), (jobs.compact, (HOLD,), OLD), (jobs.roll_back, (HOLD,), FIRST)],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_worker_lost_in_the_middle_costs_no_row_and_doubles_none(
    cluster: Standalone, standalone: Driver, table: Table, tmp_path: Path, action, arguments, rows
) -> None:
    put(table, *OLD)
    standalone.start(action, tmp_path, *arguments)
    until((tmp_path / STRUCK).exists, "a task in the middle")
    cluster.kill_worker_of(int((tmp_path / STRUCK).read_text()))
    if action is not jobs.roll_back:  # the last, and its work is the driver's alone
        cluster.start_worker()
    (tmp_path / GO).touch()
    standalone.result()
    assert check_whole(table, rows) > 0, "files of the lost task, or of what was taken back"


@pytest.mark.parametrize(
    ("action", "arguments", "rows"), [(jobs.write, (KEYS,), NEW), (jobs.compact, (), OLD)]
)
def test_a_task_that_failed_is_tried_again(
    standalone: Driver, table: Table, tmp_path: Path, action, arguments, rows
) -> None:
    standalone.run(action, tmp_path, *arguments, FAIL)
    assert (tmp_path / STRUCK).exists()
    check_whole(table, rows)


def test_a_cancelled_job_leaves_no_task_running_and_commits_nothing(
    standalone: Driver, table: Table, tmp_path: Path, record_property
) -> None:
    standalone.start(jobs.write_until_cancelled, tmp_path)
    until((tmp_path / STRUCK).exists, "a task in the middle")
    asked = time.monotonic()
    standalone.terminate()
    seconds = standalone.result() - asked
    record_property("seconds until no task ran", round(seconds, 2))
    assert seconds < 60, "2 where the machine has nothing else to do: make integration"
    assert table.snapshots.latest_id() == 2


def test_a_library_that_an_executor_lacks_is_named(standalone: Driver, crippled: Path) -> None:
    told = standalone.run(jobs.preflight_with, str(crippled))
    assert f"{sys.executable} on " in told
    assert "lacks pyroaring (libroaring.so.2: cannot open shared object)" in told
    assert "requirements.lock" in told
