"""Compactions that a writer makes when it prepares a commit. Spec: 07, 2 and 3."""

from __future__ import annotations

import pytest

from core.commit import TableCommit
from core.dml import apply_changes, plan_delete
from core.errors import CommitConflictError
from core.snapshot import CommitKind
from core.table import Table
from core.write import TableWrite
from tests.faults import FaultyFileIO
from tests.tables import arrow, compact, data_paths, files_of, levels_of, new_table, prepare, put, rows_of

ID_V = {"id": "INT NOT NULL", "v": "STRING"}


def table_of(**options: str) -> Table:
    return new_table(ID_V, ["id"], **{"write_only": "false", **options})


def test_the_fifth_run_is_compacted_with_the_commit_that_brings_it() -> None:
    table = table_of()
    for i in range(4):
        assert [s.commit_kind for s in put(table, (i, "a"))] == [CommitKind.APPEND]
    snapshots = put(table, (4, "a"))
    assert [s.commit_kind for s in snapshots] == [CommitKind.APPEND, CommitKind.COMPACT]
    assert levels_of(table) == [5]
    assert len(rows_of(table)) == 5


def test_a_write_only_table_is_left_to_others() -> None:
    table = table_of(write_only="true")
    for i in range(6):
        put(table, (i, "a"))
    assert levels_of(table) == [0] * 6


def test_level_0_is_lifted_each_time_if_the_table_wants_that() -> None:
    table = table_of(compaction__force_up_level_0="true")
    put(table, (1, "a"))
    assert levels_of(table) == [5]


def test_gentle_lookups_wait_for_some_commits() -> None:
    table = table_of(changelog_producer="lookup", lookup_compact="gentle", lookup_compact__max_interval="6")
    for i in range(4):
        put(table, (i, "a"))
    assert levels_of(table) == [0] * 4
    other = table_of(
        changelog_producer="lookup", lookup_compact="gentle", num_sorted_run__compaction_trigger="9"
    )
    assert len(put(other, (1, "a"))) == 1


def test_one_writer_may_prepare_again_before_its_first_messages_are_committed() -> None:
    table = table_of(num_sorted_run__compaction_trigger="2")
    commit = TableCommit(table, "u")
    with TableWrite(table) as writer:
        prepared = []
        for i in range(5):
            writer.write(arrow(table, [(1, f"{i}"), (i + 2, "x")]))
            prepared.append(writer.prepare_commit(i))
        for i, messages in enumerate(prepared):
            commit.commit(messages, i)
    assert rows_of(table, filter="id = 1") == [(1, "4")]
    assert len(rows_of(table)) == 6


def test_a_writer_goes_on_from_what_others_have_compacted() -> None:
    table = table_of(num_sorted_run__compaction_trigger="3")
    with TableWrite(table) as writer:
        for i in range(6):
            writer.write(arrow(table, [(i, "x")]))
            TableCommit(table, "u").commit(writer.prepare_commit(i), i)
            if i == 2:
                put(table, (100, "other"))
    assert len(rows_of(table)) == 7


def test_of_two_writers_that_compact_one_bucket_one_loses_its_compaction_alone() -> None:
    table = table_of(num_sorted_run__compaction_trigger="2")
    put(table, (1, "a"))
    first, second = prepare(table, [(2, "b")]), prepare(table, [(3, "c")])
    TableCommit(table, "one").commit(first)
    with pytest.raises(CommitConflictError):
        TableCommit(table, "two").commit(second)
    assert len(rows_of(table)) == 3


def test_an_overwrite_compacts_its_own_files_alone() -> None:
    table = table_of(merge_engine="first-row")
    put(table, (1, "old"), (2, "old"))
    with table.new_write(overwrite=True) as writer:
        writer.write(arrow(table, [(1, "new")]))
        messages = writer.prepare_commit()
    TableCommit(table, "u").overwrite(messages, {})
    assert rows_of(table) == [(1, "new")]


def test_an_aborted_message_leaves_no_file_behind() -> None:
    table = table_of(compaction__force_up_level_0="true", deletion_vectors__enabled="true")
    put(table, (1, "a"))
    before = data_paths(table)
    messages = prepare(table, [(1, "b")])
    assert data_paths(table) > before
    TableCommit(table, "u").abort(messages)
    assert data_paths(table) == before


def test_a_compaction_that_fails_takes_the_new_files_with_it() -> None:
    table = table_of(compaction__force_up_level_0="true", merge_engine="first-row")
    put(table, *[(i, "a") for i in range(0, 100, 2)])
    before = data_paths(table)
    failing = Table(FaultyFileIO(table.io, 1, fails=True), table.location, table.identifier)
    with pytest.raises(Exception, match="store failed"):
        prepare(failing, [(1, "b")])
    assert data_paths(table) == before


def test_neighbours_in_an_append_bucket_are_packed_when_there_are_enough() -> None:
    table = new_table({"id": "INT"}, bucket="1", bucket_key="id", write_only="false")
    for i in (5, 1, 9, 2, 7):
        put(table, (i,))
    assert len(files_of(table)) == 1
    assert table.to_arrow().column("id").to_pylist() == [5, 1, 9, 2, 7]


@pytest.mark.parametrize("bucket", ["-1", "1"])
def test_packing_an_append_table_leaves_deleted_rows_and_their_vectors_out(bucket: str) -> None:
    key = "id" if bucket == "1" else ""
    table = new_table({"id": "INT"}, bucket=bucket, bucket_key=key, deletion_vectors__enabled="true")
    for start in (0, 10, 20):
        put(table, *[(i,) for i in range(start, start + 10)])
    for filter in ("id < 3", "id = 15"):
        TableCommit(table, "u").commit(apply_changes(table, plan_delete(table, filter)))
    assert len(rows_of(table)) == 26
    compact(table)
    assert len(rows_of(table)) == 26
    assert sum(file.row_count for file in files_of(table)) == 26
    snapshot = table.snapshots.latest()
    assert snapshot is not None
    assert not any(e.deletion_vector_ranges for e in table.manifests.index_entries(snapshot))
