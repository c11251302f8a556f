"""A small history of measurements: commits of a table by the hour, bytes of a warehouse by the day. Bounded.

A table keeps a number an hour for a day, a warehouse a number a day for nine; nothing else grows with time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from console.inspector.cache import in_parallel
from console.inspector.opening import OpenTable
from core.errors import PaimonError
from core.snapshot import Snapshot

HOURS = 24
GROWTH_DAYS = 7
MOST_READ = 2000  # snapshots that one measurement looks at
_AT_ONCE = 100
_KEPT_DAYS = GROWTH_DAYS + 2

Counts = Sequence[Sequence[int]]
"""Pairs of an hour since 1970 and how many commits it saw, or of a day and how many bytes there were."""


def commits_by_hour(
    opened: OpenTable, latest: Snapshot | None, known: Counts | None, measured: str | None, now: datetime
) -> list[list[int]]:
    """The commits of each of the last hours that saw any.

    What was counted up to the snapshot `measured` is not read again, unless that was rolled back.
    """
    if latest is None:
        return []
    since = _still_there(opened, measured) if known is not None else None
    found = Counter(_by_time(known or ()) if since is not None else {})
    first = _hour(now) - HOURS + 1
    ids = [i for i in opened.table.snapshots.ids() if (since or 0) < i <= latest.id][-MOST_READ:]
    while ids:
        times = in_parallel(lambda i: _committed(opened, i), ids[-_AT_ONCE:])
        found.update(hour for hour in times if hour is not None)
        if any(hour is not None and hour < first for hour in times):
            break  # those before are older still
        del ids[-_AT_ONCE:]
    return sorted([hour, count] for hour, count in found.items() if hour >= first)


def _still_there(opened: OpenTable, measured: str | None) -> int | None:
    """The id of the snapshot that was measured last, if its history goes on."""
    if measured is None:
        return None
    try:
        snapshot = opened.table.snapshots.get(int(measured.partition("~")[0]))
    except (PaimonError, ValueError):
        return None
    return snapshot.id if snapshot.reference == measured else None


def _committed(opened: OpenTable, snapshot_id: int) -> int | None:
    """The hour of a commit; None where its file is gone or damaged."""
    try:
        return opened.table.snapshots.get(snapshot_id).time_millis // 3_600_000
    except PaimonError:
        return None


def last_day(counts: Counts | None, now: datetime) -> list[int] | None:
    """The commits of each of the last 24 hours, the present one last; None where nobody has counted."""
    if counts is None:
        return None
    known, last = _by_time(counts), _hour(now)
    return [known.get(hour, 0) for hour in range(last - HOURS + 1, last + 1)]


def with_today(days: Counts, size: int | None, now: datetime) -> list[list[int]]:
    """The days with what there is today, as far as growth needs them."""
    today = _day(now)
    kept = [[day, was] for day, was in days if today - _KEPT_DAYS < day < today]
    return kept if size is None else [*kept, [today, size]]


def growth(days: Counts, size: int | None, now: datetime) -> dict[str, Any]:
    """By how many bytes a warehouse has grown in the last seven days, or since it was first measured.

    Null where it has not been measured on an earlier day.
    """
    today = _day(now)
    before = [(day, was) for day, was in days if day < today]
    if size is None or not before:
        return {"growth_bytes": None, "growth_since": None}
    week = [pair for pair in before if pair[0] <= today - GROWTH_DAYS]
    day, was = week[-1] if week else before[0]
    since = datetime.fromtimestamp(0, UTC) + timedelta(days=day)
    return {"growth_bytes": size - was, "growth_since": since}


def shown(rows: Iterable[dict[str, Any]], now: datetime) -> list[dict[str, Any]]:
    """Rows of a list of tables, with the commits of their last day."""
    return [{**row, "commits_24h": last_day(row["commit_hours"], now)} for row in rows]


def _by_time(counts: Counts) -> dict[int, int]:
    return {pair[0]: pair[1] for pair in counts}


def _hour(now: datetime) -> int:
    return int(now.timestamp()) // 3600


def _day(now: datetime) -> int:
    return int(now.timestamp()) // 86_400
