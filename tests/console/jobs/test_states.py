"""The states of a job and its moves between them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from console.jobs.models import Job
from console.jobs.states import ENDED, MOVES, State, may_move, outcome
from console.jobs.transitions import IllegalMoveError, move
from tests.console.jobs.steps import failed

pytestmark = pytest.mark.django_db


def test_an_ended_job_moves_nowhere(submit: Callable[..., Job]) -> None:
    job = failed(submit())
    with pytest.raises(IllegalMoveError):
        move(job, State.RUNNING)


def test_every_state_can_reach_an_end() -> None:
    reaching = set(ENDED)
    while more := {s for s in State if s not in reaching and MOVES[s] & reaching}:
        reaching |= more
    assert reaching == set(State)


def test_nothing_ends_in_a_verdict_without_verifying() -> None:
    verdicts = {State.SUCCEEDED, State.FAILED_COMMITTED, State.CANCELLED_COMMITTED}
    assert {s for s in State if MOVES[s] & verdicts} == {State.VERIFYING}
    assert not may_move(State.RUNNING, State.FAILED)


@pytest.mark.parametrize(
    ("succeeded", "cancelled", "committed", "state"),
    [
        (True, False, True, State.SUCCEEDED),
        (True, True, True, State.SUCCEEDED),
        (False, True, False, State.CANCELLED),
        (False, True, True, State.CANCELLED_COMMITTED),
        (False, False, False, State.FAILED),
        (False, False, True, State.FAILED_COMMITTED),
    ],
)
def test_the_outcome_is_a_table(succeeded: bool, cancelled: bool, committed: bool, state: State) -> None:
    assert outcome(engine_succeeded=succeeded, cancelled=cancelled, committed=committed) is state
