"""Sort compactions: the same rows in another order, whatever happens beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.commit import TableCommit
from core.compact.sort_order import SortStrategy
from core.errors import CommitConflictError, InvalidRequestError, NotFoundError
from core.snapshot import CommitKind
from core.table import Table
from core.write import run_task
from core.write.sort_compaction import plan_sort_compaction
from tests.tables import files_of, new_table, put, rows_of

COLUMNS = {"a": "INT", "b": "BIGINT", "s": "STRING"}
ROWS = [(i * 7 % 50, -(i * 13 % 50), None if i % 9 == 0 else f"s{i % 5}") for i in range(200)]


def unsorted(**options: str) -> Table:
    table = new_table(COLUMNS, bucket="-1", **options)
    for start in range(0, len(ROWS), 50):
        put(table, *ROWS[start : start + 50])
    return table


def sorted_by(table: Table, strategy: str, *columns: str, **how: Any) -> Table:
    plan = plan_sort_compaction(table, strategy, columns)
    TableCommit(table, "sorter").commit([run_task(table, task, **how) for task in plan.tasks])
    return table.refreshed()


def in_stored_order(table: Table) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in table.to_arrow().to_pylist()]


@pytest.mark.parametrize("merge_bytes", [2, 10**8])
def test_rows_are_sorted_by_columns_nulls_first(merge_bytes: int) -> None:
    table = sorted_by(unsorted(), "order", "s", "a", merge_bytes=merge_bytes)
    assert in_stored_order(table) == sorted(ROWS, key=lambda r: (r[2] is not None, r[2] or "", r[0]))


def test_the_snapshot_overwrites_what_was_read() -> None:
    table = sorted_by(unsorted(), "order", "a")
    latest = table.snapshots.latest()
    assert latest is not None
    assert latest.commit_kind is CommitKind.OVERWRITE
    assert latest.total_record_count == len(ROWS)
    assert len(files_of(table)) == 1


@pytest.mark.parametrize("strategy", ["zorder", "hilbert"])
def test_a_curve_lets_filters_of_each_column_skip_files(strategy: str) -> None:
    table = new_table({"a": "INT", "b": "BIGINT"}, bucket="-1", target_file_row_num="64")
    points = np.stack(np.meshgrid(np.arange(32), np.arange(32)), -1).reshape(-1, 2)
    put(table, *((int(a), int(b)) for a, b in np.random.default_rng(7).permutation(points)))
    before = rows_of(table)
    sorted_by(table, strategy, "a", "b")
    assert rows_of(table) == before
    assert len(files_of(table)) == 16
    for text in ("a = 3", "b = 20"):
        read = sum(len(split.files) for split in table.plan(filter=text).splits)
        assert read <= 8, text


def test_texts_and_nulls_have_their_place_on_a_curve() -> None:
    table = sorted_by(unsorted(zorder__var_length_contribution="2"), "zorder", "s")
    assert rows_of(table) == rows_of(unsorted())
    assert [row[2] for row in in_stored_order(table)] == sorted((r[2] for r in ROWS), key=lambda s: s or "")


def test_each_partition_is_a_task_that_says_why() -> None:
    table = new_table({"p": "STRING", "a": "INT"}, partition=["p"], bucket="-1")
    put(table, ("x", 2), ("y", 1), ("x", 1))
    plan = plan_sort_compaction(table, SortStrategy.ORDER, ["a"])
    assert [task.reason for task in plan.tasks] == ["order: a"] * 2
    (task,) = plan_sort_compaction(table, "order", ["a"], [{"p": "x"}]).tasks
    TableCommit(table, "sorter").commit([run_task(table, task)])
    assert rows_of(table) == [("x", 1), ("x", 2), ("y", 1)]
    assert sorted(file.row_count for file in files_of(table)) == [1, 2]


def test_rows_that_are_appended_meanwhile_stay() -> None:
    table = unsorted()
    (task,) = plan_sort_compaction(table, "order", ["a"]).tasks
    message = run_task(table, task)
    put(table, (1000, 1, "late"))
    TableCommit(table, "sorter").commit([message])
    assert rows_of(table) == sorted([*ROWS, (1000, 1, "late")], key=repr)


def test_deleted_rows_go_with_their_vectors() -> None:
    table = unsorted(deletion_vectors__enabled="true")
    delete(table, "a < 10")
    before = rows_of(table)
    assert len(list(table.manifests.index_entries(latest(table)))) == 1
    sorted_by(table, "order", "b")
    assert rows_of(table) == before
    assert list(table.manifests.index_entries(latest(table))) == []


@pytest.mark.parametrize("marks", ["true", "false"])
def test_rows_that_are_deleted_meanwhile_do_not_come_back(marks: str) -> None:
    table = unsorted(deletion_vectors__enabled=marks)
    (task,) = plan_sort_compaction(table, "order", ["a"]).tasks
    message = run_task(table, task)
    delete(table, "a = 3")
    after = rows_of(table)
    with pytest.raises(CommitConflictError):
        TableCommit(table, "sorter").commit([message])
    assert rows_of(table) == after


def delete(table: Table, text: str) -> None:
    TableCommit(table, "deleter").commit(table.apply_changes(table.plan_delete(text)))


def latest(table: Table) -> Any:
    return table.snapshots.latest()


def test_a_table_without_a_snapshot_has_nothing_to_sort() -> None:
    assert plan_sort_compaction(new_table(COLUMNS, bucket="-1"), "order", ["a"]).tasks == ()


@pytest.mark.parametrize(
    ("strategy", "columns", "message"),
    [
        ("order", [], "too few columns .*expected=one or more"),
        ("hilbert", ["a"], "too few columns .*expected=two or more"),
        ("random", ["a"], "no such order .*expected=order, zorder, hilbert"),
        ("zorder", ["a", "nope"], "no such column to sort by .*column=nope"),
        ("zorder", ["p"], "within a partition"),
        ("zorder", ["l"], r"sorted by a column of this type .*column=l"),
    ],
)
def test_a_bad_order_is_refused(strategy: str, columns: list[str], message: str) -> None:
    table = new_table({"p": "INT", "a": "INT", "l": "ARRAY<INT>"}, partition=["p"], bucket="-1")
    with pytest.raises(InvalidRequestError, match=message):
        plan_sort_compaction(table, strategy, columns)


@pytest.mark.parametrize(
    ("keys", "options", "message"),
    [
        (["a"], {"bucket": "1"}, "only append tables without buckets"),
        ([], {"bucket": "2", "bucket_key": "a"}, "only append tables without buckets"),
        ([], {"bucket": "-1", "clustering__incremental": "true", "clustering__columns": "a"}, "incremental"),
    ],
)
def test_a_table_with_another_order_is_refused(
    keys: list[str], options: dict[str, str], message: str
) -> None:
    table = new_table({"a": "INT NOT NULL", "b": "INT"}, keys, **options)
    with pytest.raises(InvalidRequestError, match=message):
        plan_sort_compaction(table, "order", ["b"])


def test_a_failed_sort_leaves_no_file() -> None:
    table = unsorted(target_file_row_num="20")
    (task,) = plan_sort_compaction(table, "order", ["a"]).tasks
    before = sum(1 for _ in table.io.iter_tree(table.location))
    table.io.delete(f"{table.location}/bucket-0/{task.files[-1].file_name}")
    with pytest.raises(NotFoundError):
        run_task(table, task)
    assert sum(1 for _ in table.io.iter_tree(table.location)) == before - 1
