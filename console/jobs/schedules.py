"""Refreshes by schedule: a materialized table is refreshed when its rows are older than they may be.

An administrator of the table switches that on. A beat task looks for what is due and starts one job at a
time, as the person who switched it on, with what that person may do by then, and only while the definition
and all views in it are those that this person has seen: who may change a view may not read all that the
person may.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone

from console.accounts.models import User
from console.accounts.roles import Permission, Scope
from console.api.errors import Problem
from console.api.trace import begin_trace
from console.audit.log import record
from console.inspector.opening import OpenTable, open_table
from console.jobs.models import Job, RefreshSchedule
from console.jobs.notices import notice
from console.jobs.reading import digests_of, views_of
from console.jobs.services import make_plan, queue_plan
from console.jobs.states import ACTIVE, State
from core.errors import PaimonError, UnsupportedError
from core.schema.materialized import Definition, definition_of

log = logging.getLogger(__name__)

SOONEST = timedelta(seconds=60)  # between two refreshes of a table, whatever its definition asks for
AGAIN = timedelta(seconds=60)  # after which a table that is busy is looked at again
AFTER_FAILURE = timedelta(minutes=15)  # at least, where the last refresh did not succeed


def schedule_of(opened: OpenTable) -> RefreshSchedule | None:
    return RefreshSchedule.objects.filter(**_named(opened)).select_related("enabled_by", "last_job").first()


def set_schedule(*, opened: OpenTable, enabled: bool, user: User) -> RefreshSchedule | None:
    """The schedule, switched on by the person; None when it is switched off.

    Raises:
        InvalidRequestError: no materialized table. UnsupportedError: a definition that is not refreshed by
            a schedule; names why.
    """
    if not enabled:
        RefreshSchedule.objects.filter(**_named(opened)).delete()
        return None
    definition = definition_of(opened.table.schema)
    refused = definition.refused or (
        "materialized-table.interval-freshness is missing" if definition.freshness is None else None
    )
    if refused is not None:
        raise UnsupportedError("this materialized table is not refreshed by a schedule", feature=refused)
    query = definition.query or ""
    found, _ = RefreshSchedule.objects.update_or_create(
        **_named(opened),
        defaults={
            "enabled_by": user,
            "query": query,
            "looked_at": digests_of(views_of(opened.warehouse, query, opened.database)),
            "next_due": _due(opened, definition, timezone.now()),
            "problem": None,
        },
    )
    return found


def _named(opened: OpenTable) -> dict[str, Any]:
    return {"warehouse": opened.warehouse, "database": opened.database, "table": opened.name}


def _due(opened: OpenTable, definition: Definition, now: datetime) -> datetime:
    """When the rows will be older than they may be."""
    latest = opened.table.snapshots.latest()
    if latest is None or definition.freshness is None:
        return now
    return datetime.fromtimestamp(latest.time_millis / 1000, UTC) + definition.freshness


def start_due() -> Job | None:
    """The job of the refresh that is due first, if none of a schedule is at work; None if there is none."""
    active = [state.value for state in ACTIVE]
    if RefreshSchedule.objects.filter(last_job__state__in=active).exists():
        return None
    now = timezone.now()
    due = RefreshSchedule.objects.filter(next_due__lte=now).order_by("next_due")
    for row in due.select_related("warehouse", "enabled_by", "last_job")[:20]:
        # Of several beats one claims it; a claim whose process dies is looked at again.
        if RefreshSchedule.objects.filter(pk=row.pk, next_due=row.next_due).update(next_due=now + AGAIN) != 1:
            continue
        begin_trace()
        job = _started(row, now)
        if job is not None:
            return job
    return None


def _started(row: RefreshSchedule, now: datetime) -> Job | None:
    """The job of one that is due; None where there is nothing to do yet, or something forbids it."""
    try:
        opened = open_table(row.warehouse.name, row.database, row.table)
        definition = definition_of(opened.table.schema)
        failed = row.last_job is not None and row.last_job.state != State.SUCCEEDED
        interval = max(definition.freshness or SOONEST, AFTER_FAILURE if failed else SOONEST)
        due = _due(opened, definition, now)
        if due > now:
            _keep(row, next_due=due, problem=None)
            return None
        access = row.enabled_by.access()
        scope = Scope(row.warehouse.name, row.database, row.table)
        if not row.enabled_by.is_active or not access.allows(Permission.TABLE_OPERATE, scope):
            problem = notice("schedule-not-permitted", user=row.enabled_by.username)
            _keep(row, next_due=now + interval, problem=problem)
            return None
        plan = make_plan(opened=opened, kind="refresh", params={}, user=row.enabled_by, access=access)
        changed = _changed(row, plan.work["refresh"])
        if changed is not None:
            plan.delete()
            _keep(row, next_due=now + interval, problem=changed)
            return None
        if plan.blockers:
            _keep(row, problem=plan.blockers[0])
            return None
        job = queue_plan(plan, opened, row.enabled_by, "", scheduled=True)
        _keep(row, next_due=now + interval, problem=None, last_job=job)
        record(
            action="scheduled refresh",
            actor=row.enabled_by.username,
            target=plan.table_name,
            plan_id=plan.public_id,
            job_id=job.public_id,
            detail={},
        )
    except (PaimonError, Problem) as error:
        log.warning("the refresh of %s.%s is not started: %s", row.database, row.table, error)
        _keep(row, next_due=now + 5 * AGAIN, problem=notice("schedule-failed", reason=error))
        return None
    return job


def _changed(row: RefreshSchedule, work: Mapping[str, Any]) -> dict[str, Any] | None:
    """The notice that something else would be run than was looked at; None if all is as it was.

    It is the job's own work that is compared: what it runs is what it was given here, or nothing.
    """
    user = row.enabled_by.username
    if work["query"] != row.query:
        return notice("schedule-other-definition", user=user)
    seen, found = row.looked_at, work["looked_at"]
    views = [name for name in sorted({*seen, *found}) if seen.get(name) != found.get(name)]
    return notice("schedule-other-views", user=user, views=", ".join(views)) if views else None


def _keep(row: RefreshSchedule, **fields: Any) -> None:
    """What has become of it; nothing, if it was switched off meanwhile."""
    RefreshSchedule.objects.filter(pk=row.pk).update(**fields)
