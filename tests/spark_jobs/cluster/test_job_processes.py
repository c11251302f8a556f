"""`python -m spark_jobs` on a standalone cluster: cancelled, refused, and told of by the history server."""

from __future__ import annotations

import json
import time
from pathlib import Path
from urllib.request import urlopen

import pytest

from core import Table
from core.jobs import Engine, Failure, decode_report
from tests.spark_jobs.cluster import at_length
from tests.spark_jobs.cluster import driver as sessions
from tests.spark_jobs.cluster.driver import Driver
from tests.spark_jobs.cluster.events import events
from tests.spark_jobs.cluster.processes import Standalone, answers, until
from tests.spark_jobs.cluster.table import NEW, check_whole

pytestmark = [pytest.mark.spark, at_length]


def spec_file(folder: Path, kind: str, body: dict[str, object], **more: object) -> str:
    path = folder / "spec.json"
    catalog = {"warehouse": str(folder)}
    whole = {"job_id": "j-1", "catalog": catalog, "table": "db.t", "kind": kind, kind: body, **more}
    path.write_text(json.dumps(whole))
    return str(path)


def arguments_of(cluster: Standalone, place: Path, kind: str, spec: str, report: Path) -> list[str]:
    conf = [f"--conf={key}={value}" for key, value in sessions.settings(place).items()]
    return [kind, spec, f"--report={report}", f"--master={cluster.master}", *conf]


def last_word(report: Path) -> Failure:
    line = decode_report(report.read_text().splitlines()[-1])
    assert isinstance(line, Failure)
    return line


def test_the_history_server_tells_of_a_job(
    cluster: Standalone, driver: Driver, table: Table, tmp_path: Path, place: Path
) -> None:
    kept, report = tmp_path / "events", tmp_path / "report"
    source = {"sql": "SELECT id AS k, concat('new-', id) AS v FROM range(60)"}
    spark = {"executors": 1, "executor_memory": "512m", "event_log": str(kept)}
    spec = spec_file(tmp_path, "write", {"source": source}, spark=spark)
    assert driver.run(sessions.main, arguments_of(cluster, place, "write", spec, report), {}) == 0
    check_whole(table, NEW)
    told = [decode_report(line) for line in report.read_text().splitlines()]
    (application,) = [line.application_id for line in told if isinstance(line, Engine)]
    address = f"http://127.0.0.1:{cluster.start_history_server(kept)}/api/v1/applications/{application}"
    until(lambda: answers(address), "the job in the history server")
    with urlopen(address) as reply:
        found = json.load(reply)
    assert found["name"] == "lakescope write db.t j-1"
    assert found["attempts"][-1]["completed"]
    with urlopen(f"{address}/jobs") as reply:
        assert {job["status"] for job in json.load(reply)} == {"SUCCEEDED"}


def test_a_cancelled_job_ends_at_once_and_commits_nothing(
    cluster: Standalone, driver: Driver, table: Table, tmp_path: Path, place: Path, record_property
) -> None:
    source = {"sql": "SELECT id AS k, 'x' AS v FROM range(100000000000)"}
    spark = {"executors": 2, "executor_memory": "512m", "event_log": str(tmp_path / "events")}
    spec = spec_file(tmp_path, "write", {"source": source}, spark=spark)
    report = tmp_path / "report"
    driver.start(sessions.main, arguments_of(cluster, place, "write", spec, report), {})
    until(lambda: report.exists() and '"phase": "write"' in report.read_text(), "tasks that write")
    asked = time.time()
    driver.terminate()
    assert driver.result() == 1
    (ended,) = [event for event in events(tmp_path / "events", "JobEnd") if "cancelled" in str(event)]
    assert "cancelled job group" in str(ended)
    cancelled = ended["Completion Time"] / 1000 - asked
    told = last_word(report)
    assert told.code == "cancelled"
    seconds = {"job": round(cancelled, 2), "process": round(told.time_millis / 1000 - asked, 2)}
    record_property("seconds from the signal to the end", str(seconds))
    print(f"\nseconds from the signal to the end of the job and of its process: {seconds}")
    assert table.snapshots.latest_id() == 2


def test_a_library_that_an_executor_lacks_is_named_before_any_task_runs(
    cluster: Standalone, driver: Driver, table: Table, tmp_path: Path, place: Path, crippled: Path
) -> None:
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
