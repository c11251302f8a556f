"""Compaction changes files and levels, and never a row. Spec: 07, 9."""

from __future__ import annotations

from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.commit import TableCommit
from core.compact import Strategy
from core.errors import CommitConflictError, InvalidRequestError
from core.io import LocalFileIO
from core.manifest import FileSource
from core.schema import AddColumn
from core.snapshot import CommitKind
from core.table import Table
from core.types import RowKind, parse_type
from core.write import plan_compaction, run_task
from tests.faults import Died, FaultyFileIO
from tests.tables import (
    compact,
    data_paths,
    files_of,
    levels_of,
    new_table,
    put,
    remove,
    rows_of,
)

ID_V = {"id": "INT NOT NULL", "v": "STRING"}


def test_a_full_compaction_leaves_one_run_without_deletes_on_the_top_level() -> None:
    table = new_table(ID_V, ["id"])
    put(table, (1, "a"), (2, "b"))
    remove(table, (1, None))
    (snapshot,) = compact(table)
    (file,) = files_of(table)
    assert (snapshot.commit_kind, snapshot.total_record_count) == (CommitKind.COMPACT, 1)
    assert (file.level, file.row_count, file.delete_row_count, file.file_source) == (
        5,
        1,
        0,
        FileSource.COMPACT,
    )
    assert rows_of(table) == [(2, "b")]


def test_a_second_full_compaction_has_nothing_to_do() -> None:
    table = new_table(ID_V, ["id"])
    put(table, (1, "a"))
    compact(table)
    assert plan_compaction(table).tasks == ()


def test_deletes_stay_as_long_as_something_older_may_lie_below() -> None:
    table = new_table(ID_V, ["id"], num_sorted_run__compaction_trigger="2", num_levels="6")
    put(table, *[(i, "x" * 200) for i in range(2000)])
    compact(table)
    remove(table, (1, None))
    remove(table, (2, None))
    compact(table, Strategy.MINOR)
    small = [file for file in files_of(table) if file.level < 5]
    assert [(file.level, file.delete_row_count) for file in small] == [(4, 2)]
    assert len(rows_of(table)) == 1998


def test_a_large_file_that_nothing_overlaps_is_upgraded_without_a_rewrite() -> None:
    table = new_table(ID_V, ["id"], target_file_size="1 kb")
    put(table, (1, "a"), (2, "b"))
    (before,) = files_of(table)
    paths = data_paths(table)
    put(table, (100, "c"))
    compact(table)
    after = {file.file_name: file for file in files_of(table)}
    assert after[before.file_name].level == 5
    assert after[before.file_name].max_sequence_number == before.max_sequence_number
    assert paths <= data_paths(table)


def test_a_file_with_deletes_is_rewritten_even_if_it_is_large() -> None:
    table = new_table(ID_V, ["id"], target_file_size="1 kb")
    put(table, (1, "a"), (2, "b"), kinds=[RowKind.INSERT, RowKind.DELETE])
    compact(table)
    (file,) = files_of(table)
    assert (file.level, file.row_count) == (5, 1)


def test_outputs_roll_at_the_target_size() -> None:
    table = new_table(ID_V, ["id"], target_file_size="10 kb")
    for _ in range(2):
        put(table, *[(i, f"text {i * 7919}") for i in range(5000)])
    compact(table)
    assert levels_of(table) == [5] * len(files_of(table))
    assert len(files_of(table)) > 2
    assert len(rows_of(table)) == 5000


def test_a_compaction_brings_old_files_to_the_latest_schema() -> None:
    table = new_table(ID_V, ["id"])
    put(table, (1, "a"))
    change = AddColumn(("n",), parse_type("INT"))
    table.schemas.commit_changes([change], has_snapshots=True)
    table = table.refreshed()
    put(table, (2, "b", 7))
    compact(table)
    assert {file.schema_id for file in files_of(table)} == {1}
    assert rows_of(table) == [(1, "a", None), (2, "b", 7)]


def test_small_append_files_are_packed_and_big_ones_left() -> None:
    table = new_table({"id": "INT"}, bucket="-1", target_file_size="20 kb")
    put(table, *[(i * 7919,) for i in range(9000)])
    big = {file.file_name for file in files_of(table) if file.file_size > 15_000}
    for i in range(3):
        put(table, (i,))
    before = rows_of(table)
    compact(table)
    assert big
    assert big <= {file.file_name for file in files_of(table)}
    assert rows_of(table) == before


def test_packing_a_bucket_keeps_the_order_of_its_rows() -> None:
    table = new_table({"id": "INT"}, bucket="1", bucket_key="id")
    for i in (5, 1, 9):
        put(table, (i,))
    compact(table)
    (file,) = files_of(table)
    assert (file.min_sequence_number, file.max_sequence_number) == (0, 2)
    assert table.to_arrow().column("id").to_pylist() == [5, 1, 9]


