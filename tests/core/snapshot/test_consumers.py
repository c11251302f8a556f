from __future__ import annotations

import pytest

from core.errors import FormatError, InvalidRequestError, NotFoundError
from core.io import MemoryFileIO, TablePaths
from core.snapshot import Consumer, ConsumerStore, UnreadableConsumer

PATHS = TablePaths("memory://b/t")


def test_progress_is_replaced() -> None:
    store = ConsumerStore(MemoryFileIO(), PATHS)
    store.put(Consumer("job", 3))
    store.put(Consumer("job", 4))
    assert store.list() == [Consumer("job", 4)]


def test_the_slowest_consumer_decides_what_is_still_needed() -> None:
    store = ConsumerStore(MemoryFileIO(), PATHS)
    assert store.earliest_next() is None
    for name, position in (("a", 7), ("b", 3), ("c", 9)):
        store.put(Consumer(name, position))
    assert store.earliest_next() == 3


def test_an_empty_file_is_an_error_that_hides_nothing() -> None:
    io = MemoryFileIO()
    store = ConsumerStore(io, PATHS)
    store.put(Consumer("b", 1))
    io.write(PATHS.consumer_file("a"), b"")
    broken, good = store.examine()
    assert isinstance(broken, UnreadableConsumer)
    assert isinstance(broken.error, FormatError)
    assert good == Consumer("b", 1)


def test_a_consumer_that_is_gone_is_named() -> None:
    store = ConsumerStore(MemoryFileIO(), PATHS)
    store.put(Consumer("job", 3))
    store.delete("job")
    with pytest.raises(NotFoundError, match="consumer=job"):
        store.get("job")


def test_an_id_that_makes_no_file_is_refused() -> None:
    with pytest.raises(InvalidRequestError):
        ConsumerStore(MemoryFileIO(), PATHS).put(Consumer("a/b", 1))
