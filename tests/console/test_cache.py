"""The cache of decoded metadata: each piece is loaded once, whoever asks, and never waits for ever."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from console.api.waiting import StillWorkingError
from console.inspector.cache import MetadataCache


def get(cache: MetadataCache, key: str, value: str = "v", wait: float = 120) -> str:
    return cache.get(key, lambda: value, size=len, wait=wait)


def test_loads_that_end_at_once_hold_nobody_up() -> None:
    cache = MetadataCache(1000)
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda n: get(cache, f"k{n % 7}", f"v{n % 7}"), range(500)))
    assert found == [f"v{n % 7}" for n in range(500)]


def test_many_readers_share_one_load() -> None:
    cache, loads, gate = MetadataCache(1000), [], threading.Event()

    def load() -> str:
        loads.append(1)
        gate.wait(120)
        return "v"

    with ThreadPoolExecutor(8) as pool:
        readers = [pool.submit(cache.get, "k", load, size=len, wait=120) for _ in range(8)]
        gate.set()
        assert [reader.result() for reader in readers] == ["v"] * 8
    assert loads == [1]


def test_a_slow_load_goes_on_without_its_reader() -> None:
    cache, gate = MetadataCache(1000), threading.Event()

    def load() -> str:
        gate.wait(120)
        return "late"

    with pytest.raises(StillWorkingError):
        cache.get("k", load, size=len, wait=0.01)
    gate.set()
    assert cache.get("k", load, size=len, wait=120) == "late"


@pytest.mark.parametrize("forget", [lambda cache: cache.drop("k"), MetadataCache.clear])
def test_what_is_dropped_while_it_is_loaded_is_not_kept(forget: Callable[[MetadataCache], None]) -> None:
    cache = MetadataCache(1000)

    def load() -> str:
        forget(cache)
        return "old"

    assert cache.get("k", load, size=len, wait=120) == "old"
    assert get(cache, "k", "new") == "new"


def test_an_error_is_not_kept() -> None:
    cache = MetadataCache(1000)

    def fail() -> str:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        cache.get("k", fail, size=len, wait=120)
    assert _eventually(lambda: get(cache, "k") == "v")


def _eventually(condition: object) -> bool:
    for _ in range(12_000):
        try:
            if condition():  # type: ignore[operator]
                return True
        except ValueError:
            time.sleep(0.01)  # the failed load is just being forgotten
    return False


def test_the_oldest_makes_room() -> None:
    cache = MetadataCache(10)
    for key in ("a", "b"):
        cache.put(key, "12345", 5)
    assert cache.peek("a") == "12345"
    get(cache, "a")
    cache.put("c", "12345", 5)
    assert cache.peek("b") is None
    assert cache.peek("a") == cache.peek("c") == "12345"


def test_what_is_computed_once_waits_for_who_asked_and_is_then_made_anew() -> None:
    cache, gate, made = MetadataCache(10), threading.Event(), iter(range(10))

    def work() -> int:
        gate.wait(120)
        return next(made)

    with pytest.raises(StillWorkingError):
        cache.once("k", work, wait=0.01)
    gate.set()
    assert [cache.once("k", work, wait=120) for _ in range(2)] == [0, 1]


def test_a_time_out_of_the_work_itself_is_an_error() -> None:
    def work() -> None:
        raise TimeoutError("the store")

    with pytest.raises(TimeoutError, match="the store"):
        MetadataCache(10).once("k", work, wait=120)
