"""Removes files that nothing reaches: what crashes, aborted jobs and rollbacks left. Spec: 08, 12.

A file may go if it is older than any job that could still commit it (the safety age), lies where
only the table's own files lie, and has a name that no snapshot, tag or long-lived changelog of any
branch reaches. Paimon keeps whatever a manifest mentions, if only as deleted; we keep what can be read.

    manifest/ index/ statistics/              every file
    [data directory/] k=v/.../bucket-n/       every file, at as many levels as there are partition keys
    snapshot/ changelog/ of each branch       what is neither one of these nor a hint
    schema/ tag/ consumer/ of each branch     the hidden files in which their files are written first
    roots of data-file.external-paths         bucket folders, only if asked for: tables may share a root
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import pyarrow as pa

from core.errors import FormatError, InvalidRequestError, NotFoundError
from core.io import FileStatus
from core.maintenance.notice import Notice, refuse_blocked
from core.maintenance.reach import (
    FileRole,
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

_BATCH = 10_000  # files of the listing at once
_HIDDEN = r"\.[^/]+\.tmp"
_BRANCH = r"(?:branch/branch-[^/]+/)?"
_HASHED = r"(?:[01]+/)*"  # the folders of strategy entropy-inject


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
) -> OrphanPlan:
    """The files that could be removed: the dry run.

    Args:
        table: the table, whatever branch it is seen from.
        now_millis: epoch milliseconds.
        older_than_millis: epoch milliseconds; younger files stay. By default a day ago.
        external_paths: whether the roots of `data-file.external-paths` are looked through, too.
            Only where no other table writes there: its files would be orphans of this one.

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
    old = _old_files(table, limit, external_paths)
    try:
        files = old.without(reached_names(table, roots.found, old.names))
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


def _old_files(table: Table, limit: int, external_paths: bool) -> NamedFiles:
    """All files that may be orphans, told by place and age alone."""
    inside = _places(table)
    parts = list(_in_tree(table, table.location, inside, limit))
    if external_paths:
        outside = [(re.compile(f"{_data_folder(table)}{_bucket_files(table)}{_HASHED}[^/]+"), FileRole.DATA)]
        for root in table.options.get(DATA_FILE_EXTERNAL_PATHS):
            parts += _in_tree(table, root.rstrip("/"), outside, limit)
    return NamedFiles(pa.concat_tables([NamedFiles.none().table, *(part.table for part in parts)]))


def _places(table: Table) -> list[tuple[re.Pattern[str], FileRole]]:
    """What may be cleaned, as patterns of paths below the table; the first that fits counts."""
    kept = r"(?!(?:snapshot|changelog)-\d+$|EARLIEST$|LATEST$)"
    return [
        (re.compile("manifest/[^/]+"), FileRole.MANIFEST),
        (re.compile("index/[^/]+"), FileRole.INDEX),
        (re.compile("statistics/[^/]+"), FileRole.STATISTICS),
        (re.compile(f"{_BRANCH}(?:snapshot|changelog)/{kept}[^/]+"), FileRole.TEMPORARY),
        (re.compile(f"{_BRANCH}(?:schema|tag|consumer)/{_HIDDEN}"), FileRole.TEMPORARY),
        (re.compile(f"{_data_folder(table)}{_bucket_files(table)}[^/]+"), FileRole.DATA),
    ]


def _data_folder(table: Table) -> str:
    data = table.paths.data_root.removeprefix(table.location).lstrip("/")
    return f"{re.escape(data)}/" if data else ""


def _bucket_files(table: Table) -> str:
    levels = len(table.schema.partition_keys)
    return f"(?:[^/=]+=[^/]+/){{{levels}}}bucket-[^/]+/"


def _in_tree(
    table: Table, root: str, places: Iterable[tuple[re.Pattern[str], FileRole]], limit: int
) -> Iterator[NamedFiles]:
    """The old files of a tree that lie in one of the places, a batch of the listing at a time."""
    tree = table.io.iter_tree(root)
    while batch := list(islice(tree, _BATCH)):
        yield _fitting(batch, root, places, limit)


def _fitting(
    batch: Iterable[FileStatus], root: str, places: Iterable[tuple[re.Pattern[str], FileRole]], limit: int
) -> NamedFiles:
    rows = []
    for status in batch:
        if status.modified_millis >= limit:
            continue
        below = status.path.removeprefix(f"{root}/")
        role = next((role for pattern, role in places if pattern.fullmatch(below)), None)
        if role is not None:
            rows.append((role.value, below.rpartition("/")[2], status.path, status.size))
    return NamedFiles.of_rows(rows)
