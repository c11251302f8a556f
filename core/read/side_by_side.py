"""Several iterators of batches at once, a thread each: what a read of many splits may use.

numpy and Arrow let other threads run while they work on a column, so two splits take more of two
cores than one. Each iterator holds what it holds by itself (see `core.read.reader`), and no more
than one batch an iterator waits to be taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from queue import Full, Queue, SimpleQueue
from threading import Event, Thread, main_thread

import pyarrow as pa

from core.errors import InvalidRequestError

_PATIENCE = 0.1  # seconds after which a thread that waits looks whether anybody still wants its batch


def side_by_side(iterators: Sequence[Iterator[pa.RecordBatch]], threads: int) -> Iterator[pa.RecordBatch]:
    """The batches of all iterators, as they come; those of one iterator in their order.

    An iterator is begun when a thread is free for it. What one raises is raised here, and the
    others end at their next batch, as they do when this generator is closed.

    Args:
        iterators: each is taken by one thread alone.
        threads: how many are taken at once; 1 takes them in turn, in this thread.

    Raises:
        InvalidRequestError: less than one thread; before the first batch.
    """
    check_threads(threads)
    return _taken(iterators, threads)


def check_threads(threads: int) -> None:
    """Raises `InvalidRequestError`: no whole number, or less than one."""
    if type(threads) is not int or threads < 1:
        raise InvalidRequestError(
            "a read needs a thread at least, and a whole number of them", threads=repr(threads)
        )


def _taken(iterators: Sequence[Iterator[pa.RecordBatch]], threads: int) -> Iterator[pa.RecordBatch]:
    if threads == 1 or len(iterators) <= 1:
        for iterator in iterators:
            yield from iterator
        return
    workers = min(threads, len(iterators))
    waiting: SimpleQueue[Iterator[pa.RecordBatch] | None] = SimpleQueue()
    for each in (*iterators, *[None] * workers):  # a None for each thread to end at
        waiting.put(each)
    ready: Queue[pa.RecordBatch | _End] = Queue(maxsize=workers)
    stopped = Event()
    # No pool: the interpreter waits for its threads before it tells anybody that it ends.
    running = [Thread(target=_take_all, args=(waiting, ready, stopped), name="read") for _ in range(workers)]
    try:
        for thread in running:
            thread.start()
        yield from _until_ended(ready, workers)
    finally:
        stopped.set()
        for thread in running:
            thread.join()


@dataclass(frozen=True, slots=True)
class _End:
    """Stands behind the last batch of a thread."""

    error: BaseException | None


def _until_ended(ready: Queue[pa.RecordBatch | _End], workers: int) -> Iterator[pa.RecordBatch]:
    while workers:
        item = ready.get()
        if not isinstance(item, _End):
            yield item
        elif item.error is not None:
            raise item.error
        else:
            workers -= 1


def _take_all(
    waiting: SimpleQueue[Iterator[pa.RecordBatch] | None],
    ready: Queue[pa.RecordBatch | _End],
    stopped: Event,
) -> None:
    error = None
    try:
        for iterator in iter(waiting.get, None):
            for batch in iterator:
                if not _put(batch, ready, stopped):
                    return
    except BaseException as raised:  # it belongs to whoever takes the batches
        error = raised
    _put(_End(error), ready, stopped)


def _put(item: pa.RecordBatch | _End, ready: Queue[pa.RecordBatch | _End], stopped: Event) -> bool:
    """Whether the item was put; it is not when nobody wants it, or can want it, any more."""
    while not stopped.is_set() and main_thread().is_alive():
        try:
            ready.put(item, timeout=_PATIENCE)
        except Full:
            continue
        return True
    return False
