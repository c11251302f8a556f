"""Parts of a change: applied apart and committed together they do what the whole plan does."""

from __future__ import annotations

import pickle
from collections.abc import Iterable

import pytest

from core.commit import TableCommit
from core.dml import (
    AsOf,
    ChangePlan,
    Column,
    Literal,
    Matched,
    NotMatched,
    NotMatchedBySource,
    apply_changes,
    part_within,
    parts_of,
    plan_merge,
)
from core.table import Table
from core.write import CommitMessage
from tests.core.dml.test_changes import COLUMNS, KINDS, ROWS, by_text, source
from tests.tables import new_table, put, rows_of


@pytest.fixture(params=KINDS)
def table(request: pytest.FixtureRequest) -> Table:
    made = KINDS[request.param]()
    put(made, *ROWS[:2])
    put(made, *ROWS[2:])
    return made.with_options({"source.split.target-size": "1 b", "source.split.open-file-cost": "1 b"})


def commit_apart(table: Table, parts: Iterable[ChangePlan]) -> None:
    """Each part as another process does it, all of them before the one commit."""
    messages: list[CommitMessage] = []
    for part in parts:
        messages += apply_changes(table, part)
    TableCommit(table, "u").commit(messages)


def places_of(part: ChangePlan) -> set[tuple[bytes, int]]:
    return {(s.partition.to_bytes(), s.bucket) for s in part.scan.splits} if part.scan else set()


def test_parts_do_together_what_the_whole_plan_does(table: Table) -> None:
    update = table.plan_update("n >= 20 OR n IS NULL", {"v": Literal("new")})
    commit_apart(table, pickle.loads(pickle.dumps(parts_of(table, update))))
    changed = [("a", 2, "new", 20), ("a", 3, "new", None), ("b", 4, "new", 40)]
    assert rows_of(table) == by_text(("a", 1, "x", 10), *changed)
    commit_apart(table, parts_of(table, table.plan_delete("v = 'new' AND id <> 3")))
    assert rows_of(table) == by_text(("a", 1, "x", 10), ("a", 3, "new", None))


def test_a_bucket_is_one_part_where_its_writer_has_to_be_one(table: Table) -> None:
    plan = table.plan_delete("id > 0")
    parts = parts_of(table, plan)
    places = [places_of(part) for part in parts]
    assert set().union(*places) == places_of(plan)
    apart = table.options.texts.get("bucket") == "-1" and not table.schema.primary_keys
    if apart and "deletion-vectors.enabled" not in table.options.texts:
        assert len(parts) == plan.files_to_read == 3
    else:
        assert sum(map(len, places)) == len(places_of(plan))


def test_the_partitions_of_dynamic_buckets_are_parts_and_moving_keys_are_one() -> None:
    dynamic = KINDS["dynamic buckets"]()
    put(dynamic, *ROWS)
    assert [len(places_of(part)) for part in parts_of(dynamic, dynamic.plan_delete("id > 0"))] == [2, 1]
    moving = new_table(COLUMNS, ["id"], partition=["p"], bucket="-1")
    put(moving, *ROWS)
    assert len(parts_of(moving, moving.plan_delete("id > 0"))) == 1


def test_a_merge_apart_by_buckets_sees_one_snapshot() -> None:
    table = new_table(COLUMNS, ["p", "id"], partition=["p"], bucket="2", bucket_key="id")
    put(table, *ROWS)
    matched = Matched({"v": Column("source.w")})
    clauses = [
        matched,
        NotMatched({"p": Column("source.p"), "id": Column("source.id")}),
        NotMatchedBySource(None),
    ]
    names = ("p", "id", "w")
    rows = [("a", 1, "new"), ("b", 4, "newer"), ("b", 9, None)]
    whole = plan_merge(table, source(names=names), ["p", "id"], clauses)
    put(table, ("a", 7, "later", 70))
    parts = []
    for partition in (b"a", b"b"):  # as tasks that got the rows of some buckets each
        mine = [row for row in rows if row[0].encode() == partition]
        plan = plan_merge(table, source(*mine, names=names), ["p", "id"], clauses, as_of=AsOf(whole.snapshot))
        parts.append(part_within(plan, lambda place, _, it=partition: it in place.to_bytes()))
    commit_apart(table, parts)
    expected = [("a", 1, "new", 10), ("b", 4, "newer", 40), ("b", 9, None, None), ("a", 7, "later", 70)]
    assert rows_of(table) == by_text(*expected)
