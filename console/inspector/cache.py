"""Decoded metadata that never changes, kept in memory: each piece loaded once, by one thread.

A load goes on when its reader gives up waiting, so that the next one finds it done.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, TypeVar

from django.conf import settings

from console.api.waiting import StillWorkingError, follow, remaining

T = TypeVar("T")
LOADERS = 8
UNFETCHED = 300  # seconds that a result waits for who asked for it


class MetadataCache:
    """Least recently used, limited by the bytes of what it holds."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._size = 0
        self._loading: dict[Hashable, Future[Any]] = {}
        self._working: dict[Hashable, tuple[Future[Any], float]] = {}  # with when it began
        self._pool = ThreadPoolExecutor(LOADERS, thread_name_prefix="metadata")

    def get(self, key: Hashable, load: Callable[[], T], *, size: Callable[[T], int], wait: float) -> T:
        """The value of `key`; loaded unless it is kept or somebody is loading it.

        Raises:
            StillWorkingError: it takes longer, and goes on.
        """
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                found: T = self._kept[key][0]
                return found
            future = self._loading.get(key)
            starts = future is None
            if future is None:
                future = self._loading[key] = follow(self._pool, load)
        if starts:
            # Outside the lock: a load that has ended by now calls back at once, and `_keep` takes the lock.
            future.add_done_callback(lambda done: self._keep(key, done, size))
        value: T = _result(future, wait)
        return value

    def once(self, key: Hashable, work: Callable[[], T], *, wait: float) -> T:
        """What `work` gives, kept for nobody but those who ask for the same while it is at work.

        Who did not wait for it gets it by asking again.

        Raises:
            StillWorkingError: it takes longer, and goes on.
        """
        with self._lock:
            self._forget_unfetched()
            future, _ = self._working.get(key, (None, 0.0))
            if future is None:
                future = follow(self._pool, work)
                self._working[key] = (future, time.monotonic())
        try:
            value: T = _result(future, wait)
        finally:
            if future.done():
                with self._lock:
                    self._working.pop(key, None)
        return value

    def _forget_unfetched(self) -> None:
        old = time.monotonic() - UNFETCHED
        for key in [k for k, (future, began) in self._working.items() if future.done() and began < old]:
            del self._working[key]

    def peek(self, key: Hashable) -> Any:
        """The value if it is kept, else None."""
        with self._lock:
            return self._kept[key][0] if key in self._kept else None

    def put(self, key: Hashable, value: Any, size: int) -> None:
        with self._lock:
            self._put(key, value, size)

    def drop(self, key: Hashable) -> None:
        """Keep it no longer; what is being loaded is not kept either."""
        with self._lock:
            self._loading.pop(key, None)
            if key in self._kept:
                self._size -= self._kept.pop(key)[1]

    def clear(self) -> None:
        """Forget everything; loads under way are not kept either."""
        with self._lock:
            self._kept.clear()
            self._loading.clear()
            self._working.clear()
            self._size = 0

    def _keep(self, key: Hashable, done: Future[Any], size: Callable[[Any], int]) -> None:
        with self._lock:
            if self._loading.get(key) is not done:
                return  # dropped meanwhile
            del self._loading[key]
            if done.exception() is None:
                self._put(key, done.result(), size(done.result()))

    def _put(self, key: Hashable, value: Any, size: int) -> None:
        if key in self._kept:
            self._size -= self._kept.pop(key)[1]
        self._kept[key] = (value, size)
        self._size += size
        while self._size > self._limit and len(self._kept) > 1:
            _, (_, freed) = self._kept.popitem(last=False)
            self._size -= freed


def _result(future: Future[Any], wait: float) -> Any:
    try:
        return future.result(wait)
    except FutureTimeout:
        if future.done():
            raise  # the work's own
        raise StillWorkingError(future) from None


cache = MetadataCache(settings.METADATA_CACHE_BYTES)


def loaded(key: Hashable, load: Callable[[], T], *, size: Callable[[T], int]) -> T:
    """The value of `key` within the deadline of a request."""
    return cache.get(key, load, size=size, wait=remaining())


def computed(key: Hashable, work: Callable[[], T]) -> T:
    """What `work` gives within the deadline of a request; made anew for each who asks later."""
    return cache.once(key, work, wait=remaining())


def in_parallel(work: Callable[[Any], T], items: list[Any]) -> list[T]:
    """`work` of each item, several at once; the first error is raised."""
    if len(items) <= 1:
        return [work(item) for item in items]
    hands = min(16, len(items))
    found: list[Any] = [None] * len(items)
    with ThreadPoolExecutor(hands) as pool:
        parts = pool.map(lambda hand: [work(item) for item in items[hand::hands]], range(hands))
        for hand, part in enumerate(parts):
            found[hand::hands] = part
    return found
