"""Deletion vectors of primary-key tables: compactions mark what newer rows replace. Spec: 07, 6."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.compact import Strategy
from core.manifest.index_manifest import IndexManifestEntry
from core.table import Table
from core.types import RowKind
from core.write import plan_compaction
from tests.tables import compact, files_of, levels_of, new_table, put, remove, rows_of

K_V = {"k": "INT NOT NULL", "v": "INT"}
I, D = RowKind.INSERT, RowKind.DELETE  # noqa: E741


def table_of(**options: str) -> Table:
    marking = {"deletion_vectors__enabled": "true", "write_only": "false", "num_levels": "6"}
    return new_table(K_V, ["k"], **{**marking, **options})


def indexes(table: Table) -> list[IndexManifestEntry]:
    snapshot = table.snapshots.latest()
    return list(table.manifests.index_entries(snapshot)) if snapshot else []


def marked(table: Table) -> dict[str, int | None]:
    """How many rows are marked, by data file."""
    return {r.data_file: r.cardinality for e in indexes(table) for r in e.deletion_vector_ranges or ()}


def big(table: Table) -> None:
    put(table, *[(k, k) for k in range(3000)])


def test_rows_of_level_0_are_lifted_and_mark_what_they_replace() -> None:
    table = table_of()
    big(table)
    (old,) = files_of(table)
    put(table, (1, -1), (5000, 0))
    assert levels_of(table) == [4, 5]
    assert marked(table) == {old.file_name: 1}
    assert rows_of(table, filter="k = 1") == [(1, -1)]
    assert len(rows_of(table)) == 3001


def test_a_delete_leaves_no_row_but_a_mark() -> None:
    table = table_of()
    big(table)
    (old,) = files_of(table)
    remove(table, (7, None))
    put(table, (8, 0))
    assert marked(table) == {old.file_name: 2}
    assert all(not file.delete_row_count for file in files_of(table))
    assert len(rows_of(table)) == 2999


def test_a_full_compaction_takes_marks_and_rows_away() -> None:
    table = table_of()
    big(table)
    remove(table, (7, None))
    compact(table)
    assert marked(table) == {}
    assert [file.row_count for file in files_of(table)] == [2999]
    assert plan_compaction(table).tasks == ()


def test_a_file_of_the_top_level_with_marks_is_rewritten_by_itself() -> None:
    table = table_of()
    big(table)
    remove(table, (7, None))
    (task,) = plan_compaction(table).tasks
    assert (task.in_place, task.reason) == (True, "rewrite")


def test_buckets_without_marks_stay_as_they_are_where_vectors_are_materialised() -> None:
    table = table_of(bucket="8")
    big(table)
    put(table, (1, -1))
    (plan,) = plan_compaction(table, strategy=Strategy.DELETION_VECTORS).tasks
    assert {file.file_name for file in plan.files} > set(marked(table))
    compact(table, Strategy.DELETION_VECTORS)
    assert marked(table) == {}
    assert plan_compaction(table, strategy=Strategy.DELETION_VECTORS).tasks == ()
    assert len(rows_of(table)) == 3000


def test_a_file_that_is_lifted_keeps_its_marks() -> None:
    table = table_of(target_file_size="1 kb", num_sorted_run__compaction_trigger="9", num_levels="4")
    put(table, *[(k, k) for k in range(3000)])
    put(table, (1, -1), (2, -2))
    put(table, (5000, 1), (5001, 1))
    before = marked(table)
    assert before
    compact(table, Strategy.MINOR)
    assert marked(table).items() >= before.items()
    assert len(rows_of(table)) == 3002


def test_each_bucket_has_one_index_file() -> None:
    table = table_of()
    big(table)
    for value in range(3):
        put(table, (value, -1))
    assert len(indexes(table)) == 1
    assert rows_of(table, filter="k < 3") == [(0, -1), (1, -1), (2, -1)]


@pytest.mark.parametrize("bucket", ["1", "-1"])
def test_a_file_that_gets_its_first_mark_joins_the_others_of_its_bucket(bucket: str) -> None:
    table = table_of(bucket=bucket)
    big(table)
    put(table, (1, -1), *[(k, 0) for k in range(5000, 5300)])
    put(table, (5001, -1))
    assert sorted(marked(table).values()) == [1, 1]
    assert rows_of(table, filter="k = 1 or k = 5001") == [(1, -1), (5001, -1)]


def test_wide_vectors_are_written_where_the_table_wants_them() -> None:
    table = table_of(deletion_vectors__bitmap64="true")
    big(table)
    put(table, (1, -1))
    assert list(marked(table).values()) == [1]
    assert rows_of(table, filter="k = 1") == [(1, -1)]


STEP = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3), st.sampled_from([I, I, D])), max_size=5)


@pytest.mark.parametrize(
    "options", [{}, {"merge_engine": "aggregation", "fields__v__aggregate_function": "sum"}]
)
@settings(max_examples=settings().max_examples // 6)
@given(steps=st.lists(STEP | st.sampled_from(list(Strategy)), max_size=8))
def test_marked_tables_read_as_plain_ones(options: dict[str, str], steps: list[Any]) -> None:
    deletes = not options
    one = table_of(num_sorted_run__compaction_trigger="3", **options)
    other = new_table(K_V, ["k"], **options)
    for step in steps:
        if isinstance(step, Strategy):
            compact(one, step)
        elif step:
            rows, kinds = [(k, v) for k, v, _ in step], [kind if deletes else I for *_, kind in step]
            put(one, *rows, kinds=kinds)
            put(other, *rows, kinds=kinds)
        assert rows_of(one) == rows_of(other)
