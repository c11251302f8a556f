"""Append tables that are clustered a part at a time: levels of files sorted by the clustering columns."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.commit import TableCommit
from core.compact import Strategy
from core.errors import InvalidRequestError, UnsupportedError
from core.schema import SetOption
from core.snapshot import CommitKind
from core.table import Table
from tests.tables import compact, files_of, levels_of, new_table, put, rows_of

COLUMNS = {"a": "INT", "b": "STRING"}


def clustered(**options: str) -> Table:
    given = {"bucket": "-1", "clustering__columns": "a", "write_only": "false", **options}
    return new_table(COLUMNS, clustering__incremental="true", **given)


def filled(commits: int, **options: str) -> Table:
    table = clustered(**options)
    for i in range(commits):
        put(table, (9 - i, f"b{i}"), (i, f"c{i}"))
    return table


def stored(table: Table, level: int) -> list[Any]:
    """Column `a` of the one file of a level, in its order."""
    (file,) = [f for f in files_of(table) if f.level == level]
    data = table.io.read(f"{table.location}/bucket-0/{file.file_name}")
    return pq.read_table(pa.BufferReader(data))["a"].to_pylist()


def test_a_few_files_are_left_alone() -> None:
    table = filled(4)
    assert table.plan_compaction().strategy is Strategy.MINOR, "unless asked for everything"
    assert table.plan_compaction().tasks == ()


def test_many_files_become_a_sorted_run_of_the_top_level() -> None:
    table = filled(5)
    before = rows_of(table)
    (task,) = table.plan_compaction().tasks
    assert (task.output_level, task.reason) == (5, "clustering by order: a: size amplification")
    TableCommit(table, "u").commit([table.run_compaction(task)])
    assert levels_of(table) == [5]
    assert stored(table, 5) == sorted(row[0] for row in before)
    assert rows_of(table) == before
    latest = table.snapshots.latest()
    assert latest is not None
    assert latest.commit_kind is CommitKind.COMPACT


def test_new_files_are_sorted_among_themselves_before_they_join_what_is_large() -> None:
    table = filled(1)
    put(table, *[(i, "x" * 20) for i in range(2000)])
    compact(table)
    for i in range(4):
        put(table, (5 - i, "new"))
    compact(table, Strategy.MINOR)
    assert levels_of(table) == [4, 5]
    assert stored(table, 4) == [2, 3, 4, 5]


def test_a_full_clustering_happens_once() -> None:
    table = filled(2)
    compact(table)
    assert levels_of(table) == [5]
    assert table.plan_compaction(strategy=Strategy.FULL).tasks == ()
    other = table.alter([SetOption("clustering.columns", "b")])
    (task,) = other.plan_compaction(strategy=Strategy.FULL).tasks
    assert task.reason == "clustering by order: b: rewrite"


def test_rows_that_are_deleted_are_left_out() -> None:
    table = filled(3, deletion_vectors__enabled="true")
    TableCommit(table, "u").commit(table.apply_changes(table.plan_delete("b = 'b1'")))
    before = rows_of(table)
    compact(table)
    assert rows_of(table) == before
    assert sum(file.row_count for file in files_of(table)) == len(before) == 5
    latest = table.snapshots.latest()
    assert latest is not None
    assert table.manifests.index_entries(latest) == []


def test_ids_of_rows_stay() -> None:
    table = filled(5, row_tracking__enabled="true")
    ids = {row["b"]: row["_ROW_ID"] for row in table.to_arrow(["b", "_ROW_ID"]).to_pylist()}
    compact(table)
    assert {row["b"]: row["_ROW_ID"] for row in table.to_arrow(["b", "_ROW_ID"]).to_pylist()} == ids


@pytest.mark.parametrize(
    ("columns", "order"),
    [("a", "order: a"), ("a,b", "zorder: a, b"), ("c,d,e,f,g", "hilbert: c, d, e, f, g")],
)
def test_the_order_follows_from_the_number_of_columns(columns: str, order: str) -> None:
    wide = {**COLUMNS, **dict.fromkeys("cdefg", "INT")}
    table = new_table(wide, bucket="-1", clustering__incremental="true", clustering__columns=columns)
    for i in range(2):
        put(table, (i, "x", i, i, i, i, i))
    (task,) = table.plan_compaction(strategy=Strategy.FULL).tasks
    assert str(task.order) == order


def test_what_cannot_be_clustered_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="too few columns"):
        clustered(clustering__columns="").plan_compaction()
    buckets = {"bucket": "2", "bucket_key": "a", "bucket_append_ordered": "false"}
    table = clustered(**buckets)
    put(table, (1, "x"))
    with pytest.raises(UnsupportedError, match=r"clustering\.incremental with buckets"):
        table.plan_compaction()
