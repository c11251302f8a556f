"""Makes the head of a branch the head of main. Spec: 08, 9; 10, 3.

Theory. Main and the branch share snapshots up to some point. Main is rewound to it as by a rollback,
then gets what the branch has beyond: schemas, then snapshots, oldest first, then tags. At any moment
main stands at one of its own snapshots or at one of the branch's, and what was interrupted is
finished by planning and applying it again: the point that both share has moved on by then.

Paimon deletes and copies from the branch's first snapshot on, which ends in the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import (
    CommitConflictError,
    InvalidRequestError,
    NotFoundError,
    PaimonError,
    UnsupportedError,
)
from core.io import MAIN_BRANCH
from core.maintenance.notice import Notice, refuse_blocked
from core.maintenance.rollback import apply_rollback
from core.maintenance.rollback_plan import RollbackPlan, plan_rollback
from core.snapshot import Snapshot, Tag
from core.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class FastForwardPlan:
    branch: str
    rewind: RollbackPlan | None  # of main, to the last snapshot that both have; None: main has none
    removed_schemas: tuple[int, ...]  # of main, which the branch has otherwise or not at all
    copied_schemas: tuple[int, ...]
    copied_snapshots: tuple[Snapshot, ...]  # oldest first
    copied_tags: tuple[Tag, ...]
    blockers: tuple[Notice, ...] = ()
    warnings: tuple[Notice, ...] = ()

    @property
    def head(self) -> Snapshot | None:
        """Where main will stand."""
        if self.copied_snapshots:
            return self.copied_snapshots[-1]
        return self.rewind.target if self.rewind else None

    @property
    def history(self) -> tuple[str, ...]:
        """References of where an unfinished run may stand."""
        rewound = self.rewind.history if self.rewind else ()
        return (*rewound, *(snapshot.reference for snapshot in self.copied_snapshots))


def plan_fast_forward(table: Table, branch: str, *, now_millis: int | None = None) -> FastForwardPlan:
    """What main would lose, and what it would get.

    Args:
        table: the table, seen from main.
        branch: with at least one snapshot, founded on main.
        now_millis: epoch milliseconds; without it no writer counts as recent.

    Raises:
        NotFoundError: there is no such branch, or it has no snapshot.
        InvalidRequestError: main is named.
        UnsupportedError: the table is seen from a branch.
    """
    if branch == MAIN_BRANCH:
        raise InvalidRequestError("main cannot be fast-forwarded to itself", branch=branch)
    if table.branch != MAIN_BRANCH:
        raise UnsupportedError("only main can be fast-forwarded", feature="fast-forward of a branch")
    source = table.with_branch(branch)
    theirs = list(source.snapshots.iter_all())
    if not theirs:
        raise NotFoundError("the branch has no snapshot", branch=branch)
    latest = table.snapshots.latest()
    shared = _last_shared(table, theirs)
    if shared is None and latest is not None:
        notice = Notice("unrelated-history", {"branch": branch, "first": theirs[0].id, "latest": latest.id})
        return _blocked(branch, notice)
    rewind = plan_rollback(table, shared.id, now_millis=now_millis) if shared and latest else None
    own, other = table.schemas.ids(), source.schemas.ids()
    alike = {i for i in own if i in other and _same_schema(table, source, i)}
    removed = [i for i in own if i not in alike and i > (-1 if shared is None else shared.schema_id)]
    tags = [tag for tag in source.tags.list() if not _has_tag(table, tag)]
    return FastForwardPlan(
        branch=branch,
        rewind=rewind,
        removed_schemas=tuple(removed),  # what stays of main needs none of them
        copied_schemas=tuple(i for i in other if i not in own or i in removed),
        copied_snapshots=tuple(s for s in theirs if shared is None or s.id > shared.id),
        copied_tags=tuple(tags),
        blockers=(*_of_rewind(rewind), *_taken(table, rewind, tags)),
        warnings=tuple(Notice(code) for code in rewind.warnings) if rewind else (),
    )


def apply_fast_forward(table: Table, plan: FastForwardPlan) -> Snapshot:
    """The snapshot at which main stands afterwards.

    Raises:
        InvalidRequestError: the plan has blockers.
        CommitConflictError: main or the branch has moved since the plan.
    """
    refuse_blocked("the fast-forward", plan.blockers)
    source = table.with_branch(plan.branch)
    head, found = plan.head, source.snapshots.latest()
    if head is None or found is None or head.identity != found.identity:
        raise CommitConflictError("the branch has moved since the plan", branch=plan.branch)
    _check_not_expired(source, plan)
    if plan.rewind is not None:
        apply_rollback(table, plan.rewind)
    elif table.snapshots.latest_id() is not None:
        raise CommitConflictError("main has moved since the plan", latest=table.snapshots.latest_id())
    for schema_id in reversed(plan.removed_schemas):
        table.io.delete(table.paths.schema_file(schema_id))
    for schema_id in plan.copied_schemas:
        content = table.io.read(source.paths.schema_file(schema_id))
        table.io.create(table.paths.schema_file(schema_id), content)
    for snapshot in plan.copied_snapshots:
        table.snapshots.create(snapshot)
        table.snapshots.write_hint(snapshot.id)
        _check_not_expired(source, plan)
    for tag in plan.copied_tags:
        table.tags.create(tag)
    return head


def _check_not_expired(source: Table, plan: FastForwardPlan) -> None:
    """A copy of what an expiration of the branch has taken since the plan would lack its files."""
    there = set(source.snapshots.ids())
    gone = [snapshot.reference for snapshot in plan.copied_snapshots if snapshot.id not in there]
    if gone:
        raise CommitConflictError(
            "snapshots of the branch have expired since the plan", branch=plan.branch, snapshot=gone[0]
        )


def _last_shared(table: Table, theirs: list[Snapshot]) -> Snapshot | None:
    """The newest snapshot of the branch that main has, too, perhaps only in a tag."""
    held = {tag.snapshot.identity for tag in table.tags.list()}
    found = None
    for snapshot in theirs:
        if not (_is_in(table, snapshot) or (found is None and snapshot.identity in held)):
            break
        found = snapshot
    return found


def _is_in(table: Table, snapshot: Snapshot) -> bool:
    try:
        return table.snapshots.get(snapshot.id).identity == snapshot.identity
    except PaimonError:
        return False


def _same_schema(table: Table, source: Table, schema_id: int) -> bool:
    own, other = (view.paths.schema_file(schema_id) for view in (table, source))
    return table.io.read(own) == table.io.read(other)


def _has_tag(table: Table, tag: Tag) -> bool:
    return table.tags.exists(tag.name) and table.tags.get(tag.name) == tag


def _of_rewind(rewind: RollbackPlan | None) -> tuple[Notice, ...]:
    if rewind is None or not rewind.blockers:
        return ()
    missing = rewind.missing_files
    return (Notice("missing-files", {"files": len(missing), "path": missing[0]}),)


def _taken(table: Table, rewind: RollbackPlan | None, tags: list[Tag]) -> list[Notice]:
    """Tags of the branch whose name main has for another snapshot, and keeps."""
    gone = rewind.removed_tags if rewind else ()
    return [
        Notice("tag-exists", {"tag": t.name})
        for t in tags
        if t.name in table.tags.names() and t.name not in gone
    ]


def _blocked(branch: str, notice: Notice) -> FastForwardPlan:
    return FastForwardPlan(
        branch=branch,
        rewind=None,
        removed_schemas=(),
        copied_schemas=(),
        copied_snapshots=(),
        copied_tags=(),
        blockers=(notice,),
    )
