"""What the tests ask of the driver: the jobs as they run anywhere, on tables whose store may strike."""

from __future__ import annotations

import io
import json
import signal
import time
from functools import partial
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError

import core
from core import Table, open_catalog
from core.jobs import CompactJob, JobSpec, Progress, RollbackJob, WriteJob, commit_user, job_spec_from_json
from spark_jobs.__main__ import CancelledError, cancelled_by
from spark_jobs.datasource import distributed
from spark_jobs.executors import SparkExecutors
from spark_jobs.jobs import rollback
from spark_jobs.jobs.compact import compact_table
from spark_jobs.jobs.registry import JOBS
from spark_jobs.jobs.steps import Run, perform
from spark_jobs.jobs.write import write_frame
from spark_jobs.preflight import ExecutorPythonError, check_executors
from spark_jobs.report import Reporter
from tests.spark_jobs.cluster.driver import is_idle, session
from tests.spark_jobs.cluster.striking import HOLD, Striking, rows_then_strike, strike

ROWS = "SELECT id AS k, concat('new-', id) AS v FROM range({})"


def where_core_is() -> list[str]:
    """The file of core in each executor."""
    found = session().sparkContext.parallelize(range(4), 4).map(lambda _: core.__file__)
    return sorted(set(found.collect()))


def write(folder: Path, rows: int, how: str | None = None) -> Any:
    """Upsert rows 0 to `rows`."""
    table = _opened(folder, how)
    frame = session().sql(ROWS.format(rows))
    user = commit_user("write")
    return dict(write_frame(session(), table, frame, _WRITE, user=user, reporter=_reporter()).metrics)


_WRITE = WriteJob(source=None)  # type: ignore[arg-type] # the rows are at hand


def compact(folder: Path, how: str | None = None) -> Any:
    table, user = _opened(folder, how), commit_user("compact")
    return dict(compact_table(session(), table, CompactJob(), user=user, reporter=_reporter()).metrics)


def perform_spec(spec: str) -> dict[str, Any]:
    """Any job, as its file tells; what was true afterwards."""
    reporter = _reporter()
    run = Run(job_spec_from_json(json.loads(spec)), reporter, SparkExecutors(session, reporter))
    return dict(perform(JOBS[run.spec.kind], run).details["verified"])


def save(folder: Path, rows: int, how: str | None = None) -> None:
    """Write through the sink."""
    place = _opened(folder).location
    frame = distributed(session().sql(ROWS.format(rows)), place)
    if how is not None:
        frame = frame.mapInArrow(partial(rows_then_strike, folder=folder, how=how), frame.schema)
    frame.write.format("lakescope").mode("append").save(place)


def count(folder: Path) -> tuple[int, int]:
    """Rows through the source: how many, and how many keys."""
    frame = session().read.format("lakescope").load(_opened(folder).location)
    found = frame.selectExpr("count(*) AS n", "count(DISTINCT k) AS keys").head()
    assert found is not None
    return found.n, found.keys


def roll_back(folder: Path, how: str | None = None) -> Any:
    """Back to snapshot 1; it may be held when the first snapshot has gone."""
    work = RollbackJob(snapshot=1, guard=False)
    spec = JobSpec("rollback", {"warehouse": str(folder)}, "db.t", work)
    return dict(rollback.run(spec, _Striking(folder) if how else _reporter()).metrics)


class _Striking(Reporter):
    def __init__(self, folder: Path) -> None:
        super().__init__(io.StringIO())
        self._folder = folder

    def send(self, line: Any) -> None:
        super().send(line)
        if isinstance(line, Progress) and line.phase == "rollback" and line.done == 1:
            strike(self._folder, HOLD)


def write_until_cancelled(folder: Path) -> float:
    """A write with a task that is held, until the signal cancels it; when no task ran any more."""
    with cancelled_by(signal.SIGTERM) as asked_to_end:
        try:
            write(folder, 1000, HOLD)
        except (CancelledError, Py4JError):
            # The interrupt may break py4j's connection, whose error then hides ours, as in a job's `main`.
            assert asked_to_end.is_set()
    while not is_idle():
        time.sleep(0.01)
    return time.monotonic()


def preflight_with(python: str) -> str:
    """What is said when the executors have that Python."""
    context = session().sparkContext
    own, context.pythonExec = context.pythonExec, python
    try:
        check_executors(context)
    except ExecutorPythonError as error:
        return str(error)
    finally:
        context.pythonExec = own
    return "nothing is missing"


def _opened(folder: Path, how: str | None = None) -> Table:
    table = open_catalog(str(folder)).get_data_table("db.t")
    if how is None:
        return table
    return Table(Striking(table.io, folder, how), table.location, table.identifier)


def _reporter() -> Reporter:
    return Reporter(io.StringIO())
