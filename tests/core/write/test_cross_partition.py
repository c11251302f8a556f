"""Keys that move between partitions, by merge engine, against the rule applied row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.commit import TableCommit
from core.errors import CommitConflictError, InvalidRequestError, UnsupportedError
from core.options import TableOptions
from core.table import Table
from core.types import RowKind
from core.write import TableWrite
from core.write.support import check_writable
from tests.tables import arrow, compact, new_table, prepare, put, rows_of

COLUMNS = {"p": "STRING", "id": "INT NOT NULL", "v": "STRING", "n": "INT"}


def crossing(engine: str = "deduplicate", target: int = 2, **options: str) -> Table:
    return new_table(
        COLUMNS,
        ["id"],
        partition=["p"],
        bucket="-1",
        merge_engine=engine,
        dynamic_bucket__target_row_num=str(target),
        **options,
    )


def in_buckets(table: Table) -> dict[tuple[str | None, int], list[int]]:
    """The ids in each bucket of each partition."""
    found: dict[tuple[str | None, int], list[int]] = {}
    for split in table.plan().splits:
        for batch in table.read_split(split, ["p", "id"]):
            for row in batch.to_pylist():
                found.setdefault((row["p"], split.bucket), []).append(row["id"])
    return {key: sorted(ids) for key, ids in found.items()}


def test_a_key_that_comes_with_another_partition_moves_there() -> None:
    table = crossing()
    put(table, ("a", 1, "old", 1), ("a", 2, "old", 1), ("a", 3, "old", 1))
    put(table, ("b", 2, "new", 2), (None, 3, "new", 2))
    assert rows_of(table) == sorted([("a", 1, "old", 1), ("b", 2, "new", 2), (None, 3, "new", 2)], key=repr)
    assert in_buckets(table) == {("a", 0): [1], ("b", 0): [2], (None, 0): [3]}


def test_a_key_that_moves_and_comes_back_in_one_batch_is_there_once() -> None:
    table = crossing()
    put(table, ("a", 1, "x", 1))
    put(table, ("b", 1, "y", 2), ("a", 1, "z", 3), ("b", 1, "w", 4), ("b", 1, "w", 5))
    assert rows_of(table) == [("b", 1, "w", 5)]


def test_a_place_that_was_left_is_taken_again() -> None:
    table = crossing(target=2)
    put(table, *[("a", i, "x", 0) for i in range(4)])
    put(table, ("b", 0, "x", 0), ("a", 9, "x", 0))
    assert in_buckets(table) == {("a", 0): [1, 9], ("a", 1): [2, 3], ("b", 0): [0]}


def test_a_delete_removes_the_row_wherever_it_is() -> None:
    table = crossing()
    put(table, ("a", 1, "x", 1), ("a", 2, "x", 1))
    put(table, ("b", 1, None, None), kinds=[RowKind.DELETE])
    assert rows_of(table) == [("a", 2, "x", 1)]


def test_partial_updates_join_the_row_in_its_partition() -> None:
    table = crossing("partial-update")
    put(table, ("a", 1, "x", None))
    put(table, ("b", 1, None, 7), ("b", 2, "y", None))
    put(table, ("c", 2, None, 8))
    assert rows_of(table) == [("a", 1, "x", 7), ("b", 2, "y", 8)]


def test_aggregates_are_summed_in_the_partition_of_the_first_row() -> None:
    table = crossing("aggregation", fields__n__aggregate_function="sum")
    put(table, ("a", 1, "x", 1), ("b", 1, "y", 2))
    put(table, ("c", 1, "z", 4))
    assert rows_of(table) == [("a", 1, "z", 7)]


def test_the_first_row_keeps_others_out_of_other_partitions() -> None:
    table = crossing("first-row")
    put(table, ("a", 1, "x", 1), ("b", 1, "y", 2))
    put(table, ("b", 1, "z", 3), ("b", 2, "z", 3))
    compact(table)  # only then are first rows visible
    assert rows_of(table) == [("a", 1, "x", 1), ("b", 2, "z", 3)]


def test_one_writer_remembers_what_it_wrote() -> None:
    table = crossing()
    commit = TableCommit(table, "u")
    with TableWrite(table) as writer:
        for partition in "abc":
            writer.write(arrow(table, [(partition, 1, partition, 0)]))
            commit.commit(writer.prepare_commit())
    assert rows_of(table) == [("c", 1, "c", 0)]


def test_a_second_writer_of_the_same_keys_is_refused() -> None:
    table = crossing()
    put(table, ("a", 1, "x", 1), user="one")
    mine = prepare(table, [("b", 1, "mine", 2)])
    put(table, ("c", 1, "theirs", 3), user="two")
    with pytest.raises(CommitConflictError, match="another partition"):
        TableCommit(table, "one").commit(mine)
    assert rows_of(table) == [("c", 1, "theirs", 3)]


def test_two_first_writers_do_not_double_a_key() -> None:
    table = crossing()
    mine = prepare(table, [("b", 1, "mine", 2)])
    put(table, ("c", 1, "theirs", 3), user="two")
    with pytest.raises(CommitConflictError, match="another partition"):
        TableCommit(table, "one").commit(mine)


def test_writers_of_other_keys_do_not_meet() -> None:
    table = crossing()
    mine = prepare(table, [("b", 1, "mine", 2)])
    put(table, ("c", 2, "theirs", 3), user="two")
    TableCommit(table, "one").commit(mine)
    assert rows_of(table) == [("b", 1, "mine", 2), ("c", 2, "theirs", 3)]


@pytest.mark.parametrize("truncates", [False, True])
def test_a_writer_that_is_not_alone_any_more_is_stopped(truncates: bool) -> None:
    table = crossing()
    commit = TableCommit(table, "one")
    with TableWrite(table) as writer:
        for partition in "ab":
            writer.write(arrow(table, [(partition, 1, "x", 1)]))
            commit.commit(writer.prepare_commit())
        if truncates:
            TableCommit(table, "two").truncate()
        else:
            put(table, ("b", 3, "theirs", 2), user="two")
        with pytest.raises(CommitConflictError, match="begin a new one"):
            writer.write(arrow(table, [("c", 1, "y", 3)]))
    put(table, ("c", 1, "y", 3))
    assert [row[:2] for row in rows_of(table) if row[1] == 1] == [("c", 1)]


def test_a_commit_that_cannot_tell_what_came_meanwhile_is_refused() -> None:
    table = crossing()
    put(table, ("a", 1, "x", 1))
    mine = prepare(table, [("b", 1, "mine", 2)])
    put(table, ("c", 9, "theirs", 3), user="two")
    table.snapshots.delete(1)
    with pytest.raises(CommitConflictError, match="is gone"):
        TableCommit(table, "one").commit(mine)


def replaced(table: Table, partition: dict[str, Any] | None, *rows: tuple[Any, ...]) -> None:
    with table.new_write(overwrite=True) as writer:
        writer.write(arrow(table, rows))
        TableCommit(table, "u").overwrite(writer.prepare_commit(), partition)


OLD = [("a", 1, "old", 1), ("a", 2, "old", 1), ("b", 3, "old", 1), ("c", 4, "old", 1)]


@pytest.mark.parametrize("write_only", ["true", "false"])
@pytest.mark.parametrize("partition", [None, {"p": "a"}])
def test_an_overwrite_takes_keys_out_of_partitions_that_stay(
    partition: dict[str, Any] | None, write_only: str
) -> None:
    table = crossing(write_only=write_only, num_sorted_run__compaction_trigger="1")
    put(table, *OLD)
    replaced(table, partition, ("a", 3, "new", 2), ("a", 9, "new", 2))
    assert rows_of(table) == [("a", 3, "new", 2), ("a", 9, "new", 2), ("c", 4, "old", 1)]
    put(table, ("b", 3, "back", 3), ("c", 9, "moved", 3))
    compact(table)
    assert rows_of(table) == [("b", 3, "back", 3), ("c", 4, "old", 1), ("c", 9, "moved", 3)]


@pytest.mark.parametrize("engine", ["deduplicate", "partial-update", "aggregation", "first-row"])
def test_an_overwrite_of_the_whole_table(engine: str) -> None:
    table = crossing(engine)
    put(table, *OLD)
    replaced(table, {}, ("b", 1, "new", 2), ("c", 9, None, 2))
    assert rows_of(table) == [("b", 1, "new", 2), ("c", 9, None, 2)]
    assert in_buckets(table) == {("b", 0): [1], ("c", 0): [9]}


@pytest.mark.parametrize(
    ("engine", "options"),
    [
        ("partial-update", {}),
        ("aggregation", {}),
        ("first-row", {}),
        ("deduplicate", {"deletion_vectors__enabled": "true"}),
    ],
)
def test_rows_that_join_others_replace_all_partitions_or_none(engine: str, options: dict[str, str]) -> None:
    table = crossing(engine, **options)
    put(table, *OLD)
    for partition in (None, {"p": "a"}):
        with pytest.raises(InvalidRequestError, match="overwrite all of them"):
            replaced(table, partition, ("a", 3, "new", 2))
    replaced(table, {}, ("a", 3, "new", 2))
    assert rows_of(table) == [("a", 3, "new", 2)]


def test_an_overwrite_shows_its_rows_also_where_level_0_is_not_seen() -> None:
    options = {"deletion_vectors__enabled": "true", "write_buffer_size": "1 b", "write_only": "false"}
    table = crossing("deduplicate", 9, **options)
    put(table, *OLD)
    with table.new_write(overwrite=True) as writer:
        writer.write(arrow(table, [("a", 1, "x", 2), ("a", 3, "y", 2)]))
        writer.write(arrow(table, [("a", 2, "z", 2)]))  # another file, which overlaps the first
        TableCommit(table, "u").overwrite(writer.prepare_commit(), {})
    assert [row[1] for row in rows_of(table)] == [1, 2, 3]


def test_what_another_wrote_meanwhile_is_not_overwritten_half() -> None:
    table = crossing()
    put(table, *OLD)
    with table.new_write(overwrite=True) as writer:
        writer.write(arrow(table, [("a", 3, "new", 2)]))
        messages = writer.prepare_commit()
    put(table, ("c", 3, "meanwhile", 2), user="other")
    with pytest.raises(CommitConflictError, match="another writer has written keys"):
        TableCommit(table, "u").overwrite(messages)


def test_fixed_buckets_are_refused_by_name() -> None:
    fixed = replace(crossing().schema, options={"bucket": "2"})
    with pytest.raises(UnsupportedError, match="fixed buckets with a primary key"):
        check_writable(fixed, TableOptions(fixed.options))


ROWS = st.tuples(
    st.sampled_from(["a", "b", None]),
    st.integers(0, 5),
    st.sampled_from("xyz"),
    st.none() | st.integers(0, 9),
)


@settings(max_examples=10)
@pytest.mark.parametrize("engine", ["deduplicate", "partial-update", "first-row"])
@given(history=st.lists(st.lists(ROWS, max_size=6), max_size=4), target=st.integers(1, 3))
def test_random_histories_leave_each_key_once(
    engine: str, history: Sequence[list[tuple[Any, ...]]], target: int
) -> None:
    table = crossing(engine, target)
    state: dict[int, tuple[Any, ...]] = {}
    for rows in history:
        put(table, *rows)
        for row in rows:
            state[row[1]] = after(engine, state.get(row[1]), row)
    compact(table)
    assert rows_of(table) == sorted(state.values(), key=repr)
    assert sum(map(len, in_buckets(table).values())) == len(state)


def after(engine: str, old: tuple[Any, ...] | None, row: tuple[Any, ...]) -> tuple[Any, ...]:
    if old is None or engine == "deduplicate":
        return row
    if engine == "first-row":
        return old
    return (old[0], *(was if new is None else new for was, new in zip(old[1:], row[1:], strict=True)))
