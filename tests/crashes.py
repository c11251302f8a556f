"""A process that dies at each of the changes that an operation makes to the store, in turn.

First the changes of an operation are counted; then a copy of the table is made for each of them, on which the
operation dies there. What is left is looked at with eyes that know nothing of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest

from core.io import MemoryFileIO
from core.maintenance.check import Severity, check_table
from core.table import Table
from tests.faults import Died, FaultyFileIO

Act = Callable[[Table], None]
Make = Callable[[], Table]
Case = tuple[Make, Act]

THOROUGH = bool(os.environ.get("LAKESCOPE_SOAK_SECONDS"))

original = cache(lambda make: make())


def copy_of(make: Make) -> Table:
    """A table of its own, made by copying files."""
    table, io = original(make), MemoryFileIO()
    for status in table.io.iter_tree(table.location):
        io.write(status.path, table.io.read(status.path))
    return Table(io, table.location, table.identifier)


def seen_through(table: Table, io: Any) -> Table:
    return Table(io, table.location, table.identifier)


def fresh(table: Table) -> Table:
    return seen_through(table, table.io)


def changes_of(case: Case) -> int:
    make, act = case
    table = copy_of(make)
    counting = FaultyFileIO(table.io)
    act(seen_through(table, counting))
    return len(counting.changes)


def points_of(case: Case, *, both_sides: bool = False) -> list[tuple[int, bool]]:
    """Each change of an operation, before it is done, and the last one also after.

    To die after a change is to die before the next one; to fail after it is not (`both_sides`).
    """
    count = changes_of(case)
    return [
        (number, done)
        for number in range(count)
        for done in ((False, True) if both_sides or number == count - 1 else (False,))
    ]


def some(points: list[tuple[int, bool]], most: int) -> list[tuple[int, bool]]:
    """All of the points in `make soak`; else at most so many, one from the middle of each equal part."""
    if THOROUGH or len(points) <= most:
        return points
    return [points[(2 * i + 1) * len(points) // (2 * most)] for i in range(most)]


def at_each_change(cases: Sequence[Case], *, both_sides: bool = False) -> list[Any]:
    """The points of some operations as parameters of tests."""
    return [
        pytest.param(*case, number, done, id=f"{name_of(case)}-{number}-{done}")
        for case in cases
        for number, done in points_of(case, both_sides=both_sides)
    ]


def name_of(case: Case) -> str:
    make, act = case
    return f"{act.__name__}-{make.__name__}"


def die(table: Table, act: Act, number: int, done: bool) -> None:
    with pytest.raises(Died):
        act(seen_through(table, FaultyFileIO(table.io, number, done=done)))


def is_whole(table: Table) -> bool:
    """Whether everything that the table's snapshots and tags name is there; a late hint is no fault."""
    return not [f for f in check_table(table).findings if f.severity is Severity.ERROR]
