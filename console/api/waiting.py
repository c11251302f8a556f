"""How long a request waits for work that goes on without it. Design: 9.2, Async."""

from __future__ import annotations

import re
import time
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any

from django.conf import settings
from rest_framework.request import Request

IN_BACKGROUND = 600.0  # seconds that a task waits, which nobody watches
_PREFERENCE = re.compile(r"\bwait\s*=\s*\"?(\d{1,9})", re.ASCII)
_until: ContextVar[float | None] = ContextVar("until", default=None)


class StillWorkingError(Exception):
    """The work takes longer than its reader wants to wait; it goes on."""

    def __init__(self, future: Future[Any]) -> None:
        super().__init__("the work goes on")
        self.future = future


def preferred_wait(request: Request) -> int | None:
    """The seconds of `Prefer: wait=N`; None where it is not said."""
    match = _PREFERENCE.search(request.headers.get("Prefer", ""))
    return int(match[1]) if match else None


def begin(request: Request) -> None:
    """Start the time that this request waits: as its caller prefers, at most the deadline of reads."""
    longest = settings.READ_DEADLINE.total_seconds()
    preferred = preferred_wait(request)
    _until.set(time.monotonic() + (longest if preferred is None else min(preferred, longest)))


def remaining() -> float:
    """Seconds that are left of the request's time; outside of a request there is more of it."""
    until = _until.get()
    return IN_BACKGROUND if until is None else max(0.0, until - time.monotonic())
