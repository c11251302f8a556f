"""Branches made, renamed and deleted. Spec: 08, 9; 10, 3."""

from __future__ import annotations

import pytest

from core.errors import InvalidRequestError, NotFoundError
from core.maintenance.branches import (
    apply_create_branch,
    apply_delete_branch,
    apply_rename_branch,
    plan_create_branch,
    plan_delete_branch,
    plan_rename_branch,
)
from core.maintenance.expire import apply_expire_snapshots, plan_expire_snapshots
from core.maintenance.remove_orphans import apply_remove_orphans, plan_remove_orphans
from core.snapshot import Consumer
from core.table import Table
from tests.core.maintenance.tables import checked, everything, is_clean, keyed, later, tag
from tests.crashes import seen_through
from tests.faults import RacingFileIO
from tests.tables import put, rows_of


def with_branch(name: str = "dev") -> Table:
    table = keyed()
    tag(table, "v2", 2)
    apply_create_branch(table, plan_create_branch(table, name, tag="v2"))
    return table


def test_a_branch_of_nothing_has_the_schemas_alone() -> None:
    table = keyed()
    branch = apply_create_branch(table, plan_create_branch(table, "dev"))
    assert (branch.snapshots.ids(), branch.schemas.ids()) == ([], [0])


def test_a_branch_stands_where_its_tag_does_and_goes_its_own_way() -> None:
    table = with_branch()
    branch = table.with_branch("dev")
    assert rows_of(branch) == rows_of(table, snapshot_id=2)
    put(branch, (9, "b"))
    assert (branch.snapshots.ids(), table.snapshots.latest_id()) == ([2, 3], 6)


def test_a_branch_of_a_snapshot_gets_a_tag_that_java_respects() -> None:
    table = keyed()
    plan = plan_create_branch(table, "dev", snapshot_id=4)
    assert (plan.makes_tag, plan.tag.name) == (True, "dev")
    branch = apply_create_branch(table, plan)
    assert rows_of(branch) == rows_of(table, snapshot_id=4)
    assert table.tags.names() == ["dev"]


def test_a_tag_that_holds_the_snapshot_will_do() -> None:
    table = keyed()
    tag(table, "v4", 4)
    plan = plan_create_branch(table, "dev", snapshot_id=4)
    assert (plan.makes_tag, plan.tag.name) == (False, "v4")


def test_a_branch_that_was_left_half_made_is_made_anew() -> None:
    table = keyed()
    tag(table, "v2", 2)
    table.io.write(table.paths.on_branch("dev").tag_file("v2"), table.io.read(table.paths.tag_file("v2")))
    plan = plan_create_branch(table, "dev", tag="v2")
    assert plan.remakes
    assert rows_of(apply_create_branch(table, plan)) == rows_of(table, snapshot_id=2)


def test_a_name_is_taken_once() -> None:
    plan = plan_create_branch(with_branch(), "dev")
    assert [(n.code, n.fields["branch"]) for n in plan.blockers] == [("branch-exists", "dev")]


@pytest.mark.parametrize("name", ["main", "12", " ", "a/b"])
def test_not_everything_is_a_name(name: str) -> None:
    with pytest.raises(InvalidRequestError):
        plan_create_branch(keyed(), name)


def test_a_deleted_branch_leaves_orphans_and_main_as_it_was() -> None:
    table = with_branch()
    put(table.with_branch("dev"), (9, "b"))
    table.with_branch("dev").consumers.put(Consumer("reader", 3))
    plan = plan_delete_branch(table, "dev")
    assert (plan.snapshots, plan.tags, plan.consumers) == ((2, 3), ("v2",), ("reader",))
    apply_delete_branch(table, plan)
    assert table.branches.names() == []
    apply_remove_orphans(table, plan_remove_orphans(table, now_millis=later(table, 48)))
    assert is_clean(checked(table))
    assert len(everything(table)) == 7


def test_a_branch_that_main_is_read_along_with_stays() -> None:
    table = with_branch().with_options({"scan.fallback-branch": "dev"})
    plan = plan_delete_branch(table, "dev")
    assert [(n.code, n.fields["option"]) for n in plan.blockers] == [
        ("branch-read-along", "scan.fallback-branch")
    ]
    with pytest.raises(InvalidRequestError, match="branch-read-along"):
        apply_delete_branch(table, plan)
    assert [n.code for n in plan_rename_branch(table, "dev", "other").blockers] == ["branch-read-along"]


def test_a_renamed_branch_reads_as_before() -> None:
    table = with_branch()
    before = rows_of(table.with_branch("dev"))
    assert rows_of(apply_rename_branch(table, plan_rename_branch(table, "dev", "prod"))) == before
    assert table.branches.names() == ["prod"]


def test_what_is_not_there_is_told() -> None:
    table = keyed()
    for ask in (
        lambda: plan_delete_branch(table, "none"),
        lambda: plan_rename_branch(table, "none", "x"),
        lambda: plan_create_branch(table, "x", tag="none"),
        lambda: plan_create_branch(table, "x", snapshot_id=99),
    ):
        with pytest.raises(NotFoundError):
            ask()


def test_a_branch_of_a_snapshot_that_expired_since_the_plan_is_not_made() -> None:
    table = keyed()
    plan = plan_create_branch(table, "dev", snapshot_id=2)
    apply_expire_snapshots(table, plan_expire_snapshots(table, now_millis=later(table), retain_min=1))
    with pytest.raises(NotFoundError, match="expired"):
        apply_create_branch(table, plan)
    assert (table.branches.names(), table.tags.names()) == ([], [])


def test_a_branch_whose_tag_goes_while_it_is_made_is_taken_back() -> None:
    table = keyed()
    tag(table, "v2", 2)
    plan = plan_create_branch(table, "dev", tag="v2")
    io = RacingFileIO(table.io, "create", "branch-dev/snapshot/", lambda: table.tags.delete("v2"))
    with pytest.raises(NotFoundError, match="deleted while"):
        apply_create_branch(seen_through(table, io), plan)
    assert table.branches.names() == []
