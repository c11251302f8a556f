"""Plans and jobs as the API shows them to one caller."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.utils import timezone

from console.accounts.models import User
from console.accounts.roles import Access, Permission, Scope
from console.api.permissions import forbidden
from console.inspector.veils import Known, veil_at
from console.jobs import notices
from console.jobs.models import Job, Plan
from console.jobs.proposing import worded
from console.jobs.quotes import may_quote
from console.jobs.serializers import JobSerializer, PlanSerializer
from console.jobs.states import ENDED, State
from console.jobs.telling import lacking
from console.masking.policies import DOTS
from core.identifier import Identifier

REQUIRES = {0: Permission.TABLE_OPERATE, 1: Permission.TABLE_OPERATE, 2: Permission.TABLE_DESTROY}
STARTABLE = frozenset({State.QUEUED, State.STARTING, State.RUNNING})


def scope_of(target: Plan | Job) -> Scope:
    if not target.database:  # the demo is of a whole warehouse
        return Scope(target.warehouse.name)
    return Scope(target.warehouse.name, target.database, target.table)


def plan(row: Plan, access: Access) -> dict[str, Any]:
    """The plan, with what the caller may do with it."""
    requires = REQUIRES[row.level]
    job = getattr(row, "job", None)
    view = {
        "public_id": row.public_id, "kind": row.kind, "level": row.level, "warehouse": row.warehouse,
        "database": row.database, "table": row.table, "branch": row.branch, "base": row.base,
        "created_at": row.created_at, "created_by": row.created_by, "expires_at": row.expires_at,
        "state": "used" if job else "expired" if row.expires_at < timezone.now() else "ready",
        "requires": requires.value, "permitted": access.allows(requires, scope_of(row)),
        "confirmation": row.table_name if row.level == 2 else None, "reason_required": row.level == 2,
        "params": row.params, "effects": _browsed(effects(row.effects), row, access), "kept": row.kept,
        "undo": row.undo,
        "warnings": [notices.shown(n) for n in row.warnings],
        "blockers": [notices.shown(n) for n in row.blockers],
        "job": job.public_id if job else None,
    }  # fmt: skip
    veil = veil_at(access, scope_of(row), row.branch)
    told: dict[str, Any] = veil.clean(PlanSerializer(view).data)
    return told | {"effects": _in_no_order(told["effects"])} if veil.is_needed else told


def _in_no_order(effects: dict[str, Any]) -> dict[str, Any]:
    """The effects with partitions by what stands in for them: their own order would tell of their values."""
    found = effects.get("partitions")
    if not found:
        return effects
    return effects | {"partitions": sorted(found, key=lambda p: p if isinstance(p, str) else p["partition"])}


def _browsed(shown: dict[str, Any], row: Plan, access: Access) -> dict[str, Any]:
    """The effects of a refresh with the views that the caller may browse; others as they are."""
    if shown.get("kind") != "refresh":
        return shown
    views = [view for view in shown.get("views", []) if may_browse(row.warehouse.name, view["name"], access)]
    return shown | {"views": views}


def may_browse(warehouse: str, name: str, access: Access) -> bool:
    """Whether the caller may browse `database.table`."""
    found = Identifier.parse(name)
    return access.allows(Permission.META_READ, Scope(warehouse, found.database, found.table))


def effects(stored: dict[str, Any]) -> dict[str, Any]:
    """What the plan does, with its reasons in the active language."""
    if stored.get("kind") == "write":
        return stored | {
            "schema_fit": [_fit(column) for column in stored["schema_fit"]],
            "schema_change": _change(stored.get("schema_change")),
        }
    if stored.get("kind") == "expire":
        return {"partitions": [], **stored}  # which plans of an older release lack
    if stored.get("kind") in ("compact", "vectors"):
        stored = {**_COMPACT, **stored}
        reason = stored["est_reason"]
        if isinstance(reason, dict):
            return stored | {"est_reason": notices.shown(reason)["detail"], "est_reason_code": reason["code"]}
        return stored | {"est_reason_code": None}
    return stored


def _change(stored: dict[str, Any] | None) -> dict[str, Any] | None:
    return stored and stored | {"rows": worded(stored["rows"])}


def _fit(column: dict[str, Any]) -> dict[str, Any]:
    reason = column.get("reason")
    if reason is None:
        return {"reason": None, "detail": None} | column
    code = _FITS.get(reason, f"fit-{reason}")
    words = notices.shown({"code": code, "values": {name: column[name] for name in _TYPES}})
    return column | {"detail": words["detail"]}


# Members that plans of an older release lack.
_COMPACT: Mapping[str, Any] = {
    "peak_bytes": 0, "marked_files": 0, "marked_rows": 0, "commits_last_hour": 0, "rivals": [],
    "conflict_risk": "none", "est_seconds_low": None, "est_seconds_high": None,
}  # fmt: skip
_FITS = {"unknown": "fit-unknown-column"}  # `fit-unknown` is the notice of a query
_TYPES = ("source_type", "table_type")


def job(row: Job, access: Access, user: Any, known: Known | None = None) -> dict[str, Any]:
    """The job, with what the caller may do with it."""
    veil = veil_at(access, scope_of(row), row.branch, known)
    needed = lacking(row, access, user, veil.sight, known)
    view = {field.name: getattr(row, field.name) for field in row._meta.fields if field.name != "spec"}
    view |= {
        "requested_by": row.requested_by.username if row.requested_by else None,
        "cancelled_by": row.cancelled_by or None,
        "plan_id": row.plan.public_id if row.plan else None,
        "retry_of": row.retry_of.public_id if row.retry_of else None,
        "result": _result(row.result),
        "progress": _whole(row.progress, _PROGRESS),
        "engine": _whole(row.engine, _ENGINE),
        "problem": _problem(row.problem, tells_rows=needed is None),
        "actions": actions(row, access, user),
        "log_needs": None if needed is None else needed.value,
    }
    told: dict[str, Any] = veil.clean(JobSerializer(view).data)
    return told


# What a row holds may be of an older release: a member that it did not have then has these values.
_RESULT: Mapping[str, Any] = {"snapshots": [], "latest": None, "detail": None, "metrics": {}}
_PROGRESS: Mapping[str, Any] = {"phase": "", "done": 0, "total": None, "unit": ""}
_ENGINE: Mapping[str, Any] = {"name": "", "version": "", "application_id": "", "ui_url": None}
_PROBLEM: Mapping[str, Any] = {"code": "", "message": "", "fields": {}, "transient": False, "conflict": None}


def _whole(stored: Any, members: Mapping[str, Any]) -> dict[str, Any] | None:
    """What is stored with all members that there are today; None where nothing is."""
    if not isinstance(stored, dict):
        return None
    return {name: stored.get(name, default) for name, default in members.items()}


def _result(stored: Any) -> dict[str, Any] | None:
    """The result with its detail in the active language."""
    found = _whole(stored, _RESULT)
    if found is not None and isinstance(found["detail"], dict):
        found["detail"] = notices.shown(found["detail"])["detail"]
    return found


def events_of(row: Job, access: Access, user: User) -> Callable[[str, dict[str, Any]], dict[str, Any]]:
    """What of an event the caller is told: lines of the engine's log may quote values of rows."""
    veil = veil_at(access, scope_of(row), row.branch)
    tells_rows = lacking(row, access, user, veil.sight) is None

    def told(type_: str, data: dict[str, Any]) -> dict[str, Any]:
        if "message" in data and type_ in ("log", "warning") and not tells_rows:
            data = data | {"message": DOTS}
        cleaned: dict[str, Any] = veil.clean(data)
        return cleaned

    return told


