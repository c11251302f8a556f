"""A process that dies at each of the changes that an operation makes to the store, in turn.

A case is a table and what is done to it; `cases.py` lists all of them. First the operations of a case on the
store are counted; then it is done on a copy of the table for each of them, and dies or fails there. What is
left is looked at by `judge.py`, with eyes that know nothing of it.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from core.io import MemoryFileIO
from core.maintenance.check import Severity, check_table
from core.table import Table
from tests import tables
from tests.faults import FaultyFileIO

Act = Callable[[Table], None]
Make = Callable[[], Table]

THOROUGH = bool(os.environ.get("LAKESCOPE_SOAK_SECONDS"))


@dataclass(frozen=True, slots=True)
class Case:
    """A table and what is done to it; it may be done again by somebody who does not know how far it came."""

    make: Make
    act: Act

    @property
    def name(self) -> str:
        return f"{self.act.__name__}-{self.make.__name__}"


@dataclass(frozen=True, slots=True)
class Point:
    """An operation on the store, by its number from 0, at which something goes wrong."""

    number: int
    done: bool  # whether the operation still reaches the store


# --- where the tables are ----------------------------------------------------------------------------


@cache
def home() -> str:
    """The directory of the tables' paths, in memory and on disk: metadata may name files by whole paths.

    It is made where the kernel keeps files in memory, if it does: no power cut is played, so none has to be
    waited for.
    """
    shared = Path("/dev/shm")
    folder = tempfile.mkdtemp(prefix="lakescope-", dir=shared if os.access(shared, os.W_OK) else None)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class HomeIO(MemoryFileIO):
    """Memory that looks like the disk: paths are `file:///...`."""

    schemes: ClassVar[tuple[str, ...]] = ("file",)


def new_table(*how: Any, **options: Any) -> Table:
    """As `tests.tables.new_table`, below `home()`."""
    return tables.new_table(*how, io=HomeIO(), warehouse=f"file://{home()}/wh", **options)


def files_of(table: Table) -> dict[str, bytes]:
    """All files below `home()`, those outside of the table too."""
    return {s.path: table.io.read(s.path) for s in table.io.iter_tree(f"file://{home()}")}


@cache
def original(make: Make) -> tuple[Table, Mapping[str, bytes]]:
    """A table that is never changed, and its files."""
    table = make()
    return table, files_of(table)


def copy_of(make: Make) -> Table:
    """A table of its own, made by copying files."""
    (table, files), io = original(make), HomeIO()
    for path, data in files.items():
        io.write(path, data)
    return seen_through(table, io)


def seen_through(table: Table, io: Any) -> Table:
    return Table(io, table.location, table.identifier)


def fresh(table: Table) -> Table:
    return seen_through(table, table.io)


def is_whole(table: Table) -> bool:
    """Whether everything that the table's snapshots and tags name is there; a late hint is no fault."""
    return not [f for f in check_table(table).findings if f.severity is Severity.ERROR]


# --- where it goes wrong -----------------------------------------------------------------------------


@cache
def operations_of(case: Case) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """All operations of a case on the store, and of them the changes."""
    table = copy_of(case.make)
    counting = FaultyFileIO(table.io, reads=True)
    case.act(seen_through(table, counting))
    return tuple(counting.operations), tuple(counting.changes)


def deaths_of(case: Case) -> list[Point]:
    """Each change of a case, before it is done, and the last one also after.

    To die after a change is to die before the next one.
    """
    _, changes = operations_of(case)
    last = len(changes) - 1
    return [*(Point(number, done=False) for number in range(last + 1)), Point(last, done=True)]


def failures_of(case: Case) -> list[Point]:
    """Each operation of a case; what changes something fails before it is done, and after."""
    every, changes = operations_of(case)
    changing = set(changes)
    return [
        Point(number, done)
        for number, operation in enumerate(every)
        for done in ((False, True) if operation in changing else (False,))
    ]


def some(points: list[Point], most: int) -> list[Point]:
    """All of the points in `make soak`; else at most so many, one from the middle of each equal part."""
    if THOROUGH or len(points) <= most:
        return points
    return [points[(2 * i + 1) * len(points) // (2 * most)] for i in range(most)]
