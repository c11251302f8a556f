"""What every job does, in order: look for an earlier run, plan, do, and see what is true then.

A kind of job is a `Job`: how it is planned, done and verified. `perform` runs one; `told_plan` only
plans it, and tells what would be done.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from core import Table, open_catalog
from core.catalog import Catalog
from core.catalog.table_types import check_is_snapshots
from core.commit import TableCommit
from core.errors import CommitConflictError, InvalidRequestError, NotFoundError
from core.format_table import FormatTable
from core.jobs import KINDS, JobSpec, Result
from core.jobs.declared import meaning_of
from core.jobs.members_meant import with_member
from core.maintenance.facts import facts_of
from core.maintenance.notice import Notice, refuse_blocked
from core.maintenance.reach import NamedFiles, Progress
from core.snapshot import BATCH_COMMIT_IDENTIFIER, Snapshot
from spark_jobs.executors import Executors
from spark_jobs.report import Reporter


class Run:
    """One run of one job: what it is asked, and all that it works with."""

    def __init__(
        self, spec: JobSpec, reporter: Reporter, executors: Executors, now_millis: int | None = None
    ) -> None:
        """`now_millis` is the time that plans go by, epoch milliseconds; now if not given."""
        self.spec = spec
        self.reporter = reporter
        self.executors = executors
        self.now_millis = time.time_ns() // 1_000_000 if now_millis is None else now_millis

    @property
    def work(self) -> Any:
        """What the job is asked: the dataclass of its kind."""
        return self.spec.work

    @property
    def user(self) -> str:
        """Whose commits they are to be."""
        return self.spec.commit_user

    @cached_property
    def catalog(self) -> Catalog:
        return open_catalog(self.spec.catalog)

    @cached_property
    def table(self) -> Table:
        """The table as it was when it was first asked for."""
        return check_is_snapshots(self.catalog.get_data_table(self.spec.table))

    @cached_property
    def format_table(self) -> FormatTable | None:
        """The table, if it is one of plain files."""
        found = self.catalog.get_table(self.spec.table) if self.spec.table else None
        return found if isinstance(found, FormatTable) else None

    def table_now(self) -> Table:
        """The table as it is: nothing of it is remembered."""
        return check_is_snapshots(open_catalog(self.spec.catalog).get_data_table(self.spec.table))

    def told(self, phase: str, unit: str) -> Progress:
        """Told of steps by what core does, reports them."""
        return lambda done, total: self.reporter.progress(phase, done, total, unit)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a job did."""

    snapshots: Sequence[Snapshot] = ()  # that it made, oldest first
    metrics: Mapping[str, int] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    deleted: NamedFiles = field(default_factory=NamedFiles.none)  # files that are gone


@dataclass(frozen=True, slots=True)
class Job:
    """How a kind of job is done."""

    plan: Callable[[Run], Any]  # reads; starts and changes nothing
    apply: Callable[[Run, Any], Outcome]
    verify: Callable[[Run, Any, Outcome], Mapping[str, Any]]  # reads anew; raises for what is not true
    has_table: bool = True  # the spec's `table` names one; else a view
    of_files: Job | None = None  # how it is done to a format table; without it that is refused
    commits: bool = True  # makes one commit, by which a later run finds that this one is done
    finished: Callable[[Run], str | None] = lambda run: None  # why there is nothing to do any more
    words: Mapping[str, str] = field(default_factory=dict)  # what codes of warnings mean
    tells: Callable[[Run, Any], Any] = lambda run, plan: plan  # what a plan shows of itself


def perform(job: Job, run: Run) -> Result:
    """The result of a job; also if an earlier run of it has done all, which is not done twice.

    Raises:
        PaimonError: what core refuses, or what turned out not to be true afterwards.
    """
    job = _of_type(job, run)
    if job.commits and run.spec.table and (done := committed_before(run.table, run.user)):
        run.reporter.log("an earlier run of this job has committed already: nothing is done again")
        return result_of(run.table, done, details={"verified": {"committed_before": len(done)}})
    with _naming_members(run):
        why = job.finished(run)
    if why is not None:
        run.reporter.log(f"{why}: nothing is to be done")
        return result_of(run.table, [], details={"verified": {"finished_before": why}})
    run.reporter.progress("plan", 0, 1, "steps")
    with _naming_members(run):
        plan = job.plan(run)
    run.reporter.progress("plan", 1, 1, "steps")
    for warning in getattr(plan, "warnings", ()):
        run.reporter.log(job.words.get(str(warning), str(warning)), "warning")
    blockers = getattr(plan, "blockers", ())
    refuse_blocked(f"the job {run.spec.kind}", tuple(b for b in blockers if isinstance(b, Notice)))
    outcome = job.apply(run, plan)
    run.reporter.progress("verify", 0, 1, "steps")
    verified = job.verify(run, plan, outcome)
    run.reporter.progress("verify", 1, 1, "steps")
    details = {**outcome.details, "verified": dict(verified)}
    if not (run.spec.table and job.has_table):
        return Result(metrics=dict(outcome.metrics), details=details)
    return result_of(run.table, outcome.snapshots, dict(outcome.metrics), details)


def _of_type(job: Job, run: Run) -> Job:
    """The job as it is done to a table of this type."""
    return job.of_files if job.of_files is not None and run.format_table is not None else job


@contextmanager
def _naming_members(run: Run) -> Iterator[None]:
    """A refusal names the member of the spec that it is about."""
    try:
        yield
    except (InvalidRequestError, NotFoundError) as error:
        raise with_member(error, run.spec.kind, run.work) from error


def told_plan(job: Job, run: Run) -> dict[str, Any]:
    """What a job would do and why, as what JSON can hold. Nothing is started or changed."""
    job = _of_type(job, run)
    earlier = committed_before(run.table, run.user) if job.commits and run.spec.table else []
    with _naming_members(run):
        why = "an earlier run of this job has committed already" if earlier else job.finished(run)
        plan = {} if why else _facts(job, run)
    return {
        "kind": run.spec.kind,
        "job_id": run.spec.job_id,
        "table": run.spec.table or None,
        "summary": meaning_of(KINDS[run.spec.kind]),
        "finished_before": why,
        "plan": plan,
    }


def _facts(job: Job, run: Run) -> Any:
    shown = job.tells(run, job.plan(run))
    return shown if isinstance(shown, dict) else facts_of(shown, run.table)


def check_history(planned: Sequence[str], confirmed: Sequence[str] | None) -> None:
    """`CommitConflictError` if what a plan removes holds what the person who confirmed did not see."""
    unseen = [reference for reference in planned if confirmed is not None and reference not in confirmed]
    if unseen:
        raise CommitConflictError(
            "the table has moved since the job was confirmed", first=unseen[0], unseen=len(unseen)
        )


def committed_before(table: Table, user: str, identifier: int = BATCH_COMMIT_IDENTIFIER) -> list[Snapshot]:
    """The snapshots that this user has made for the identifier in an earlier run; none in a first run."""
    commit = TableCommit(table, user)
    return [] if commit.filter_committed([identifier]) else commit.snapshots_of(identifier)


def result_of(
    table: Table,
    snapshots: Sequence[Snapshot],
    metrics: dict[str, int] | None = None,
    details: dict[str, Any] | None = None,
) -> Result:
    """The result of a job that made `snapshots`."""
    return Result(
        snapshots=tuple(snapshot.reference for snapshot in snapshots),
        latest=standing(table),
        metrics=metrics or {},
        details=details or {},
    )


def standing(table: Table) -> str | None:
    """The reference of the snapshot at which the table stands."""
    latest = table.snapshots.latest()
    return latest.reference if latest else None
