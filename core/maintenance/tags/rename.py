"""Gives a tag another name. Spec: 08, 8; 10, 3."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.errors import CommitConflictError
from core.maintenance.notice import Notice, refuse_blocked
from core.snapshot import Tag
from core.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameTagPlan:
    tag: Tag  # as it is
    name: str  # as it will be called
    blockers: tuple[Notice, ...] = ()


def plan_rename_tag(table: Table, name: str, new_name: str) -> RenameTagPlan:
    """The tag that would be renamed.

    A tag of the new name that holds the same is what an interrupted renaming left, and no blocker.

    Raises:
        NotFoundError: there is no such tag. InvalidRequestError: no name for a tag.
    """
    tag = table.tags.get(name)
    taken = table.tags.exists(new_name) and table.tags.get(new_name) != replace(tag, name=new_name)
    blockers = (Notice("tag-exists", {"tag": new_name}),) if taken or name == new_name else ()
    return RenameTagPlan(tag=tag, name=new_name, blockers=blockers)


def apply_rename_tag(table: Table, plan: RenameTagPlan) -> Tag:
    """The tag under its new name. At no moment is its snapshot without a tag.

    Raises:
        InvalidRequestError: the plan has blockers.
        CommitConflictError: the tag was replaced, or the new name taken, since the plan.
    """
    refuse_blocked("the new name", plan.blockers)
    if table.tags.get(plan.tag.name) != plan.tag:
        raise CommitConflictError("the tag was replaced since the plan", tag=plan.tag.name)
    renamed = replace(plan.tag, name=plan.name)
    if not table.tags.exists(plan.name):
        table.tags.create(renamed)
    elif table.tags.get(plan.name) != renamed:
        raise CommitConflictError("the new name was taken since the plan", tag=plan.name)
    table.tags.delete(plan.tag.name)
    return renamed
