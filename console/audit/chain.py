"""The chain of hashes in the audit log, a chain a day.

Each hash is over the hash before it and the entry's own content, so that changing, removing or inserting
an entry breaks every hash after it. The day keeps how many entries it has and the last hash, so that a
missing end is found, too.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from console.audit.models import AuditDay, AuditEvent

FIRST = "0" * 64
_CHAINED = (
    "number", "actor", "token", "address", "action", "target", "outcome", "plan_id", "job_id", "trace_id",
    "detail",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Break:
    """Where the chain of a day does not hold: what stands at this number is not what was written."""

    number: int  # of the entry in its day, from 1
    event: AuditEvent | None  # None: entries from here on are missing


def entry_hash(event: AuditEvent) -> str:
    """SHA-256 over the previous hash and the entry's content."""
    content: dict[str, Any] = {name: getattr(event, name) for name in _CHAINED}
    content["at"] = _millis(event.at)
    text = json.dumps([event.previous_hash, content], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _millis(at: datetime) -> int:
    return round(at.timestamp() * 1000)


def first_break(day: AuditDay) -> Break | None:
    """The first place where the chain of a day does not hold; None if it holds, or its entries expired."""
    day.refresh_from_db()
    if day.expired_at is not None:
        return None
    count, head = day.count, day.head  # what is written while this reads is for the next time
    previous, expected = FIRST, 1
    entries = AuditEvent.objects.filter(day=day).order_by("number")
    for event in entries.filter(number__lte=count).iterator():
        if event.number != expected or event.previous_hash != previous or event.hash != entry_hash(event):
            return Break(expected, event)
        previous, expected = event.hash, expected + 1
    if (expected - 1, previous) != (count, head):
        return Break(expected, None)
    last = entries.last()
    day.refresh_from_db()  # after the last entry was read: a true one comes with its day's count
    return Break(last.number, last) if last is not None and last.number > day.count else None
