"""A job's append-only events: writing them, and streaming them to a browser."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone

from console.api.fields import rfc3339
from console.jobs.models import Job, JobEvent

LONGEST_STREAM = 55.0  # seconds: a stream holds one of the web server's threads
MOST_STREAMS = 8  # at once in a process; more get what there is, and come again
PAUSE = 0.5
_streams = 0


def append(job: Job, type_: str, data: dict[str, Any]) -> JobEvent:
    """Add an event with the next number."""
    with transaction.atomic():
        Job.objects.select_for_update().get(pk=job.pk)  # writers of one job queue here
        last = JobEvent.objects.filter(job=job).aggregate(last=Max("seq"))["last"] or 0
        return JobEvent.objects.create(job=job, seq=last + 1, at=timezone.now(), type=type_, data=data)


def stream(job: Job, *, after: int) -> Iterator[str]:
    """Events after a number as server-sent events, live, until the job has ended or time is up.

    A browser resumes by Last-Event-ID, so an ended stream loses nothing.
    """
    global _streams
    _streams += 1
    try:
        yield "retry: 1000\n\n"
        yield from _follow(job, after, time.monotonic() + LONGEST_STREAM if _streams <= MOST_STREAMS else 0.0)
    finally:
        _streams -= 1
        connection.close()


def _follow(job: Job, after: int, until: float) -> Iterator[str]:
    while True:
        ended = Job.objects.get(pk=job.pk).is_ended  # before the events: none can come after it
        for event in JobEvent.objects.filter(job=job, seq__gt=after):
            after = event.seq
            yield _message(event)
        if ended:
            yield "event: end\ndata: {}\n\n"
            return
        if time.monotonic() > until:
            return
        yield ": \n\n"  # finds out that the browser has gone
        time.sleep(PAUSE)


def _message(event: JobEvent) -> str:
    shown = {"seq": event.seq, "at": rfc3339(event.at), "type": event.type, "data": event.data}
    return f"id: {event.seq}\nevent: {event.type}\ndata: {json.dumps(shown, ensure_ascii=False)}\n\n"
