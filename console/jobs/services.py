"""What makes plans and jobs, and cancels and repeats jobs."""

from __future__ import annotations

import re
import secrets
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from console.accounts.models import User
from console.accounts.roles import Access, Permission, Scope
from console.api.errors import Problem
from console.api.fields import rfc3339
from console.api.permissions import forbidden
from console.api.trace import current_trace_id
from console.celery import send
from console.inspector.opening import OpenTable, open_table
from console.inspector.summary import pointer
from console.inspector.veils import told_by_the_console
from console.jobs import events
from console.jobs.models import Job, Lease, Plan
from console.jobs.notices import shown
from console.jobs.planning import PLANNERS, Asked, Draft, common_blockers, needs_lease
from console.jobs.planning.places import SourceError, check_source
from console.jobs.planning.refresh import is_same_look
from console.jobs.presentation import REQUIRES, may_cancel, scope_of
from console.jobs.reading import readable
from console.jobs.running import RUN_JOB
from console.jobs.states import ENDED, State
from console.jobs.transitions import move
from console.jobs.verifying import VIEW
from console.masking.asked import unveiled
from console.warehouses.models import Warehouse
from core.errors import PaimonError

MOST_RETRIES = 2  # that nobody asked for


# --- plans ----------------------------------------------------------------------------------------
def make_plan(*, opened: OpenTable, kind: str, params: dict[str, Any], user: User, access: Access) -> Plan:
    """Compute what an action would do now, and keep it for some minutes.

    Raises:
        Problem: `forbidden`, for what it asks of partitions that the caller is not told.
    """
    params, opened = _unveiled(opened, params), opened.for_the_console()
    latest = opened.table.snapshots.latest()
    suffix = secrets.token_hex(5)
    draft: Draft = PLANNERS[kind](opened, latest, Asked(params, access, f"j-{suffix}"))
    return Plan.objects.create(
        public_id=f"p-{suffix}",
        kind=kind,
        level=draft.level,
        warehouse=opened.warehouse,
        database=opened.database,
        table=opened.name,
        branch=opened.branch,
        base=latest.reference if latest else None,
        params=params,
        effects=draft.effects,
        kept=draft.kept,
        undo=draft.undo,
        warnings=draft.warnings,
        blockers=[*common_blockers(opened, alone=needs_lease(kind, draft.level)), *draft.blockers],
        work={draft.job or kind: draft.work},
        created_by=user,
        expires_at=timezone.now() + settings.PLAN_LIFETIME,
    )


def preview_plan(*, opened: OpenTable, kind: str, params: dict[str, Any], access: Access) -> dict[str, Any]:
    """Effects, warnings and blockers of an action by what the table shows now; nothing is kept."""
    params, opened = _unveiled(opened, params), opened.for_the_console()
    draft = PLANNERS[kind](opened, opened.table.snapshots.latest(), Asked(params, access, ""))
    return {
        "effects": draft.effects,
        "warnings": [shown(notice) for notice in draft.warnings],
        "blockers": [shown(notice) for notice in draft.blockers],
    }


def _unveiled(opened: OpenTable, params: dict[str, Any]) -> dict[str, Any]:
    """The parameters with values where the caller names partitions by what stands in for them."""
    if not opened.sight.masks and not opened.sight.is_closed:
        return params
    return unveiled(
        params,
        sight=opened.sight,
        keys=opened.table.schema.partition_keys,
        scope=Scope(opened.warehouse.name, opened.database, opened.name),
        known=lambda: told_by_the_console(opened),
    )


def visible_plan(public_id: str, access: Access) -> Plan:
    """The plan, if the caller may browse its table.

    Raises:
        Problem: `not-found`, `forbidden`.
    """
    plan = Plan.objects.filter(public_id=public_id).select_related("warehouse", "created_by").first()
    if plan is None:
        raise Problem("not-found", kind="plan", name=public_id)
    if not access.allows(Permission.META_READ, scope_of(plan)):
        raise forbidden(Permission.META_READ, scope_of(plan))
    return plan


