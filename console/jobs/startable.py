"""Whether a plan may become a job: what its table, its caller and their confirmation have to be like then."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from console.accounts.roles import Access
from console.api.errors import Problem
from console.api.fields import rfc3339
from console.inspector.opening import OpenTable
from console.inspector.pointers import pointer
from console.jobs.models import Job, Plan
from console.jobs.planning.places import SourceError, check_source
from console.jobs.reading import readable
from core.errors import PaimonError


def check_startable(plan: Plan) -> None:
    """Raise `plan-stale` for a plan that was used or is too old, `plan-blocked` for one with blockers."""
    used = Job.objects.filter(plan=plan).first()
    if used is not None:
        raise Problem("plan-stale/used", job=used.public_id, extension={"job": used.public_id})
    if plan.expires_at < timezone.now():
        raise Problem(
            "plan-stale/expired", expires_at=rfc3339(plan.expires_at), extension={"base": plan.base}
        )
    if plan.blockers:
        raise Problem("plan-blocked", extension={"blockers": [b["code"] for b in plan.blockers]})


def check_confirmation(plan: Plan, confirmation: str, reason: str) -> None:
    """Raise what is missing where an action that loses something asks for the table's name and a reason."""
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


def check_reads(plan: Plan, access: Access) -> None:
    """Raise `forbidden` if whoever starts the job may not read what it reads, whoever planned it."""
    if plan.kind != "write":
        return
    try:
        check_source(plan.params["source"], access)
    except SourceError as error:
        told = {"pointer": "/plan_id", "code": "source-closed", "detail": str(error)}
        raise Problem("validation-failed", errors=[told]) from error


def check_head(opened: OpenTable) -> None:
    """Raise `plan-blocked` if it is no longer certain which snapshot is the latest (rule R23)."""
    head = pointer(opened)
    if head["agree"] or head["hint"] == head["listed"]:
        return
    # A commit that is just being made has its snapshot, and the hint comes after it.
    if head["hint"] is not None and head["hint"] + 1 == head["listed"]:
        return
    raise Problem("plan-blocked", extension={"blockers": ["pointer-disagreement"]})


def _tolerates_newer_commits(plan: Plan) -> bool:
    """Whether what the plan promised still holds after others have committed."""
    if plan.kind == "write":
        return str(plan.params.get("mode")) == "append"
    if plan.kind == "branch":
        return str(plan.params.get("action")) != "fast_forward"
    if plan.kind == "partitions":
        return str(plan.params.get("action")) == "mark_done"
    return plan.kind in (
        "compact",
        "vectors",
        "tag",
        "consumer",
        "options",
        "file_index",
        "manifests",
        "analyze",
    )


def check_fresh(plan: Plan, opened: OpenTable) -> None:
    """Raise `plan-stale` if the table has moved, with the commits since."""
    latest = opened.table.snapshots.latest()
    reference = latest.reference if latest else None
    seen = plan.work.get("alter-options", {}).get("schema")
    schema = None if seen is None else opened.table.schemas.latest().id
    if schema != seen:
        raise Problem(
            "plan-stale", base=f"schema {seen}", latest=f"schema {schema}", extension={"commits_since": []}
        )
    if reference == plan.base or (_tolerates_newer_commits(plan) and _descends(opened, plan.base)):
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


def read_by(plan: Plan, access: Access) -> dict[str, Any]:
    """What the job is asked: a refresh reads what whoever starts it may read, whoever planned it."""
    if plan.kind != "refresh":
        return dict(plan.work)
    may = {"readable": readable(plan.warehouse, access)}
    return {kind: {**work, **may} for kind, work in plan.work.items()}