def check_log(row: Job, access: Access, user: User) -> None:
    """Raise `forbidden` for a log, which quotes values of rows, to who is not told all that it may quote."""
    scope = scope_of(row)
    needed = lacking(row, access, user, veil_at(access, scope, row.branch).sight)
    if needed is not None:
        raise forbidden(needed, scope)


def _problem(stored: Any, *, tells_rows: bool) -> dict[str, Any] | None:
    """The problem, with what is known of a conflict in the active language.

    Its sentence and fields, where they may quote values of rows, only to who is told these.
    """
    found = _whole(stored, _PROBLEM)
    if found is not None:
        found["redacted"] = not tells_rows and may_quote(found)
        if found["redacted"]:
            found |= {"message": DOTS, "fields": {}}
    if found is not None and isinstance(found["conflict"], dict):
        told = {name: notices.shown(found["conflict"][name])["detail"] for name in ("detail", "advice")}
        found["conflict"] = found["conflict"] | told
    return found


def actions(row: Job, access: Access, user: Any) -> list[str]:
    """`cancel` and `retry`, where the state and the caller's permissions allow them."""
    found = []
    if State(row.state) in STARTABLE and row.cancel_requested_at is None and may_cancel(row, access, user):
        found.append("cancel")
    if State(row.state) in ENDED and row.plan and access.allows(REQUIRES[row.level], scope_of(row)):
        found.append("retry")
    return found


def may_cancel(row: Job, access: Access, user: Any) -> bool:
    scope = scope_of(row)
    own = row.requested_by_id == user.pk and access.allows(Permission.JOB_CANCEL_OWN, scope)
    return own or access.allows(Permission.JOB_CANCEL_ANY, scope)
