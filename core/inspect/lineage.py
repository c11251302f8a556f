"""Where a data file came from, what became of it, and what still holds it. Design: 6.8."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow.compute as _pc

from core.errors import NotFoundError
from core.io import MAIN_BRANCH
from core.manifest import DataFileMeta, EntryColumns
from core.snapshot import CommitKind, Snapshot
from core.table import Table

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


@dataclass(frozen=True, slots=True)
class FileLineage:
    """The life of one file, as far as kept snapshots tell it."""

    file: DataFileMeta
    born_in: str | None  # reference; None: before the earliest kept snapshot
    born_kind: CommitKind | None
    inputs: tuple[str, ...]  # files that the same commit removed from the bucket, if it compacted
    levels: tuple[tuple[str, int], ...]  # (snapshot, level) of each move without rewriting
    removed_in: str | None  # reference; None: it is live, or expired with its snapshot
    snapshots: tuple[int, ...]  # ids that hold it
    tags: tuple[str, ...]  # tags that hold it
    branches: tuple[str, ...]  # branches whose latest snapshot holds it


def trace_file(table: Table, file_name: str) -> FileLineage:
    """The lineage of a data file, from the deltas of all kept snapshots.

    Raises:
        NotFoundError: no kept snapshot or tag knows the file.
    """
    snapshots = list(table.snapshots.iter_all())
    mentions = [(s, _named(table.manifests.delta_entries(s), file_name)) for s in snapshots]
    mentions = [(s, entries) for s, entries in mentions if len(entries)]
    before_all = bool(snapshots) and _holds(table, snapshots[0], file_name)
    tags = tuple(tag.name for tag in table.tags.list() if _holds(table, tag.snapshot, file_name))
    born = _born(mentions)
    removed = next((s for s, entries in reversed(mentions) if not len(entries.adds())), None)
    return FileLineage(
        file=_meta(table, snapshots, mentions, file_name, tags),
        born_in=born.reference if born else None,
        born_kind=born.commit_kind if born else None,
        inputs=_inputs(table, born, file_name),
        levels=tuple(_moves(mentions)),
        removed_in=removed.reference if removed else None,
        snapshots=_span(snapshots, born, removed, before_all),
        tags=tags,
        branches=tuple(_branches(table, file_name)),
    )


def _named(entries: EntryColumns, name: str) -> EntryColumns:
    return entries.filter(pc.equal(entries.column("file_name"), name))


def _holds(table: Table, snapshot: Snapshot, name: str) -> bool:
    return len(_named(table.manifests.live_entries(snapshot), name)) > 0


def _born(mentions: list[tuple[Snapshot, EntryColumns]]) -> Snapshot | None:
    """The commit that wrote the file: the first to mention it, unless it deletes it too (a move)."""
    if not mentions or len(mentions[0][1].deletes()):
        return None
    return mentions[0][0]


def _span(
    snapshots: list[Snapshot], born: Snapshot | None, removed: Snapshot | None, before_all: bool
) -> tuple[int, ...]:
    if born is None and not before_all:
        return ()
    first = born.id if born else 0
    return tuple(s.id for s in snapshots if s.id >= first and (removed is None or s.id < removed.id))


def _moves(mentions: list[tuple[Snapshot, EntryColumns]]) -> Iterator[tuple[str, int]]:
    for snapshot, entries in mentions:
        if len(entries.deletes()) and len(entries.adds()):
            yield snapshot.reference, int(entries.adds().numpy("level")[0])


def _inputs(table: Table, born: Snapshot | None, name: str) -> tuple[str, ...]:
    """What a compaction removed from the file's bucket, files that it only lifted left out."""
    if born is None or born.commit_kind is not CommitKind.COMPACT:
        return ()
    delta = table.manifests.delta_entries(born)
    mine = _named(delta, name)
    same = pc.and_(
        pc.equal(delta.column("partition"), mine.column("partition")[0]),
        pc.equal(delta.column("bucket"), mine.column("bucket")[0]),
    )
    bucket = delta.filter(same)
    lifted = set(bucket.adds().column("file_name").to_pylist())
    names = bucket.deletes().column("file_name").to_pylist()
    return tuple(str(gone) for gone in names if gone not in lifted)


def _meta(
    table: Table,
    snapshots: list[Snapshot],
    mentions: list[tuple[Snapshot, EntryColumns]],
    name: str,
    tags: tuple[str, ...],
) -> DataFileMeta:
    """The newest entry of the file."""
    if mentions:
        return mentions[-1][1].file(len(mentions[-1][1]) - 1)
    holders = [*snapshots[:1], *(table.tags.get(tag).snapshot for tag in tags)]
    for snapshot in holders:
        entries = _named(table.manifests.live_entries(snapshot), name)
        if len(entries):
            return entries.file(0)
    raise NotFoundError("no kept snapshot or tag knows this file", table=str(table.identifier), file=name)


def _branches(table: Table, name: str) -> Iterator[str]:
    for branch in (MAIN_BRANCH, *table.branches.names()):
        latest = table.with_branch(branch).snapshots.latest()
        if latest is not None and _holds(table, latest, name):
            yield branch
