"""Moves of a job from state to state: in one transaction with its event, its audit entry and its lease."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from console.api.fields import rfc3339
from console.audit.log import record
from console.jobs import events
from console.jobs.models import Job, Lease
from console.jobs.quotes import for_the_audit
from console.jobs.states import ENDED, State, may_move


class IllegalMoveError(Exception):
    """The job is in a state that does not lead to the one asked for: somebody else moved it."""


def move(job: Job, after: State, **fields: Any) -> Job:
    """The job in its new state, with `fields` set; an ended job gives its lease back.

    Raises:
        IllegalMoveError: the job's present state does not lead there.
    """
    with transaction.atomic():
        row = Job.objects.select_for_update().get(pk=job.pk)
        before = State(row.state)
        if not may_move(before, after):
            raise IllegalMoveError(f"{row.public_id} is {before}, which does not lead to {after}")
        now = timezone.now()
        row.state = after
        row.phases = [*row.phases, {"state": after.value, "at": rfc3339(now)}]
        for name, value in fields.items():
            setattr(row, name, value)
        if after is State.STARTING:
            row.started_at = now
        if after in ENDED:
            row.ended_at = now
            Lease.objects.filter(job=row).delete()
        row.save()
        events.append(row, "state", {"state": after.value, "before": before.value})
        _audit(row, after)
    return row


def _audit(job: Job, state: State) -> None:
    if state not in ENDED and state is not State.STARTING:
        return
    record(
        action=f"job {state.value}",
        outcome="failed" if state in (State.FAILED, State.FAILED_COMMITTED) else "ok",
        actor=job.requested_by.username if job.requested_by else "",
        target=f"{job.table_name}@{job.branch}",
        plan_id=job.plan.public_id if job.plan else "",
        job_id=job.public_id,
        detail={"result": job.result, "problem": for_the_audit(job.problem)} if state in ENDED else {},
    )
