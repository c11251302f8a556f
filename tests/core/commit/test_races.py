"""Commits that meet commits, rollbacks and expirations of others. Spec: 08, 1, 2 and 4."""

from __future__ import annotations

import pytest

from core.commit import Clock, TableCommit
from core.errors import CommitConflictError, CommitUnknownError
from core.maintenance import apply_rollback, plan_rollback
from core.maintenance.expire import apply_expire_snapshots, plan_expire_snapshots
from core.schema import SetOption
from tests.core.commit.stores import ID_V, Interrupted, StillClock, Unreliable, manifests, through
from tests.faults import RacingFileIO
from tests.tables import arrow, new_table, prepare, put, rows_of


def test_a_lost_race_is_tried_again_on_top_of_the_winner() -> None:
    table, clock = new_table(ID_V, ["id"]), StillClock()
    messages = prepare(table, [(1, "mine")])
    io = Interrupted(table.io, lambda: put(table, (2, "theirs")), times=3)
    (snapshot,) = TableCommit(through(table, io), "me", clock=clock).commit(messages)
    assert snapshot.id == 4
    assert rows_of(table) == [(1, "mine"), (2, "theirs")]
    assert clock.slept == [0.01, 0.02, 0.04]


def test_an_attempt_that_lost_takes_its_manifests_back() -> None:
    table = new_table(ID_V, ["id"])
    other = new_table(ID_V, ["id"])
    for target, races in ((table, 2), (other, 0)):
        io = Interrupted(target.io, lambda target=target: put(target, (2, "theirs")), times=races)
        TableCommit(through(target, io), "me", clock=StillClock()).commit(prepare(target, [(1, "a")]))
    put(other, (2, "theirs"))
    put(other, (2, "theirs"))
    assert len(manifests(table)) == len(manifests(other))


def test_whoever_always_loses_gives_up() -> None:
    table = new_table(ID_V, ["id"], commit__max_retries="2")
    io = Interrupted(table.io, lambda: put(table, (2, "theirs")), times=99)
    clock = StillClock()
    with pytest.raises(CommitConflictError) as lost:
        TableCommit(through(table, io), "me", clock=clock).commit(prepare(table, [(1, "a")]))
    assert (lost.value.fields["check"], lost.value.fields["tries"]) == ("retries", 3)
    assert rows_of(table) == [(2, "theirs")]


def test_waits_grow_to_a_limit() -> None:
    table = new_table(ID_V, ["id"], commit__max_retries="4", commit__max_retry_wait="30 ms")
    clock = StillClock()
    io = Interrupted(table.io, lambda: put(table, (2, "theirs")), times=99)
    with pytest.raises(CommitConflictError):
        TableCommit(through(table, io), "me", clock=clock).commit(prepare(table, [(1, "a")]))
    assert clock.slept == [0.01, 0.02, 0.03, 0.03]


def test_rows_for_an_old_number_of_buckets_come_too_late_after_a_rescale() -> None:
    table = new_table(ID_V, ["id"], bucket="2")
    put(table, (1, "a"))
    late = prepare(table, [(2, "late")])
    table.schemas.commit_changes([SetOption("bucket", "3")], has_snapshots=True)
    rescaled = table.refreshed()
    with rescaled.new_write(overwrite=True) as writer:
        writer.write(arrow(rescaled, [(1, "b")]))
        TableCommit(rescaled, "rescale").overwrite(writer.prepare_commit(), {})
    with pytest.raises(CommitConflictError, match="number of buckets"):
        TableCommit(table, "late").commit(late)
    assert rows_of(rescaled) == [(1, "b")]


def test_a_commit_on_top_of_what_a_rollback_removes_goes_on_from_the_target() -> None:
    table = new_table(ID_V, ["id"])
    for i in range(3):
        put(table, (i, "old"))
    io = Interrupted(table.io, lambda: apply_rollback(table, plan_rollback(table, 1)), times=1)
    TableCommit(through(table, io), "me", clock=StillClock()).commit(prepare(table, [(9, "new")]))
    assert table.snapshots.ids() == [1, 2]
    assert rows_of(table) == [(0, "old"), (9, "new")]


def test_a_commit_sees_that_a_rollback_used_the_id_below_again() -> None:
    table = new_table(ID_V, ["id"])
    put(table, (0, "old"))
    put(table, (1, "rewound"))

    def rewind() -> None:
        apply_rollback(table, plan_rollback(table, 1))
        put(table, (2, "another"))

    io = Interrupted(table.io, rewind, times=1)
    TableCommit(through(table, io), "me", clock=StillClock()).commit(prepare(table, [(9, "new")]))
    assert rows_of(table) == [(0, "old"), (2, "another"), (9, "new")]


@pytest.mark.parametrize("others", [0, 3])
def test_a_commit_that_a_rollback_may_have_removed_is_not_made_again(others: int) -> None:
    table = new_table(ID_V, ["id"])
    for i in range(2):
        put(table, (i, "old"))

    def roll_back() -> None:
        apply_rollback(table, plan_rollback(table, 1))
        for i in range(others):
            put(table, (2 + i, "another"))

    rewind = [roll_back]
    clock = Clock(now_millis=lambda: 1_000, sleep=lambda _: rewind.pop()() if rewind else None)
    commit = TableCommit(through(table, Unreliable(table.io, 1, done=True)), "me", clock=clock)
    messages = prepare(table, [(9, "mine")])
    with pytest.raises(CommitUnknownError, match="rolled back"):
        commit.commit(messages)
    assert [row for row in rows_of(table) if row[1] == "mine"] == []
    assert rewind == []


def test_a_commit_whose_base_expires_goes_on_from_a_later_snapshot() -> None:
    table = new_table(ID_V, ["id"])
    put(table, (0, "old"))

    def another_commits_and_all_before_expires() -> None:
        put(table, (1, "another"))
        plan = plan_expire_snapshots(table, now_millis=2**60, retain_min=1)
        apply_expire_snapshots(table, plan)

    io = RacingFileIO(table.io, "read", "/manifest-list-", another_commits_and_all_before_expires)
    messages = prepare(table, [(9, "new")])
    TableCommit(through(table, io), "me", clock=StillClock()).commit(messages)
    assert rows_of(table) == [(0, "old"), (1, "another"), (9, "new")]
