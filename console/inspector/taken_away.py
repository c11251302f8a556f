"""Which job of this console took a snapshot away: what the audit log knows of a gone page. Design: 5."""

from __future__ import annotations

from typing import Any

from console.api.fields import rfc3339
from console.inspector.opening import OpenTable
from console.jobs.models import Job
from console.jobs.states import State

_COMMITTED = (State.SUCCEEDED, State.FAILED_COMMITTED, State.CANCELLED_COMMITTED)
_MOST_LOOKED_AT = 50  # jobs of the branch, newest first


def by_job(opened: OpenTable, reference: str) -> dict[str, Any] | None:
    """The newest job whose plan removed the snapshot `42` or `42~9f3c`; None where none of the newest did."""
    jobs = Job.objects.filter(
        warehouse=opened.warehouse,
        database=opened.database,
        table=opened.name,
        branch=opened.branch,
        state__in=_COMMITTED,
        plan__isnull=False,
    )
    for job in jobs.select_related("plan", "requested_by").order_by("-id")[:_MOST_LOOKED_AT]:
        if any(_is(removed, reference) for removed in _removed(job)):
            return {
                "job": job.public_id,
                "requested_by": job.requested_by.username if job.requested_by else None,
                "ended_at": rfc3339(job.ended_at),
            }
    return None


def _removed(job: Job) -> list[dict[str, Any]]:
    removed = job.plan.effects.get("snapshots_removed") if job.plan else None
    return removed if isinstance(removed, list) else []


def _is(removed: dict[str, Any], reference: str) -> bool:
    """Whether an identity that is not wholly spelled out, or none, still means this snapshot."""
    id_, _, identity = reference.partition("~")
    known = str(removed.get("ref", ""))
    return str(removed.get("id")) == id_ and known.startswith(f"{id_}~{identity}" if identity else id_)
