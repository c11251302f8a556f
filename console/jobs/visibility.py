"""Which plans and jobs a caller is shown."""

from __future__ import annotations

import re

from django.db.models import Q, QuerySet

from console.accounts.models import User
from console.accounts.roles import Access, Permission, Scope
from console.api.errors import Problem
from console.api.permissions import forbidden
from console.jobs.models import Job, Plan
from console.jobs.presentation import scope_of
from console.jobs.verifying import VIEW


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
        _check_reads_of(job, access, user)
    return job


def _check_reads_of(job: Job, access: Access, user: User) -> None:
    """Raise `forbidden` to who may not be told of the tables that a query of somebody else's has read.

    They are known only where it has succeeded: who may read all of the warehouse may be told in any case.
    """
    if job.requested_by_id != user.pk and not access.allows(Permission.DATA_READ, Scope(job.warehouse.name)):
        raise forbidden(Permission.DATA_READ, Scope(job.warehouse.name))
