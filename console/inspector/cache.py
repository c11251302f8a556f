"""Decoded metadata that never changes, kept in memory: each piece loaded once, by one thread.

A load goes on when its reader gives up waiting, so that the next one finds it done.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, TypeVar

from django.conf import settings

from console.api.errors import Problem

T = TypeVar("T")
LOADERS = 8
RETRY_AFTER = 2  # seconds


class MetadataCache:
    """Least recently used, limited by the bytes of what it holds."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._size = 0
        self._loading: dict[Hashable, Future[Any]] = {}
        self._pool = ThreadPoolExecutor(LOADERS, thread_name_prefix="metadata")

    def get(self, key: Hashable, load: Callable[[], T], *, size: Callable[[T], int], wait: float) -> T:
        """The value of `key`; loaded unless it is kept or somebody is loading it.

        Raises:
            Problem: `timeout`, while the load goes on.
        """
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                found: T = self._kept[key][0]
                return found
            future = self._loading.get(key)
            starts = future is None
            if future is None:
                future = self._loading[key] = self._pool.submit(load)
        if starts:
            # Outside the lock: a load that has ended by now calls back at once, and `_keep` takes the lock.
            future.add_done_callback(lambda done: self._keep(key, done, size))
        try:
            value: T = future.result(wait)
        except FutureTimeout:
            raise Problem("timeout", headers={"Retry-After": str(RETRY_AFTER)}) from None
        return value

    def peek(self, key: Hashable) -> Any:
        """The value if it is kept, else None."""
        with self._lock:
            return self._kept[key][0] if key in self._kept else None

    def put(self, key: Hashable, value: Any, size: int) -> None:
        with self._lock:
            self._put(key, value, size)

    def clear(self) -> None:
        """Forget everything; loads under way are not kept either."""
        with self._lock:
            self._kept.clear()
            self._loading.clear()
            self._size = 0

    def _keep(self, key: Hashable, done: Future[Any], size: Callable[[Any], int]) -> None:
        with self._lock:
            self._loading.pop(key, None)
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


cache = MetadataCache(settings.METADATA_CACHE_BYTES)


def loaded(key: Hashable, load: Callable[[], T], *, size: Callable[[T], int]) -> T:
    """The value of `key` within the deadline of a request."""
    return cache.get(key, load, size=size, wait=settings.READ_DEADLINE.total_seconds())


def in_parallel(work: Callable[[Any], T], items: list[Any]) -> list[T]:
    """`work` of each item, several at once; the first error is raised."""
    if len(items) <= 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(min(16, len(items))) as pool:
        return list(pool.map(work, items))