# --- jobs -----------------------------------------------------------------------------------------
def visible_jobs(access: Access, user: User | None = None) -> QuerySet[Job]:
    """The jobs on tables that the caller may browse; of runs of views those that `visible_job` shows."""
    own_runs = Q(pk__in=[]) if user is None else Q(requested_by=user)
    jobs = Job.objects.select_related("warehouse", "requested_by", "plan", "retry_of")
    if access.ceiling is not None and Permission.META_READ not in access.ceiling:
        return jobs.none()
    seen = Q(pk__in=[])
    for grant in access.grants:
        covered = Q()
        if grant.scope.warehouse is not None:
            covered &= Q(warehouse__name=grant.scope.warehouse)
        if grant.scope.database is not None:
            covered &= Q(database=grant.scope.database)
        if grant.scope.table is not None:
            covered &= Q(table__regex=_regex(grant.scope.table))
        held = grant.permissions if access.ceiling is None else access.ceiling & grant.permissions
        if Permission.DATA_READ not in held:
            covered &= ~Q(kind=VIEW)  # what it failed by may tell of rows
        elif grant.scope.database is not None or grant.scope.table is not None:
            covered &= ~Q(kind=VIEW) | own_runs
        if not covered:  # a grant over everything; `seen | Q()` would be `seen`
            return jobs
        seen |= covered
    return jobs.filter(seen)


def _regex(pattern: str) -> str:
    """A table pattern as a regular expression that both databases understand."""
    parts = (".*" if c == "*" else "." if c == "?" else re.escape(c) for c in pattern)
    return f"^{''.join(parts)}$"


def visible_job(public_id: str, access: Access, user: User) -> Job:
    """The job, if the caller may browse its table; a run of a view to who asked for it or may read all.

    Raises:
        Problem: `not-found`, `forbidden`.
    """
    job = (
        Job.objects.filter(public_id=public_id)
        .select_related("warehouse", "requested_by", "plan", "retry_of")
        .first()
    )
    if job is None:
        raise Problem("not-found", kind="job", name=public_id)
    needed = Permission.DATA_READ if job.kind == VIEW else Permission.META_READ
    if not access.allows(needed, scope_of(job)):
        raise forbidden(needed, scope_of(job))
    if job.kind == VIEW:
        check_reads_of(job, access, user)
    return job


def check_reads_of(job: Job, access: Access, user: User) -> None:
    """Raise `forbidden` to who may not be told of the tables that a query of somebody else's has read.

    They are known only where it has succeeded: who may read all of the warehouse may be told in any case.
    """
    if job.requested_by_id != user.pk and not access.allows(Permission.DATA_READ, Scope(job.warehouse.name)):
        raise forbidden(Permission.DATA_READ, Scope(job.warehouse.name))


def submit_job(*, access: Access, user: User, plan_id: str, confirmation: str, reason: str) -> Job:
    """A queued job from a plan, on its way to a worker.

    Raises:
        Problem: `forbidden`, `plan-blocked`, `plan-stale`, `confirmation-mismatch`, `validation-failed`,
            `table-busy`, `engine-unavailable`.
    """
    plan = visible_plan(plan_id, access)
    needed = REQUIRES[plan.level]
    if not access.allows(needed, scope_of(plan)):
        raise forbidden(needed, scope_of(plan))
    _check_startable(plan)
    _check_confirmation(plan, confirmation, reason)
    _check_source(plan, access)
    opened = open_table(plan.warehouse.name, plan.database, plan.table, branch=plan.branch)
    _check_head(opened)
    _check_fresh(plan, opened)
    plan.work = _read_by(plan, access)
    return queue_plan(plan, opened, user, reason)


def _read_by(plan: Plan, access: Access) -> dict[str, Any]:
    """What the job is asked: a refresh reads what whoever starts it may read, whoever planned it."""
    if plan.kind != "refresh":
        return dict(plan.work)
    may = {"readable": readable(plan.warehouse, access)}
    return {kind: {**work, **may} for kind, work in plan.work.items()}


def _check_source(plan: Plan, access: Access) -> None:
    """Raise `forbidden` if whoever starts the job may not read what it reads, whoever planned it."""
    if plan.kind != "write":
        return
    try:
        check_source(plan.params["source"], access)
    except SourceError as error:
        told = {"pointer": "/plan_id", "code": "source-closed", "detail": str(error)}
        raise Problem("validation-failed", errors=[told]) from error


