"""Runs jobs in this process, for tests: their tasks are pickled as they are for executors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from pyspark import cloudpickle
from pyspark.sql import SparkSession

from core.jobs import JobSpec, Result, Work
from core.table import Table
from spark_jobs.jobs.registry import JOBS
from spark_jobs.jobs.steps import Run, perform, told_plan
from tests.spark_jobs.conftest import Recorded

T = TypeVar("T")
R = TypeVar("R")


class Pickling:
    """Executors that are this process, and get tasks as others do: as bytes."""

    def __init__(self) -> None:
        self.phases: list[tuple[str, int]] = []  # what ran, and how many tasks it had

    @property
    def spark(self) -> SparkSession:
        raise AssertionError("the job starts Spark")

    def map(self, run: Callable[[T], R], tasks: Sequence[T], phase: str, unit: str) -> list[R]:
        if tasks:
            self.phases.append((phase, len(tasks)))
        sent = [cloudpickle.dumps((run, task)) for task in tasks]
        answers = (function(task) for function, task in map(cloudpickle.loads, sent))
        return [cloudpickle.loads(cloudpickle.dumps(answer)) for answer in answers]


def spec_of(folder: Path, work: Work, job_id: str = "j-1", table: str = "db.t") -> JobSpec:
    return JobSpec(job_id, {"warehouse": str(folder)}, table, work)


def do(
    folder: Path,
    work: Work,
    job_id: str = "j-1",
    *,
    table: str = "db.t",
    executors: Pickling | None = None,
    reporter: Recorded | None = None,
    now_millis: int | None = None,
) -> Result:
    """The result of a job on a warehouse in a folder."""
    spec = spec_of(folder, work, job_id, table)
    return perform(JOBS[spec.kind], Run(spec, reporter or Recorded(), executors or Pickling(), now_millis))


def plan_of(folder: Path, work: Work, job_id: str = "j-1", *, table: str = "db.t") -> dict[str, object]:
    """What a job would do, as JSON tells it."""
    spec = spec_of(folder, work, job_id, table)
    return told_plan(JOBS[spec.kind], Run(spec, Recorded(), Pickling()))


def references_of(table: Table) -> list[str]:
    return [snapshot.reference for snapshot in table.snapshots.iter_all()]
