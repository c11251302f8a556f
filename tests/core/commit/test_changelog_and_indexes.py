"""Changelog and index files on their way from messages into snapshots. Spec: 08, 1 and 4."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.commit import TableCommit
from core.errors import CommitConflictError
from core.manifest import DataFileMeta, IndexManifestEntry
from core.snapshot import CommitKind
from core.table import Table
from core.write import CommitMessage, plan_compaction, run_task
from tests.builders import data_file, index_file, vectors
from tests.tables import data_paths, files_of, new_table, prepare, put, rows_of

ID_V = {"id": "INT NOT NULL", "v": "STRING"}
LOG = data_file("changelog-1.parquet", row_count=3)


def message(table: Table, rows: list[tuple[Any, ...]], **changes: Any) -> CommitMessage:
    (made,) = prepare(table, rows)
    return replace(made, **changes)


def indexes(table: Table) -> list[IndexManifestEntry]:
    snapshot = table.snapshots.latest()
    return table.manifests.index_entries(snapshot) if snapshot else []


def touch(table: Table, *made: CommitMessage) -> set[str]:
    """Paths of the changelog and index files, which are then there."""
    paths = {table.paths.index_file(index.file_name) for m in made for index in m.new_index_files}
    paths |= {
        f"{table.paths.bucket_dir('', m.bucket)}/{log.file_name}" for m in made for log in m.new_changelog
    }
    for path in paths:
        table.io.write(path, b"x")
    return paths


def unaware() -> tuple[Table, DataFileMeta]:
    """A table without buckets that has one file."""
    table = new_table(ID_V, bucket="-1")
    put(table, (1, "a"), (2, "b"))
    return table, files_of(table)[0]


def marking(*files: IndexManifestEntry, instead_of: tuple[IndexManifestEntry, ...] = ()) -> CommitMessage:
    return CommitMessage(
        partition=files[0].partition, bucket=0, total_buckets=-1,
        new_index_files=files, deleted_index_files=instead_of,
    )  # fmt: skip


def test_a_changelog_has_a_list_of_its_own_and_its_rows_are_counted() -> None:
    table = new_table(ID_V, ["id"])
    (snapshot,) = TableCommit(table, "me").commit([message(table, [(1, "a")], new_changelog=(LOG,))])
    assert [e.file for e in table.manifests.changelog_entries(snapshot).entries()] == [LOG]
    assert (snapshot.changelog_record_count, snapshot.delta_record_count) == (3, 1)
    size = len(table.io.read(table.paths.manifest_file(str(snapshot.changelog_manifest_list))))
    assert snapshot.changelog_manifest_list_size == size


def test_the_changelog_of_a_compaction_belongs_to_its_snapshot() -> None:
    table = new_table(ID_V, ["id"])
    put(table, (1, "a"))
    put(table, (1, "b"))
    (task,) = plan_compaction(table).tasks
    done = replace(run_task(table, task), compact_changelog=(LOG,))
    append, compact = TableCommit(table, "me").commit([done, *prepare(table, [(2, "c")])])
    assert append.changelog_manifest_list is None
    assert compact.changelog_record_count == 3


def test_a_snapshot_without_index_changes_names_the_index_manifest_before() -> None:
    table = new_table(ID_V, ["id"])
    commit = TableCommit(table, "me")
    (first,) = commit.commit([message(table, [(1, "a")], new_index_files=(index_file(),))])
    (second,) = commit.commit(prepare(table, [(2, "b")]))
    assert indexes(table) == [index_file()]
    assert first.index_manifest == second.index_manifest


def test_an_index_of_two_writers_is_not_lost() -> None:
    table = new_table(ID_V, ["id"])
    mine = message(table, [(1, "a")], new_index_files=(index_file("mine"),))
    theirs = message(table, [(2, "b")], new_index_files=(index_file("theirs"),))
    TableCommit(table, "other").commit([theirs])
    with pytest.raises(CommitConflictError, match="another index file"):
        TableCommit(table, "me").commit([mine])
    assert indexes(table) == [index_file("theirs")]


def test_deletion_vectors_make_an_overwrite_without_rows() -> None:
    table, file = unaware()
    (snapshot,) = TableCommit(table, "me").commit([marking(vectors("v", file.file_name))])
    assert (snapshot.commit_kind, snapshot.delta_record_count) == (CommitKind.OVERWRITE, 0)
    assert snapshot.total_record_count == 2


def test_a_vector_for_a_file_that_is_gone_is_refused() -> None:
    table, _ = unaware()
    with pytest.raises(CommitConflictError, match="not in the table"):
        TableCommit(table, "me").commit([marking(vectors("v", "gone.parquet"))])


def test_a_compaction_that_missed_a_deletion_is_refused() -> None:
    table, file = unaware()
    put(table, (3, "c"))
    made = [run_task(table, task) for task in plan_compaction(table).tasks]
    TableCommit(table, "deleter").commit([marking(vectors("v", file.file_name))])
    with pytest.raises(CommitConflictError, match="got a deletion vector"):
        TableCommit(table, "compactor").commit(made)
    assert len(files_of(table)) == 2


def test_a_compaction_takes_the_vectors_of_its_files_with_it() -> None:
    table, file = unaware()
    put(table, (3, "c"))
    (task,) = plan_compaction(table).tasks
    vector = vectors("v", file.file_name)
    TableCommit(table, "deleter").commit([marking(vector)])
    done = replace(run_task(table, task), compact_deleted_index_files=(vector,))
    TableCommit(table, "compactor").commit([done])
    assert indexes(table) == []
    assert len(files_of(table)) == 1


def test_an_overwrite_drops_the_index_files_of_its_partitions() -> None:
    table = new_table({"p": "STRING NOT NULL", **ID_V}, ["p", "id"], partition=["p"])
    made = prepare(table, [("a", 1, "x"), ("b", 1, "x")])
    made = [
        replace(m, new_index_files=(index_file(f"i{n}", partition=m.partition),)) for n, m in enumerate(made)
    ]
    commit = TableCommit(table, "me")
    commit.commit(made)
    commit.overwrite([], {"p": "a"})
    assert [index.file_name for index in indexes(table)] == ["i1"]
    assert rows_of(table) == [("b", 1, "x")]


def test_an_abort_deletes_changelog_and_index_files() -> None:
    table = new_table(ID_V, ["id"])
    made = message(table, [(1, "a")], new_index_files=(index_file(),), new_changelog=(LOG,))
    paths = touch(table, made)
    TableCommit(table, "me").abort([made])
    assert data_paths(table) == set()
    assert not any(table.io.exists(path) for path in paths)


def test_an_abort_keeps_what_came_with_a_file_that_is_live() -> None:
    table = new_table(ID_V, ["id"])
    made = message(table, [(1, "a")], new_index_files=(index_file(),), new_changelog=(LOG,))
    paths = touch(table, made)
    TableCommit(table, "me").commit([made])
    TableCommit(table, "other").abort([made])
    assert all(table.io.exists(path) for path in paths)