def _check_startable(plan: Plan) -> None:
    used = Job.objects.filter(plan=plan).first()
    if used is not None:
        raise Problem("plan-stale/used", job=used.public_id, extension={"job": used.public_id})
    if plan.expires_at < timezone.now():
        raise Problem(
            "plan-stale/expired", expires_at=rfc3339(plan.expires_at), extension={"base": plan.base}
        )
    if plan.blockers:
        raise Problem("plan-blocked", extension={"blockers": [b["code"] for b in plan.blockers]})


def _check_confirmation(plan: Plan, confirmation: str, reason: str) -> None:
    if plan.level < 2:
        return
    if confirmation != plan.table_name:
        raise Problem(
            "confirmation-mismatch", expected=plan.table_name, extension={"expected": plan.table_name}
        )
    if not reason.strip():
        error = {
            "pointer": "/reason",
            "code": "required",
            "detail": "An action of this level needs a reason.",
        }
        raise Problem("validation-failed", errors=[error])


def _check_head(opened: OpenTable) -> None:
    """Raise `plan-blocked` if it is no longer certain which snapshot is the latest (rule R23)."""
    head = pointer(opened)
    if head["agree"] or head["hint"] == head["listed"]:
        return
    # A commit that is just being made has its snapshot, and the hint comes after it.
    if head["hint"] is not None and head["hint"] + 1 == head["listed"]:
        return
    raise Problem("plan-blocked", extension={"blockers": ["pointer-disagreement"]})


def tolerates_newer_commits(plan: Plan) -> bool:
    """Whether what the plan promised still holds after others have committed."""
    if plan.kind == "write":
        return str(plan.params.get("mode")) == "append"
    if plan.kind == "branch":
        return str(plan.params.get("action")) != "fast_forward"
    if plan.kind == "partitions":
        return str(plan.params.get("action")) == "mark_done"
    return plan.kind in ("compact", "tag", "consumer", "options", "file_index", "manifests", "analyze")


def _check_fresh(plan: Plan, opened: OpenTable) -> None:
    """Raise `plan-stale` if the table has moved, with the commits since."""
    latest = opened.table.snapshots.latest()
    reference = latest.reference if latest else None
    seen = plan.work.get("alter-options", {}).get("schema")
    schema = None if seen is None else opened.table.schemas.latest().id
    if schema != seen:
        raise Problem(
            "plan-stale", base=f"schema {seen}", latest=f"schema {schema}", extension={"commits_since": []}
        )
    if reference == plan.base or (tolerates_newer_commits(plan) and _descends(opened, plan.base)):
        return
    since = _commits_since(opened, plan.base)
    raise Problem(
        "plan-stale",
        base=plan.base or "-",
        latest=reference or "-",
        extension={"base": plan.base, "latest": reference, "commits_since": since},
    )


def _descends(opened: OpenTable, base: str | None) -> bool:
    """Whether the base is still in the table's history: newer commits came, and no rewind."""
    if base is None:
        return True
    try:
        return opened.table.snapshots.get(int(base.partition("~")[0])).reference == base
    except PaimonError:
        return False


def _commits_since(opened: OpenTable, base: str | None) -> list[dict[str, Any]]:
    first = int(base.partition("~")[0]) if base else 0
    snapshots = opened.table.snapshots
    newer = [snapshots.get(i) for i in snapshots.ids() if i > first][-100:]
    return [{"id": s.id, "ref": s.reference, "kind": s.commit_kind.value.lower()} for s in newer]


def queue_plan(plan: Plan, opened: OpenTable, user: User, reason: str, retry_of: Job | None = None) -> Job:
    """Write the job and its lease in one transaction, then wake a worker up."""
    try:
        with transaction.atomic():
            job = Job.objects.create(
                public_id=f"j-{plan.public_id.removeprefix('p-')}",
                kind=plan.kind,
                level=plan.level,
                warehouse=plan.warehouse,
                database=plan.database,
                table=plan.table,
                branch=plan.branch,
                plan=plan,
                retry_of=retry_of,
                spec=plan.work,
                requested_by=user,
                reason=reason.strip(),
                trace_id=current_trace_id(),
                phases=[{"state": State.QUEUED.value, "at": rfc3339(timezone.now())}],
            )
            if needs_lease(plan.kind, plan.level):
                Lease.objects.create(location=opened.place, branch=plan.branch, job=job)
            events.append(job, "state", {"state": State.QUEUED.value, "before": None})
    except IntegrityError:
        raise _busy(plan, opened) from None
    wake_a_worker(job)
    return job


