"""`python -m spark_jobs` from the outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from core import Table, open_catalog
from core.io import LocalFileIO
from core.jobs import Failure, JobReport, Progress, Result, decode_job_spec, decode_report
from spark_jobs.__main__ import main
from spark_jobs.jobs import write
from tests.spark_jobs.conftest import Recorded
from tests.tables import new_table, put, rows_of

PATIENCE = 600  # seconds, on a machine that is busy with much else


def make_table(folder: Path, **options: str) -> Table:
    table = new_table(
        {"id": "BIGINT NOT NULL"}, ["id"], io=LocalFileIO(), warehouse=str(folder / "wh"), **options
    )
    put(table, (1,))
    put(table, (2,))
    return table


def spec_file(folder: Path, kind: str, body: dict[str, object], job_id: str = "j-1") -> str:
    path = folder / f"{kind}.json"
    catalog = {"warehouse": str(folder / "wh")}
    spec = {"job_id": job_id, "catalog": catalog, "table": "db.t", "kind": kind, kind: body}
    path.write_text(json.dumps(spec))
    return str(path)


def report_of(path: Path) -> list[JobReport]:
    return [decode_report(line) for line in path.read_text().splitlines()]


def test_a_job_reports_to_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = make_table(tmp_path)
    assert main(["rollback", spec_file(tmp_path, "rollback", {"snapshot": 1, "guard": False})]) == 0
    result = decode_report(capsys.readouterr().out.splitlines()[-1])
    assert isinstance(result, Result)
    assert result.latest == table.snapshots.latest().reference
    assert rows_of(table) == [(1,)]


def test_a_failed_job_says_why_and_where_the_table_stands(tmp_path: Path) -> None:
    table = make_table(tmp_path)
    report = tmp_path / "report"
    arguments = ["rollback", spec_file(tmp_path, "rollback", {"snapshot": 9}), "--report", str(report)]
    assert main(arguments) == 1
    failure = report_of(report)[-1]
    assert isinstance(failure, Failure)
    assert (failure.code, failure.latest) == ("not-found", table.snapshots.latest().reference)
    assert failure.time_millis > 0


@pytest.mark.parametrize(
    ("kind", "body", "field"),
    [
        ("rollback", {"snapshot": "2"}, "rollback.snapshot"),
        ("compact", {"what": 1}, "compact.what"),
        ("compact", {"buckets": [0, -1]}, "compact.buckets[1]"),
    ],
)
def test_a_wrong_spec_is_named(
    tmp_path: Path, kind: str, body: dict[str, object], field: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report"
    assert main([kind, spec_file(tmp_path, kind, body), "--report", str(report)]) == 2
    (failure,) = report_of(report)
    assert isinstance(failure, Failure)
    assert (failure.code, failure.fields["field"]) == ("invalid-request", field)
    told = capsys.readouterr().err
    assert told.startswith(f"{tmp_path}/{kind}.json: {field}: ")
    assert "Traceback" not in told


def test_a_spec_of_another_job_is_refused(tmp_path: Path) -> None:
    report = tmp_path / "report"
    assert main(["compact", spec_file(tmp_path, "rollback", {"snapshot": 1}), "--report", str(report)]) == 2
    (failure,) = report_of(report)
    assert isinstance(failure, Failure)
    assert failure.fields["found"] == "rollback"


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_plan_says_what_would_be_done_and_does_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    table = make_table(tmp_path)
    before = sorted(file.path for file in table.io.iter_tree(table.location))
    for arguments in (["plan"], ["compact", "--plan"]):
        assert main([*arguments, spec_file(tmp_path, "compact", {}), "--format", form]) == 0
        told = capsys.readouterr().out
        if form == "json":
            plan = json.loads(told)["plan"]
            assert [(task["files"], task["reason"]) for task in plan["tasks"]] == [(2, "full")]
        else:
            assert "files 2" in told
            assert "nothing has been done" in told
    assert sorted(file.path for file in table.io.iter_tree(table.location)) == before


def test_a_plan_that_cannot_be_made_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_table(tmp_path)
    assert main(["plan", spec_file(tmp_path, "rollback", {"snapshot": 9})]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_what_breaks_after_the_signal_is_a_cancellation_still(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            raise ConnectionError("Answer from Java side is empty")

    monkeypatch.setattr("spark_jobs.__main__._run", interrupted)
    make_table(tmp_path)
    spec, report = spec_file(tmp_path, "rollback", {"snapshot": 1}), tmp_path / "report"
    assert main(["rollback", spec, "--report", str(report)]) == 1
    failure = report_of(report)[-1]
    assert isinstance(failure, Failure)
    assert failure.code == "cancelled"


@pytest.mark.parametrize("arguments", [[], ["explode", "x"], ["write"], ["write", "x", "--conf", "novalue"]])
def test_wrong_usage_is_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage:" in capsys.readouterr().err


def start(job: str, spec: str, report: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "spark_jobs", job, spec, "--report", str(report), "--master", "local[2]"]
    log = report.with_suffix(".log").open("wb")
    with log:
        return subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)


def wait_for(process: subprocess.Popen[bytes], report: Path, phase: str, seconds: float) -> bool:
    """Whether the job reported the phase before it ended."""
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < deadline:
        lines = report.read_text().splitlines(keepends=True) if report.exists() else []
        told = [decode_report(line) for line in lines if line.endswith("\n")]
        if any(isinstance(line, Progress) and line.phase == phase for line in told):
            time.sleep(seconds)
            return True
        time.sleep(0.02)
    return False


def is_gone(group: int) -> bool:
    """Whether nothing of the group runs any more, within some time.

    In many a container the first process collects none of the dead that it adopts: they stay in their group.
    """
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        shown = subprocess.run(["ps", "-eo", "pgid=,stat="], capture_output=True, text=True, check=True)
        rows = [line.split() for line in shown.stdout.splitlines()]
        if not any(int(of) == group and not state.startswith("Z") for of, state in rows):
            return True
        time.sleep(0.1)
    return False


def kill(process: subprocess.Popen[bytes], number: int) -> None:
    """The whole group: the driver, its JVM and the Python workers."""
    os.killpg(process.pid, number)
    process.wait(timeout=PATIENCE)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize(("phase", "seconds"), [("plan", 0.0), ("write", 0.3), ("commit", 0.0)])
def test_a_killed_write_is_there_wholly_or_not_at_all(
    tmp_path: Path, phase: str, seconds: float, spark: SparkSession, reporter: Recorded
) -> None:
    """It is killed as a process of its own; its second run has the session that is open."""
    table = make_table(tmp_path, bucket="2")
    pq.write_table(pa.table({"id": range(10, 200_000)}), tmp_path / "rows.parquet")
    source = {"path": str(tmp_path / "rows.parquet"), "format": "parquet"}
    spec = spec_file(tmp_path, "write", {"source": source})
    first = start("write", spec, tmp_path / "first")
    assert wait_for(first, tmp_path / "first", phase, seconds)
    kill(first, signal.SIGKILL)
    table = open_catalog(str(tmp_path / "wh")).get_table("db.t")
    assert table.to_arrow().num_rows in (2, 199_992)
    write.run(spark, decode_job_spec(Path(spec).read_bytes()), reporter)
    assert table.to_arrow().num_rows == 199_992
    assert table.snapshots.latest_id() == 3, "committed exactly once"


@pytest.mark.spark
@pytest.mark.slow
def test_a_cancelled_job_ends_with_a_line_that_says_so(tmp_path: Path) -> None:
    make_table(tmp_path)
    process = start("compact", spec_file(tmp_path, "compact", {}), tmp_path / "report")
    assert wait_for(process, tmp_path / "report", "start", 1.0)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=PATIENCE) == 1
    failure = report_of(tmp_path / "report")[-1]
    assert isinstance(failure, Failure)
    assert failure.code == "cancelled"
    assert is_gone(process.pid), "the JVM outlives its driver"
