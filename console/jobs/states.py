"""The states of a job and the moves between them, as a table. Design: console.md, 8."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    QUEUED = "queued"
    STARTING = "starting"
    RUNNING = "running"
    VERIFYING = "verifying"
    CANCELLING = "cancelling"
    LOST = "lost"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    FAILED_COMMITTED = "failed_committed"
    CANCELLED = "cancelled"
    CANCELLED_COMMITTED = "cancelled_committed"


S = State
ENDED = frozenset({S.SUCCEEDED, S.FAILED, S.FAILED_COMMITTED, S.CANCELLED, S.CANCELLED_COMMITTED})
ACTIVE = frozenset(State) - ENDED

MOVES: dict[State, frozenset[State]] = {
    # a queued job has touched nothing: it is cancelled at once
    S.QUEUED: frozenset({S.STARTING, S.CANCELLED, S.FAILED, S.LOST}),
    S.STARTING: frozenset({S.RUNNING, S.VERIFYING, S.CANCELLING, S.LOST}),
    S.RUNNING: frozenset({S.VERIFYING, S.CANCELLING, S.LOST}),
    S.CANCELLING: frozenset({S.VERIFYING, S.LOST}),
    # what a lost job did is found by looking at the table, as after any end
    S.LOST: frozenset({S.VERIFYING}),
    S.VERIFYING: ENDED | {S.LOST},
    **{ended: frozenset() for ended in ENDED},
}


def may_move(before: State, after: State) -> bool:
    return after in MOVES[before]


def outcome(*, engine_succeeded: bool, cancelled: bool, committed: bool) -> State:
    """The state that a job ends in, by what the engine said, what was asked and what the table shows."""
    if engine_succeeded:
        return State.SUCCEEDED
    if cancelled:
        return State.CANCELLED_COMMITTED if committed else State.CANCELLED
    return State.FAILED_COMMITTED if committed else State.FAILED
