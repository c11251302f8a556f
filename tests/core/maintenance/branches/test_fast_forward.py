"""A branch's head becomes main's. Spec: 08, 9; 10, 3."""

from __future__ import annotations

import pytest

from core.errors import CommitConflictError, InvalidRequestError, NotFoundError
from core.maintenance.branches import apply_fast_forward, plan_fast_forward
from core.maintenance.expire import apply_expire_snapshots, plan_expire_snapshots
from core.schema import AddColumn
from core.table import Table
from core.types import parse_type
from tests.core.maintenance.tables import checked, keyed, later, tag
from tests.tables import new_table, put, rows_of


def diverged() -> Table:
    """Main at snapshot 6; branch dev at 4, of which 2 is main's; a tag on 2 and one on 5."""
    table = keyed()
    tag(table, "v2", 2)
    tag(table, "v5", 5)
    table.branches.create("dev", from_tag="v2")
    put(table.with_branch("dev"), (8, "b"))
    put(table.with_branch("dev"), (9, "b"))
    return table


def test_main_gets_the_rows_and_snapshots_of_the_branch() -> None:
    table = diverged()
    expected = rows_of(table.with_branch("dev"))
    plan = plan_fast_forward(table, "dev")
    assert [s.id for s in plan.rewind.removed_snapshots] == [3, 4, 5, 6]
    assert ([s.id for s in plan.copied_snapshots], plan.rewind.removed_tags) == ([3, 4], ("v5",))
    assert len(plan.history) == 7
    apply_fast_forward(table, plan)
    assert rows_of(table) == rows_of(table.with_branch("dev")) == expected
    assert (table.snapshots.ids(), table.tags.names()) == ([1, 2, 3, 4], ["v2"])
    assert checked(table).findings == ()


def test_main_and_branch_go_on_from_there() -> None:
    table = diverged()
    apply_fast_forward(table, plan_fast_forward(table, "dev"))
    put(table, (10, "main"))
    put(table.with_branch("dev"), (11, "branch"))
    assert plan_fast_forward(table, "dev").rewind.target.id == 4


def test_schemas_of_the_branch_replace_those_of_main() -> None:
    table = diverged()
    table.schemas.commit_changes([AddColumn(("main_only",), parse_type("INT"))], has_snapshots=True)
    branch = table.with_branch("dev")
    branch.schemas.commit_changes([AddColumn(("branch_only",), parse_type("INT"))], has_snapshots=True)
    put(branch.refreshed(), (12, "c", 1))
    plan = plan_fast_forward(table.refreshed(), "dev")
    assert (plan.removed_schemas, plan.copied_schemas) == ((1,), (1,))
    apply_fast_forward(table.refreshed(), plan)
    assert [f.name for f in table.refreshed().schema.fields] == ["id", "v", "branch_only"]
    assert rows_of(table.refreshed()) == rows_of(branch.refreshed())


def test_a_common_snapshot_that_has_expired_in_main_is_known_by_its_tag() -> None:
    table = diverged()
    apply_expire_snapshots(table, plan_expire_snapshots(table, now_millis=later(table), retain_min=1))
    expected = rows_of(table.with_branch("dev"))
    apply_fast_forward(table, plan_fast_forward(table, "dev"))
    assert (rows_of(table), table.snapshots.ids()) == (expected, [2, 3, 4])
    assert checked(table).findings == ()


def test_an_empty_main_gets_all() -> None:
    table = new_table({"id": "INT NOT NULL"}, ["id"])
    table.branches.create("dev")
    put(table.with_branch("dev"), (1,))
    apply_fast_forward(table, plan_fast_forward(table, "dev"))
    assert rows_of(table) == [(1,)]


def test_a_branch_that_shares_nothing_with_main_is_refused() -> None:
    table = keyed()
    table.branches.create("dev")
    put(table.with_branch("dev"), (1, "x"))
    assert [n.code for n in plan_fast_forward(table, "dev").blockers] == ["unrelated-history"]


def test_a_branch_that_has_moved_makes_the_plan_stale() -> None:
    table = diverged()
    plan = plan_fast_forward(table, "dev")
    put(table.with_branch("dev"), (12, "late"))
    with pytest.raises(CommitConflictError, match="branch has moved"):
        apply_fast_forward(table, plan)
    assert table.snapshots.latest_id() == 6


def test_a_main_that_has_moved_makes_the_plan_stale() -> None:
    table = diverged()
    plan = plan_fast_forward(table, "dev")
    put(table, (12, "late"))
    with pytest.raises(CommitConflictError, match="moved"):
        apply_fast_forward(table, plan)
    assert table.snapshots.latest_id() == 7


def test_main_is_no_branch_to_go_to() -> None:
    with pytest.raises(InvalidRequestError, match="itself"):
        plan_fast_forward(keyed(), "main")


def test_a_branch_without_snapshots_is_nothing_to_go_to() -> None:
    table = keyed()
    table.branches.create("dev")
    with pytest.raises(NotFoundError):
        plan_fast_forward(table, "dev")


def test_snapshots_that_expired_since_the_plan_are_not_copied() -> None:
    table = diverged()
    plan, branch = plan_fast_forward(table, "dev"), table.with_branch("dev")
    apply_expire_snapshots(branch, plan_expire_snapshots(branch, now_millis=later(branch), retain_min=1))
    with pytest.raises(CommitConflictError, match="expired since the plan"):
        apply_fast_forward(table, plan)
    assert table.snapshots.ids() == [1, 2, 3, 4, 5, 6]
