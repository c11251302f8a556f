"""What a commit makes of messages. Spec: 08, 1 and 2."""

from __future__ import annotations

from typing import Any

import pytest

from core.binary import EMPTY_ROW
from core.commit import TableCommit
from core.errors import CommitConflictError, InvalidRequestError
from core.snapshot import CommitKind
from core.table import Table
from core.types import RowKind
from core.write import CommitMessage, plan_compaction, run_task
from tests.core.commit.stores import ID_V, Interrupted, StillClock, through
from tests.tables import compact, new_table, prepare, put, rows_of


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
