"""A process that is killed at a change it makes to the store leaves a table that is as before or as after.

Every case of `tests/crashes` on the disk, each time in a process of its own, which the kernel ends (SIGKILL)
at one change after the other. `make soak` takes all changes in turn, `./test` one of some cases.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from core.io import LocalFileIO
from core.table import Table
from tests.crashes import THOROUGH, Case, Point, deaths_of, home, operations_of, original, seen_through, some
from tests.crashes.cases import CASES
from tests.crashes.judge import assert_retried
from tests.faults import FaultyFileIO

PATIENCE = 300  # seconds
FEW = slice(None, None, 10)  # of the cases in ./test


class DeadlyFileIO(FaultyFileIO):
    """Kills the process at the chosen change."""

    def _break(self, path: str) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


def on_disk(case: Case) -> Table:
    """The table of a case, where its copies in memory seem to be."""
    shutil.rmtree(home())
    table, files = original(case.make)
    for path, data in files.items():
        file = Path(path.removeprefix("file://"))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return seen_through(table, LocalFileIO())


def act_until(point: Point, case: int, table: Table) -> None:
    """Run in a process of its own, which does not come to the end of it."""
    CASES[case].act(seen_through(table, DeadlyFileIO(table.io, point.number, done=point.done)))


def kill(point: Point, case: int, table: Table) -> None:
    """Let a process work on the table until it is killed; it is forked from one that has all imports."""
    forked = multiprocessing.get_context("forkserver")
    forked.set_forkserver_preload(["pandas", "tests.soak.test_killed"])
    process = forked.Process(target=act_until, args=(point, case, table))
    process.start()
    process.join(PATIENCE)
    assert process.exitcode == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.parametrize(
    "index", range(len(CASES)) if THOROUGH else range(len(CASES))[FEW], ids=lambda index: CASES[index].name
)
def test_a_killed_process_leaves_the_table_as_before_or_as_after(
    index: int, record_property: Callable[[str, object], None]
) -> None:
    case = CASES[index]
    points, (_, changes) = some(deaths_of(case), 1), operations_of(case)
    for point in points:
        table = on_disk(case)
        kill(point, index, table)
        assert_retried(case, table, f"killed at {changes[point.number]}")
    record_property("processes killed", len(points))
