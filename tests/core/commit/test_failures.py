"""Commits on stores that fail, or do not answer. Spec: 08, 2 and 4."""

from __future__ import annotations

import pytest

from core.commit import TableCommit
from core.errors import CommitConflictError, CommitUnknownError, NotFoundError, StorageError
from tests.core.commit.stores import ID_V, Blind, StillClock, Unreliable, manifests, through
from tests.faults import FaultyFileIO
from tests.tables import data_paths, new_table, prepare, put, rows_of


def test_an_answer_that_got_lost_is_found_and_not_committed_twice() -> None:
    table = new_table(ID_V, ["id"])
    io = Unreliable(table.io, 1, done=True)
    (snapshot,) = TableCommit(through(table, io), "me", clock=StillClock()).commit(prepare(table, [(1, "a")]))
    assert (snapshot.id, table.snapshots.ids()) == (1, [1])
    assert rows_of(table) == [(1, "a")]


def test_a_request_that_got_lost_is_tried_again() -> None:
    table = new_table(ID_V, ["id"])
    io = Unreliable(table.io, 2, done=False)
    (snapshot,) = TableCommit(through(table, io), "me", clock=StillClock()).commit(prepare(table, [(1, "a")]))
    assert (snapshot.id, table.snapshots.ids()) == (1, [1])


def test_an_outcome_that_stays_unknown_cleans_nothing() -> None:
    table = new_table(ID_V, ["id"], commit__max_retries="1")
    messages = prepare(table, [(1, "a")])
    io = Unreliable(table.io, 99, done=False)
    with pytest.raises(CommitUnknownError) as unknown:
        TableCommit(through(table, io), "me", clock=StillClock()).commit(messages)
    assert unknown.value.fields["snapshot_id"] == 1
    assert data_paths(table)
    assert manifests(table)


def test_a_sure_failure_after_an_unknown_outcome_is_unknown() -> None:
    """Attempt 1: no answer. Attempt 2: a manifest cannot be written. Attempt 1 may have succeeded."""
    table = new_table(ID_V, ["id"], commit__max_retries="1")
    messages = prepare(table, [(1, "a")])
    counting = FaultyFileIO(table.io)
    with pytest.raises(CommitUnknownError):
        TableCommit(through(table, Unreliable(counting, 99, done=False)), "x").commit(messages)
    per_attempt = len(counting.changes) // 2
    failing = FaultyFileIO(table.io, per_attempt, fails=True)
    io = Unreliable(failing, 1, done=False)
    with pytest.raises(CommitUnknownError):
        TableCommit(through(table, io), "me", clock=StillClock()).commit(messages)
    assert data_paths(table)


def test_a_manifest_that_cannot_be_written_is_a_plain_failure_and_is_cleaned() -> None:
    table = new_table(ID_V, ["id"])
    messages = prepare(table, [(1, "a")])
    with pytest.raises(StorageError):
        TableCommit(through(table, FaultyFileIO(table.io, 1, fails=True)), "me").commit(messages)
    assert manifests(table) == set()
    TableCommit(table, "me").commit(messages)
    assert rows_of(table) == [(1, "a")]


def test_a_hint_that_cannot_be_written_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    table = new_table(ID_V, ["id"])
    counting = FaultyFileIO(table.io)
    put(through(table, counting), (1, "a"))
    failing = FaultyFileIO(table.io, len(counting.changes) - 1, fails=True)
    put(through(table, failing), (2, "b"))
    assert table.snapshots.latest_id() == 2
    assert "LATEST" in caplog.text


@pytest.mark.parametrize("done", [False, True])
def test_a_retry_after_an_unknown_outcome_commits_once(done: bool) -> None:
    table = new_table(ID_V, bucket="-1", commit__max_retries="0")
    messages = prepare(table, [(1, "a")])
    io = Blind(table.io, done=done)
    commit = TableCommit(through(table, io), "me", clock=StillClock())
    with pytest.raises(CommitUnknownError):
        commit.commit(messages)
    io.is_blind = False
    if done:
        with pytest.raises(CommitConflictError, match="has already"):
            commit.commit(messages)
    else:
        commit.commit(messages)
    assert rows_of(table) == [(1, "a")]


def test_an_abort_keeps_files_that_are_or_may_be_committed() -> None:
    table = new_table(ID_V, ["id"], commit__max_retries="0")
    known, unknown, spare = (prepare(table, [(i, "a")]) for i in range(3))
    commit = TableCommit(table, "me")
    commit.commit(known)
    io = Blind(table.io, done=False)
    blind = TableCommit(through(table, io), "me", clock=StillClock())
    with pytest.raises(CommitUnknownError):
        blind.commit(unknown)
    io.is_blind = False
    before = len(data_paths(table))
    for committer in (commit, blind, TableCommit(table, "other")):
        committer.abort(known)
    blind.abort(unknown)
    assert len(data_paths(table)) == before
    commit.abort(spare)
    assert len(data_paths(table)) == before - 1


def test_a_lost_manifest_is_no_reason_to_try_again() -> None:
    table = new_table(ID_V, ["id"])
    (made,) = put(table, (0, "old"))
    messages = prepare(table, [(9, "new")])
    table.io.delete(table.paths.manifest_file(made.base_manifest_list))
    clock = StillClock()
    with pytest.raises(NotFoundError):
        TableCommit(table, "me", clock=clock).commit(messages)
    assert clock.slept == []
