"""How long a compaction may take and whom it may meet: what past jobs and the last hour's commits tell."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any

from console.jobs.models import Job
from console.jobs.notices import notice
from console.jobs.planning.writers import at_work, newest_first
from console.jobs.states import State
from core.snapshot import CommitKind, Snapshot
from core.table import Table

ENOUGH_JOBS = 3  # past jobs that an estimate of the time needs
_HOUR = 60 * 60 * 1000  # milliseconds


@dataclass(frozen=True, slots=True)
class Estimate:
    """Seconds: half of the past jobs were between `low` and `high`."""

    seconds: int | None
    low: int | None = None
    high: int | None = None
    reason: dict[str, Any] | None = None  # a notice: why there is none

    def shown(self) -> dict[str, Any]:
        return {
            "est_seconds": self.seconds,
            "est_seconds_low": self.low,
            "est_seconds_high": self.high,
            "est_reason": self.reason,
        }


def estimate(size: int) -> Estimate:
    """The time by the throughput of past compactions; None and why, where too few are known."""
    ended = (
        Job.objects.filter(kind__in=("compact", "vectors"), state=State.SUCCEEDED)
        .select_related("plan")
        .order_by("-pk")[:50]
    )
    rates = [rate for job in ended if (rate := _rate(job))]
    if len(rates) < ENOUGH_JOBS:
        return Estimate(None, reason=notice("few-past-jobs", count=ENOUGH_JOBS))
    slow, _, fast = quantiles(rates, n=4, method="inclusive")
    middle, low, high = (max(1, round(size / rate)) for rate in (median(rates), fast, slow))
    return Estimate(middle, low, high)


def _rate(job: Job) -> float | None:
    """Bytes a second of a past compaction."""
    if job.plan is None or job.started_at is None or job.ended_at is None:
        return None
    seconds = (job.ended_at - job.started_at).total_seconds()
    size = job.plan.effects.get("bytes_rewritten", 0)
    return size / seconds if seconds > 0 and size else None


def traffic(table: Table, latest: Snapshot | None) -> dict[str, Any]:
    """What others committed in the last hour, and how likely it is that a compaction loses to them.

    Commits that only add files never clash with a compaction; another compaction, or an overwrite, may
    take the same files first.
    """
    since = time.time() * 1000 - _HOUR
    commits = 0
    rivals: dict[str, None] = {}
    for snapshot in newest_first(table, latest):
        if snapshot.time_millis < since:
            break
        commits += 1
        if snapshot.commit_kind in (CommitKind.COMPACT, CommitKind.OVERWRITE):
            rivals.setdefault(snapshot.commit_user)
    found = at_work(rivals)
    return {
        "commits_last_hour": commits,
        "rivals": found,
        "conflict_risk": "high" if found else "low" if commits else "none",
    }
