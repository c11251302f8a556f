"""Iterators side by side: nothing lost, errors told, nothing left running."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from core.errors import FormatError
from core.read.side_by_side import side_by_side

ROOT = Path(__file__).parents[3]


def numbers(start: int, count: int) -> Iterator[pa.RecordBatch]:
    for number in range(start, start + count):
        yield pa.record_batch({"n": [number]})


def taken(batches: Iterator[pa.RecordBatch]) -> list[int]:
    return [batch["n"][0].as_py() for batch in batches]


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_every_batch_comes_once_and_each_iterators_in_order(threads: int) -> None:
    found = taken(side_by_side([numbers(100 * i, 20) for i in range(5)], threads))

    assert sorted(found) == [100 * i + n for i in range(5) for n in range(20)]
    for i in range(5):
        assert [n for n in found if n // 100 == i] == [100 * i + n for n in range(20)]


def test_one_thread_takes_them_in_turn() -> None:
    assert taken(side_by_side([numbers(0, 3), numbers(10, 2)], 1)) == [0, 1, 2, 10, 11]


def test_two_iterators_are_really_taken_at_once() -> None:
    both = threading.Barrier(2, timeout=120)

    def waiting(number: int) -> Iterator[pa.RecordBatch]:
        both.wait()  # breaks, and fails the test, if the other one does not come
        yield from numbers(number, 1)

    assert sorted(taken(side_by_side([waiting(1), waiting(2)], 2))) == [1, 2]


def test_what_one_raises_is_raised_and_no_thread_is_left() -> None:
    def broken() -> Iterator[pa.RecordBatch]:
        yield from numbers(0, 2)
        raise FormatError("the file is cut", path="a/b")

    before = threading.active_count()
    with pytest.raises(FormatError, match="the file is cut"):
        taken(side_by_side([broken(), numbers(10, 1_000_000)], 2))
    assert threading.active_count() == before


def test_closing_it_ends_the_others_and_begins_no_more() -> None:
    begun: list[int] = []

    def counted(number: int) -> Iterator[pa.RecordBatch]:
        begun.append(number)
        yield from numbers(number, 1_000_000)

    before = threading.active_count()
    batches = side_by_side([counted(i) for i in range(50)], 2)
    next(batches)
    batches.close()  # type: ignore[attr-defined]

    assert len(begun) == 2
    assert threading.active_count() == before


def test_a_program_ends_though_its_read_has_not() -> None:
    script = """
import pyarrow as pa
from core.read.side_by_side import side_by_side

batches = side_by_side([iter([pa.record_batch({"n": [1]})] * 99) for _ in range(4)], 2)
next(batches)
"""

    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT, timeout=300).returncode == 0
