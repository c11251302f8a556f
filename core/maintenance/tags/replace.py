"""Moves a tag to another snapshot, or gives it another retention. Spec: 08, 8; 10, 3."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from core.errors import CommitConflictError
from core.maintenance.notice import refuse_blocked
from core.maintenance.reach import NamedFiles, Progress, delete_unreached, no_progress
from core.maintenance.tags.create import snapshot_for_tag, tag_of, write_success_file
from core.maintenance.tags.delete import DeleteTagsPlan, plan_delete_tags
from core.maintenance.tags.kept import expired, is_kept
from core.snapshot import Tag
from core.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceTagPlan:
    tag: Tag
    now_millis: int
    old: DeleteTagsPlan  # the tag as it is, and what goes with it


def plan_replace_tag(
    table: Table,
    name: str,
    *,
    now_millis: int,
    snapshot_id: int | None = None,
    time_retained: timedelta | None = None,
) -> ReplaceTagPlan:
    """The tag as it would be, and the files that would go with what it was.

    Args:
        table: the table, or one of its branches.
        name: of a tag that is there.
        now_millis: epoch milliseconds.
        snapshot_id: the snapshot; one that only a tag holds will do. The latest by default.
        time_retained: how long the tag is kept, `tag.default-time-retained` if that is set.

    Raises:
        NotFoundError: there is no such tag or snapshot.
    """
    table.tags.get(name)
    snapshot = snapshot_for_tag(table, snapshot_id, None, None)
    tag = tag_of(table, name, snapshot, now_millis, time_retained)
    return ReplaceTagPlan(tag=tag, now_millis=now_millis, old=plan_delete_tags(table, [name]))


def apply_replace_tag(table: Table, plan: ReplaceTagPlan, *, progress: Progress = no_progress) -> NamedFiles:
    """The files that were deleted.

    Raises:
        InvalidRequestError: the plan has blockers. NotFoundError: the tag was deleted since, or its
            new snapshot has expired.
        CommitConflictError: the tag was replaced by somebody else since.
    """
    refuse_blocked("the new tag", plan.old.blockers)
    found = table.tags.get(plan.tag.name).snapshot.identity
    if found not in (plan.old.tags[0].snapshot.identity, plan.tag.snapshot.identity):
        raise CommitConflictError("the tag was replaced since the plan", tag=plan.tag.name)
    _replace(table, plan)
    write_success_file(table, plan.tag.name, plan.now_millis)
    return delete_unreached(table, plan.old.named, progress)


def _replace(table: Table, plan: ReplaceTagPlan) -> None:
    """Write the tag; what it was is put back if its new snapshot expired since the plan."""
    old = plan.old.tags[0]
    if old.snapshot.identity == plan.tag.snapshot.identity:
        table.tags.replace(plan.tag)
        return
    if not is_kept(table, plan.tag.snapshot, but=plan.tag.name):
        raise expired(plan.tag)
    table.tags.replace(plan.tag)
    if not is_kept(table, plan.tag.snapshot, but=plan.tag.name):
        table.tags.replace(old)
        raise expired(plan.tag)