def test_a_plan_may_name_partitions_and_buckets() -> None:
    table = new_table(
        {"p": "STRING NOT NULL", "id": "INT NOT NULL"}, ["p", "id"], partition=["p"], bucket="2"
    )
    for _ in range(2):
        put(table, *[(p, i) for p in "ab" for i in range(20)])
    assert len(plan_compaction(table).tasks) == 4
    assert len(plan_compaction(table, [{"p": "a"}]).tasks) == 2
    assert len(plan_compaction(table, [{"p": "a"}], [1]).tasks) == 1
    assert plan_compaction(table, [{"p": "zzz"}]).tasks == ()
    with pytest.raises(InvalidRequestError, match="partition key"):
        plan_compaction(table, [{"q": "a"}])


def test_of_two_compactions_of_one_bucket_one_loses() -> None:
    table = new_table(ID_V, ["id"])
    put(table, (1, "a"))
    put(table, (1, "b"))
    (task,) = plan_compaction(table).tasks
    first, second = run_task(table, task), run_task(table, task)
    TableCommit(table, "one").commit([first])
    with pytest.raises(CommitConflictError) as lost:
        TableCommit(table, "two").commit([second])
    assert lost.value.fields["check"] == "files"
    TableCommit(table, "two").abort([second])
    assert rows_of(table) == [(1, "b")]


def test_new_rows_during_a_compaction_are_no_conflict() -> None:
    table = new_table(ID_V, ["id"])
    put(table, (1, "a"))
    put(table, (1, "b"))
    (task,) = plan_compaction(table).tasks
    message = run_task(table, task)
    put(table, (1, "c"))
    TableCommit(table, "two").commit([message])
    assert rows_of(table) == [(1, "c")]


def test_a_task_that_fails_leaves_no_file() -> None:
    table = new_table(ID_V, ["id"], target_file_size="4 kb")
    for _ in range(2):
        put(table, *[(i, f"text {i}") for i in range(3000)])
    (task,) = plan_compaction(table).tasks
    paths = data_paths(table)
    failing = FaultyFileIO(table.io, 1, fails=True)
    with pytest.raises(Exception, match="store failed"):
        run_task(Table(failing, table.location, table.identifier), task)
    assert data_paths(table) == paths


def test_an_aborted_upgrade_keeps_the_file() -> None:
    table = new_table(ID_V, ["id"], target_file_size="1 kb")
    put(table, (1, "a"))
    put(table, (2, "b"))
    messages = [run_task(table, task) for task in plan_compaction(table).tasks]
    TableCommit(table, "u").abort(messages)
    assert rows_of(table) == [(1, "a"), (2, "b")]


def test_a_local_table_compacts_like_one_in_memory(tmp_path: Any) -> None:
    table = new_table(ID_V, ["id"], io=LocalFileIO(), warehouse=str(tmp_path))
    put(table, (1, "a"))
    put(table, (1, "b"))
    compact(table)
    (path,) = [p for p in data_paths(table) if files_of(table)[0].file_name in p]
    assert pq.read_table(path, columns=["v"]).column("v").to_pylist() == ["b"]


ROWS = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from([RowKind.INSERT, RowKind.DELETE])), min_size=1, max_size=8
)
STEPS = st.lists(ROWS | st.sampled_from([Strategy.FULL, Strategy.MINOR]), max_size=10)


@settings(max_examples=settings().max_examples // 3)
@given(STEPS, st.sampled_from(["1 kb", "128 mb"]), st.sampled_from(["2", "5"]))
def test_no_history_of_compactions_changes_what_is_read(steps: list[Any], target: str, trigger: str) -> None:
    """And no two files of a level above 0 overlap, which each commit checks."""
    options = {"target_file_size": target, "num_sorted_run__compaction_trigger": trigger}
    table, expected = new_table(ID_V, ["id"], **options), {}
    for number, step in enumerate(steps):
        if isinstance(step, Strategy):
            compact(table, step)
        else:
            put(table, *[(key, f"{number}") for key, _ in step], kinds=[kind for _, kind in step])
            expected |= {key: (None if kind is RowKind.DELETE else (key, f"{number}")) for key, kind in step}
        assert rows_of(table) == sorted((row for row in expected.values() if row), key=repr)


@settings(max_examples=settings().max_examples // 4)
@given(
    st.lists(st.lists(st.integers(), max_size=5) | st.just(None), max_size=8), st.sampled_from(["-1", "2"])
)
def test_no_packing_changes_what_is_read(steps: list[list[int] | None], bucket: str) -> None:
    table = new_table({"id": "BIGINT"}, bucket=bucket, bucket_key="id" if bucket != "-1" else "")
    expected: list[tuple[int]] = []
    for step in steps:
        if step is None:
            compact(table)
        else:
            given_rows = [(number % 2**63,) for number in step]
            put(table, *given_rows)
            expected += given_rows
        assert rows_of(table) == sorted(expected, key=repr)


def test_a_death_in_a_task_leaves_the_table_as_it_was() -> None:
    table = new_table(ID_V, ["id"])
    put(table, (1, "a"))
    put(table, (1, "b"))
    (task,) = plan_compaction(table).tasks
    with pytest.raises(Died):
        run_task(Table(FaultyFileIO(table.io, 0, done=True), table.location, table.identifier), task)
    assert rows_of(table) == [(1, "b")]
