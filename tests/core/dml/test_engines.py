"""Statements on merge engines other than deduplicate, as Spark SQL of the newest Paimon takes them."""

from __future__ import annotations

import pytest

from core.commit import TableCommit
from core.dml import ChangePlan, Column, Literal, Matched, NotMatched
from core.errors import InvalidRequestError, UnsupportedError
from core.snapshot import CommitKind, Snapshot
from core.table import Table
from tests.core.dml.test_changes import source
from tests.tables import compact, files_of, new_table, put, rows_of

COLUMNS = {"id": "INT NOT NULL", "v": "STRING", "n": "INT"}
ROWS = [(1, "a", 1), (2, "b", 2), (3, "c", 3)]


def of_engine(engine: str, **options: str) -> Table:
    table = new_table(COLUMNS, ["id"], merge_engine=engine, **options)
    put(table, *ROWS)
    return table


def commit(table: Table, plan: ChangePlan) -> list[Snapshot]:
    return TableCommit(table, "u").commit(table.apply_changes(plan))


@pytest.mark.parametrize(
    ("engine", "option"),
    [
        ("partial-update", "partial_update__remove_record_on_delete"),
        ("aggregation", "aggregation__remove_record_on_delete"),
    ],
)
def test_an_engine_that_removes_records_takes_deletes_as_rows(engine: str, option: str) -> None:
    table = of_engine(engine, **{option: "true"})
    (snapshot,) = commit(table, table.plan_delete("v = 'a'"))
    assert snapshot.commit_kind is CommitKind.APPEND
    assert rows_of(table) == ROWS[1:]


@pytest.mark.parametrize("engine", ["partial-update", "aggregation", "first-row"])
class TestDeletesOutOfFiles:
    def test_rows_are_taken_out_of_a_compacted_bucket(self, engine: str) -> None:
        table = of_engine(engine)
        compact(table)
        (before,) = files_of(table)
        (snapshot,) = commit(table, table.plan_delete("v = 'b'"))
        (after,) = files_of(table)
        assert snapshot.commit_kind is CommitKind.OVERWRITE
        assert (after.level, after.row_count) == (before.level, 2)
        assert (after.min_sequence_number, after.max_sequence_number) == (0, 2)
        assert rows_of(table) == [ROWS[0], ROWS[2]]

    def test_later_rows_are_merged_as_if_the_row_had_never_been(self, engine: str) -> None:
        table = of_engine(engine)
        compact(table)
        commit(table, table.plan_delete("id < 3"))
        put(table, (1, None, 7))
        compact(table)
        assert rows_of(table) == [(1, None, 7), ROWS[2]]

    def test_nothing_is_left_of_a_file_without_rows(self, engine: str) -> None:
        table = of_engine(engine)
        compact(table)
        commit(table, table.plan_delete("n > 0"))
        assert files_of(table) == []

    def test_rows_that_others_may_overlap_are_refused(self, engine: str) -> None:
        table = of_engine(engine)
        compact(table)
        put(table, (2, "x", 5))
        if engine == "first-row":  # only compacted rows are seen, so the others are not looked into
            with pytest.raises(InvalidRequestError, match="rows wait on level 0"):
                table.apply_changes(table.plan_delete("id = 1"))
            return
        with pytest.raises(InvalidRequestError, match="compact the table first"):
            table.apply_changes(table.plan_delete("n = 1"))
        assert table.apply_changes(table.plan_delete("n = 99")) == []
        commit(table, table.plan_delete("id = 1"))  # no other file can hold this key
        assert len(rows_of(table)) == 2


def test_vectors_take_rows_out_where_the_table_has_them() -> None:
    table = of_engine("partial-update", deletion_vectors__enabled="true")
    compact(table)
    (before,) = files_of(table)
    commit(table, table.plan_delete("id = 2"))
    assert files_of(table) == [before]
    assert rows_of(table) == [ROWS[0], ROWS[2]]


class TestPartialUpdate:
    def test_rows_are_updated_and_merged(self) -> None:
        table = of_engine("partial-update")
        commit(table, table.plan_update("id = 1", {"n": Literal(9)}))
        clauses = [Matched({"v": Column("source.w")}), NotMatched({"id": Column("source.id")})]
        commit(table, table.plan_merge(source((2, "two"), (4, "four")), ["id"], clauses))
        assert rows_of(table) == [(1, "a", 9), (2, "two", 2), (3, "c", 3), (4, None, None)]

    def test_a_value_that_would_not_go_is_refused(self) -> None:
        table = of_engine("partial-update")
        with pytest.raises(InvalidRequestError, match="keeps the old value"):
            table.apply_changes(table.plan_update(None, {"v": Literal(None)}))

    def test_a_group_replaces_values_by_null(self) -> None:
        table = new_table(
            {**COLUMNS, "g": "INT"}, ["id"], merge_engine="partial-update", fields__g__sequence_group="v,n"
        )
        put(table, (1, "a", 1, 5), (2, "b", 2, None))
        commit(table, table.plan_update("id = 1", {"v": Literal(None)}))
        assert rows_of(table)[0] == (1, None, 1, 5)
        with pytest.raises(InvalidRequestError, match="leaves a sequence group alone"):
            table.apply_changes(table.plan_update("id = 2", {"n": Literal(4)}))

    def test_sums_are_not_counted_twice(self) -> None:
        sums = {"fields__g__sequence_group": "n", "fields__n__aggregate_function": "sum"}
        table = new_table({**COLUMNS, "g": "INT"}, ["id"], merge_engine="partial-update", **sums)
        with pytest.raises(UnsupportedError, match=r"fields\.n\.aggregate-function = sum"):
            table.plan_update(None, {"v": Literal("x")})

    def test_a_merge_does_not_delete_what_the_engine_keeps(self) -> None:
        with pytest.raises(UnsupportedError, match="removes no record"):
            of_engine("partial-update").plan_merge(source((1, "a")), ["id"], [Matched(None)])


@pytest.mark.parametrize("engine", ["aggregation", "first-row"])
def test_other_engines_take_no_updates(engine: str) -> None:
    table = of_engine(engine)
    with pytest.raises(UnsupportedError, match=f"UPDATE with merge-engine = {engine}"):
        table.plan_update("id = 1", {"v": Literal("x")})
    with pytest.raises(UnsupportedError, match=f"MERGE INTO with merge-engine = {engine}"):
        table.plan_merge(source((1, "a")), ["id"], [NotMatched({"id": Column("source.id")})])


@pytest.mark.parametrize("engine", ["partial-update", "aggregation", "first-row"])
def test_a_deleted_key_does_not_come_back_with_rows_that_waited(engine: str) -> None:
    table = of_engine(engine, **({} if engine == "first-row" else {"deletion_vectors__enabled": "true"}))
    compact(table)
    put(table, (1, "late", 9))
    with pytest.raises(InvalidRequestError, match="compact the table first"):
        commit(table, table.plan_delete("id = 1"))
    compact(table)
    commit(table, table.plan_delete("id = 1"))
    compact(table)
    assert rows_of(table) == ROWS[1:]
