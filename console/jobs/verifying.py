"""What a job did, found by looking at the table: never by what the engine said alone.

A write or compaction is there wholly or not at all: its snapshots carry the job's commit user. A
rollback has moved the table to its target, to a snapshot in between, or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from console.jobs.models import Job
from console.jobs.notices import notice
from console.warehouses.catalogs import catalog_of
from core.errors import NotFoundError
from core.identifier import Identifier
from core.jobs import Failure, JobReport, Result, commit_user
from core.snapshot import Snapshot
from core.table import Table

LOOKED_THROUGH = 10_000  # snapshots


@dataclass(frozen=True, slots=True)
class Seen:
    """What the table shows of a job."""

    committed: bool
    complete: bool  # all of the job's effect is there
    snapshots: tuple[str, ...] = ()  # that the job made, oldest first
    latest: str | None = None
    detail: dict[str, Any] | None = None  # a notice

    def result(self, report: JobReport | None) -> dict[str, Any]:
        """The result as the Job row keeps it."""
        metrics = dict(report.metrics) if isinstance(report, Result) else {}
        return {
            "snapshots": list(self.snapshots),
            "latest": self.latest,
            "detail": self.detail,
            "metrics": metrics,
        }


def look(job: Job) -> Seen:
    """What the table shows now.

    Raises:
        PaimonError, Problem: the table cannot be looked at; nothing may be concluded.
    """
    if job.kind == "demo":
        return _look_at_demo(job)
    try:
        table = open_target(job)
    except NotFoundError:
        if catalog_of(job.warehouse).database_exists(job.database) and job.branch == "main":
            return Seen(False, False, detail=notice("table-gone"))
        raise  # the store may only be away
    return _look_at_pointers(job, table) if job.kind == "rollback" else _look_for_commits(job, table)


def open_target(job: Job) -> Table:
    identifier = Identifier(job.database, job.table)
    table = catalog_of(job.warehouse).get_data_table(identifier)
    return table if job.branch == "main" else table.with_branch(job.branch)


def _look_for_commits(job: Job, table: Table) -> Seen:
    user = commit_user(job.public_id)
    mine = [s for s in _newest_first(table, _first_possible(job)) if s.commit_user == user]
    latest = table.snapshots.latest()
    references = tuple(s.reference for s in reversed(mine))
    return Seen(bool(mine), bool(mine), references, latest.reference if latest else None)


def _first_possible(job: Job) -> int:
    """The lowest id that a commit of the job can have: after the plan's base."""
    base = job.plan.base if job.plan else None
    return int(base.partition("~")[0]) + 1 if base else 1


def _newest_first(table: Table, first: int) -> list[Snapshot]:
    found = []
    for snapshot_id in reversed(table.snapshots.ids()[-LOOKED_THROUGH:]):
        if snapshot_id < first:
            break
        try:
            found.append(table.snapshots.get(snapshot_id))
        except NotFoundError:
            continue  # expired since the listing
    return found


def _look_at_pointers(job: Job, table: Table) -> Seen:
    history = list(job.spec["rollback"].get("history") or ())
    latest = table.snapshots.latest()
    reference = latest.reference if latest else None
    if not history:
        return Seen(False, False, (), reference, notice("no-history"))
    target, base = history[0], history[-1]
    if reference == base and base != target:
        return Seen(False, False, (), reference)
    if reference == target:
        # Tags and changelogs go after the snapshots: they may still be there.
        left = [tag.name for tag in table.tags.list() if tag.snapshot.id > int(target.partition("~")[0])]
        detail = notice("tags-left", tags=", ".join(left)) if left else None
        return Seen(True, not left, (), reference, detail)
    if reference in history:
        return Seen(True, False, (), reference, notice("in-between", latest=reference, target=target))
    return _moved_on(table, history, reference)


def _moved_on(table: Table, history: list[str], reference: str | None) -> Seen:
    """Another writer has committed since: what is left of the history tells whether the rollback was done."""
    kept = {s.reference for s in _newest_first(table, int(history[0].partition("~")[0]))}
    removed = [r for r in history[1:] if r not in kept]
    complete = len(removed) == len(history) - 1
    return Seen(bool(removed), complete, (), reference, notice("moved-on", latest=reference))


def _look_at_demo(job: Job) -> Seen:
    catalog = catalog_of(job.warehouse)
    tables = [f"{db}.{name}" for db in catalog.list_databases() for name in catalog.list_tables(db)]
    return Seen(bool(tables), bool(tables), (), None, notice("tables-made", count=len(tables)))


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
