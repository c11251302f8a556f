"""What a job did, found by looking at the table: never by what the engine said alone.

A write, compaction or restoration is there wholly or not at all: its snapshots carry the job's commit
user. Of jobs that move pointers, `pointers` tells how far they came.
"""

from __future__ import annotations

from typing import Any

from console.api.errors import Problem
from console.jobs.conflicts import conflict_of
from console.jobs.models import VIEW as VIEW
from console.jobs.models import Job
from console.jobs.notices import notice
from console.jobs.pointers import POINTER_JOBS
from console.jobs.seen import Seen, newest_first
from console.warehouses.catalogs import catalog_of
from core.errors import NotFoundError, PaimonError
from core.identifier import Identifier
from core.jobs import Failure, JobReport, Result, commit_user
from core.table import Table


def look(job: Job) -> Seen:
    """What the table shows now.

    Raises:
        PaimonError, Problem: the table cannot be looked at; nothing may be concluded.
    """
    if job.kind == "demo":
        return _look_at_demo(job)
    if job.kind == VIEW:
        return Seen(False, False)
    try:
        table = open_target(job)
    except NotFoundError:
        if catalog_of(job.warehouse).database_exists(job.database) and job.branch == "main":
            return Seen(False, False, detail=notice("table-gone"))
        raise  # the store may only be away
    asked = next(iter(job.spec), "")
    look_at = POINTER_JOBS.get(job.kind) or POINTER_JOBS.get(asked, _look_for_commits)
    return look_at(job, table)


def open_target(job: Job) -> Table:
    identifier = Identifier(job.database, job.table)
    table = catalog_of(job.warehouse).get_data_table(identifier)
    return table if job.branch == "main" else table.with_branch(job.branch)


def _look_for_commits(job: Job, table: Table) -> Seen:
    user = commit_user(job.public_id)
    mine = [s for s in newest_first(table, _first_possible(job)) if s.commit_user == user]
    latest = table.snapshots.latest()
    references = tuple(s.reference for s in reversed(mine))
    return Seen(bool(mine), bool(mine), references, latest.reference if latest else None)


def _first_possible(job: Job) -> int:
    """The lowest id that a commit of the job can have: after the plan's base."""
    base = job.plan.base if job.plan else None
    return int(base.partition("~")[0]) + 1 if base else 1


def _look_at_demo(job: Job) -> Seen:
    catalog = catalog_of(job.warehouse)
    tables = [f"{db}.{name}" for db in catalog.list_databases() for name in catalog.list_tables(db)]
    return Seen(bool(tables), bool(tables), (), None, notice("tables-made", count=len(tables)))


def conflict(job: Job, problem: dict[str, Any]) -> dict[str, Any] | None:
    """What the table tells of a conflict that ended the job; None where it was something else."""
    if problem["code"] != "conflict":
        return None
    try:
        return conflict_of(job, open_target(job), problem)
    except (PaimonError, Problem):
        return None  # the job's own message has to do


def problem_of(report: JobReport | None, exit_code: int | None) -> dict[str, Any] | None:
    """What went wrong, as the engine told it, or that it ended without a word; None after a success."""
    if isinstance(report, Result):
        return None
    if isinstance(report, Failure):
        return {
            "code": report.code,
            "message": report.message,
            "fields": dict(report.fields),
            "transient": report.transient,
        }
    told = f"with exit code {exit_code}" if exit_code is not None else "with its worker"
    return {
        "code": "engine-ended",
        "message": f"the job's process ended {told} and without a report",
        "fields": {},
        "transient": False,
    }
