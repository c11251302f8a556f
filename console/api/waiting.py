"""How long a request waits for work that goes on without it. Design: 9.2, Async."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextvars import ContextVar
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from django.conf import settings
from rest_framework.request import Request

IN_BACKGROUND = 600.0  # seconds that a task waits, which nobody watches
_PREFERENCE = re.compile(r"\bwait\s*=\s*\"?(\d{1,9})", re.ASCII)
_until: ContextVar[float | None] = ContextVar("until", default=None)
_progress: ContextVar[Progress | None] = ContextVar("progress", default=None)
_followed: WeakKeyDictionary[Future[Any], Progress] = WeakKeyDictionary()
T = TypeVar("T")


class Progress:
    """How far work has come, as it says itself."""

    def __init__(self) -> None:
        self.done, self.unit = 0, ""
        self.total: int | None = None

    def of(self, unit: str) -> Callable[[int, int], None]:
        """What is called with how many of these are done, of how many."""

        def tell(done: int, total: int) -> None:
            self.done, self.total, self.unit = done, total, unit

        return tell

    def run(self, work: Callable[[], T]) -> T:
        """What `work` gives, which finds this as `progress()`."""
        token = _progress.set(self)
        try:
            return work()
        finally:
            _progress.reset(token)


def progress() -> Progress:
    """That of the work which this thread does; one that nobody looks at where nobody follows it."""
    return _progress.get() or Progress()


def follow(pool: Executor, work: Callable[[], T]) -> Future[T]:
    """Work begun in a pool, whose progress `progress_of` tells."""
    found = Progress()
    future = pool.submit(found.run, work)
    _followed[future] = found
    return future


def progress_of(future: Future[Any]) -> dict[str, Any] | None:
    """As an operation shows it; None where the work does not say."""
    found = _followed.get(future)
    if found is None or found.total is None:
        return None
    return {"done": found.done, "total": found.total, "unit": found.unit}


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
