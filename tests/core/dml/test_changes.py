"""DELETE, UPDATE and MERGE on every kind of table, against the statements read row by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.commit import TableCommit
from core.dml import ChangePlan, Column, Literal, Matched, NotMatched, NotMatchedBySource
from core.errors import CommitConflictError, InvalidRequestError
from core.snapshot import CommitKind
from core.table import Table
from tests.tables import arrow, compact, copy, data_paths, files_of, new_table, put, rows_of

COLUMNS = {"p": "STRING NOT NULL", "id": "INT NOT NULL", "v": "STRING", "n": "INT"}
Row = tuple[str, int, str | None, int | None]

KINDS: Mapping[str, Callable[[], Table]] = {
    "append": lambda: new_table(COLUMNS, partition=["p"], bucket="-1"),
    "append in buckets": lambda: new_table(COLUMNS, partition=["p"], bucket="2", bucket_key="id"),
    "append with vectors": lambda: new_table(
        COLUMNS, partition=["p"], bucket="-1", deletion_vectors__enabled="true"
    ),
    "append in buckets with vectors": lambda: new_table(
        COLUMNS, bucket="2", bucket_key="id", deletion_vectors__enabled="true"
    ),
    "primary key": lambda: new_table(COLUMNS, ["p", "id"], partition=["p"], bucket="2"),
    "dynamic buckets": lambda: new_table(
        COLUMNS, ["p", "id"], partition=["p"], bucket="-1", dynamic_bucket__target_row_num="2"
    ),
    "dynamic buckets with vectors": lambda: new_table(
        COLUMNS,
        ["p", "id"],
        partition=["p"],
        bucket="-1",
        dynamic_bucket__target_row_num="2",
        deletion_vectors__enabled="true",
        write_only="false",
    ),
}
ROWS: list[Row] = [("a", 1, "x", 10), ("a", 2, "y", 20), ("a", 3, None, None), ("b", 4, "x", 40)]


@pytest.fixture(params=KINDS)
def table(request: pytest.FixtureRequest) -> Table:
    return copy(filled(request.param))


@cache
def filled(kind: str) -> Table:
    made = KINDS[kind]()
    put(made, *ROWS[:2])
    put(made, *ROWS[2:])
    return made


def commit(table: Table, plan: ChangePlan) -> list[Any]:
    return TableCommit(table, "u").commit(table.apply_changes(plan))


def by_text(*rows: Row) -> list[Row]:
    return sorted(rows, key=repr)


def source(*rows: tuple[Any, ...], names: Sequence[str] = ("id", "w")) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [[] for _ in names]
    types = {"id": pa.int32(), "w": pa.string(), "p": pa.string(), "op": pa.string()}
    return pa.table({n: pa.array(c, types[n]) for n, c in zip(names, columns, strict=True)})


def test_deleted_rows_are_gone_and_the_others_stay(table: Table) -> None:
    commit(table, table.plan_delete("v = 'x' OR id = 3"))
    assert rows_of(table) == [("a", 2, "y", 20)]
    commit(table, table.plan_delete("id = 2"))
    assert rows_of(table) == []


def test_rows_deleted_one_by_one_stay_deleted(table: Table) -> None:
    for number in (1, 3, 4):
        commit(table, table.plan_delete(f"id = {number}"))
    assert rows_of(table) == [("a", 2, "y", 20)]


def test_a_filter_that_is_null_deletes_nothing(table: Table) -> None:
    commit(table, table.plan_delete("n <> 10"))
    assert rows_of(table) == by_text(("a", 1, "x", 10), ("a", 3, None, None))


def test_a_delete_that_finds_no_row_makes_no_snapshot(table: Table) -> None:
    before = table.snapshots.latest_id()
    assert commit(table, table.plan_delete("id = 99")) == []
    assert table.snapshots.latest_id() == before


def test_updated_rows_get_values_copies_and_what_a_function_gives(table: Table) -> None:
    doubled = {"n": lambda rows: pc.multiply(rows.column("n"), pa.scalar(2, pa.int32()))}
    commit(table, table.plan_update("v = 'x'", {"v": Literal("new"), **doubled}))
    commit(table, table.plan_update("id = 3", {"n": Column("id"), "v": Literal(None)}))
    assert rows_of(table) == by_text(
        ("a", 1, "new", 20), ("a", 2, "y", 20), ("a", 3, None, 3), ("b", 4, "new", 80)
    )


@pytest.mark.parametrize("vectors", ["false", "true"])
def test_a_change_of_files_that_a_compaction_would_take_leaves_them_to_the_next_one(vectors: str) -> None:
    options = {"bucket_key": "id", "compaction__min__file_num": "2", "deletion_vectors__enabled": vectors}
    made = new_table(COLUMNS, write_only="true", **options)
    put(made, *ROWS[:2])
    put(made, *ROWS[2:])
    writers = made.with_options({"write-only": "false"})
    commit(writers, writers.plan_update("id = 3", {"v": Literal("z")}))
    assert rows_of(made) == by_text(*[r if r[1] != 3 else ("a", 3, "z", None) for r in ROWS])
    assert len(files_of(put_one_more(writers))) < len(ROWS)


def put_one_more(table: Table) -> Table:
    put(table, ("b", 5, "x", 50))
    return table


def test_an_update_of_every_row(table: Table) -> None:
    commit(table, table.plan_update(None, {"v": Literal("z")}))
    assert rows_of(table) == by_text(*[(p, i, "z", n) for p, i, _, n in ROWS])


def test_a_merge_updates_deletes_and_inserts(table: Table) -> None:
    rows = source(
        (1, "one", "a", "U"), (2, "two", "a", "D"), (9, "nine", "c", "U"), names=["id", "w", "p", "op"]
    )
    clauses = [
        Matched(None, "`source.op` = 'D'"),
        Matched({"v": Column("source.w")}),
        NotMatched({"p": Column("source.p"), "id": Column("source.id"), "v": Column("source.w")}),
        NotMatchedBySource({"n": Literal(0)}, "p = 'b'"),
    ]
    commit(table, table.plan_merge(rows, ["p", "id"], clauses))
    assert rows_of(table) == by_text(
        ("a", 1, "one", 10), ("a", 3, None, None), ("b", 4, "x", 0), ("c", 9, "nine", None)
    )


def test_a_merge_on_columns_of_other_names_takes_all_columns_of_the_same_name(table: Table) -> None:
    rows = pa.table({"key": [4, 7], "id": [4, 7], "p": ["b", "b"], "v": ["m", "m"]})
    rows = rows.set_column(0, "key", rows.column("key").cast(pa.int32()))
    clauses = [Matched({"v": Column("source.v")}), NotMatched()]
    commit(table, table.plan_merge(rows, {"key": "id"}, clauses))
    assert rows_of(table) == by_text(*ROWS[:3], ("b", 4, "m", 40), ("b", 7, "m", None))


def test_two_source_rows_for_one_row_are_refused(table: Table) -> None:
    rows = source((1, "one"), (1, "uno"))
    with pytest.raises(InvalidRequestError, match="several rows of the source"):
        table.apply_changes(table.plan_merge(rows, ["id"], [Matched({"v": Column("source.w")})]))
    with pytest.raises(InvalidRequestError, match="several rows of the source"):
        table.apply_changes(table.plan_merge(rows, ["id"], [Matched(None, "`source.w` = 'uno'")]))
    commit(table, table.plan_merge(rows, ["id"], [Matched(None)]))
    assert rows_of(table) == by_text(*ROWS[1:])


def test_whole_partitions_are_dropped_without_being_read(table: Table) -> None:
    if not table.schema.partition_keys:
        pytest.skip("a table without partitions")
    plan = table.plan_delete("p = 'a'")
    assert (plan.files_to_read, plan.rows_dropped) == (0, 3)
    for path in data_paths(table):
        table.io.delete(path)
    made = data_paths(table)
    (snapshot,) = commit(table, plan)
    assert data_paths(table) == made
    assert snapshot.commit_kind is CommitKind.OVERWRITE
    assert [file.row_count for file in files_of(table)] == [1]
    assert all(len(e.partition.to_bytes()) for e in table.manifests.index_entries(snapshot))


def test_rows_are_written_again_after_their_partition_was_dropped(table: Table) -> None:
    commit(table, table.plan_delete(None))
    assert rows_of(table) == []
    put(table.refreshed(), *ROWS)
    assert rows_of(table) == by_text(*ROWS)


def test_nothing_is_left_behind_where_a_value_does_not_fit(table: Table) -> None:
    before = {status.path for status in table.io.iter_tree(table.location)}
    with pytest.raises(InvalidRequestError):
        table.apply_changes(table.plan_update("id = 1", {"n": lambda rows: pa.array(["no number"])}))
    assert {status.path for status in table.io.iter_tree(table.location)} == before


@pytest.mark.parametrize("kind", ["append", "append in buckets", "append with vectors"])
def test_a_change_of_files_that_are_gone_is_refused(kind: str) -> None:
    table = KINDS[kind]()
    put(table, *ROWS)
    first, second = table.plan_delete("id = 1"), table.plan_delete("id = 2")
    commit(table, first)
    with pytest.raises(CommitConflictError):
        commit(table, second)
    assert [row[1] for row in rows_of(table)] == [2, 3, 4]


def test_vectors_on_a_file_that_was_replaced_are_refused() -> None:
    table = KINDS["append with vectors"]()
    put(table, *ROWS)
    messages = table.apply_changes(table.plan_delete("id = 1"))
    with table.new_write(overwrite=True) as writer:
        writer.write(arrow(table, ROWS[:2]))
        TableCommit(table, "other").overwrite(writer.prepare_commit(), {})
    with pytest.raises(CommitConflictError):
        TableCommit(table, "u").commit(messages)


def test_vectors_mark_rows_and_leave_the_file() -> None:
    table = KINDS["append with vectors"]()
    put(table, *ROWS[:3])
    (before,) = files_of(table)
    commit(table, table.plan_delete("id = 2"))
    assert files_of(table) == [before]
    commit(table, table.plan_update("id = 3", {"v": Literal("w")}))
    assert [file.row_count for file in files_of(table)] == [3, 1]
    (index,) = table.manifests.index_entries(table.snapshots.latest())
    assert [r.cardinality for r in index.deletion_vector_ranges or ()] == [2]


def test_a_file_that_loses_its_last_row_loses_its_vector_too() -> None:
    table = KINDS["append with vectors"]()
    put(table, *ROWS[:3])
    put(table, ("a", 8, "x", 1))
    commit(table, table.plan_delete("id = 2"))
    commit(table, table.plan_delete("id < 4"))
    assert [file.row_count for file in files_of(table)] == [1]
    assert table.manifests.index_entries(table.snapshots.latest()) == []
    assert rows_of(table) == [("a", 8, "x", 1)]


def test_files_without_a_row_that_changes_stay_as_they_are() -> None:
    table = KINDS["append"]()
    put(table, *ROWS[:2])
    put(table, *ROWS[2:3])
    before = {file.file_name: file.row_count for file in files_of(table)}
    commit(table, table.plan_delete("id = 2"))
    left = [count for name, count in before.items() if name in {f.file_name for f in files_of(table)}]
    assert left == [1]


def test_rows_that_change_their_partition_move() -> None:
    table = KINDS["append"]()
    put(table, *ROWS)
    commit(table, table.plan_update("id = 1", {"p": Literal("b")}))
    assert rows_of(table, filter="p = 'b'") == by_text(("b", 1, "x", 10), ("b", 4, "x", 40))


def test_a_primary_key_table_is_changed_by_rows() -> None:
    table = KINDS["primary key"]()
    put(table, *ROWS)
    (snapshot,) = commit(table, table.plan_delete("v = 'y'"))
    assert snapshot.commit_kind is CommitKind.APPEND
    compact(table)
    commit(table, table.plan_update("id = 1", {"v": Literal("z")}))
    assert rows_of(table) == by_text(("a", 1, "z", 10), ("a", 3, None, None), ("b", 4, "x", 40))


def test_the_changelog_tells_of_deletes_and_updates() -> None:
    table = new_table(COLUMNS, ["id"], changelog_producer="input")
    put(table, *ROWS[:2])
    commit(table, table.plan_delete("id = 1"))
    commit(table, table.plan_update("id = 2", {"v": Literal("u")}))
    assert [s.changelog_record_count for s in table.snapshots.iter_all()] == [2, 1, 1]


def test_the_column_of_kinds_says_what_was_done() -> None:
    columns = {"id": "INT NOT NULL", "v": "STRING", "kind": "STRING"}
    table = new_table(columns, ["id"], rowkind__field="kind")
    put(table, (1, "a", "+I"), (2, "b", "+I"))
    commit(table, table.plan_delete("id = 1"))
    commit(table, table.plan_update("id = 2", {"v": Literal("new")}))
    assert rows_of(table) == [(2, "new", "+U")]


def test_null_joins_nothing_and_zero_joins_minus_zero() -> None:
    table = new_table({"x": "DOUBLE", "v": "STRING"}, bucket="-1")
    put(table, (-0.0, "zero"), (None, "null"), (2.5, "more"))
    rows = pa.table({"x": [0.0, None, None], "w": ["z", "n", "n"]})
    commit(table, table.plan_merge(rows, ["x"], [Matched({"v": Column("source.w")})]))
    assert rows_of(table) == sorted([(-0.0, "z"), (None, "null"), (2.5, "more")], key=repr)


def test_a_source_may_come_in_other_forms_of_arrow() -> None:
    table = KINDS["append"]()
    put(table, *ROWS)
    ops = pa.chunked_array([["D"], ["U"]]).dictionary_encode()
    rows = pa.table({"id": pa.chunked_array([[1], [2]], pa.int64()), "op": ops})
    clauses = [Matched(None, "`source.op` = 'D'"), Matched({"v": Column("source.op")})]
    commit(table, table.plan_merge(rows, ["id"], clauses))
    assert rows_of(table) == by_text(("a", 2, "U", 20), *ROWS[2:])


def test_files_without_a_key_of_the_source_are_not_read() -> None:
    table = KINDS["append"]()
    for number in range(4):
        put(table, *[("a", 1000 * number + i, "x", 0) for i in range(400)])
    few = table.plan_merge(source((1001, "w")), ["id"], [Matched(None)])
    many = table.plan_merge(source(*[(1000 + i, "w") for i in range(300)]), ["id"], [Matched(None)])
    assert (few.files_to_read, many.files_to_read) == (1, 1)
    assert table.plan_merge(source((1, "w")), ["id"], [NotMatchedBySource(None)]).files_to_read == 4


class TestRefusals:
    def test_columns_of_the_key(self) -> None:
        with pytest.raises(InvalidRequestError, match="primary key"):
            KINDS["primary key"]().plan_update(None, {"id": Literal(1)})

    @pytest.mark.parametrize(
        ("filter", "assignments"),
        [
            ("nothing = 1", {"v": Literal("a")}),
            (None, {"nothing": Literal("a")}),
            (None, {"v": Column("nothing")}),
            (None, {"v": Column("source.v")}),
            (None, {}),
        ],
    )
    def test_columns_that_are_not_there(self, filter: str | None, assignments: Any) -> None:
        with pytest.raises(InvalidRequestError):
            KINDS["append"]().plan_update(filter, assignments)

    @pytest.mark.parametrize("on", [[], ["nothing"], ["w"], ["p"]])
    def test_a_join_that_cannot_be(self, on: list[str]) -> None:
        with pytest.raises(InvalidRequestError):
            KINDS["append"]().plan_merge(source((1, "a")), on, [Matched(None)])

    def test_a_merge_that_does_nothing(self) -> None:
        table, rows = KINDS["append"](), source((1, "a"))
        with pytest.raises(InvalidRequestError, match="without a clause"):
            table.plan_merge(rows, ["id"], [])
        with pytest.raises(InvalidRequestError, match="assigns no column"):
            table.plan_merge(rows, ["id"], [Matched({})])

    def test_a_literal_of_another_type(self) -> None:
        table = KINDS["append"]()
        put(table, *ROWS)
        with pytest.raises(InvalidRequestError, match="not a value of the column"):
            table.apply_changes(table.plan_update(None, {"n": Literal("seven")}))

    def test_a_function_that_forgets_rows(self) -> None:
        table = KINDS["append"]()
        put(table, *ROWS)
        with pytest.raises(InvalidRequestError, match="array of all rows"):
            table.apply_changes(table.plan_update(None, {"n": lambda rows: pa.array([1], pa.int32())}))

    def test_null_in_a_column_that_takes_none(self) -> None:
        table = KINDS["append"]()
        put(table, *ROWS)
        with pytest.raises(InvalidRequestError, match="NOT NULL"):
            table.apply_changes(table.plan_update(None, {"id": Literal(None)}))

    def test_a_table_that_ignores_deletes(self) -> None:
        with pytest.raises(InvalidRequestError, match="ignores deletes"):
            new_table(COLUMNS, ["id"], ignore_delete="true").plan_delete("id = 1")


VALUES = st.tuples(
    st.sampled_from("ab"),
    st.integers(0, 6),
    st.none() | st.sampled_from("xyz"),
    st.none() | st.integers(0, 3),
)
SOURCES = st.dictionaries(st.integers(0, 8) | st.none(), st.sampled_from("UDI"), max_size=5)
CONDITIONS: Mapping[str, Callable[[Row], bool | None]] = {
    "n > 1": lambda row: None if row[3] is None else row[3] > 1,
    "v = 'x' OR id = 2": lambda row: row[2] == "x" or row[1] == 2,
    "p = 'a' AND n IS NULL": lambda row: row[0] == "a" and row[3] is None,
    "p = 'b'": lambda row: row[0] == "b",
}


@settings(max_examples=2)  # of each kind of table
@pytest.mark.parametrize("kind", KINDS)
@given(
    history=st.lists(st.lists(VALUES, max_size=6), min_size=1, max_size=3),
    statements=st.lists(st.sampled_from(["delete", "update", "merge"]), min_size=1, max_size=3),
    condition=st.sampled_from(sorted(CONDITIONS)),
    merged=SOURCES,
)
def test_statements_do_what_they_say_row_by_row(
    kind: str,
    history: list[list[Row]],
    statements: list[str],
    condition: str,
    merged: dict[int | None, str],
) -> None:
    table = KINDS[kind]()
    rows: list[Row] = []
    for batch in history:
        put(table, *batch)
        rows = rows + batch
        if table.schema.primary_keys:
            rows = list({row[:2]: row for row in rows}.values())
    holds = CONDITIONS[condition]
    for statement in statements:
        if statement == "delete":
            commit(table, table.plan_delete(condition))
            rows = [row for row in rows if not holds(row)]
        elif statement == "update":
            commit(table, table.plan_update(condition, {"v": Literal("u")}))
            rows = [(*row[:2], "u", row[3]) if holds(row) else row for row in rows]
        else:
            side = source(*merged.items(), names=["id", "op"])
            clauses = [
                Matched(None, "`source.op` = 'D'"),
                Matched({"v": Column("source.op")}, condition),
                NotMatched(
                    {"p": Literal("c"), "id": Column("source.id"), "v": Column("source.op")},
                    "`source.op` = 'I' AND `source.id` IS NOT NULL",
                ),
            ]
            commit(table, table.plan_merge(side, ["id"], clauses))
            rows = merged_by_hand(rows, merged, holds)
        assert rows_of(table) == by_text(*rows)


def merged_by_hand(
    rows: list[Row], merged: dict[int | None, str], holds: Callable[[Row], bool | None]
) -> list[Row]:
    after: list[Row] = []
    for row in rows:
        operation = merged.get(row[1])
        if operation == "D":
            continue
        after.append((*row[:2], operation, row[3]) if operation and holds(row) else row)
    known = {row[1] for row in rows}
    return after + [
        ("c", i, "I", None) for i, o in merged.items() if i is not None and o == "I" and i not in known
    ]
