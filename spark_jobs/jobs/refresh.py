"""`refresh`: a materialized table becomes the answer of its definition.

In refresh mode FULL all rows are replaced, as one commit; the tables of the definition are read as they stand
when each is opened. In mode CONTINUOUS the rows that its one table has got since are added (`continuous.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from core.errors import InvalidRequestError, UnsupportedError
from core.jobs import QuerySource, RefreshJob, WriteJob, WriteMode
from core.schema.materialized import Definition, definition_of
from core.snapshot import Snapshot
from spark_jobs.jobs import continuous
from spark_jobs.jobs.refresh_progress import Progress
from spark_jobs.jobs.steps import Job, Outcome, Run
from spark_jobs.jobs.write import verify_written, written
from spark_jobs.lake import Bounds, Lake

FULL, CONTINUOUS = "FULL", "CONTINUOUS"


@dataclass(frozen=True, slots=True)
class RefreshPlan:
    """What is known before Spark has read the definition."""

    base: Snapshot | None  # the latest
    query: str
    mode: str  # of the table: FULL or CONTINUOUS
    why_full: str | None  # of a continuous one that is refreshed as a whole this time
    freshness: str | None


def _plan(run: Run) -> RefreshPlan:
    table, work = run.table, run.work
    definition = definition_of(table.schema)
    query = check_refreshable(definition, work)
    mode = definition.mode or FULL
    why = None
    if mode == CONTINUOUS and work.checkpoint is not None:
        why = Progress(work.checkpoint).why_anew(table, query, by_force=work.full)
    return RefreshPlan(table.snapshots.latest(), query, mode, why, definition.freshness_text)


def check_refreshable(definition: Definition, work: RefreshJob) -> str:
    """The query.

    Raises:
        UnsupportedError: names what keeps the table from being refreshed by Spark.
        InvalidRequestError: a continuous refresh without a place to keep how far it has come, or another
            definition than was looked at.
    """
    refused = definition.refused
    if refused is not None or definition.query is None:
        raise UnsupportedError("this materialized table is not refreshed by Spark", feature=refused)
    if work.query is not None and work.query != definition.query:
        raise InvalidRequestError(
            "the definition is another one than was looked at when the refresh was asked for",
            field="query",
            expected=work.query,
            found=definition.query,
        )
    if definition.mode == CONTINUOUS and work.checkpoint is None and not work.full:
        raise InvalidRequestError(
            "a continuous refresh keeps how far it has come: name a folder, or refresh it as a whole",
            field="checkpoint",
            found="materialized-table.refresh-mode = CONTINUOUS",
        )
    return definition.query


def _finished(run: Run) -> str | None:
    if not run.work.if_stale:
        return None
    latest = run.table.snapshots.latest()
    is_due = definition_of(run.table.schema).is_due(latest.time_millis if latest else None, run.now_millis)
    return None if is_due else "the rows are as fresh as they are to be"


def _apply(run: Run, plan: RefreshPlan) -> Outcome:
    work = run.work
    bounds = Bounds(work.readable, work.files_within, work.views, work.looked_at)
    lake = Lake(run.executors.spark, run.catalog, run.spec.catalog, bounds)
    if plan.mode == CONTINUOUS and work.checkpoint is not None:
        return continuous.refreshed(run, lake, plan.query, plan.why_full, replaced)
    frame = lake.query(plan.query, run.table.identifier)
    return replaced(run, lake, plan.query, frame)


def replaced(run: Run, lake: Lake, query: str, frame: DataFrame) -> Outcome:
    """All rows are replaced by these, as one commit.

    Raises:
        InvalidRequestError: the definition has other columns than the table.
        CommitConflictError: somebody else has written meanwhile.
    """
    continuous.check_columns(frame, run.table)
    write = WriteJob(source=QuerySource(query), mode=WriteMode.OVERWRITE, static_partition={})
    made = written(run.executors.spark, run.table, frame, write, user=run.user, reporter=run.reporter)
    return Outcome(made.snapshots, made.metrics, {**made.details, "tables": list(lake.read)})


REFRESH = Job(plan=_plan, apply=_apply, verify=verify_written, finished=_finished)
