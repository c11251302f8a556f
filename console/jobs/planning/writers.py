"""Who else writes a table: those that committed a moment ago may do so again."""

from __future__ import annotations

import time
from collections.abc import Iterable

from console.jobs.models import Job
from console.jobs.states import ENDED
from core.errors import PaimonError
from core.jobs import job_of_commit_user
from core.snapshot import Snapshot
from core.table import Table

RECENT_MILLIS = 10 * 60 * 1000
MOST_LOOKED_AT = 200  # commits


def at_work(users: Iterable[str]) -> list[str]:
    """The writers that may commit again: all but jobs of this console that have ended."""
    jobs = {user: job_of_commit_user(user) for user in users}
    ended = Job.objects.filter(public_id__in=[job for job in jobs.values() if job], state__in=ENDED)
    gone = set(ended.values_list("public_id", flat=True))
    return [user for user, job in jobs.items() if job not in gone]


def recent_writers(table: Table, latest: Snapshot | None) -> list[str]:
    """Who committed in the last ten minutes and may commit again, the newest first."""
    users: dict[str, None] = {}
    since = time.time() * 1000 - RECENT_MILLIS
    for snapshot in newest_first(table, latest):
        if snapshot.time_millis < since:
            break
        users.setdefault(snapshot.commit_user)
    return at_work(users)


def newest_first(table: Table, latest: Snapshot | None) -> Iterable[Snapshot]:
    """The last commits of a branch, as far back as they can be read."""
    if latest is None:
        return
    yield latest
    for snapshot_id in range(latest.id - 1, max(0, latest.id - MOST_LOOKED_AT), -1):
        try:
            yield table.snapshots.get(snapshot_id)
        except PaimonError:
            return  # expired, or damaged: who wrote it is not known
