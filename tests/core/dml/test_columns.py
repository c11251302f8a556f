"""Statements on tables with data evolution: files of the columns that change, for the ids of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc
import pytest

from core.binary import EMPTY_ROW
from core.commit import TableCommit
from core.compact import Strategy
from core.dml import ChangePlan, Column, Literal, Matched, NotMatched, NotMatchedBySource
from core.errors import CommitConflictError, FormatError, UnsupportedError
from core.manifest import GlobalIndexMeta, IndexManifestEntry
from core.manifest.row_ranges import row_range_of
from core.schema import RenameColumn
from core.table import Table
from core.write import CommitMessage
from tests.core.dml.test_changes import source
from tests.tables import compact, data_paths, files_of, new_table, put

pc: Any = _pc

COLUMNS = {"id": "INT", "a": "STRING", "b": "BIGINT"}
ROWS = [(i, f"a{i}", i * 10) for i in range(4)]


def evolving(columns: dict[str, str] = COLUMNS, partition: Sequence[str] = (), **options: str) -> Table:
    given = {"bucket": "-1", "row_tracking__enabled": "true", "data_evolution__enabled": "true", **options}
    return new_table(columns, partition=partition, **given)


@pytest.fixture
def table() -> Table:
    """Two ranges: ids 0 to 3 and 4 to 5."""
    made = evolving(deletion_vectors__enabled="true")
    put(made, *ROWS)
    put(made, (4, "a4", 40), (5, "a5", 50))
    return made


def commit(table: Table, plan: ChangePlan) -> None:
    TableCommit(table, "u").commit(table.apply_changes(plan))


def rows(table: Table, *names: str) -> list[tuple[Any, ...]]:
    read = table.to_arrow([*names] or ["_ROW_ID", "_SEQUENCE_NUMBER", "id", "a", "b"])
    return sorted(tuple(row.values()) for row in read.to_pylist())


def parts(table: Table) -> list[tuple[Any, ...]]:
    """First row id, rows, columns and sequence numbers of each live file."""
    found = [
        (f.first_row_id, f.row_count, f.write_cols, f.min_sequence_number, f.max_sequence_number)
        for f in files_of(table)
    ]
    return sorted(found, key=repr)


def test_an_update_adds_a_file_of_its_columns_for_the_ranges_it_touches(table: Table) -> None:
    commit(table, table.plan_update("id = 1", {"b": Literal(-1)}))
    assert parts(table) == [(0, 4, ("b",), 3, 3), (0, 4, None, 1, 1), (4, 2, None, 2, 2)]
    assert rows(table, "_ROW_ID", "id", "a", "b")[:2] == [(0, 0, "a0", 0), (1, 1, "a1", -1)]
    assert rows(table, "_SEQUENCE_NUMBER", "id")[0] == (2, 4), "the others are of the newest file"


def test_values_may_come_of_any_column_as_it_was(table: Table) -> None:
    def length(batch: pa.RecordBatch) -> Any:
        return pc.cast(pc.binary_length(batch.column("a")), pa.int64())

    commit(table, table.plan_update("id < 2", {"a": Literal("longer"), "b": length}))
    assert rows(table, "id", "a", "b")[:3] == [(0, "longer", 2), (1, "longer", 2), (2, "a2", 20)]
    assert parts(table)[0][2] == ("a", "b")


def test_the_newest_of_several_updates_counts(table: Table) -> None:
    for value in (1, 2, 3):
        commit(table, table.plan_update("id = 0", {"b": Literal(value)}))
        commit(table, table.plan_update(f"b = {value}", {"id": Literal(0)}))
    assert rows(table, "id", "b")[0] == (0, 3)
    assert len(files_of(table)) == 8


def test_rows_that_go_are_marked_at_the_oldest_file_of_their_range(table: Table) -> None:
    commit(table, table.plan_update("id = 1", {"b": Literal(-1)}))
    commit(table, table.plan_delete("b = -1"))
    commit(table, table.plan_delete("id = 3"))
    (index,) = table.manifests.index_entries(table.snapshots.latest())
    oldest = min(files_of(table), key=lambda f: f.max_sequence_number)
    assert [(r.data_file, r.cardinality) for r in index.deletion_vector_ranges] == [(oldest.file_name, 2)]
    assert rows(table, "id") == [(0,), (2,), (4,), (5,)]


def test_rows_that_are_gone_are_neither_changed_nor_matched(table: Table) -> None:
    commit(table, table.plan_delete("id = 1"))
    commit(table, table.plan_update(None, {"b": Column("id")}))
    inserted = NotMatched({"id": Column("source.id"), "a": Column("source.w")})
    commit(table, table.plan_merge(source((1, "one"), (2, "two")), ["id"], [inserted]))
    assert rows(table, "_ROW_ID", "id", "a", "b") == [
        (0, 0, "a0", 0),
        (2, 2, "a2", 2),
        (3, 3, "a3", 3),
        (4, 4, "a4", 4),
        (5, 5, "a5", 5),
        (6, 1, "one", None),
    ]


def test_a_merge_updates_deletes_and_inserts(table: Table) -> None:
    clauses = [
        Matched(None, "`source.w` = 'gone'"),
        Matched({"a": Column("source.w")}),
        NotMatched({"id": Column("source.id"), "a": Column("source.w")}),
        NotMatchedBySource(None, "id >= 4"),
    ]
    commit(table, table.plan_merge(source((0, "new"), (1, "gone"), (9, "nine")), ["id"], clauses))
    assert rows(table, "id", "a", "b") == [(0, "new", 0), (2, "a2", 20), (3, "a3", 30), (9, "nine", None)]


def test_a_merge_by_row_id(table: Table) -> None:
    commit(
        table, table.plan_merge(source((5, "by id")), {"id": "_ROW_ID"}, [Matched({"a": Column("source.w")})])
    )
    assert rows(table, "id", "a")[-1] == (5, "by id")
    assert parts(table)[-2:] == [(4, 2, ("a",), 3, 3), (4, 2, None, 2, 2)], (
        "one range alone is read and written"
    )


def test_columns_of_partitions_and_formats(table: Table) -> None:
    for fmt in ("orc", "avro"):
        made = evolving({"p": "STRING", **COLUMNS}, ["p"], file__format=fmt)
        put(made, *[(p, *row) for row in ROWS for p in ("x", "y")])
        commit(made, made.plan_update("p = 'y' AND id = 2", {"a": Literal("!")}))
        assert rows(made, "p", "id", "a")[-2:] == [("y", 2, "!"), ("y", 3, "a3")]
        assert len(files_of(made)) == 3


def test_a_file_index_and_statistics_are_of_the_columns_of_the_file() -> None:
    made = evolving(file_index__bloom_filter__columns="a,b")
    put(made, *ROWS)
    commit(made, made.plan_update("id = 1", {"a": Literal("zz")}))
    assert rows(made, "id", "a") == [(0, "a0"), (1, "zz"), (2, "a2"), (3, "a3")]
    assert made.to_arrow(["id"], filter="a = 'zz'").to_pylist() == [{"id": 1}]
    assert made.to_arrow(["id"], filter="a = 'a1'").to_pylist() == []


def test_a_large_range_is_one_file_whatever_the_target_size() -> None:
    made = evolving(target_file_size="100000000")
    put(made, *[(i, f"{i}", i) for i in range(2_000)])
    small = made.with_options({"target-file-size": "1 kb"})
    commit(small, small.plan_update("id = 7", {"b": Literal(-1), "a": Literal("x")}))
    assert [(f.first_row_id, f.row_count) for f in files_of(made)] == [(0, 2_000)] * 2
    assert made.to_arrow(filter="b = -1").num_rows == 1


def test_blobs_stay_beside_columns_that_change() -> None:
    made = evolving({"id": "INT", "v": "STRING", "pic": "BLOB"}, blob__target_file_size="10 b")
    put(made, *[(i, "v", f"blob{i}".encode()) for i in range(3)])
    commit(made, made.plan_update("id = 1", {"v": Literal("new")}))
    assert rows(made, "id", "v", "pic") == [(0, "v", b"blob0"), (1, "new", b"blob1"), (2, "v", b"blob2")]
    with pytest.raises(UnsupportedError, match="BLOB column pic"):
        made.plan_update("id = 1", {"pic": Literal(b"other")})


# What two writers do to the same rows. Spec: 08, 3, check 7.


def messages(table: Table, column: str, where: str = "id = 1") -> list[CommitMessage]:
    values = {"a": "new", "b": -1, "id": 7}
    return table.apply_changes(table.plan_update(where, {column: Literal(values[column])}))


def test_two_updates_of_one_column_of_a_range_clash(table: Table) -> None:
    late = messages(table, "b", "id = 2")
    commit(table, table.plan_update("id = 1", {"b": Literal(5), "a": Literal("x")}))
    with pytest.raises(CommitConflictError, match="same rows have been written since"):
        TableCommit(table, "late").commit(late)
    assert rows(table, "id", "a", "b")[1:3] == [(1, "x", 5), (2, "a2", 20)]


def test_updates_of_other_columns_or_ranges_go_side_by_side(table: Table) -> None:
    late = messages(table, "b")
    commit(table, table.plan_update("id = 2", {"a": Literal("x")}))
    commit(table, table.plan_update("id = 4", {"b": Literal(7)}))
    put(table, (9, "a9", 90))
    TableCommit(table, "late").commit(late)
    assert rows(table, "id", "a", "b")[1:5] == [(1, "a1", -1), (2, "x", 20), (3, "a3", 30), (4, "a4", 7)]


def test_a_column_that_was_renamed_meanwhile_is_the_same_column(table: Table) -> None:
    late = messages(table, "b")
    renamed = table.alter([RenameColumn(("b",), "c")])
    commit(renamed, renamed.plan_update("id = 2", {"c": Literal(5)}))
    with pytest.raises(CommitConflictError, match="written since"):
        TableCommit(renamed, "late").commit(late)


def test_rows_that_are_dropped_meanwhile_are_not_updated(table: Table) -> None:
    late = messages(table, "b")
    commit(table, table.plan_delete(None))
    with pytest.raises(CommitConflictError):
        TableCommit(table, "late").commit(late)


def test_rows_that_are_updated_meanwhile_are_not_dropped(table: Table) -> None:
    dropped = table.apply_changes(table.plan_delete(None))
    commit(table, table.plan_update("id = 1", {"b": Literal(5)}))
    with pytest.raises(CommitConflictError, match="written since"):
        TableCommit(table, "late").commit(dropped)


def test_a_snapshot_that_is_gone_cannot_be_judged(table: Table) -> None:
    late = messages(table, "b")
    put(table, (9, "a9", 90))
    put(table, (9, "a9", 90))
    table.io.delete(table.paths.snapshot_file(3))
    with pytest.raises(CommitConflictError, match="nobody can say"):
        TableCommit(table, "late").commit(late)
    unknown = [replace(message, made_after="") for message in late]
    with pytest.raises(CommitConflictError, match="nobody can say"):
        TableCommit(table, "late").commit(unknown)


# What is refused, by name.


def test_deletes_need_deletion_vectors() -> None:
    made = evolving()
    put(made, *ROWS)
    with pytest.raises(UnsupportedError, match=r"without deletion-vectors\.enabled"):
        made.plan_delete("id = 1")
    with pytest.raises(UnsupportedError, match=r"without deletion-vectors\.enabled"):
        made.plan_merge(source((1, "x")), ["id"], [Matched(None)])
    commit(made, made.plan_delete(None))
    assert rows(made, "id") == []


def test_rows_do_not_move_to_another_partition() -> None:
    made = evolving({"p": "STRING", **COLUMNS}, ["p"])
    with pytest.raises(UnsupportedError, match="partition column p"):
        made.plan_update(None, {"p": Literal("y")})


def test_a_column_in_a_global_index_does_not_change(table: Table) -> None:
    index = IndexManifestEntry(
        partition=EMPTY_ROW,
        bucket=0,
        index_type="btree",
        file_name="global-index-1.index",
        file_size=1,
        row_count=4,
        global_index=GlobalIndexMeta(row_range_start=0, row_range_end=3, index_field_id=2),
    )
    message = CommitMessage(partition=EMPTY_ROW, bucket=0, total_buckets=-1, new_index_files=(index,))
    TableCommit(table, "u").commit([message])
    with pytest.raises(UnsupportedError, match="column b with a global index"):
        table.plan_update(None, {"b": Literal(1)})
    commit(table, table.plan_update("id = 1", {"a": Literal("x")}))


def test_what_was_made_is_dropped_if_the_statement_fails(table: Table) -> None:
    before = data_paths(table)
    twice = source((4, "x"), (5, "y"), (5, "z"))
    with pytest.raises(Exception, match="several rows of the source"):
        table.apply_changes(table.plan_merge(twice, ["id"], [Matched({"a": Column("source.w")})]))
    assert data_paths(table) == before


def test_files_that_disagree_on_their_rows_are_not_written_beside(table: Table) -> None:
    first, second = files_of(table)
    with pytest.raises(FormatError, match="do not agree"):
        row_range_of([first, replace(second, first_row_id=2)])


# Compaction: neighbours by row id become one file, whose rows keep their ids.


def test_files_of_neighbouring_rows_become_one(table: Table) -> None:
    commit(table, table.plan_update("id = 1", {"b": Literal(-1)}))
    commit(table, table.plan_update("id = 5", {"a": Literal("x"), "b": Literal(-5)}))
    commit(table, table.plan_delete("id = 2 OR id = 4"))
    before = rows(table, "_ROW_ID", "id", "a", "b")
    compact(table)
    assert parts(table) == [(0, 6, None, 1, 4)]
    assert rows(table, "_ROW_ID", "id", "a", "b") == before
    (index,) = table.manifests.index_entries(table.snapshots.latest())
    (vector,) = index.deletion_vector_ranges
    assert (vector.data_file, vector.cardinality) == (files_of(table)[0].file_name, 2)
    commit(table, table.plan_update("id = 5", {"b": Literal(7)}))
    assert rows(table, "id", "b")[-1] == (5, 7)


def test_rows_between_which_ids_are_missing_stay_apart() -> None:
    two = evolving({"p": "STRING", **COLUMNS}, ["p"])
    for p in ("x", "x", "y", "x", "x"):
        put(two, (p, 1, "a", 1))
    compact(two)
    assert sorted((f.first_row_id, f.row_count) for f in files_of(two)) == [(0, 2), (2, 1), (3, 2)]
    assert rows(two, "_ROW_ID", "p") == [(0, "x"), (1, "x"), (2, "y"), (3, "x"), (4, "x")]


def test_blobs_stay_where_they_are_when_the_rest_is_joined() -> None:
    made = evolving({"id": "INT", "v": "STRING", "pic": "BLOB"})
    for i in range(3):
        put(made, (i, "v", f"blob{i}".encode()))
    compact(made)
    assert [p[:3] for p in parts(made)] == [
        (0, 1, ("pic",)),
        (0, 3, ("id", "v")),
        (1, 1, ("pic",)),
        (2, 1, ("pic",)),
    ]
    assert rows(made, "id", "pic") == [(0, b"blob0"), (1, b"blob1"), (2, b"blob2")]


def test_a_compaction_and_an_update_of_the_same_range(table: Table) -> None:
    commit(table, table.plan_update("id = 1", {"b": Literal(-1)}))
    ready = messages(table, "a", "id = 2")
    compact(table)
    with pytest.raises(CommitConflictError, match="no longer in the table"):
        TableCommit(table, "late").commit(ready)
    plan = table.plan_compaction()
    assert plan.tasks == ()
    commit(table, table.plan_update("id = 1", {"b": Literal(-2)}))
    (task,) = table.plan_compaction().tasks
    joined = [table.run_compaction(task)]
    commit(table, table.plan_update("id = 3", {"b": Literal(-3)}))
    TableCommit(table, "late").commit(joined)
    assert rows(table, "id", "b")[1:4] == [(1, -2), (2, 20), (3, -3)], "what came meanwhile is newer"


def test_an_update_of_a_range_that_is_joined_meanwhile_stops_the_compaction(table: Table) -> None:
    (task,) = table.plan_compaction().tasks
    joined = [table.run_compaction(task)]
    commit(table, table.plan_update("id = 3", {"b": Literal(-3)}))
    with pytest.raises(CommitConflictError, match="share some of their row ids only"):
        TableCommit(table, "late").commit(joined)


def test_a_few_files_wait_for_company(table: Table) -> None:
    assert table.plan_compaction(strategy=Strategy.MINOR).tasks == ()
    (task,) = table.plan_compaction().tasks
    assert task.reason == "full: neighbouring row ids"


def test_rows_with_ids_are_not_sorted_anew(table: Table) -> None:
    with pytest.raises(UnsupportedError, match="moving rows"):
        table.plan_sort_compaction("order", ["id"])
