"""Makes a branch: empty, or standing where a tag or a snapshot stands. Spec: 08, 9; 10, 3."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import AlreadyExistsError, InvalidRequestError, NotFoundError
from core.io import TablePaths
from core.maintenance.notice import Notice, refuse_blocked
from core.maintenance.tags.kept import create_kept_tag, is_kept_by_tag
from core.snapshot import Tag
from core.snapshot.branches import check_branch_name
from core.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateBranchPlan:
    name: str
    tag: Tag | None  # where the branch starts; None for an empty one
    makes_tag: bool = False  # the tag is made first: Java Paimon keeps a branch's files for a tag alone
    remakes: bool = False  # what an interrupted run has left is deleted first
    blockers: tuple[Notice, ...] = ()


def plan_create_branch(
    table: Table, name: str, *, tag: str | None = None, snapshot_id: int | None = None
) -> CreateBranchPlan:
    """The branch that would be made of main.

    Args:
        table: the table.
        name: not blank, not `main`, not a number, without a slash.
        tag: where it starts.
        snapshot_id: where it starts; if no tag holds the snapshot, one with the branch's name is made.
            Without either the branch is empty, with all schemas of main.

    Raises:
        NotFoundError: there is no such tag or snapshot.
        InvalidRequestError: no name for a branch, or both a tag and a snapshot.
    """
    check_branch_name(name)
    if tag is not None and snapshot_id is not None:
        raise InvalidRequestError("give one of tag and snapshot_id", tag=tag, snapshot_id=snapshot_id)
    start = table.tags.get(tag) if tag is not None else None
    makes_tag = False
    if snapshot_id is not None:
        start, makes_tag = _tag_on(table, name, snapshot_id)
    half = table.branches.exists(name) and _is_half_made(table, name, start)
    taken = table.branches.exists(name) and not half
    blockers = [Notice("branch-exists", {"branch": name})] if taken else []
    if makes_tag and table.tags.exists(name):
        blockers.append(Notice("tag-exists", {"tag": name}))
    return CreateBranchPlan(name=name, tag=start, makes_tag=makes_tag, remakes=half, blockers=tuple(blockers))


def apply_create_branch(table: Table, plan: CreateBranchPlan) -> Table:
    """The table, seen from the new branch.

    Raises:
        InvalidRequestError: the plan has blockers. AlreadyExistsError: the name was taken since.
        NotFoundError: the tag was deleted since, or its snapshot has expired.
    """
    refuse_blocked("the branch", plan.blockers)
    if plan.remakes and table.branches.exists(plan.name) and _is_half_made(table, plan.name, plan.tag):
        table.branches.delete(plan.name)
    if plan.makes_tag and plan.tag is not None:
        try:
            create_kept_tag(table, plan.tag)
        except AlreadyExistsError:
            if table.tags.get(plan.tag.name) != plan.tag:
                raise
    table.branches.create(plan.name, from_tag=plan.tag.name if plan.tag else None)
    if plan.tag is not None and not is_kept_by_tag(table, plan.tag.snapshot):
        table.branches.delete(plan.name)
        raise NotFoundError("the tag was deleted while the branch was made", tag=plan.tag.name)
    return table.with_branch(plan.name)


def _is_half_made(table: Table, branch: str, start: Tag | None) -> bool:
    """Whether an interrupted run left the branch: it holds nothing but copies, and not all of them.

    Its snapshot is the last thing that it gets.
    """
    view = table.with_branch(branch)
    own, main = view.schemas.ids(), table.schemas.ids()
    if view.snapshots.ids() or any(i not in main or not _is_copy(table, view, i) for i in own):
        return False
    return own != main if start is None else view.tags.names() in ([], [start.name])


def _is_copy(table: Table, view: Table, schema_id: int) -> bool:
    paths = (
        TablePaths(table.location).schema_file(schema_id),
        TablePaths(table.location, view.branch).schema_file(schema_id),
    )
    return table.io.read(paths[0]) == table.io.read(paths[1])


def _tag_on(table: Table, name: str, snapshot_id: int) -> tuple[Tag, bool]:
    """A tag that holds the snapshot, and whether it has still to be made."""
    held = table.tags.of_snapshot(snapshot_id)
    if not table.snapshots.exists(snapshot_id) and held is not None:
        return held, False
    snapshot = table.snapshots.get(snapshot_id)
    if held is not None and held.snapshot.identity == snapshot.identity:
        return held, False
    return Tag(name, snapshot), True
