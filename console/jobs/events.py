"""A job's append-only events: writing them, and telling them live to whoever looks."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from typing import Any

from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone

from console.api.errors import Problem
from console.api.fields import rfc3339
from console.jobs import logs
from console.jobs.models import Job, JobEvent

LONGEST_STREAM = 55.0  # seconds: a stream holds one of the web server's threads
# At once in one of the web server's processes: half of its threads stay for pages, whoever looks at jobs.
MOST_STREAMS = 8
# A browser has six connections to a server, streams of all its windows among them; two processes make four.
MOST_OF_A_PERSON = 2
PAUSE = 0.5  # seconds between two looks
HEARTBEAT = 10.0  # seconds: a browser that hears nothing for longer takes the stream for dead
COME_AGAIN = 30  # seconds


def append(job: Job, type_: str, data: dict[str, Any]) -> JobEvent:
    """Add an event with the next number."""
    with transaction.atomic():
        Job.objects.select_for_update().get(pk=job.pk)  # writers of one job queue here
        last = JobEvent.objects.filter(job=job).aggregate(last=Max("seq"))["last"] or 0
        return JobEvent.objects.create(job=job, seq=last + 1, at=timezone.now(), type=type_, data=data)


class Places:
    """Who holds how many streams of this process."""

    def __init__(self, most: int, most_of_one: int) -> None:
        self._most, self._most_of_one = most, most_of_one
        self._held: Counter[int] = Counter()
        self._lock = threading.Lock()

    def take(self, person: int) -> bool:
        """Whether the person got a place."""
        with self._lock:
            is_free = self._held.total() < self._most and self._held[person] < self._most_of_one
            self._held[person] += is_free
            return is_free

    def leave(self, person: int) -> None:
        with self._lock:
            self._held[person] -= 1
            self._held += Counter()  # forgets who holds none


Told = Callable[[str, dict[str, Any]], dict[str, Any]]
"""From an event's type and data to what its reader is told of it."""


def whole(type_: str, data: dict[str, Any]) -> dict[str, Any]:
    """All of it."""
    return data


places = Places(MOST_STREAMS, MOST_OF_A_PERSON)


class EventStream:
    """Events after a number as server-sent events, live, until the job has ended or time is up.

    Each event has its number as its id, by which a browser resumes: a stream that ends loses nothing.
    What is no event of the list has no id: `now` tells the job's state, progress and length of log, and
    `end` that no event can follow.

    Raises:
        Problem: all streams of the process, or of the person, are taken; the events can be polled.
    """

    def __init__(self, job: Job, *, after: int, person: int, told: Told = whole) -> None:
        if not places.take(person):
            raise Problem(
                "rate-limited/streams", seconds=COME_AGAIN, headers={"Retry-After": str(COME_AGAIN)}
            )
        self._person: int | None = person
        self._messages = _messages(job, after, told)

    def __iter__(self) -> Iterator[str]:
        return self._messages

    def close(self) -> None:
        """Give the place back; the server calls it whatever became of the browser, and may call it again."""
        if self._person is not None:
            person, self._person = self._person, None
            places.leave(person)
            self._messages.close()
            connection.close()


def _messages(job: Job, after: int, told_of: Told) -> Generator[str, None, None]:
    yield "retry: 1000\n\n"
    told, told_at, until = "", 0.0, time.monotonic() + LONGEST_STREAM
    while True:
        row = Job.objects.filter(pk=job.pk).first()  # before the events: none can come after its end
        if row is None:
            return  # its warehouse was taken away
        for event in JobEvent.objects.filter(job=row, seq__gt=after):
            after = event.seq
            yield _message(event, told_of)
        now, at = _now(row), time.monotonic()
        if now != told or at - told_at > HEARTBEAT:
            told, told_at = now, at
            yield f"event: now\ndata: {now}\n\n"
        if row.is_ended:
            yield "event: end\ndata: {}\n\n"
            return
        if at > until:
            return
        yield ": \n\n"  # finds out that the browser has gone
        time.sleep(PAUSE)


def _now(job: Job) -> str:
    size = logs.size(job)
    return json.dumps({"state": job.state, "progress": job.progress, "log_size": size}, ensure_ascii=False)


def _message(event: JobEvent, told: Told) -> str:
    data = told(event.type, event.data)
    shown = {"seq": event.seq, "at": rfc3339(event.at), "type": event.type, "data": data}
    return f"id: {event.seq}\nevent: {event.type}\ndata: {json.dumps(shown, ensure_ascii=False)}\n\n"
