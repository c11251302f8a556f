"""Jobs on clusters of several processes: what runs on one machine runs unchanged, and what may go wrong."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from core import Table, open_catalog
from core.io import LocalFileIO
from core.jobs import Failure, Resources, decode_report
from core.maintenance.check import check_table
from core.maintenance.remove_orphans import apply_remove_orphans, plan_remove_orphans
from spark_jobs.resources import settings_of
from tests.spark_jobs.cluster import driver as sessions
from tests.spark_jobs.cluster import jobs
from tests.spark_jobs.cluster.driver import Driver
from tests.spark_jobs.cluster.processes import Standalone, until
from tests.spark_jobs.cluster.striking import GO, STRUCK
from tests.tables import new_table, put, rows_of

pytestmark = pytest.mark.spark

KEYS = 60
OLD = [(k, f"old-{k}") for k in range(KEYS)]
NEW = [(k, f"new-{k}") for k in range(KEYS)]


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Eight buckets of two files each."""
    columns = {"k": "BIGINT NOT NULL", "v": "STRING"}
    made = new_table(columns, ["k"], io=LocalFileIO(), warehouse=str(tmp_path), bucket="8")
    put(made, *((k, "first") for k in range(KEYS)))
    put(made, *OLD)
    return made


@pytest.fixture
def standalone(cluster: Standalone, driver: Driver, place: Path) -> Driver:
    """The driver with a session on the standalone master."""
    asked = Resources(executors=2, executor_memory="512m", event_log=str(place / "events"))
    driver.run(sessions.open_on, cluster.master, place, settings_of(asked))
    return driver


def check_whole(table: Table, rows: list[tuple[int, str]]) -> int:
    """The rows are those, nothing is wrong, and orphans can be removed; how many there were."""
    table = open_catalog(table.location.rsplit("/", 2)[0]).get_data_table("db.t")
    assert sorted(rows_of(table)) == rows
    report = check_table(table)
    assert report.findings == ()
    later = int(time.time() * 1000) + 60_000
    gone = apply_remove_orphans(
        table, plan_remove_orphans(table, now_millis=later + 1, older_than_millis=later)
    )
    assert len(gone.paths) == len(report.orphans)
    assert check_table(table).orphans == ()
    assert sorted(rows_of(table)) == rows
    return len(report.orphans)


def events(folder: Path, kind: str) -> list[dict[str, object]]:
    """What the event logs of a folder tell of one kind."""
    lines = [line for log in sorted(folder.rglob("events_*")) for line in log.read_text().splitlines()]
    told = [json.loads(line) for line in lines if line.endswith("}")]
    return [event for event in told if event["Event"] == f"SparkListener{kind}"]


def test_executors_get_our_packages_with_the_job(standalone: Driver) -> None:
    (found,) = {Path(file).parts[-3] for file in standalone.run(jobs.where_core_is)}
    assert found == "lakescope.zip"


