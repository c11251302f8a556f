"""A maintenance action that dies, or whose store fails, at any change leaves every state readable.

What is still there reads as before or as after, the check finds nothing but orphans, and trying again ends as
if nothing had happened. Long actions die at some of their changes only; `make soak` takes all of them, and
`tests/soak/test_killed.py` does the same with processes that are killed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pytest

from core.table import Table
from tests.core.maintenance.actions import ACTIONS, assert_between, faults, seen
from tests.crashes import Act, Case, copy_of, die, fresh, name_of, points_of, seen_through, some
from tests.faults import FaultyFileIO

each_action = pytest.mark.parametrize("case", ACTIONS, ids=name_of)


@dataclass(frozen=True, slots=True)
class Ends:
    """A table as it is before an action and after it, and what is wrong with it then."""

    before: dict[str, object]
    after: dict[str, object]
    faults: set[str]


@cache
def ends_of(case: Case) -> Ends:
    make, act = case
    table = copy_of(make)
    before, wrong = seen(table), faults(table)
    act(table)
    return Ends(before, seen(fresh(table)), wrong | faults(fresh(table)))


def assert_retried(act: Act, table: Table, ends: Ends) -> None:
    """What is left is sound, and a second try ends as the first one should have."""
    assert_between(fresh(table), ends.before, ends.after)
    assert faults(fresh(table)) <= ends.faults
    act(fresh(table))
    assert seen(fresh(table)) == ends.after
    assert faults(fresh(table)) <= ends.faults


@each_action
def test_a_death_at_any_change_leaves_only_what_can_be_read(case: Case) -> None:
    make, act = case
    for number, done in some(points_of(case), 3):
        table = copy_of(make)
        die(table, act, number, done)
        assert_retried(act, table, ends_of(case))


@each_action
def test_a_store_that_fails_once_leaves_only_what_can_be_read(case: Case) -> None:
    make, act = case
    for number, done in some(points_of(case, both_sides=True), 1):
        table = copy_of(make)
        try:
            act(seen_through(table, FaultyFileIO(table.io, number, done=done, fails=True)))
        except Exception:
            assert_retried(act, table, ends_of(case))
        assert seen(fresh(table)) == ends_of(case).after, f"failed at {number}"
