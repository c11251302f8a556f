"""When a data file came and went, as far as the kept snapshots tell."""

from __future__ import annotations

from typing import Any

import pyarrow.compute as _pc

from console.api.errors import Problem
from console.inspector.changes import delta, describe
from console.inspector.live import live_files, rows_of
from console.inspector.opening import OpenTable
from console.inspector.snapshots import committed_at
from core.errors import PaimonError
from core.manifest import EntryColumns
from core.snapshot import Snapshot, Tag

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

MOST_SEARCHED = 2000  # commits, newest first


def trace(opened: OpenTable, name: str) -> dict[str, Any]:
    """Born in, removed in, made from, held by.

    Raises:
        Problem: `not-found`, if no kept snapshot or tag knows the file.
    """
    ids = opened.table.snapshots.ids()[-MOST_SEARCHED:]
    born, removed, births = _search(opened, ids, name)
    tags = _tags_holding(opened, name)
    if born is None and removed is None and not tags and not _is_live(opened, ids, name):
        raise Problem("not-found", kind="file", name=name)
    return {
        "name": name,
        "born": _commit(born),
        "removed": _commit(removed),
        "inputs": _inputs(opened, births, name) if births is not None else [],
        "held_by": {"tags": tags, "snapshots": _holding(ids, born, removed)},
        "searched_from": ids[0] if ids else None,
        "searched_to": ids[-1] if ids else None,
    }


def _search(
    opened: OpenTable, ids: list[int], name: str
) -> tuple[Snapshot | None, Snapshot | None, EntryColumns | None]:
    """The commits that added and removed the file, newest first, and the entries of its birth."""
    born = removed = births = None
    for snapshot_id in reversed(ids):
        try:
            snapshot = opened.table.snapshots.get(snapshot_id)
            entries = delta(opened, snapshot)
        except PaimonError:
            continue  # what this commit did cannot be read; others may tell
        named = entries.filter(pc.equal(entries.column("file_name"), name))
        kinds = set(named.column("kind").to_pylist())
        if kinds == {1} and removed is None:
            removed = snapshot
        if kinds == {0}:
            born, births = snapshot, entries
            break
    return born, removed, births


def _is_live(opened: OpenTable, ids: list[int], name: str) -> bool:
    """Whether the oldest searched snapshot has the file: it was born before."""
    if not ids:
        return False
    files = live_files(opened, opened.table.snapshots.get(ids[0])).table
    return bool(pc.any(pc.equal(files.column("name"), name)).as_py())


def _commit(snapshot: Snapshot | None) -> dict[str, Any] | None:
    if snapshot is None:
        return None
    return {
        "id": snapshot.id,
        "ref": snapshot.reference,
        "kind": snapshot.commit_kind.value.lower(),
        "committed_at": committed_at(snapshot),
    }


def _inputs(opened: OpenTable, births: EntryColumns, name: str) -> list[dict[str, Any]]:
    """What the commit that added the file removed from its bucket."""
    table = describe(opened, births, join_moves=False)
    born = table.filter(
        pc.and_(pc.equal(table.column("file"), name), pc.equal(table.column("change"), "added"))
    )
    partition, bucket = born.column("partition")[0], born.column("bucket")[0]
    same = pc.and_(pc.equal(table.column("partition"), partition), pc.equal(table.column("bucket"), bucket))
    removed = table.filter(pc.and_(same, pc.equal(table.column("change"), "deleted")))
    return rows_of(opened, births, removed)


def _holding(ids: list[int], born: Snapshot | None, removed: Snapshot | None) -> int:
    """The kept snapshots that have the file."""
    first = born.id if born else ids[0] if ids else 0
    last = removed.id - 1 if removed else ids[-1] if ids else -1
    return sum(1 for i in ids if first <= i <= last)


def _tags_holding(opened: OpenTable, name: str) -> list[str]:
    holding = []
    for tag in opened.table.tags.examine():
        if not isinstance(tag, Tag):
            continue
        try:
            files = live_files(opened, tag.snapshot).table
        except PaimonError:
            continue  # a tag whose manifests are gone holds nothing that can be shown
        if pc.any(pc.equal(files.column("name"), name)).as_py():
            holding.append(tag.name)
    return holding
