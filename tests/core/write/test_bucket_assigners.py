"""Rows of a dynamic-bucket table: where they go, and the index that says so to the next writer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.commit import TableCommit
from core.errors import CommitConflictError, FormatError, InvalidRequestError
from core.table import Table
from core.tableindex import decode_hash_index
from core.types import RowKind
from core.write import TableWrite
from tests.tables import arrow, new_table, prepare, put, remove, rows_of

DT_ID_V = {"dt": "STRING NOT NULL", "id": "INT NOT NULL", "v": "STRING"}


def dynamic(target: int = 2, **options: str) -> Table:
    return new_table(
        DT_ID_V,
        ["dt", "id"],
        partition=["dt"],
        bucket="-1",
        dynamic_bucket__target_row_num=str(target),
        **options,
    )


def in_buckets(table: Table) -> dict[tuple[str, int], list[int]]:
    """The ids in each bucket of each partition."""
    found: dict[tuple[str, int], list[int]] = {}
    for split in table.plan().splits:
        for batch in table.read_split(split, ["dt", "id"]):
            for row in batch.to_pylist():
                found.setdefault((row["dt"], split.bucket), []).append(row["id"])
    return {key: sorted(ids) for key, ids in found.items()}


def index_of(table: Table) -> Mapping[tuple[bytes, int], list[int]]:
    """The hashes of each bucket, as the latest snapshot has them."""
    snapshot = table.snapshots.latest()
    assert snapshot is not None
    entries = table.manifests.index_entries(snapshot)
    assert len({(e.partition, e.bucket) for e in entries}) == len(entries)
    paths = {status.path.rpartition("/")[2]: status.path for status in table.io.iter_tree(table.location)}
    read = {
        (e.partition.to_bytes(), e.bucket): decode_hash_index(table.io.read(paths[e.file_name]))
        for e in entries
    }
    assert all(len(read[e.partition.to_bytes(), e.bucket]) == e.row_count for e in entries)
    return {key: sorted(hashes.tolist()) for key, hashes in read.items()}


def test_buckets_are_filled_up_to_the_target_each_partition_for_itself() -> None:
    table = dynamic(2)
    put(table, *[("a", i, "x") for i in range(5)], ("b", 9, "x"))
    assert in_buckets(table) == {("a", 0): [0, 1], ("a", 1): [2, 3], ("a", 2): [4], ("b", 0): [9]}


def test_a_key_stays_in_its_bucket_and_its_newest_row_wins() -> None:
    table = dynamic(2)
    put(table, *[("a", i, "old") for i in range(4)])
    put(table, ("a", 3, "new"), ("a", 7, "new"), ("a", 0, "new"))
    assert in_buckets(table) == {("a", 0): [0, 1], ("a", 1): [2, 3], ("a", 2): [7]}
    assert ("a", 3, "new") in rows_of(table)
    assert len(rows_of(table)) == 5


def test_a_deleted_key_keeps_its_place() -> None:
    table = dynamic(2)
    put(table, ("a", 1, "x"), ("a", 2, "x"))
    remove(table, ("a", 1, None))
    put(table, ("a", 3, "x"), ("a", 1, "back"))
    assert in_buckets(table) == {("a", 0): [1, 2], ("a", 1): [3]}


def test_only_buckets_with_new_keys_get_a_new_index_file() -> None:
    table = dynamic(2)
    put(table, *[("a", i, "x") for i in range(3)])
    (message,) = prepare(table, [("a", 0, "again")])
    assert message.new_index_files == message.deleted_index_files == ()
    (message,) = prepare(table, [("a", 8, "new")])
    assert [entry.row_count for entry in message.new_index_files] == [2]
    assert [entry.row_count for entry in message.deleted_index_files] == [1]


def test_a_writer_goes_on_after_it_has_prepared() -> None:
    table = dynamic(3)
    commit = TableCommit(table, "u")
    with TableWrite(table) as writer:
        for start in (0, 2, 4):
            writer.write(arrow(table, [("a", start, "x"), ("a", start + 1, "x")]))
            commit.commit(writer.prepare_commit())
    assert in_buckets(table) == {("a", 0): [0, 1, 2], ("a", 1): [3, 4, 5]}
    assert sorted(map(len, index_of(table).values())) == [3, 3]


def test_of_two_writers_that_extend_one_index_the_second_is_refused() -> None:
    table = dynamic(9)
    put(table, ("a", 0, "x"))
    first, second = prepare(table, [("a", 1, "x")]), prepare(table, [("a", 2, "x")])
    TableCommit(table, "first").commit(first)
    with pytest.raises(CommitConflictError):
        TableCommit(table, "second").commit(second)
    assert [row[1] for row in rows_of(table)] == [0, 1]


def test_of_two_writers_that_begin_one_index_the_second_is_refused() -> None:
    table = dynamic(9)
    first, second = prepare(table, [("a", 1, "x")]), prepare(table, [("a", 1, "x")])
    TableCommit(table, "first").commit(first)
    with pytest.raises(CommitConflictError):
        TableCommit(table, "second").commit(second)


def test_an_overwrite_fills_the_buckets_anew() -> None:
    table = dynamic(2)
    put(table, *[("a", i, "x") for i in range(4)], ("b", 1, "x"))
    with table.new_write(overwrite=True) as writer:
        writer.write(arrow(table, [("a", 3, "y"), ("a", 2, "y"), ("a", 1, "y")]))
        TableCommit(table, "u").overwrite(writer.prepare_commit())
    assert in_buckets(table) == {("a", 0): [2, 3], ("a", 1): [1], ("b", 0): [1]}
    assert sorted(map(len, index_of(table).values())) == [1, 1, 2]


def test_what_was_not_prepared_leaves_no_file() -> None:
    table = dynamic(2)
    before = {status.path for status in table.io.iter_tree(table.location)}
    with TableWrite(table) as writer:
        writer.write(arrow(table, [("a", 1, "x")]))
    assert {status.path for status in table.io.iter_tree(table.location)} == before


def test_index_files_lie_beside_the_data_where_the_table_says_so() -> None:
    table = dynamic(1, index_file_in_data_file_dir="true")
    put(table, ("a", 1, "x"), ("a", 2, "x"))
    put(table, ("a", 1, "y"), ("a", 2, "y"))
    paths = [status.path for status in table.io.iter_tree(table.location) if "/index-" in status.path]
    assert sorted(path.split("/")[-2] for path in paths if "manifest" not in path) == ["bucket-0", "bucket-1"]
    assert in_buckets(table) == {("a", 0): [1], ("a", 1): [2]}


def test_a_damaged_index_stops_the_writer() -> None:
    table = dynamic(2)
    put(table, ("a", 1, "x"))
    (path,) = [s.path for s in table.io.iter_tree(table.location) if "/index/" in s.path]
    table.io.write(path, b"12345")
    with pytest.raises(FormatError, match="cut"):
        prepare(table, [("a", 1, "x")])


def test_options_that_give_no_bucket_are_refused_before_anything_is_written() -> None:
    table = dynamic(0)
    with pytest.raises(InvalidRequestError, match="no buckets"):
        TableWrite(table)


ROWS = st.tuples(st.sampled_from("ab"), st.integers(0, 7), st.sampled_from("xyz"), st.booleans())


@settings(max_examples=25)
@given(st.lists(st.lists(ROWS, max_size=6), max_size=5), st.integers(1, 4), st.integers(1, 3))
def test_random_histories_keep_each_key_in_one_bucket(
    history: Sequence[list[tuple[str, int, str, bool]]], target: int, assigners: int
) -> None:
    table = dynamic(target, dynamic_bucket__assigner_parallelism=str(assigners))
    state: dict[Any, Any] = {}
    for rows in history:
        kinds = [RowKind.DELETE if gone else RowKind.INSERT for *_, gone in rows]
        put(table, *[row[:3] for row in rows], kinds=kinds)
        for dt, number, value, gone in rows:
            state.pop((dt, number), None)
            if not gone:
                state[dt, number] = (dt, number, value)
    assert rows_of(table) == sorted(state.values(), key=repr)
    placed = [(dt, number) for (dt, _), ids in in_buckets(table).items() for number in ids]
    assert len(placed) == len(set(placed))
    if table.snapshots.latest():
        sizes = [len(hashes) for hashes in index_of(table).values()]
        assert max(sizes) <= target
