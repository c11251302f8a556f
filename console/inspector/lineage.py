"""When a data file came and went, as far as the kept snapshots tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from console.api.errors import Problem
from console.inspector.cache import in_parallel, loaded
from console.inspector.changes import delta, describe
from console.inspector.live import live_files, rows_of
from console.inspector.opening import OpenTable
from console.inspector.reach import Reach, changelog_list, shown
from console.inspector.snapshots import MOST_SEARCHED, committed_at
from core.errors import PaimonError
from core.io import MAIN_BRANCH
from core.manifest import EntryColumns
from core.snapshot import Snapshot, Tag, UnreadableSnapshot

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_AT_ONCE = 32  # commits whose changes are read together


def trace(opened: OpenTable, name: str) -> dict[str, Any]:
    """Born in, removed in, made from, held by; and what of each branch leads to the file.

    Raises:
        Problem: `not-found`, if nothing that is kept knows the file.
    """
    ids = opened.table.snapshots.ids()[-MOST_SEARCHED:]
    life = _search(opened, ids, name)
    own = _reach(opened, name, life)
    others = [_reach(view, name, _search(view, _ids(view), name)) for view in _other_branches(opened)]
    reached = [found for found in (own, *others) if found is not None]
    if not reached and life == _Life():
        raise Problem("not-found", kind="file", name=name)
    return {
        "name": name,
        "born": _commit(life.born),
        "removed": _commit(life.removed),
        "inputs": _inputs(opened, life.births, name) if life.births is not None else [],
        "held_by": {"tags": own.tags if own else [], "snapshots": len(own.snapshots) if own else 0},
        "reached_from": shown(reached),
        "searched_from": ids[0] if ids else None,
        "searched_to": ids[-1] if ids else None,
    }


def births(opened: OpenTable, at: Snapshot, names: list[str]) -> dict[str, dict[str, Any] | None]:
    """The commit of each file that is live at the snapshot; a file whose commit is not kept is left out."""
    missing = pa.array(names, pa.string())
    found: dict[str, dict[str, Any] | None] = {}
    ids = [i for i in reversed(_ids(opened)) if i <= at.id]
    for start in range(0, len(ids), _AT_ONCE):
        for snapshot, added in in_parallel(lambda i: _added(opened, i), ids[start : start + _AT_ONCE]):
            here = pc.filter(missing, pc.is_in(missing, value_set=added))
            if snapshot is not None and len(here):
                # the newest commit that added it: what added it before was undone
                found |= dict.fromkeys(here.to_pylist(), _commit(snapshot))
                missing = pc.filter(missing, pc.invert(pc.is_in(missing, value_set=added)))
        if not len(missing):
            break
    return found


def _added(opened: OpenTable, snapshot_id: int) -> tuple[Snapshot | None, pa.Array[Any]]:
    """A commit with the files that it brought; those that it only moved to another level left out."""
    try:
        snapshot = opened.table.snapshots.get(snapshot_id)
        entries = delta(opened, snapshot)
    except PaimonError:
        return None, pa.array([], pa.string())  # what this commit did cannot be read
    added, removed = (
        part.column("file_name").combine_chunks() for part in (entries.adds(), entries.deletes())
    )
    return snapshot, added.filter(pc.invert(pc.is_in(added, value_set=removed)))


def _ids(opened: OpenTable) -> list[int]:
    return opened.table.snapshots.ids()[-MOST_SEARCHED:]


def _other_branches(opened: OpenTable) -> Iterator[OpenTable]:
    for branch in (MAIN_BRANCH, *opened.table.branches.names()):
        if branch != opened.branch:
            yield opened.on_branch(branch)


@dataclass(frozen=True, slots=True)
class _Life:
    """The commits of one branch that added and removed a file, as far as they are kept."""

    born: Snapshot | None = None
    removed: Snapshot | None = None
    births: EntryColumns | None = None  # all entries of the commit that added it


def _search(opened: OpenTable, ids: list[int], name: str) -> _Life:
    """Looks through the commits, newest first."""
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
    return _Life(born, removed, births)


def _holds(opened: OpenTable, snapshot: Snapshot, name: str) -> bool:
    """Whether the file is live at the snapshot; not where its manifests cannot be read."""
    try:
        files = live_files(opened, snapshot).table
    except PaimonError:
        return False
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


def _reach(opened: OpenTable, name: str, life: _Life) -> Reach | None:
    """What of one branch leads to the file; None if nothing does."""
    snapshots = _holding(opened, name, life)
    tags = [
        tag.name
        for tag in opened.table.tags.examine()
        if isinstance(tag, Tag) and _holds(opened, tag.snapshot, name)
    ]
    changelogs = sum(_streams(opened, changelog, name) for changelog in opened.table.changelogs.examine())
    return Reach(opened.branch, snapshots, tags, changelogs) if snapshots or tags or changelogs else None


def _holding(opened: OpenTable, name: str, life: _Life) -> list[int]:
    """The kept snapshots that have the file: from its birth, or from the first on, until it is removed."""
    ids = _ids(opened)
    if life.born is None and (not ids or not _holds(opened, opened.table.snapshots.get(ids[0]), name)):
        return []
    first = life.born.id if life.born else 0
    return [i for i in ids if first <= i and (life.removed is None or i < life.removed.id)]


def _streams(opened: OpenTable, changelog: Snapshot | UnreadableSnapshot, name: str) -> bool:
    """Whether who streams from a long-lived changelog reads the file."""
    listed = None if isinstance(changelog, UnreadableSnapshot) else changelog_list(changelog)
    if listed is None:
        return False
    store = opened.table.manifests
    key = ("list-entries", opened.table.location, listed)
    try:
        entries = loaded(
            key,
            lambda: store.read_entries(store.read_list(listed)).adds(),
            size=lambda found: int(found.table.nbytes),
        )
    except PaimonError:
        return False
    return bool(pc.any(pc.equal(entries.column("file_name"), name)).as_py())
