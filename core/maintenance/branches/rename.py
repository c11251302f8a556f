"""Gives a branch another name. Spec: 08, 9; 10, 3."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import NotFoundError
from core.maintenance.branches.delete import read_along
from core.maintenance.notice import Notice, refuse_blocked
from core.snapshot.branches import check_branch_name
from core.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameBranchPlan:
    name: str
    new_name: str
    blockers: tuple[Notice, ...] = ()


def plan_rename_branch(table: Table, name: str, new_name: str) -> RenameBranchPlan:
    """The renaming, and what forbids it.

    Raises:
        NotFoundError: there is no such branch. InvalidRequestError: no name for a branch.
    """
    check_branch_name(new_name)
    if not table.branches.exists(name):
        raise NotFoundError("branch not found", branch=name)
    taken = (Notice("branch-exists", {"branch": new_name}),) if table.branches.exists(new_name) else ()
    return RenameBranchPlan(name=name, new_name=new_name, blockers=(*taken, *read_along(table, name)))


def apply_rename_branch(table: Table, plan: RenameBranchPlan) -> Table:
    """The table, seen from the branch under its new name.

    Raises:
        InvalidRequestError: the plan has blockers. AlreadyExistsError: the name was taken since.
        NotFoundError: the branch was deleted since.
    """
    refuse_blocked("the new name", plan.blockers)
    table.branches.rename(plan.name, plan.new_name)
    return table.with_branch(plan.new_name)
