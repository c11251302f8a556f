"""A process that is killed at a change it makes to the store leaves a table that is as before or as after.

Writes, statements, compactions, rollbacks and all maintenance on local disk, each in a process of its own,
which the kernel ends (SIGKILL) at one change after the other. `make soak` takes all changes in turn, `./test`
some.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import Counter
from pathlib import Path

import pytest

from core.io import LocalFileIO
from core.table import Table
from tests.core.dml.test_crashes import CASES as STATEMENTS
from tests.core.maintenance.actions import ACTIONS, assert_between, faults, seen
from tests.core.test_crashes import COMPACTIONS, WRITES
from tests.crashes import THOROUGH, Case, fresh, name_of, original, points_of, some
from tests.faults import FaultyFileIO

# Of rollbacks the one of ACTIONS: with a guard there is a tag meanwhile that neither end has.
CASES: list[Case] = [*ACTIONS, *WRITES, *COMPACTIONS, *STATEMENTS]
PATIENCE = 60  # seconds


class DeadlyFileIO(FaultyFileIO):
    """Kills the process at the chosen change."""

    def _break(self, path: str) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


def on_disk(case: Case, folder: Path) -> Table:
    """The table of a case in a folder."""
    table, io = original(case[0]), LocalFileIO()
    for status in table.io.iter_tree(table.location):
        io.write(f"{folder}{status.path.removeprefix(table.location)}", table.io.read(status.path))
    return Table(io, str(folder), table.identifier)


def act_until(number: int, done: bool, index: int, table: Table) -> None:
    """Run in a process of its own, which does not come to the end of it."""
    CASES[index][1](Table(DeadlyFileIO(table.io, number, done=done), table.location, table.identifier))


def chosen(index: int) -> list[tuple[int, bool]]:
    """All changes of a case; but in `./test` one of every tenth case."""
    return some(points_of(CASES[index]), 1) if THOROUGH or index % 10 == 0 else []


def kill(index: int, number: int, done: bool, table: Table) -> None:
    """Let a process work on the table until it is killed."""
    forked = multiprocessing.get_context("forkserver")
    forked.set_forkserver_preload(["pandas", "tests.soak.test_killed"])
    process = forked.Process(target=act_until, args=(number, done, index, table))
    process.start()
    process.join(PATIENCE)
    assert process.exitcode == -signal.SIGKILL


@pytest.mark.slow
def test_a_killed_process_leaves_only_what_can_be_read(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    for index, case in enumerate(CASES):
        for number, done in chosen(index):
            place = f"{name_of(case)}-{number}-{done}"
            table, finished = on_disk(case, tmp_path / place), on_disk(case, tmp_path / f"{place}-finished")
            before, wrong = seen(table), faults(table)
            case[1](finished)
            after, wrong = seen(fresh(finished)), wrong | faults(fresh(finished))
            kill(index, number, done, table)
            assert_between(fresh(table), before, after)
            assert faults(fresh(table)) <= wrong, place
            case[1](fresh(table))
            assert seen(fresh(table)) == after, place
            assert faults(fresh(table)) <= wrong, place
            counts[name_of(case)] += 1
    print(f"{counts.total()} processes killed: {dict(counts)}")
