"""Writing and checking the audit log.

The entries of a day form a chain: each hash is over the hash before it and the entry's own content,
so that changing, removing or inserting an entry breaks every hash after it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.request import Request

from console.accounts.authentication import remote_address
from console.accounts.models import ApiToken
from console.api.trace import current_trace_id
from console.audit.models import AuditDay, AuditEvent

if TYPE_CHECKING:
    from console.api.views import ApiView

FIRST = "0" * 64
SECRETS = frozenset({"password", "new_password", "current_password", "token", "credentials", "options"})
_CHAINED = (
    "number", "actor", "token", "address", "action", "target", "outcome", "plan_id", "job_id", "trace_id",
    "detail",
)  # fmt: skip


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
        day.save()
    return event


def entry_hash(event: AuditEvent) -> str:
    """SHA-256 over the previous hash and the entry's content."""
    content: dict[str, Any] = {name: getattr(event, name) for name in _CHAINED}
    content["at"] = _millis(event.at)
    text = json.dumps([event.previous_hash, content], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _millis(at: datetime) -> int:
    return round(at.timestamp() * 1000)


def first_broken(day: date) -> AuditEvent | None:
    """The first entry of a day whose hash does not follow from the one before it; None if all do."""
    previous, expected = FIRST, 1
    for event in AuditEvent.objects.filter(day_id=day).order_by("number").iterator():
        if event.number != expected or event.previous_hash != previous or event.hash != entry_hash(event):
            return event
        previous, expected = event.hash, expected + 1
    return _missing_end(day, expected, previous)


def _missing_end(day: date, expected: int, head: str) -> AuditEvent | None:
    """A stand-in for the first entry that is gone from the end of the day; None if the end is whole."""
    kept = AuditDay.objects.filter(day=day).first()
    whole = kept is None or (kept.count, kept.head) == (expected - 1, head)
    return None if whole else AuditEvent(day=kept, number=expected, action="missing")


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
    verb = "export" if exported else str(request.method).lower()
    return f"{verb} {type(view).__name__.removesuffix('View')}"


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
    return detail | view.audit_detail()


def redacted(value: Any) -> Any:
    """The same JSON with the values of secret members replaced."""
    if isinstance(value, Mapping):
        return {k: "…" if k in SECRETS else redacted(v) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return [redacted(member) for member in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
