"""Writing the audit log: who asked for what, how it ended, and what stood there before and after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.request import Request

from console.accounts.authentication import remote_address
from console.accounts.models import ApiToken
from console.api.etags import matched_version
from console.api.naming import operation_id
from console.api.trace import current_trace_id
from console.audit.chain import entry_hash
from console.audit.models import AuditDay, AuditEvent

if TYPE_CHECKING:
    from console.api.views import ApiView

SECRETS = frozenset({"password", "new_password", "current_password", "token", "credentials", "options"})


def record(*, action: str, outcome: str = "ok", **fields: Any) -> AuditEvent:
    """Append an entry to today's chain; it is written with the transaction around it, or at once.

    `fields` are those of AuditEvent: actor, token, address, target, plan_id, job_id, detail.
    """
    now = timezone.now()
    with transaction.atomic():
        AuditDay.objects.get_or_create(day=now.date())
        day = AuditDay.objects.select_for_update().get(day=now.date())
        event = AuditEvent(
            day=day, number=day.count + 1, at=now, action=action, outcome=outcome,
            trace_id=current_trace_id(), previous_hash=day.head, **fields,
        )  # fmt: skip
        event.hash = entry_hash(event)
        event.save()
        day.count, day.head = event.number, event.hash
        day.save(update_fields=["count", "head"])
    return event


def audit_request(request: Request, response: HttpResponseBase, view: ApiView) -> None:
    """Record a request if it is unsafe, denied, an export, or one whose reads are audited."""
    denied = response.status_code == 403
    exported = response.streaming and not getattr(view, "is_event_stream", False)
    changes = view.audits_changes and request.method not in ("GET", "HEAD", "OPTIONS")
    unsafe = changes and response.status_code != 429
    if not (unsafe or denied or exported or (view.audits_reads and response.status_code == 200)):
        return
    record(
        action=_action(request, view, exported),
        outcome="denied" if denied or response.status_code == 401 else _outcome(response.status_code),
        target=view.for_the_audit(request.path)[:500],
        **actor_fields(request),
        **_named(response, view),
        detail=view.for_the_audit(_detail(request, response, view)),
    )


def _outcome(status: int) -> str:
    return "ok" if status < 400 else "failed"


def _action(request: Request, view: ApiView, exported: bool) -> str:
    """The operation's name in the API's document; of a list that is saved whole, with `export`."""
    name = operation_id(type(view), str(request.method))
    return f"export_{name.removeprefix('get_')}" if exported else name


def actor_fields(request: Request) -> dict[str, str]:
    token = request.auth if isinstance(request.auth, ApiToken) else None
    return {
        "actor": request.user.get_username() if request.user.is_authenticated else "",
        "token": token.public_id if token else "",
        "address": remote_address(request),
    }


def _named(response: HttpResponseBase, view: ApiView) -> dict[str, str]:
    """The plan and the job that a request was about, by its reply."""
    data = getattr(response, "data", None)
    data = data if isinstance(data, Mapping) else {}
    plan = data.get("plan_id") or view.kwargs.get("plan") or ""
    job = view.kwargs.get("job") or ""
    identifier = data.get("id")
    if isinstance(identifier, str) and identifier.startswith("j-"):
        job = identifier
    if isinstance(identifier, str) and identifier.startswith("p-"):
        plan = identifier
    return {"plan_id": str(plan), "job_id": str(job)}


def _detail(request: Request, response: HttpResponseBase, view: ApiView) -> dict[str, Any]:
    detail: dict[str, Any] = {"status": response.status_code}
    problem = getattr(request._request, "problem_code", None)
    if problem:
        detail["problem"] = problem
    if response.status_code < 400 and request.method in ("POST", "PATCH", "PUT"):
        detail["request"] = redacted(request.data)
    if response.status_code < 400:
        detail |= _change(request, response)
    return detail | view.audit_detail()


def _change(request: Request, response: HttpResponseBase) -> dict[str, Any]:
    """What an object of ours was before it was changed or deleted, and is after: the members that differ."""
    before = matched_version(request)
    if not isinstance(before, Mapping):
        return {}
    after = getattr(response, "data", None)
    if not isinstance(after, Mapping):
        return {"before": redacted(before)}
    differ = [name for name in after if name in before and before[name] != after[name]]
    return {
        "before": redacted({name: before[name] for name in differ}),
        "after": redacted({name: after[name] for name in differ}),
    }


def redacted(value: Any) -> Any:
    """The same JSON with the values of secret members replaced."""
    if isinstance(value, Mapping):
        return {k: "…" if k in SECRETS else redacted(v) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return [redacted(member) for member in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
