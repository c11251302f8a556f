"""How long entries of the audit log are kept: whole days go, and the head of their chain stays."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from django.conf import settings
from django.db import transaction

from console.audit.log import record
from console.audit.models import AuditDay, AuditEvent

BATCH = 1000  # entries deleted in one transaction, so that who writes waits for no more


def expire_entries(now: datetime) -> list[date]:
    """Delete the entries of days that lie wholly before `LAKESCOPE_AUDIT_RETENTION`; which days they were.

    Without that setting nothing goes. A day that syslog has not got yet stays, where there is one. Each day
    is told of in the log itself. A run that was cut off is taken up by the next.
    """
    kept: timedelta | None = settings.AUDIT_RETENTION
    if kept is None:
        return []
    first_kept = (now - kept).date()
    gone = []
    for day in AuditDay.objects.filter(day__lt=first_kept, expired_at=None).order_by("day"):
        if settings.AUDIT_SYSLOG is not None and day.forwarded < day.count:
            break
        _expire(day, now)
        gone.append(day.day)
    return gone


def _expire(day: AuditDay, now: datetime) -> None:
    # Marked first: a chain of which a part is gone by our own hand must not look broken.
    with transaction.atomic():
        AuditDay.objects.filter(day=day.day).update(expired_at=now)
        record(action="expire audit entries", target=day.day.isoformat(), detail={"entries": day.count})
    while _delete_some(day):
        pass


def _delete_some(day: AuditDay) -> int:
    some = AuditEvent.objects.filter(day=day).values_list("pk", flat=True)[:BATCH]
    deleted, _ = AuditEvent.objects.filter(pk__in=list(some)).delete()
    return deleted
