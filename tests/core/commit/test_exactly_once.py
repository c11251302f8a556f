"""What is committed is not committed again, by whomever. Spec: 08, 4."""

from __future__ import annotations

import pytest

from core.commit import TableCommit
from core.errors import CommitConflictError, InvalidRequestError
from core.snapshot import BATCH_COMMIT_IDENTIFIER
from core.table import Table
from core.write import CommitMessage, decode_message, encode_message
from tests.core.commit.stores import ID_V, Interrupted, ReadCounter, StillClock, through
from tests.tables import arrow, compact, new_table, prepare, put, rows_of


def test_identifiers_up_to_the_users_latest_count_as_committed() -> None:
    table = new_table(ID_V, ["id"])
    commit = TableCommit(table, "me")
    assert commit.filter_committed([3, 1, 2]) == [1, 2, 3]
    commit.commit(prepare(table, [(1, "a")]), 2)
    put(table, (2, "b"), user="another")
    assert commit.filter_committed([3, 1, 2]) == [3]
    assert TableCommit(table, "another").filter_committed([BATCH_COMMIT_IDENTIFIER]) == []


def test_two_processes_that_commit_as_one_user_lose_no_rows() -> None:
    """The one that comes second must not take the other's snapshot for its own."""
    table = new_table(ID_V, ["id"])
    io = Interrupted(table.io, lambda: put(table, (2, "theirs"), user="me"), times=1)
    with pytest.raises(CommitConflictError, match="as this user"):
        TableCommit(through(table, io), "me", clock=StillClock()).commit(prepare(table, [(1, "a")]))
    assert rows_of(table) == [(2, "theirs")]


def test_a_process_that_died_too_late_does_not_commit_what_its_successor_commits() -> None:
    """Both have looked, and neither found the commit; the rows of both are the same batch."""
    table = new_table(ID_V, bucket="-1")
    put(table, (0, "before"))
    first, second = TableCommit(table, "me"), TableCommit(table, "me")
    assert first.filter_committed([7]) == second.filter_committed([7]) == [7]
    first.commit(prepare(table, [(1, "a")]), 7)
    put(table, (2, "since"))
    with pytest.raises(CommitConflictError, match="same identifier"):
        second.commit(prepare(table, [(1, "a")]), 7)
    first.commit(prepare(table, [(3, "more of it")]), 7)
    assert rows_of(table) == [(0, "before"), (1, "a"), (2, "since"), (3, "more of it")]


def test_a_process_that_slept_until_its_successors_commit_has_expired_does_not_commit_it_again() -> None:
    table = new_table(ID_V, bucket="-1")
    late = TableCommit(table, "me")
    assert late.filter_committed([7]) == [7]
    for identifier in (7, 8):
        TableCommit(table, "me").commit(prepare(table, [(identifier, "a")]), identifier)
    table.snapshots.delete(1)
    with pytest.raises(CommitConflictError, match="or a later one"):
        late.commit(prepare(table, [(7, "a")]), 7)
    assert rows_of(table) == [(7, "a"), (8, "a")]


@pytest.mark.parametrize(("keys", "bucket"), [(["id"], "1"), ([], "-1")])
def test_messages_are_not_committed_twice(keys: list[str], bucket: str) -> None:
    table = new_table(ID_V, keys, bucket=bucket)
    messages, commit = prepare(table, [(1, "a")]), TableCommit(table, "me")
    commit.commit(messages)
    with pytest.raises(InvalidRequestError, match="second time"):
        commit.commit(messages)
    assert rows_of(table) == [(1, "a")]


def test_another_process_does_not_commit_the_files_of_a_bucket_again() -> None:
    table = new_table(ID_V, ["id"])
    messages = prepare(table, [(1, "a")])
    TableCommit(table, "me").commit(messages)
    with pytest.raises(CommitConflictError, match="has already"):
        TableCommit(table, "other").commit(messages)
    assert rows_of(table) == [(1, "a")]


class TestMessagesThatAnotherProcessHasCommitted:
    """Files of a table without buckets clash with nothing, so each commit looks for its own."""

    @pytest.fixture
    def table(self) -> Table:
        return new_table(ID_V, bucket="-1")

    def commit_again(self, table: Table, messages: list[CommitMessage]) -> None:
        with pytest.raises(CommitConflictError, match="has already"):
            TableCommit(table, "other").commit([decode_message(encode_message(m)) for m in messages])

    def test_are_refused(self, table: Table) -> None:
        put(table, (0, "before"))
        messages = prepare(table, [(1, "a")])
        TableCommit(table, "me").commit(messages)
        put(table, (2, "since"))
        self.commit_again(table, messages)
        assert rows_of(table) == [(0, "before"), (1, "a"), (2, "since")]

    def test_are_refused_as_the_first_commit_of_a_table(self, table: Table) -> None:
        messages = prepare(table, [(1, "a")])
        TableCommit(table, "me").commit(messages)
        self.commit_again(table, messages)

    def test_are_refused_although_a_compaction_has_replaced_them(self, table: Table) -> None:
        put(table, (0, "before"))
        messages = prepare(table, [(1, "a")])
        TableCommit(table, "me").commit(messages)
        compact(table)
        self.commit_again(table, messages)

    def test_are_refused_after_the_snapshot_they_began_at_has_gone(self, table: Table) -> None:
        put(table, (0, "before"))
        messages = prepare(table, [(1, "a")])
        TableCommit(table, "me").commit(messages)
        table.snapshots.delete(1)
        self.commit_again(table, messages)

    def test_are_left_out_where_the_table_says_so(self) -> None:
        table = new_table(ID_V, bucket="-1", commit__discard_duplicate_files="true")
        messages = prepare(table, [(1, "a")])
        TableCommit(table, "me").commit(messages)
        TableCommit(table, "other").commit([*messages, *prepare(table, [(2, "b")])])
        assert rows_of(table) == [(1, "a"), (2, "b")]
        assert table.snapshots.get(2).total_record_count == 2

    def test_cost_a_writer_that_commits_often_nothing(self, table: Table) -> None:
        reads = []
        with table.new_write() as writer:
            for i in range(6):
                writer.write(arrow(table, [(i, "a")]))
                messages = writer.prepare_commit()
                io = ReadCounter(table.io)
                TableCommit(through(table, io), "me").commit(messages, i)
                reads.append(io.reads)
        assert reads[2] == reads[5]
