"""`read-view`: the first rows of a view, run by Spark; nothing is written.

The rows are in the result's `details.rows`, beside the tables that they came from: whoever hands them on has
to know that these may be read.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from core.catalog.errors import ViewNotFoundError
from core.errors import InvalidRequestError
from core.identifier import Identifier
from spark_jobs.jobs.steps import Job, Outcome, Run
from spark_jobs.lake import DIALECT, Bounds, Lake
from spark_jobs.shown_rows import first_rows


@dataclass(frozen=True, slots=True)
class ViewPlan:
    """What is known of a view before Spark has read its query."""

    view: str
    query: str
    dialect: str | None  # None: the view has no text of its own for Spark
    limit: int


def _plan(run: Run) -> ViewPlan:
    name = Identifier.parse(run.spec.table)
    kept = run.work.views.get(str(name))
    if kept is not None:
        return ViewPlan(str(name), kept.sql, None, run.work.limit)
    try:
        schema = run.catalog.get_view(name).schema
    except ViewNotFoundError as error:
        raise ViewNotFoundError(
            "neither the catalog nor the job has such a view", field="read-view.views", view=str(name)
        ) from error
    dialect = DIALECT if DIALECT in schema.dialects else None
    return ViewPlan(str(name), schema.query_for(DIALECT), dialect, run.work.limit)


def _apply(run: Run, plan: ViewPlan) -> Outcome:
    spark, work = run.executors.spark, run.work
    bounds = Bounds(work.readable, work.files_within, work.views)
    lake = Lake(spark, run.catalog, run.spec.catalog, bounds)
    run.reporter.progress("read", 0, 1, "steps")
    with ended_after(spark, work.seconds):
        rows = first_rows(lake.view(Identifier.parse(run.spec.table)), work.limit)
    run.reporter.progress("read", 1, 1, "steps")
    metrics = {"rows_read": len(rows["rows"])}
    return Outcome(metrics=metrics, details={"rows": rows, "tables": list(lake.read)})


@contextmanager
def ended_after(spark: SparkSession, seconds: int) -> Iterator[None]:
    """What Spark still does after so many seconds is ended.

    Raises:
        InvalidRequestError: that was so.
    """
    over = threading.Event()

    def end() -> None:
        over.set()
        spark.sparkContext.cancelAllJobs()

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    except Exception as error:
        if not over.is_set():
            raise
        raise InvalidRequestError("the query took longer than it may", seconds=seconds) from error
    finally:
        timer.cancel()


def _verify(run: Run, plan: ViewPlan, outcome: Outcome) -> dict[str, Any]:
    return {"rows": outcome.metrics["rows_read"], "tables": len(outcome.details["tables"])}


def _told(run: Run, plan: ViewPlan) -> dict[str, Any]:
    return {"view": plan.view, "query": plan.query, "dialect": plan.dialect, "limit": plan.limit}


READ_VIEW = Job(plan=_plan, apply=_apply, verify=_verify, has_table=False, commits=False, tells=_told)
