"""Removes files that nothing reaches: what crashes, aborted jobs and rollbacks left. Spec: 08, 12.

A file may go if it is older than any job that could still commit it (the safety age), lies where
only the table's own files lie, and has a name that no snapshot, tag or long-lived changelog of any
branch reaches. Paimon keeps whatever a manifest mentions, if only as deleted; we keep what can be read.
`orphan_places` tells the places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.errors import FormatError, InvalidRequestError, NotFoundError
from core.maintenance.notice import Notice, refuse_blocked
from core.maintenance.orphan_places import OrphanFolder, old_files, orphan_roots
from core.maintenance.reach import (
    NamedFiles,
    Progress,
    Roots,
    delete_empty_directories,
    delete_files,
    no_progress,
    reached_names,
)
from core.options import DATA_FILE_EXTERNAL_PATHS
from core.table import Table

SAFETY_AGE_MILLIS = 24 * 3_600_000
"""How old a file is at least, unless told otherwise: jobs may run for so long before they commit."""

_NAMES_AT_ONCE = 1_000_000  # old files that are looked up together: all manifests are read for them


@dataclass(frozen=True, slots=True, kw_only=True)
class OrphanPlan:
    """Files of one table that nothing reaches."""

    older_than_millis: int  # epoch milliseconds
    files: NamedFiles
    blockers: tuple[Notice, ...] = ()
    warnings: tuple[Notice, ...] = ()


def plan_remove_orphans(
    table: Table,
    *,
    now_millis: int,
    older_than_millis: int | None = None,
    external_paths: bool = False,
    listed: Callable[[Table, Sequence[OrphanFolder], int], Iterable[NamedFiles]] = old_files,
) -> OrphanPlan:
    """The files that could be removed: the dry run.

    Args:
        table: the table, whatever branch it is seen from.
        now_millis: epoch milliseconds.
        older_than_millis: epoch milliseconds; younger files stay. By default a day ago.
        external_paths: whether the roots of `data-file.external-paths` are looked through, too.
            Only where no other table writes there: its files would be orphans of this one.
        listed: lists the old files of folders, in parts; others than this process may do it. A million
            names and what is orphaned are all that is held.

    Raises:
        InvalidRequestError: the age limit is not in the past.
    """
    limit = now_millis - SAFETY_AGE_MILLIS if older_than_millis is None else older_than_millis
    if limit >= now_millis:
        raise InvalidRequestError(
            "files must be older than a time in the past", older_than=limit, now=now_millis
        )
    warnings = _warnings(table, now_millis, limit, external_paths)
    roots = Roots.of(table)
    blockers = (*roots.unreadable, *_branches_without_schema(table))
    if blockers:
        return OrphanPlan(
            older_than_millis=limit, files=NamedFiles.none(), blockers=blockers, warnings=warnings
        )
    parts = listed(table, orphan_roots(table, external_paths), limit)
    try:
        found = [
            old.without(reached_names(table, roots.found, old.names))
            for old in _joined(parts, _NAMES_AT_ONCE)
        ]
        files = NamedFiles.joined(found)
    except (NotFoundError, FormatError) as error:
        blockers = (Notice.of_error("unreadable-reference", error),)
        files = NamedFiles.none()
    return OrphanPlan(older_than_millis=limit, files=files, blockers=blockers, warnings=warnings)


def apply_remove_orphans(
    table: Table,
    plan: OrphanPlan,
    *,
    progress: Progress = no_progress,
    delete: Callable[[Table, Sequence[str], Progress], None] = delete_files,
) -> NamedFiles:
    """The files that were removed: those of the plan that are still reached by nothing.

    Args:
        table: the table that the plan is of.
        plan: what it names and what is gone already is passed over.
        progress: called after each file.
        delete: deletes files by their paths; others than this process may do it.

    Raises:
        InvalidRequestError: the plan has blockers.
        NotFoundError, FormatError: metadata cannot be read; nothing was removed.
    """
    refuse_blocked("the removal of orphan files", plan.blockers)
    roots = Roots.of(table)
    refuse_blocked("the removal of orphan files", roots.unreadable)
    gone = plan.files.without(reached_names(table, roots.found, plan.files.names))
    delete(table, gone.paths, progress)
    delete_empty_directories(table, gone.paths)
    return gone


def _warnings(table: Table, now: int, limit: int, external_paths: bool) -> tuple[Notice, ...]:
    found = []
    if now - limit < SAFETY_AGE_MILLIS:
        found.append(Notice("young-limit", {"age_millis": now - limit, "safe_millis": SAFETY_AGE_MILLIS}))
    for root in table.options.get(DATA_FILE_EXTERNAL_PATHS) if not external_paths else ():
        found.append(Notice("external-path-left", {"path": root}))
    return tuple(found)


def _branches_without_schema(table: Table) -> Iterator[Notice]:
    """A branch that is being made: what it will need is not known yet."""
    for name in table.branches.names():
        try:
            whole = bool(table.with_branch(name).schemas.ids())
        except NotFoundError:
            continue  # deleted meanwhile
        if not whole:
            yield Notice("branch-without-schema", {"branch": name})


def _joined(parts: Iterable[NamedFiles], least: int) -> Iterator[NamedFiles]:
    """The parts, as many together as have so many files."""
    gathered: list[NamedFiles] = []
    for part in parts:
        gathered.append(part)
        if sum(map(len, gathered)) >= least:
            yield NamedFiles.joined(gathered)
            gathered = []
    if gathered:
        yield NamedFiles.joined(gathered)
