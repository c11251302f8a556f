"""What makes plans and jobs, and cancels and repeats jobs."""

from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from console.accounts.models import User
from console.accounts.roles import Access, Permission, Scope
from console.api.errors import Problem
from console.api.fields import rfc3339
from console.api.permissions import forbidden
from console.api.trace import current_trace_id
from console.celery import send
from console.inspector.opening import OpenTable, open_table
from console.inspector.veils import told_by_the_console
from console.jobs import events
from console.jobs.models import Job, Lease, Plan
from console.jobs.notices import shown
from console.jobs.planning import PLANNERS, Asked, Draft, common_blockers, needs_lease
from console.jobs.planning.partitions import asks_for_values
from console.jobs.planning.refresh import is_same_look
from console.jobs.presentation import REQUIRES, may_cancel, scope_of
from console.jobs.running import RUN_JOB
from console.jobs.startable import (
    check_confirmation,
    check_fresh,
    check_head,
    check_reads,
    check_startable,
    read_by,
)
from console.jobs.states import ENDED, State
from console.jobs.transitions import move
from console.jobs.visibility import visible_plan
from console.masking.asked import unveiled
from console.warehouses.models import Warehouse

MOST_RETRIES = 2  # that nobody asked for


# --- plans ----------------------------------------------------------------------------------------
def make_plan(*, opened: OpenTable, kind: str, params: dict[str, Any], user: User, access: Access) -> Plan:
    """Compute what an action would do now, and keep it for some minutes.

    Raises:
        Problem: `forbidden`, for what it asks of partitions that the caller is not told.
    """
    params, opened = _unveiled(opened, kind, params), opened.for_the_console()
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
    params, opened = _unveiled(opened, kind, params), opened.for_the_console()
    draft = PLANNERS[kind](opened, opened.table.snapshots.latest(), Asked(params, access, ""))
    return {
        "effects": draft.effects,
        "warnings": [shown(notice) for notice in draft.warnings],
        "blockers": [shown(notice) for notice in draft.blockers],
    }


def _unveiled(opened: OpenTable, kind: str, params: dict[str, Any]) -> dict[str, Any]:
    """The parameters with values where the caller names partitions by what stands in for them."""
    if not opened.sight.masks and not opened.sight.is_closed:
        return params
    scope = Scope(opened.warehouse.name, opened.database, opened.name)
    if kind == "partitions" and opened.hides_partitions and asks_for_values(opened, params):
        raise forbidden(opened.sight.needed, scope)
    return unveiled(
        params,
        sight=opened.sight,
        keys=opened.table.schema.partition_keys,
        scope=scope,
        known=lambda: told_by_the_console(opened),
    )


# --- jobs -----------------------------------------------------------------------------------------
def submit_job(
    *, access: Access, user: User, plan_id: str, confirmation: str, reason: str, token: str = ""
) -> Job:
    """A queued job from a plan, on its way to a worker; `token` is the name of what the person used.

    Raises:
        Problem: `forbidden`, `plan-blocked`, `plan-stale`, `confirmation-mismatch`, `validation-failed`,
            `table-busy`, `engine-unavailable`.
    """
    plan = visible_plan(plan_id, access)
    needed = REQUIRES[plan.level]
    if not access.allows(needed, scope_of(plan)):
        raise forbidden(needed, scope_of(plan))
    check_startable(plan)
    check_confirmation(plan, confirmation, reason)
    check_reads(plan, access)
    opened = open_table(plan.warehouse.name, plan.database, plan.table, branch=plan.branch)
    check_head(opened)
    check_fresh(plan, opened)
    plan.work = read_by(plan, access)
    return queue_plan(plan, opened, user, reason, token=token)


def queue_plan(
    plan: Plan,
    opened: OpenTable,
    user: User,
    reason: str,
    retry_of: Job | None = None,
    *,
    token: str = "",
    scheduled: bool = False,
) -> Job:
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
                token=token,
                scheduled=scheduled,
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


def retry_job(
    *, job: Job, access: Access, user: User, confirmation: str, reason: str, token: str = ""
) -> Job:
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
    check_startable(plan)
    check_confirmation(plan, confirmation, reason)
    return queue_plan(plan, opened, user, reason, retry_of=job, token=token)


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
    return queue_plan(
        plan, opened, job.requested_by, job.reason, retry_of=job, token=job.token, scheduled=job.scheduled
    )


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
