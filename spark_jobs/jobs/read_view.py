"""`read-view`: the first rows of a view, run by Spark; nothing is written.

The rows are in the result's `details.rows`, beside the tables that they came from: whoever hands them on has
to know that these may be read.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from core.catalog.errors import ViewNotFoundError
from core.errors import InvalidRequestError
from core.identifier import Identifier
from core.jobs import Failure, failure_of
from spark_jobs.jobs.steps import Job, Outcome, Run
from spark_jobs.lake import DIALECT, Bounds, Lake
from spark_jobs.shown_rows import first_rows

GRACE = 10.0  # seconds in which what Spark was told to cancel should end
AGAIN = 0.2  # seconds after which it is told so again
LAST = 30.0  # seconds in which the process ends once its query was broken off, or is ended


class _OverError(KeyboardInterrupt):
    """A kind of interrupt: py4j passes on nothing else while it waits for the JVM."""


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
    with ended_after(spark, work.seconds, run.executors.give_up):
        rows = first_rows(lake.view(Identifier.parse(run.spec.table)), work.limit)
    run.reporter.progress("read", 1, 1, "steps")
    metrics = {"rows_read": len(rows["rows"])}
    return Outcome(metrics=metrics, details={"rows": rows, "tables": list(lake.read)})


@contextmanager
def ended_after(
    spark: SparkSession, seconds: float, give_up: Callable[[Failure], None] | None = None
) -> Iterator[None]:
    """What Spark still does after so many seconds is ended; so is what it does not let cancel, a bit later.

    A query that was broken off lives on in the JVM, and may hold up whatever is asked of it afterwards, its
    end included. So the process is given up if it does not end by itself soon.

    Raises:
        InvalidRequestError: that was so.
    """
    over, ended = threading.Event(), threading.Event()
    too_long = InvalidRequestError("the query took longer than it may", seconds=seconds)

    def end() -> None:
        over.set()
        if give_up is not None:
            last = threading.Timer(GRACE + LAST, give_up, [failure_of(too_long)])
            last.daemon = True  # it ends with the process, which is what it waits for
            last.start()
        until = time.monotonic() + GRACE
        while time.monotonic() < until:
            spark.sparkContext.cancelAllJobs()  # again and again: the job may not have begun yet
            if ended.wait(AGAIN):
                return
        # Neither the driver's own work on a plan, nor views that are resolved, are jobs of Spark.
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    def interrupt(*_: object) -> None:
        if not ended.is_set():
            raise _OverError

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    before = signal.signal(signal.SIGUSR1, interrupt)
    timer.start()
    try:
        yield
    except (Exception, _OverError) as error:
        if not over.is_set():
            raise
        raise too_long from error
    finally:
        timer.cancel()
        ended.set()
        timer.join(GRACE)  # no signal of its comes from here on
        signal.signal(signal.SIGUSR1, before)


def _verify(run: Run, plan: ViewPlan, outcome: Outcome) -> dict[str, Any]:
    return {"rows": outcome.metrics["rows_read"], "tables": len(outcome.details["tables"])}


def _told(run: Run, plan: ViewPlan) -> dict[str, Any]:
    return {"view": plan.view, "query": plan.query, "dialect": plan.dialect, "limit": plan.limit}


READ_VIEW = Job(plan=_plan, apply=_apply, verify=_verify, has_table=False, commits=False, tells=_told)
