"""Deletes a branch. The files that only it reached are orphans then. Spec: 08, 9; 10, 3."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import NotFoundError
from core.maintenance.notice import Notice, refuse_blocked
from core.options import SCAN_FALLBACK_BRANCH, SCAN_PRIMARY_BRANCH
from core.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteBranchPlan:
    name: str
    snapshots: tuple[int, ...]  # that nobody will be able to read any more
    tags: tuple[str, ...]
    consumers: tuple[str, ...]
    blockers: tuple[Notice, ...] = ()


def plan_delete_branch(table: Table, name: str) -> DeleteBranchPlan:
    """What would go with a branch.

    Raises:
        NotFoundError: there is no such branch.
    """
    if not table.branches.exists(name):
        raise NotFoundError("branch not found", branch=name)
    view = table.with_branch(name)
    return DeleteBranchPlan(
        name=name,
        snapshots=tuple(view.snapshots.ids()),
        tags=tuple(view.tags.names()),
        consumers=tuple(view.consumers.ids()),
        blockers=read_along(table, name),
    )


def apply_delete_branch(table: Table, plan: DeleteBranchPlan) -> None:
    """Delete the branch; one that is gone already is no error.

    Raises:
        InvalidRequestError: the plan has blockers.
    """
    refuse_blocked("the deletion", plan.blockers)
    if table.branches.exists(plan.name):
        table.branches.delete(plan.name)


def read_along(table: Table, name: str) -> tuple[Notice, ...]:
    """The options by which main is read along with the branch."""
    options = (SCAN_FALLBACK_BRANCH, SCAN_PRIMARY_BRANCH)
    named = [option.key for option in options if table.options.get(option) == name]
    return tuple(Notice("branch-read-along", {"branch": name, "option": key}) for key in named)
