"""Carries a rollback plan out. Spec: 08, 10.

Theory. The steps go in an order in which a crash at any moment leaves a readable table:

    1  guard (if asked for): a branch of the present state, a tag on the target
    2  the target's snapshot file, if only a tag was left of it
    3  LATEST := target; a reader that finds the next snapshot still there lists instead
    4  snapshot files, newest first: the table stands at each of them in turn; if somebody has
       committed on top of one of them meanwhile, or an expiration has taken the target, they are
       put back and nothing else is done
    5  changelogs and tags after the target, those that the plan names
    6  consumers beyond the next commit (if asked for): they read on from that one

Every step can be repeated, so an interrupted rollback is finished by planning and applying
it again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from core.errors import (
    AlreadyExistsError,
    CommitConflictError,
    InvalidRequestError,
    NotFoundError,
    UnsupportedError,
)
from core.io.paths import MAIN_BRANCH
from core.maintenance.rollback_plan import RollbackPlan
from core.maintenance.tags.kept import create_kept_tag, is_kept_by_tag
from core.snapshot.consumers import Consumer
from core.snapshot.snapshot import Snapshot
from core.snapshot.tags import Tag
from core.table import Table

Progress = Callable[[int, int], None]
"""Told how many snapshots have been removed, and how many there are in all."""


@dataclass(frozen=True, slots=True)
class Guard:
    """What keeps the state before the rollback: a branch of it, and a tag on the target."""

    name: str

    @property
    def branch(self) -> str:
        return self.name

    @property
    def target_tag(self) -> str:
        """Keeps files that target and removed head share from being expired."""
        return f"{self.name}-target"


def apply_rollback(
    table: Table,
    plan: RollbackPlan,
    *,
    guard: Guard | None = None,
    reset_consumers: bool = False,
    progress: Progress = lambda done, total: None,
) -> Snapshot:
    """The table's latest snapshot afterwards: the target.

    Args:
        table: the table that the plan is of.
        plan: must be fresh: the table's latest snapshot is still `plan.base`.
        guard: makes it possible to come back to `plan.base`.
        reset_consumers: those that are to read on from what is removed read on from the next commit, and do
            not wait until its id is reached again; what they have read of the removed snapshots they keep.
        progress: called after each removed snapshot.

    Raises:
        CommitConflictError: the table has moved since the plan, or moved meanwhile.
        InvalidRequestError: the plan has blockers.
        UnsupportedError: a guard for another branch than main.
    """
    if plan.blockers:
        raise InvalidRequestError(
            "the rollback is blocked",
            blockers=", ".join(plan.blockers),
            missing=len(plan.missing_files),
            first=plan.missing_files[0],
        )
    _check_fresh(table, plan)
    _check_tags(table, plan, guard)
    if guard is not None and table.branch != MAIN_BRANCH:
        raise UnsupportedError("only main can be guarded", feature="rollback guard of a branch")
    if guard is not None and not plan.changes_nothing:
        if not plan.restores_target_file:
            _check_target(table, plan)  # what is refused leaves no guard behind
        _make_guard(table, plan, guard)
        _check_fresh(table, plan)
    if plan.restores_target_file:
        _restore_target_file(table, plan)
    _check_target(table, plan)
    table.snapshots.write_hint(plan.target.id)
    _remove_snapshots(table, plan, progress)
    _check_nobody_committed(table, plan)
    _remove_changelogs(table, plan)
    for name in _tags_after(table, plan):
        if name in _confirmed_tags(plan, guard):
            table.tags.delete(name)
    if reset_consumers:
        for consumer in plan.consumers:
            table.consumers.put(Consumer(consumer.id, plan.next_id))
    return plan.target


def _check_fresh(table: Table, plan: RollbackPlan) -> None:
    latest = table.snapshots.latest()
    if latest is None or latest.identity != plan.base.identity:
        raise CommitConflictError(
            "the table has moved since the rollback was planned",
            base=plan.base.reference,
            winner=latest.reference if latest else "none",
        )


def _restore_target_file(table: Table, plan: RollbackPlan) -> None:
    """The file first: whoever deletes the tag from now on finds that its files are needed."""
    table.snapshots.create(plan.target)
    if not is_kept_by_tag(table, plan.target):
        table.snapshots.delete(plan.target.id)
        raise _target_gone(plan)
    table.snapshots.write_earliest_hint(plan.target.id)


def _check_target(table: Table, plan: RollbackPlan) -> None:
    """Nothing of the table would be left if an expiration had taken the target since the plan."""
    try:
        found = table.snapshots.get(plan.target.id).identity
    except NotFoundError as error:
        raise _target_gone(plan) from error
    if found != plan.target.identity:
        raise _target_gone(plan)


def _target_gone(plan: RollbackPlan) -> CommitConflictError:
    return CommitConflictError(
        "the target has expired since the rollback was planned",
        base=plan.base.reference,
        target=plan.target.reference,
    )


def _check_tags(table: Table, plan: RollbackPlan, guard: Guard | None) -> None:
    """Nobody who confirmed the rollback saw a tag that is younger than the plan."""
    for name in _tags_after(table, plan):
        if name not in _confirmed_tags(plan, guard):
            raise CommitConflictError("a tag was made since the rollback was planned", tag=name)


def _check_nobody_committed(table: Table, plan: RollbackPlan) -> None:
    """Put the removed snapshots back if one stands on them that is not of the plan.

    Such a commit was confirmed to its writer, and nobody who confirmed the rollback saw it. Left
    alone it would be hidden behind a gap, until later commits reach its id and it comes back.
    """
    later = [i for i in table.snapshots.ids() if i > plan.target.id]
    if later == list(range(plan.next_id, plan.next_id + len(later))):
        return  # nothing is left, or commits on top of the target
    winner = table.snapshots.get(later[-1])
    if later[0] != plan.next_id:
        for snapshot in plan.removed_snapshots:
            if snapshot.id < later[0]:
                table.snapshots.create(snapshot)
        table.snapshots.write_hint(winner.id)
    raise CommitConflictError(
        "another process committed during the rollback",
        base=plan.base.reference,
        winner=winner.reference,
        undone=later[0] != plan.next_id,
    )


def _remove_snapshots(table: Table, plan: RollbackPlan, progress: Progress) -> None:
    """All are put back, the newest first, if an expiration that began before takes the target."""
    total, removed = len(plan.removed_snapshots), list[Snapshot]()
    try:
        for done, snapshot in enumerate(reversed(plan.removed_snapshots), start=1):
            _check_target(table, plan)
            if table.snapshots.exists(snapshot.id):
                removed.append(snapshot)
            table.snapshots.delete(snapshot.id)
            progress(done, total)
        _check_target(table, plan)
    except CommitConflictError:
        for snapshot in removed:
            with suppress(AlreadyExistsError):  # by a commit that has found its id free
                table.snapshots.create(snapshot)
        table.snapshots.write_hint(plan.base.id)
        raise


def _remove_changelogs(table: Table, plan: RollbackPlan) -> None:
    if not plan.removed_changelogs:
        return
    left = [i for i in table.changelogs.ids() if i <= plan.target.id]
    if left:
        table.changelogs.write_hint(left[-1])
    else:
        table.changelogs.delete_hint()
    for changelog_id in reversed(plan.removed_changelogs):
        table.changelogs.delete(changelog_id)


def _tags_after(table: Table, plan: RollbackPlan) -> list[str]:
    return [tag.name for tag in table.tags.list() if tag.snapshot.id > plan.target.id]


def _confirmed_tags(plan: RollbackPlan, guard: Guard | None) -> set[str]:
    """Those of the plan, and the guard's own tag on the head."""
    return {*plan.removed_tags, *([] if guard is None else [guard.name])}


def _make_guard(table: Table, plan: RollbackPlan, guard: Guard) -> None:
    """Repeatable: what an interrupted run has made is kept, a half-made branch is made anew."""
    if table.branches.exists(guard.branch) and not _is_complete(table, guard.branch):
        table.branches.delete(guard.branch)
    if not table.branches.exists(guard.branch):
        _create_tag(table, guard.name, plan.base)
        table.branches.create(guard.branch, from_tag=guard.name)
    try:
        _create_tag(table, guard.target_tag, plan.target)
    except NotFoundError as error:
        raise _target_gone(plan) from error


def _is_complete(table: Table, branch: str) -> bool:
    """The snapshot is the last thing a new branch gets."""
    head = table.with_branch(branch)
    snapshot = head.snapshots.latest()
    return snapshot is not None and snapshot.schema_id in head.schemas.ids()


def _create_tag(table: Table, name: str, snapshot: Snapshot) -> None:
    try:
        create_kept_tag(table, Tag(name, snapshot))
    except AlreadyExistsError:
        found = table.tags.get(name).snapshot
        if found.identity != snapshot.identity:
            raise
