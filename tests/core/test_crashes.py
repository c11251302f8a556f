"""A process that dies, or whose store fails, at any operation leaves the table as before or as after.

What is left reads so, the check finds nothing but orphans, and trying again ends as if nothing had happened;
a rewind may stand at one of the snapshots in between. `make soak` takes every operation of every case,
`./test` some; `tests/soak/test_killed.py` does the same to processes that the kernel kills.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.crashes import Case, compactions, copy_of, deaths_of, failures_of, fresh, seen_through, some
from tests.crashes.cases import CASES
from tests.crashes.judge import assert_between, assert_ended, assert_retried, ends_of
from tests.faults import Died, FaultyFileIO
from tests.tables import rows_of

Record = Callable[[str, object], None]
DEATHS = FAILURES = 1  # of each case in ./test

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@each_case
def test_a_death_at_any_change_leaves_the_table_as_before_or_as_after(
    case: Case, record_property: Record
) -> None:
    points = some(deaths_of(case), DEATHS)
    for point in points:
        table = copy_of(case.make)
        dying = FaultyFileIO(table.io, point.number, done=point.done)
        with pytest.raises(Died):
            case.act(seen_through(table, dying))
        assert_retried(case, table, f"died at {dying.changes[-1]}")
    record_property("deaths", len(points))


@each_case
def test_a_store_that_fails_once_does_nothing_by_halves(case: Case, record_property: Record) -> None:
    """An error is not a death: the action may fail, or try again."""
    points = some(failures_of(case), FAILURES)
    for point in points:
        table = copy_of(case.make)
        failing = FaultyFileIO(table.io, point.number, done=point.done, fails=True, reads=True)
        try:
            case.act(seen_through(table, failing))
        except Exception:
            assert_retried(case, table, f"failed at {failing.operations[point.number]}")
        else:
            assert_ended(case, table)
    record_property("failures", len(points))


@pytest.mark.parametrize("case", compactions.KEEPING_ROWS, ids=lambda case: case.name)
def test_a_compaction_changes_no_row(case: Case) -> None:
    table = copy_of(case.make)
    before = rows_of(table)
    case.act(table)
    assert rows_of(fresh(table)) == before


def test_what_was_there_and_is_there_has_not_gone() -> None:
    """The judge sees a snapshot that is lost, and one that nobody wanted."""
    case = compactions.CASES[0]
    table = copy_of(case.make)
    table.snapshots.delete(1)
    with pytest.raises(AssertionError):
        assert_between(table, ends_of(case))
