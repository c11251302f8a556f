"""Manifest entries as lists show them: what a commit added and deleted, and what a manifest holds.

Of index files a snapshot names all that there are, so what a commit did to them is the difference to the
snapshot before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from console.api.columns import page_of_columns
from console.api.errors import Problem
from console.api.listing import Listing, ListQuery, Page, page_of_rows
from console.inspector.cache import loaded
from console.inspector.live import describe_entries, rows_of
from console.inspector.manifests import index_file, standing
from console.inspector.opening import OpenTable
from console.inspector.pinning import resolve_id
from core.manifest import EntryColumns
from core.snapshot import Snapshot

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_CHANGES = pa.array(["added", "deleted", "moved"])
_ADDED, _DELETED, _MOVED = 0, 1, 2


def page(opened: OpenTable, snapshot: Snapshot, which: str, listing: Listing, query: ListQuery) -> Page:
    """A page of the entries of a commit's delta or changelog list.

    A file that was removed at one level and added at another without being rewritten is one row.
    """
    entries = delta(opened, snapshot) if which == "delta" else changelog(opened, snapshot)
    return _page(opened, entries, listing, query, snapshot.reference, join_moves=True)


def page_of_manifest(
    opened: OpenTable, name: str, live_at: str | None, listing: Listing, query: ListQuery
) -> Page:
    """A page of one manifest's entries: as they stand, or only those that are live at a snapshot.

    Raises:
        Problem: `not-found` for what is no manifest's name; as `resolve_id`.
    """
    if not name.startswith("manifest-") or "/" in name or name.startswith("manifest-list-"):
        raise Problem("not-found", kind="manifest", name=name)
    key = ("manifest", opened.table.location, name)
    entries = loaded(key, lambda: opened.table.manifests.read_entries([name]), size=_size)
    snapshot = resolve_id(opened, live_at) if live_at else None
    stands = standing(opened, snapshot, name) if snapshot else None
    if stands is not None:
        entries = entries.filter(stands)
    return _page(opened, entries, listing, query, snapshot.reference if snapshot else "", join_moves=False)


def index_page(opened: OpenTable, snapshot: Snapshot, listing: Listing, query: ListQuery) -> Page:
    """A page of the index files that a commit added and removed: deletion vectors, hash and global indexes.

    Raises:
        Problem: `snapshot-expired`: the snapshot before is not there to be held against.
    """
    return page_of_rows(_index_changes(opened, snapshot), listing, query, snapshot.reference)


def _index_changes(opened: OpenTable, snapshot: Snapshot) -> Iterator[dict[str, Any]]:
    before = None
    if snapshot.id > 1:  # the first of a table has none before it
        before = resolve_id(opened, str(snapshot.id - 1))
    if before is not None and before.index_manifest == snapshot.index_manifest:
        return
    store = opened.table.manifests
    now = {entry.file_name: entry for entry in store.index_entries(snapshot)}
    was = {entry.file_name: entry for entry in (store.index_entries(before) if before else ())}
    for change, entries, others in (("added", now, was), ("deleted", was, now)):
        for name, entry in entries.items():
            if others.get(name) != entry:
                yield {"change": change, **index_file(opened, entry)}


def delta(opened: OpenTable, snapshot: Snapshot) -> EntryColumns:
    """Exactly the changes of the commit."""
    key = ("delta", *opened.cache_key(snapshot))
    return loaded(key, lambda: opened.table.manifests.delta_entries(snapshot), size=_size)


def changelog(opened: OpenTable, snapshot: Snapshot) -> EntryColumns:
    key = ("changelog", *opened.cache_key(snapshot))
    return loaded(key, lambda: opened.table.manifests.changelog_entries(snapshot), size=_size)


def _size(entries: EntryColumns) -> int:
    return int(entries.table.nbytes)


def _page(
    opened: OpenTable,
    entries: EntryColumns,
    listing: Listing,
    query: ListQuery,
    as_of: str,
    *,
    join_moves: bool,
) -> Page:
    table = describe(opened, entries, join_moves=join_moves)
    rows, found = page_of_columns(table, listing, query, as_of)
    return Page(rows_of(opened, entries, rows), found.next, found.total, as_of or None)


def describe(opened: OpenTable, entries: EntryColumns, *, join_moves: bool) -> pa.Table:
    """The columns of the list, one row a change."""
    described = describe_entries(opened, entries, frozenset())
    table = described.rename_columns(["file" if c == "name" else c for c in described.column_names])
    change, moved_from, kept = _changes(entries, join_moves=join_moves)
    table = table.append_column("change", _CHANGES.take(pa.array(change)))
    table = table.append_column("moved_from_level", moved_from)
    return table.filter(pa.array(kept))


def _changes(entries: EntryColumns, *, join_moves: bool) -> tuple[Any, pa.Array[Any], Any]:
    """The kind of each entry, the level it comes from if it moved, and whether its row is shown."""
    change = entries.numpy("kind").astype(np.int64)
    kept = np.ones(len(entries), dtype=bool)
    levels = np.zeros(len(entries), dtype=np.int32)
    if join_moves and len(entries):
        added, deleted = _moves(entries)
        change[added], kept[deleted] = _MOVED, False
        levels[added] = entries.numpy("level")[deleted]
    return change, pa.array(levels, mask=change != _MOVED), kept


def _moves(entries: EntryColumns) -> tuple[Any, Any]:
    """Positions of an ADD and a DELETE of one file: it went to another level as it is."""
    kinds = entries.numpy("kind")
    places = entries.table.select(["file_name"]).append_column("at", pa.array(np.arange(len(entries))))
    added = places.filter(pa.array(kinds == _ADDED))
    deleted = places.filter(pa.array(kinds == _DELETED)).rename_columns(["file_name", "was"])
    both: Any = added.join(deleted, keys="file_name", join_type="inner")
    return both.column("at").to_numpy(), both.column("was").to_numpy()


def level_flow(entries: EntryColumns) -> list[dict[str, int]]:
    """For each level, the files, bytes and rows that a commit removed from it and added to it."""
    sums = (
        entries.table.select(["kind", "level", "file_size", "row_count"])
        .group_by(["level", "kind"])
        .aggregate([("file_size", "sum"), ("file_size", "count"), ("row_count", "sum")])
        .to_pylist()
    )
    flow: dict[int, dict[str, int]] = {}
    for row in sums:
        level = flow.setdefault(row["level"], dict.fromkeys(_FLOW, 0))
        word = "added" if row["kind"] == _ADDED else "removed"
        level[f"files_{word}"], level[f"bytes_{word}"] = row["file_size_count"], row["file_size_sum"]
        level[f"rows_{word}"] = row["row_count_sum"]
    return [{"level": level, **flow[level]} for level in sorted(flow)]


_FLOW = ("files_removed", "bytes_removed", "rows_removed", "files_added", "bytes_added", "rows_added")


def touched(opened: OpenTable, entries: EntryColumns) -> tuple[list[str], int]:
    """The partitions that entries are of, and in how many buckets."""
    pairs = entries.table.select(["partition", "bucket"])
    buckets = pairs.group_by(["partition", "bucket"]).aggregate([])
    labels: list[Any] = opened.labels.partitions(pc.unique(buckets.column("partition"))).to_pylist()
    return sorted(labels), len(buckets)
