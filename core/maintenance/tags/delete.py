"""Deletes tags, and the files that only they held. Spec: 08, 8.

The tag goes first, then what anything else still reaches is searched for, then its other files go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import CommitConflictError, NotFoundError
from core.maintenance.expire.plan import gather, live_files
from core.maintenance.notice import Notice, refuse_blocked
from core.maintenance.reach import (
    NamedFiles,
    Progress,
    RootKind,
    Roots,
    delete_unreached,
    metadata_files,
    no_progress,
    would_go,
)
from core.options import TAG_CREATE_SUCCESS_FILE
from core.snapshot import Tag
from core.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteTagsPlan:
    tags: tuple[Tag, ...]
    named: NamedFiles  # what only the tags may hold
    files: NamedFiles  # what goes, as far as was known when the plan was made
    blockers: tuple[Notice, ...] = ()
    warnings: tuple[Notice, ...] = ()

    @property
    def changes_nothing(self) -> bool:
        return not self.tags


def plan_delete_tags(table: Table, names: Sequence[str]) -> DeleteTagsPlan:
    """Which files would go with some tags. Names that are not there are passed over.

    A tag on which a branch was founded is a warning: what the branch shares with it stays here, but
    not where Java Paimon expires snapshots, which does not look at branches.

    Raises:
        FormatError, StorageError: one of the tags cannot be read.
    """
    roots = Roots.of(table)
    wanted = set(names)
    found = {r.name: r for r in roots.found if r.kind is RootKind.TAG and r.branch == table.branch}
    there = {name for name in wanted if name in found or table.tags.exists(name)}
    tags = tuple(map(table.tags.get, sorted(there)))
    gathered = gather(
        part
        for tag in tags
        for part in (
            lambda tag=tag: live_files(table, tag.snapshot),
            lambda tag=tag: metadata_files(table, tag.snapshot),
        )
    )
    staying = roots.without(RootKind.TAG, table.branch, wanted)
    files, blockers = would_go(table, gathered.named, roots, staying) if tags else (NamedFiles.none(), ())
    return DeleteTagsPlan(
        tags=tags,
        named=gathered.named,
        files=files,
        blockers=blockers,
        warnings=(*_founded(table, tags), *gathered.warnings),
    )


def apply_delete_tags(table: Table, plan: DeleteTagsPlan, *, progress: Progress = no_progress) -> NamedFiles:
    """The files that were deleted.

    Raises:
        InvalidRequestError: the plan has blockers.
        CommitConflictError: one of the tags was replaced since the plan.
        NotFoundError, FormatError: something that stays cannot be read; the tags are gone.
    """
    refuse_blocked("the deletion", plan.blockers)
    if plan.changes_nothing:
        return NamedFiles.none()
    for tag in plan.tags:
        _check_fresh(table, tag)
    for tag in plan.tags:
        table.tags.delete(tag.name)
        if table.options.get(TAG_CREATE_SUCCESS_FILE):
            table.tags.delete_success_file(tag.name)
    return delete_unreached(table, plan.named, progress)


def _check_fresh(table: Table, tag: Tag) -> None:
    try:
        found = table.tags.get(tag.name)
    except NotFoundError:
        return  # deleted since
    if found.snapshot.identity != tag.snapshot.identity:
        raise CommitConflictError(
            "the tag was replaced since the plan",
            tag=tag.name,
            base=tag.snapshot.reference,
            winner=found.snapshot.reference,
        )


def _founded(table: Table, tags: Sequence[Tag]) -> list[Notice]:
    found = []
    for branch in table.branches.names():
        if branch == table.branch:
            continue
        names = table.with_branch(branch).tags.names()
        found += [
            Notice("branch-founded-by-tag", {"tag": t.name, "branch": branch})
            for t in tags
            if t.name in names
        ]
    return found