def _busy(plan: Plan, opened: OpenTable) -> Problem:
    lease = Lease.objects.filter(location=opened.place, branch=plan.branch).select_related("job").first()
    if lease is None:  # the plan itself was used by a request at the same time
        return Problem("plan-stale/used", job="-")
    return Problem("table-busy", job=lease.job.public_id, extension={"job": lease.job.public_id})


def wake_a_worker(job: Job) -> None:
    """Send the job to the workers; without a broker the beat finds it when there is one again."""
    if not send(RUN_JOB, job.pk):
        events.append(job, "warning", {"level": "warning", "message": "the broker does not answer"})


def cancel_job(*, job: Job, access: Access, user: User) -> Job:
    """The job, cancelled if it was queued, else asked to stop.

    Raises:
        Problem: `forbidden`, `job-ended`.
    """
    if not may_cancel(job, access, user):
        raise forbidden(Permission.JOB_CANCEL_ANY, scope_of(job))
    with transaction.atomic():
        row = Job.objects.select_for_update().get(pk=job.pk)
        if State(row.state) in ENDED:
            raise Problem("job-ended", job=row.public_id, state=row.state)
        row.cancel_requested_at = row.cancel_requested_at or timezone.now()
        row.cancelled_by = row.cancelled_by or user.username
        row.save(update_fields=["cancel_requested_at", "cancelled_by"])
        return move(row, State.CANCELLED) if State(row.state) is State.QUEUED else row


def retry_job(*, job: Job, access: Access, user: User, confirmation: str, reason: str) -> Job:
    """A new job that does the same by a new plan.

    Raises:
        Problem: `job-not-ended`, and what `submit_job` raises for the new plan.
    """
    if State(job.state) not in ENDED or job.plan is None:
        raise Problem("job-not-ended", job=job.public_id, state=job.state)
    needed = REQUIRES[job.level]
    if not access.allows(needed, scope_of(job)):
        raise forbidden(needed, scope_of(job))
    opened = open_table(job.warehouse.name, job.database, job.table, branch=job.branch)
    plan = make_plan(opened=opened, kind=job.kind, params=job.plan.params, user=user, access=access)
    if not _does_the_same(plan, job):
        raise Problem("plan-stale/definition", job=job.public_id)
    _check_startable(plan)
    _check_confirmation(plan, confirmation, reason)
    return queue_plan(plan, opened, user, reason, retry_of=job)


def _does_the_same(plan: Plan, job: Job) -> bool:
    """Whether what is read was looked at when the job was asked for: nobody looks at the plan of a retry."""
    return plan.kind != "refresh" or is_same_look(job.spec["refresh"], plan.work["refresh"])


def retry_automatically(job: Job) -> Job | None:
    """A new job in place of one that a passing trouble ended, at most twice in a row; None if it is none.

    Only for what loses nothing (level 0) and has committed nothing.
    """
    passing = job.state == State.FAILED and job.level == 0 and bool((job.problem or {}).get("transient"))
    if not passing or job.plan is None or job.requested_by is None or _retries(job) >= MOST_RETRIES:
        return None
    access = job.requested_by.access()
    if not access.allows(REQUIRES[job.level], scope_of(job)):
        return None  # taken away, or the person deactivated, since the job was asked for
    opened = open_table(job.warehouse.name, job.database, job.table, branch=job.branch)
    plan = make_plan(
        opened=opened, kind=job.kind, params=job.plan.params, user=job.requested_by, access=access
    )
    if plan.blockers or not _does_the_same(plan, job):
        return None
    return queue_plan(plan, opened, job.requested_by, job.reason, retry_of=job)


def _retries(job: Job) -> int:
    """How many jobs this one is the retry of, one of the other."""
    count = 0
    while job.retry_of is not None:
        job, count = job.retry_of, count + 1
    return count


def start_demo(*, warehouse: Warehouse) -> Job:
    """The job that makes the demo warehouse."""
    job = Job.objects.create(
        public_id=f"j-{secrets.token_hex(5)}",
        kind="demo",
        warehouse=warehouse,
        database="",
        table="",
        spec={"warehouse": warehouse.location},
        trace_id=secrets.token_hex(16),
        phases=[{"state": State.QUEUED.value, "at": rfc3339(timezone.now())}],
    )
    events.append(job, "state", {"state": State.QUEUED.value, "before": None})
    wake_a_worker(job)
    return job