def test_all_jobs_run_on_a_standalone_cluster(standalone: Driver, table: Table, tmp_path: Path) -> None:
    standalone.run(jobs.write, tmp_path, KEYS // 2)
    assert sorted(rows_of(table)) == NEW[: KEYS // 2] + OLD[KEYS // 2 :]
    standalone.run(jobs.save, tmp_path, KEYS)
    assert standalone.run(jobs.count, tmp_path) == (KEYS, KEYS)
    assert standalone.run(jobs.compact, tmp_path)["files_after"] == 8
    assert check_whole(table, NEW) == 0
    assert standalone.run(jobs.roll_back, tmp_path)["snapshots_removed"] == 4
    assert sorted(rows_of(table)) == [(k, "first") for k in range(KEYS)]


def test_a_compaction_spreads_over_the_workers(
    standalone: Driver, table: Table, tmp_path: Path, place: Path
) -> None:
    before = len(events(place / "events", "TaskEnd"))
    standalone.run(jobs.compact, tmp_path)
    until(lambda: len(events(place / "events", "TaskEnd")) >= before + 8, "the event log")
    tasks = events(place / "events", "TaskEnd")[before:]
    spread = Counter(task["Task Info"]["Executor ID"] for task in tasks)
    assert sorted(spread.values())[0] >= 2, spread
    assert len(spread) == 2


def test_what_a_spec_asks_for_is_what_the_session_has(standalone: Driver, place: Path) -> None:
    told = events(place / "events", "EnvironmentUpdate")[0]["Spark Properties"]
    asked = {"spark.executor.memory": "512m", "spark.cores.max": "2", "spark.executor.cores": "1"}
    assert {name: told[name] for name in asked} == asked


@pytest.mark.parametrize(
    ("action", "arguments", "rows", "leaves"),
    [
        (jobs.write, (KEYS, True), NEW, True),
        (jobs.save, (KEYS, True), NEW, False),
        (jobs.compact, (True,), OLD, True),
        (jobs.roll_back, (True,), [(k, "first") for k in range(KEYS)], True),  # those of what it took back
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_worker_lost_in_the_middle_costs_no_row_and_doubles_none(
    cluster: Standalone, standalone: Driver, table: Table, tmp_path: Path, action, arguments, rows, leaves
) -> None:
    put(table, *OLD)
    standalone.start(action, tmp_path, *arguments)
    until((tmp_path / STRUCK).exists, "a task in the middle")
    cluster.kill_worker_of(int((tmp_path / STRUCK).read_text()))
    if action is not jobs.roll_back:  # the last, which needs none
        cluster.start_worker()
    (tmp_path / GO).touch()
    standalone.result()
    assert bool(check_whole(table, rows)) == leaves, "files that nobody names"


def spec_file(folder: Path, kind: str, body: dict[str, object], **more: object) -> str:
    path = folder / "spec.json"
    whole = {
        "job_id": "j-1",
        "catalog": {"warehouse": str(folder)},
        "table": "db.t",
        "kind": kind,
        kind: body,
    }
    path.write_text(json.dumps({**whole, **more}))
    return str(path)


def arguments_of(cluster: Standalone, place: Path, kind: str, spec: str, report: Path) -> list[str]:
    conf = [f"--conf={key}={value}" for key, value in sessions.settings(place).items()]
    return [kind, spec, f"--report={report}", f"--master={cluster.master}", *conf]


def last_word(report: Path) -> Failure:
    line = decode_report(report.read_text().splitlines()[-1])
    assert isinstance(line, Failure)
    return line


def test_a_cancelled_job_ends_at_once_and_commits_nothing(
    cluster: Standalone, driver: Driver, table: Table, tmp_path: Path, place: Path, record_property
) -> None:
    source = {"sql": "SELECT id AS k, 'x' AS v FROM range(100000000000)"}
    spark = {"executors": 2, "executor_memory": "512m", "event_log": str(tmp_path / "events")}
    spec = spec_file(tmp_path, "write", {"source": source}, spark=spark)
    report = tmp_path / "report"
    driver.start(sessions.main, arguments_of(cluster, place, "write", spec, report), {})
    until(lambda: report.exists() and '"phase": "write"' in report.read_text(), "tasks that write")
    asked = time.monotonic()
    driver.terminate()
    assert driver.result() == 1
    record_property("seconds", time.monotonic() - asked)
    assert last_word(report).code == "cancelled"
    assert "cancelled job group" in str(events(tmp_path / "events", "JobEnd"))
    assert table.snapshots.latest_id() == 2


def test_a_library_that_an_executor_lacks_is_named_before_any_task_runs(
    cluster: Standalone, driver: Driver, table: Table, tmp_path: Path, place: Path
) -> None:
    (tmp_path / "pyroaring.py").write_text("raise ImportError('libroaring.so.2: cannot open shared object')")
    crippled = tmp_path / "python"
    crippled.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path}:$PYTHONPATH exec {sys.executable} "$@"\n')
    crippled.chmod(0o755)
    spec, report = spec_file(tmp_path, "compact", {}), tmp_path / "report"
    arguments = arguments_of(cluster, place, "compact", spec, report)
    try:
        assert driver.run(sessions.main, arguments, {"PYSPARK_PYTHON": str(crippled)}) == 1
    finally:
        driver.run(sessions.use_own_python)
    failure = last_word(report)
    assert failure.code == "engine"
    assert "pyroaring (libroaring.so.2" in failure.message
    assert "requirements.lock" in failure.message
    assert '"phase": "compact"' not in report.read_text(), "no task of the job has begun"
    assert table.snapshots.latest_id() == 2
