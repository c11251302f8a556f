from __future__ import annotations

import pytest

from core import Table
from core.errors import CommitConflictError, InvalidRequestError, NotFoundError
from core.maintenance.rollback_schema import apply_rollback_schema, plan_rollback_schema
from core.maintenance.tags import apply_create_tag, plan_create_tag
from core.schema.changes import AddColumn
from core.types import STRING
from tests.tables import new_table, put, rows_of


def grown(table: Table, *columns: str) -> Table:
    for name in columns:
        table = table.alter([AddColumn((name,), STRING)])
    return table


def test_schemas_that_nothing_was_written_with_go() -> None:
    table = new_table({"k": "INT"}, bucket="-1")
    put(table, (1,))
    plan = plan_rollback_schema(grown(table, "a", "b"), 0)
    assert plan.removed == (1, 2)
    apply_rollback_schema(table, plan)
    assert table.schemas.ids() == [0]
    put(table.refreshed(), (2,))
    assert rows_of(table.refreshed()) == [(1,), (2,)]


def test_a_schema_of_a_snapshot_or_a_tag_stays() -> None:
    table = grown(new_table({"k": "INT"}, bucket="-1"), "a")
    (snapshot,) = put(table, (1, "x"))
    with pytest.raises(InvalidRequestError, match="snapshot 1"):
        plan_rollback_schema(table, 0)
    apply_create_tag(table, plan_create_tag(table, "v1", now_millis=0))
    table.snapshots.delete(snapshot.id)
    with pytest.raises(InvalidRequestError, match="tag v1"):
        plan_rollback_schema(table, 0)
    with pytest.raises(NotFoundError):
        plan_rollback_schema(table, 7)


def test_schemas_come_back_if_somebody_commits_with_one_meanwhile() -> None:
    table = grown(new_table({"k": "INT"}, bucket="-1"), "a")
    plan = plan_rollback_schema(table, 0)
    put(table, (1, "x"))
    with pytest.raises(CommitConflictError, match="snapshot 1"):
        apply_rollback_schema(table, plan)
    assert table.schemas.ids() == [0, 1]
    assert rows_of(table.refreshed()) == [(1, "x")]


def test_a_plan_for_another_schema_than_the_latest_does_nothing() -> None:
    table = grown(new_table({"k": "INT"}, bucket="-1"), "a")
    plan = plan_rollback_schema(table, 0)
    grown(table, "b")
    with pytest.raises(CommitConflictError):
        apply_rollback_schema(table, plan)
    assert table.schemas.ids() == [0, 1, 2]
