"""Commits against other commits, failing stores and clocks. Spec: 08, 1, 2 and 4."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.binary import EMPTY_ROW
from core.commit import Clock, TableCommit
from core.errors import (
    CommitConflictError,
    CommitUnknownError,
    InvalidRequestError,
    NotFoundError,
    StorageError,
)
from core.io import FileIO
from core.maintenance import apply_rollback, plan_rollback
from core.maintenance.expire import apply_expire_snapshots, plan_expire_snapshots
from core.schema import SetOption
from core.snapshot import BATCH_COMMIT_IDENTIFIER, CommitKind
from core.table import Table
from core.types import RowKind
from core.write import CommitMessage, decode_message, encode_message, plan_compaction, run_task
from tests.faults import FaultyFileIO, RacingFileIO
from tests.tables import arrow, compact, data_paths, new_table, prepare, put, rows_of

ID_V = {"id": "INT NOT NULL", "v": "STRING"}


class StillClock(Clock):
    """Stands still; remembers how long it was asked to sleep."""

    slept: list[float]

    def __init__(self) -> None:
        object.__setattr__(self, "slept", [])
        super().__init__(now_millis=lambda: 1_000, sleep=self.slept.append, jitter=lambda: 0.0)


class Interrupted:
    """A store that lets others act just before each creation of a snapshot."""

    def __init__(self, io: FileIO, act: Callable[[], Any], times: int) -> None:
        self._io, self._act, self._left = io, act, times

    def __getattr__(self, name: str) -> Any:
        return getattr(self._io, name)

    def create(self, path: str, data: bytes) -> None:
        if "/snapshot/" in path and self._left:
            self._left -= 1
            self._act()
        self._io.create(path, data)


class Unreliable:
    """A store whose creations of snapshots fail `times` times, after or before they took effect."""

    def __init__(self, io: FileIO, times: int, *, done: bool) -> None:
        self._io, self._left, self._done = io, times, done

    def __getattr__(self, name: str) -> Any:
        return getattr(self._io, name)

    def create(self, path: str, data: bytes) -> None:
        if "/snapshot/" not in path or not self._left:
            self._io.create(path, data)
            return
        self._left -= 1
        if self._done:
            self._io.create(path, data)
        raise StorageError("no answer", path=path, operation="create")


class Blind:
    """A store that fails while a snapshot is created, `done` or not, and at each look for it."""

    def __init__(self, io: FileIO, *, done: bool) -> None:
        self._io, self._done, self._tried = io, done, False
        self.is_blind = True

    def __getattr__(self, name: str) -> Any:
        if self._tried and self.is_blind and name in ("read", "exists", "list_files"):
            raise StorageError("no answer", operation=name)
        return getattr(self._io, name)

    def create(self, path: str, data: bytes) -> None:
        if "/snapshot/" not in path or not self.is_blind:
            self._io.create(path, data)
            return
        if self._done:
            self._io.create(path, data)
        self._tried = True
        raise StorageError("no answer", path=path, operation="create")


class ReadCounter:
    """A store that counts the files read as a whole."""

    def __init__(self, io: FileIO) -> None:
        self._io, self.reads = io, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._io, name)

    def read(self, path: str) -> bytes:
        self.reads += 1
        return self._io.read(path)


def through(table: Table, io: Any) -> Table:
    return Table(io, table.location, table.identifier)


def manifests(table: Table) -> set[str]:
    return {status.path for status in table.io.list_files(table.paths.manifest_dir)}


def test_a_commit_tells_who_made_it_and_what_it_changed() -> None:
    table = new_table(ID_V, ["id"])
    (snapshot,) = TableCommit(table, "me", clock=StillClock()).commit(prepare(table, [(1, "a"), (2, "b")]), 7)
    assert (snapshot.id, snapshot.commit_user, snapshot.commit_identifier) == (1, "me", 7)
    assert (snapshot.commit_kind, snapshot.time_millis) == (CommitKind.APPEND, 1_000)
    assert (snapshot.total_record_count, snapshot.delta_record_count) == (2, 2)
    assert table.snapshots.latest() == snapshot
    assert table.io.read(f"{table.paths.snapshot_dir}/LATEST") == b"1"


def test_messages_without_a_change_make_no_snapshot() -> None:
    table = new_table(ID_V, ["id"])
    assert TableCommit(table, "me").commit([]) == []
    assert TableCommit(table, "me").commit(prepare(table, [])) == []
    assert table.snapshots.latest() is None


def test_new_files_and_compacted_ones_make_two_snapshots() -> None:
    table = new_table(ID_V, ["id"])
    put(table, (1, "a"))
    put(table, (1, "b"))
    (task,) = plan_compaction(table).tasks
    made = TableCommit(table, "me").commit([*prepare(table, [(2, "c")]), run_task(table, task)], 9)
    assert [(s.commit_kind, s.commit_identifier) for s in made] == [
        (CommitKind.APPEND, 9),
        (CommitKind.COMPACT, 9),
    ]
    assert rows_of(table) == [(1, "b"), (2, "c")]


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
    with pytest.raises(CommitConflictError, match="same user"):
        TableCommit(through(table, io), "me", clock=StillClock()).commit(prepare(table, [(1, "a")]))
    assert rows_of(table) == [(2, "theirs")]


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


def test_a_lost_manifest_is_no_reason_to_try_again() -> None:
    table = new_table(ID_V, ["id"])
    (made,) = put(table, (0, "old"))
    messages = prepare(table, [(9, "new")])
    table.io.delete(table.paths.manifest_file(made.base_manifest_list))
    clock = StillClock()
    with pytest.raises(NotFoundError):
        TableCommit(table, "me", clock=clock).commit(messages)
    assert clock.slept == []


def test_a_compaction_that_is_refused_tells_that_the_rows_are_there() -> None:
    table = new_table(ID_V, ["id"])
    put(table, (0, "old"))
    plan = plan_compaction(table)
    compacted = [run_task(table, task) for task in plan.tasks]
    compact(table)
    with pytest.raises(CommitConflictError) as error:
        TableCommit(table, "me").commit([*prepare(table, [(9, "new")]), *compacted])
    assert error.value.fields["committed"] == table.snapshots.latest().reference
    assert rows_of(table) == [(0, "old"), (9, "new")]


class TestOverwrite:
    def table(self) -> Table:
        table = new_table({"p": "STRING", "v": "INT"}, partition=["p"], bucket="-1")
        put(table, ("a", 1), ("b", 2), (None, 3))
        return table

    def overwrite(self, table: Table, rows: list[tuple[Any, ...]], spec: Any = None) -> Any:
        return TableCommit(table, "me").overwrite(prepare(table, rows), spec)

    def test_exactly_the_partitions_of_the_new_rows_are_replaced(self) -> None:
        table = self.table()
        (snapshot,) = self.overwrite(table, [("b", 9), ("c", 8)])
        assert snapshot.commit_kind is CommitKind.OVERWRITE
        assert rows_of(table) == sorted([("a", 1), ("b", 9), ("c", 8), (None, 3)], key=repr)

    def test_without_rows_nothing_happens(self) -> None:
        assert self.overwrite(self.table(), []) == []

    def test_a_named_partition_is_replaced_even_by_nothing(self) -> None:
        table = self.table()
        self.overwrite(table, [], {"p": "a"})
        assert rows_of(table) == sorted([("b", 2), (None, 3)], key=repr)
        self.overwrite(table, [], {"p": None})
        assert rows_of(table) == [("b", 2)]

    def test_an_empty_spec_is_the_whole_table(self) -> None:
        table = self.table()
        self.overwrite(table, [("z", 1)], {})
        assert rows_of(table) == [("z", 1)]

    def test_rows_outside_the_named_partition_are_refused(self) -> None:
        with pytest.raises(InvalidRequestError, match="outside"):
            self.overwrite(self.table(), [("b", 1)], {"p": "a"})

    def test_a_key_that_is_no_partition_key_is_refused(self) -> None:
        with pytest.raises(InvalidRequestError, match="partition key"):
            self.overwrite(self.table(), [], {"v": "1"})

    def test_files_of_a_commit_in_between_are_replaced_too(self) -> None:
        table = self.table()
        messages = prepare(table, [("a", 9)])
        io = Interrupted(table.io, lambda: put(table, ("a", 7)), times=1)
        TableCommit(through(table, io), "me", clock=StillClock()).overwrite(messages, {"p": "a"})
        assert rows_of(table) == sorted([("a", 9), ("b", 2), (None, 3)], key=repr)


def test_many_commits_keep_the_base_list_short() -> None:
    table = new_table(ID_V, ["id"], manifest__merge_min_count="3")
    for i in range(10):
        put(table, (i % 4, str(i)))
    compact(table)
    assert len(table.manifests.base_manifests(table.snapshots.latest())) <= 4
    assert rows_of(table) == [(0, "8"), (1, "9"), (2, "6"), (3, "7")]


def test_a_deletes_count_is_of_physical_rows() -> None:
    table = new_table(ID_V, ["id"])
    put(table, (1, "a"))
    (snapshot,) = put(table, (1, None), kinds=[RowKind.DELETE])
    assert (snapshot.total_record_count, snapshot.delta_record_count) == (2, 1)


def test_an_empty_message_is_no_change() -> None:
    table = new_table(ID_V, ["id"])
    assert (
        TableCommit(table, "me").commit([CommitMessage(partition=EMPTY_ROW, bucket=0, total_buckets=1)]) == []
    )
