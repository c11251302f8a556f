"""What one snapshot changed: entries of its delta, moves told apart from rewrites. Design: 6.5, 6.6.

A file that is deleted and added again in one commit, under the same name, was lifted to
another level without being rewritten: one row "moved", not a deletion and an addition.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as _pc

from core.inspect.selection import total
from core.manifest import EntryColumns, IndexManifestEntry
from core.snapshot import Snapshot
from core.system.file_stats import key_texts
from core.system.files import file_sources
from core.system.placement import Partitions
from core.table import Table

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time
Texts = npt.NDArray[np.str_]

ADDED, DELETED, MOVED = "added", "deleted", "moved"


@dataclass(frozen=True, slots=True)
class FileTotals:
    files: int
    size: int  # bytes
    rows: int  # physical

    @staticmethod
    def of(entries: EntryColumns) -> FileTotals:
        return FileTotals(len(entries), total(entries, "file_size"), total(entries, "row_count"))


@dataclass(frozen=True, slots=True)
class LevelFlow:
    """Bytes and files that a commit took from a level and put there; moves count on both levels."""

    level: int
    removed_files: int
    removed_size: int
    added_files: int
    added_size: int


@dataclass(frozen=True, slots=True)
class SnapshotChanges:
    """`entries` has a row a file: change (added, deleted, moved), partition, partition_name,
    bucket, level, from_level (of a move), file_name, file_size, row_count, delete_row_count,
    min_key, max_key, file_source, schema_id, creation_time (the writer's wall clock).
    """

    snapshot: str  # reference
    added: FileTotals  # moves left out
    deleted: FileTotals
    moved: FileTotals
    changelog: FileTotals
    partitions: tuple[str, ...]  # path forms of what was touched, sorted
    buckets: int
    level_flow: tuple[LevelFlow, ...]
    first_creation_millis: int | None  # of the added files: the job ran at least since then
    index_added: tuple[IndexManifestEntry, ...]
    index_removed: tuple[IndexManifestEntry, ...]
    entries: pa.Table


def read_changes(table: Table, snapshot: Snapshot) -> SnapshotChanges:
    """The delta of a snapshot. Index changes are empty where its predecessor is gone."""
    delta = table.manifests.delta_entries(snapshot)
    partitions = Partitions.of(table.schema, delta.column("partition"))
    kinds, from_levels = _kinds(delta, partitions)
    added, deleted, moved = (delta.filter(kinds == kind) for kind in (ADDED, DELETED, MOVED))
    buckets = np.unique(np.stack([partitions.codes, delta.numpy("bucket")]), axis=1)
    times = added.column("creation_time")
    index_added, index_removed = _index_changes(table, snapshot)
    return SnapshotChanges(
        snapshot=snapshot.reference,
        added=FileTotals.of(added),
        deleted=FileTotals.of(deleted),
        moved=FileTotals.of(moved),
        changelog=FileTotals.of(table.manifests.changelog_entries(snapshot)),
        partitions=tuple(sorted(set(partitions.names))),
        buckets=buckets.shape[1],
        level_flow=tuple(_level_flow(delta)),
        first_creation_millis=pc.min(times).as_py() if len(added) else None,
        index_added=index_added,
        index_removed=index_removed,
        entries=_rows(table, delta, partitions, kinds, from_levels).filter(pa.array(kinds != "")),
    )


def read_changelog(table: Table, snapshot: Snapshot) -> pa.Table:
    """The changelog files of a snapshot, in the columns of `SnapshotChanges.entries`."""
    entries = table.manifests.changelog_entries(snapshot)
    partitions = Partitions.of(table.schema, entries.column("partition"))
    return _rows(table, entries, partitions, np.full(len(entries), ADDED), pa.nulls(len(entries), pa.int32()))


def _kinds(delta: EntryColumns, partitions: Partitions) -> tuple[Texts, Any]:
    """What happened to the file of each entry, and the level that a move left.

    The DELETE of a move is "": its ADD tells of both.
    """
    names = delta.column("file_name").combine_chunks().dictionary_encode().indices.to_numpy()
    identity = np.stack([partitions.codes, delta.numpy("bucket"), names])
    _, codes = np.unique(identity, axis=1, return_inverse=True)
    codes = codes.reshape(-1)
    is_add, levels = delta.numpy("kind") == 0, delta.numpy("level")
    files = int(codes.max(initial=-1)) + 1
    left = np.full(files, -1, dtype=np.int32)
    left[codes[~is_add]] = levels[~is_add]
    came = np.bincount(codes[is_add], minlength=files) > 0
    lifted = (came & (left >= 0))[codes]
    kinds = np.where(lifted, np.where(is_add, MOVED, ""), np.where(is_add, ADDED, DELETED))
    return kinds, pa.array(left[codes], mask=~(lifted & is_add))


def _rows(
    table: Table,
    entries: EntryColumns,
    partitions: Partitions,
    kinds: Texts,
    from_levels: Any,
) -> pa.Table:
    def copy(name: str) -> Any:
        return entries.column(name).combine_chunks()

    columns: dict[str, Any] = {
        "change": pa.array(kinds, pa.string()),
        "partition": partitions.spread(partitions.texts),
        "partition_name": partitions.spread(partitions.names),
        "bucket": copy("bucket"),
        "level": copy("level"),
        "from_level": from_levels,
        "file_name": copy("file_name"),
        "file_size": copy("file_size"),
        "row_count": copy("row_count"),
        "delete_row_count": copy("delete_row_count"),
        "min_key": key_texts(table.schemas, table.schema, entries, "min_key"),
        "max_key": key_texts(table.schemas, table.schema, entries, "max_key"),
        "file_source": file_sources(copy("file_source")),
        "schema_id": copy("schema_id"),
        "creation_time": copy("creation_time").cast(pa.timestamp("ms")),
    }
    return pa.table(columns)


def _level_flow(delta: EntryColumns) -> Iterator[LevelFlow]:
    """By level, over all entries, moves included."""
    levels, sizes = delta.numpy("level").astype(np.int64), delta.numpy("file_size")
    is_add = delta.numpy("kind") == 0
    for level in np.unique(levels).tolist():
        added, removed = (levels == level) & is_add, (levels == level) & ~is_add
        yield LevelFlow(
            level, int(removed.sum()), int(sizes[removed].sum()), int(added.sum()), int(sizes[added].sum())
        )


def _index_changes(
    table: Table, snapshot: Snapshot
) -> tuple[tuple[IndexManifestEntry, ...], tuple[IndexManifestEntry, ...]]:
    """Table index files that came and went with the snapshot."""
    if not table.snapshots.exists(snapshot.id - 1):
        return (), ()
    before = table.snapshots.get(snapshot.id - 1)
    if before.index_manifest == snapshot.index_manifest:
        return (), ()
    old = {entry.file_name: entry for entry in table.manifests.index_entries(before)}
    new = {entry.file_name: entry for entry in table.manifests.index_entries(snapshot)}
    return (
        tuple(entry for name, entry in new.items() if name not in old),
        tuple(entry for name, entry in old.items() if name not in new),
    )
