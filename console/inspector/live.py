"""The live files of a snapshot as columns, with what lists show of them; cached by identity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from console.api.errors import Problem
from console.api.waiting import progress
from console.inspector.cache import cache, in_parallel, loaded
from console.inspector.keeping import CHECKPOINT_EVERY, LEAST_FILES, KeepingIO, keeper_of, names_and_sizes
from console.inspector.opening import OpenTable
from core.errors import PaimonError
from core.manifest import EntryColumns, IndexManifestEntry
from core.snapshot import Snapshot

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

DELETION_VECTORS = "DELETION_VECTORS"
_SOURCES = pa.array(["append", "compact"])
_MOST_CHUNKS = 100  # of commits that follow one another and share the memory of what was before
_POINTER_SIZE = 200  # bytes, about, of the note which live files were loaded last


@dataclass(frozen=True)
class LiveFiles:
    """`table` has one row an entry of `entries`, columns named as the API names them."""

    entries: EntryColumns
    indexes: tuple[IndexManifestEntry, ...]
    table: pa.Table
    index_error: PaimonError | None = None  # why the index manifest is not read; vectors are not known then
    manifests: tuple[str, ...] = ()  # whose entries, in this order, say what is live
    on_disk: int = 0  # of how many of them, from the first on, the live files are kept on disk

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def nbytes(self) -> int:
        return int(self.table.nbytes + self.entries.table.nbytes)

    @cached_property
    def vectors(self) -> frozenset[str]:
        """Data files that have a deletion vector."""
        return files_with_vectors(self.indexes)


def live_files(opened: OpenTable, snapshot: Snapshot | None) -> LiveFiles:
    """The live files at a snapshot; none where there is no snapshot.

    Raises:
        StillWorkingError: it takes longer. PaimonError: a manifest is missing or damaged.
    """
    if snapshot is None:
        nothing = EntryColumns.empty()
        return LiveFiles(nothing, (), describe_entries(opened, nothing, frozenset()))
    key = _key(opened, snapshot)
    return loaded(key, lambda: _load(opened, snapshot), size=lambda live: live.nbytes)


def _key(opened: OpenTable, snapshot: Snapshot) -> tuple[str, ...]:
    """Whoever is told other labels of partitions has live files of their own."""
    return ("live", *opened.cache_key(snapshot), opened.shown_key)


def _load(opened: OpenTable, snapshot: Snapshot) -> LiveFiles:
    manifests = opened.table.manifests.telling(progress().of("manifests"))
    base, delta = in_parallel(
        manifests.read_list, [snapshot.base_manifest_list, snapshot.delta_manifest_list]
    )
    metas = base + delta
    newest = ("newest live", opened.table.location, opened.branch, opened.shown_key)
    names, keeper = tuple(meta.file_name for meta in metas), keeper_of(opened.table)
    loaded_last = cache.peek(cache.peek(newest))
    known = _known(opened, loaded_last, names, keeper)
    if known is None:
        entries = manifests.live_entries(snapshot, metas)
        described = describe_entries(opened, entries, None)
    elif more := metas[len(known.manifests) :]:
        entries, described = _grown(opened, known, manifests.read_entries(more))
    else:
        entries, described = known.entries, known.table
    cache.put(newest, _key(opened, snapshot), _POINTER_SIZE)
    try:
        indexes, error = tuple(manifests.index_entries(snapshot)), None
    except PaimonError as failure:
        indexes, error = (), failure
    vectors = None if error is not None else files_with_vectors(indexes)
    on_disk = known.on_disk if known else 0
    if keeper is not None:
        on_disk = _kept(keeper, names, entries, on_disk)
        if keeper.answered and (known is None or known is not loaded_last):
            _check_later(opened, keeper, snapshot, names_and_sizes(metas))
    return LiveFiles(entries, indexes, with_vectors(described, vectors), error, names, on_disk)


def _known(
    opened: OpenTable, newest: LiveFiles | None, names: tuple[str, ...], keeper: KeepingIO | None
) -> LiveFiles | None:
    """What is live after a beginning of these manifests: as it was loaded last, or as it is kept on disk."""
    if newest is not None and newest.manifests and names[: len(newest.manifests)] == newest.manifests:
        return newest
    kept = keeper.kept_live(names) if keeper else None
    if kept is None:
        return None
    length, entries = kept
    described = describe_entries(opened, entries, None)
    return LiveFiles(entries, (), described, None, names[:length], length)


def _kept(keeper: KeepingIO, names: tuple[str, ...], entries: EntryColumns, on_disk: int) -> int:
    """Of how many manifests the live files are kept on disk, when these are kept there if it is time."""
    if len(entries) < LEAST_FILES or (on_disk and len(names) < on_disk + CHECKPOINT_EVERY):
        return on_disk
    keeper.keep_live(names, entries)
    return len(names)


def _check_later(
    opened: OpenTable, keeper: KeepingIO, snapshot: Snapshot, manifests: Mapping[str, int]
) -> None:
    """What the disk gave is forgotten if the store has it no longer, so that the next answer says so."""
    key = _key(opened, snapshot)
    keeper.check_later(opened.paths.manifest_dir, manifests, lambda: cache.drop(key))


def _grown(opened: OpenTable, known: LiveFiles, more: EntryColumns) -> tuple[EntryColumns, pa.Table]:
    """What is live after further entries, as if all manifests were read: same rows, same order.

    Raises:
        FormatError: a file is added while an entry for it is still standing.
    """
    again = pc.is_in(known.entries.column("file_name"), value_set=more.column("file_name").combine_chunks())
    rows = np.flatnonzero(again.to_numpy())
    stands = EntryColumns.concat([known.entries.take(rows), more]).standing()
    kept = np.ones(len(known), np.bool_)
    kept[rows] = stands[: len(rows)]
    new = more.filter(stands[len(rows) :]).adds()
    old = known.entries if kept.all() else known.entries.filter(kept)
    shown = known.table if kept.all() else known.table.filter(pa.array(kept))
    entries = pa.concat_tables([old.complete().table, new.complete().table])  # shares memory with `known`
    described = pa.concat_tables([shown, describe_entries(opened, new, None)])
    if entries.column(0).num_chunks > _MOST_CHUNKS:
        entries, described = entries.combine_chunks(), described.combine_chunks()
    return EntryColumns(entries), _numbered(described)


def _numbered(described: pa.Table) -> pa.Table:
    at = described.schema.get_field_index("row")
    return described.set_column(at, "row", pa.array(np.arange(len(described), dtype=np.int64)))


def with_vectors(described: pa.Table, vectors: frozenset[str] | None) -> pa.Table:
    """The same rows, telling which files have a deletion vector; null where that is not known."""
    at = described.schema.get_field_index("dv")
    return described.set_column(at, "dv", _has_vector(described.column("name").combine_chunks(), vectors))


def files_with_vectors(indexes: tuple[IndexManifestEntry, ...]) -> frozenset[str]:
    return frozenset(
        found.data_file
        for entry in indexes
        if entry.index_type == DELETION_VECTORS
        for found in entry.deletion_vector_ranges or ()
    )


def describe_entries(opened: OpenTable, entries: EntryColumns, vectors: frozenset[str] | None) -> pa.Table:
    """The columns that can be filtered and sorted, in the order of the entries.

    `vectors` are the files that have a deletion vector; None where that is not known.
    """
    names = entries.column("file_name").combine_chunks()
    extensions = pc.utf8_lower(pc.replace_substring_regex(names, r"^.*\.", ""))
    return pa.table(
        {
            "name": names,
            "partition": opened.labels.partitions(entries.column("partition")),
            "bucket": entries.column("bucket").combine_chunks(),
            "total_buckets": entries.column("total_buckets").combine_chunks(),
            "level": entries.column("level").combine_chunks(),
            "bytes": entries.column("file_size").combine_chunks(),
            "rows": entries.column("row_count").combine_chunks(),
            "deletes": entries.column("delete_row_count").combine_chunks(),
            "min_sequence_number": entries.column("min_sequence_number").combine_chunks(),
            "max_sequence_number": entries.column("max_sequence_number").combine_chunks(),
            "schema_id": entries.column("schema_id").combine_chunks(),
            "source": _sources(entries),
            "created_at": entries.column("creation_time").combine_chunks().cast(pa.timestamp("ms", "UTC")),
            "format": extensions,
            "index": _index_kinds(entries),
            "dv": _has_vector(names, vectors),
            "row": pa.array(np.arange(len(entries), dtype=np.int64)),
        }
    )


def _has_vector(names: pa.Array[Any], vectors: frozenset[str] | None) -> pa.Array[Any]:
    if vectors is None:
        return pa.nulls(len(names), pa.bool_())
    found: pa.Array[Any] = pc.is_in(names, value_set=pa.array(sorted(vectors), pa.string()))
    return found


def _sources(entries: EntryColumns) -> pa.Array[Any]:
    codes = entries.column("file_source").combine_chunks()
    known = pc.is_in(codes, value_set=pa.array([0, 1], codes.type))
    return _SOURCES.take(pc.if_else(known, codes, pa.scalar(None, codes.type)))


def _index_kinds(entries: EntryColumns) -> pa.Array[Any]:
    """`embedded` for an index in the manifest, and the endings of companion files."""
    embedded = pc.is_valid(entries.column("embedded_index")).combine_chunks()
    extra: Any = entries.column("extra_files").combine_chunks()
    endings = pc.replace_substring_regex(pc.list_flatten(extra), r"^.*\.", "")
    owners = np.concatenate([np.flatnonzero(embedded), pc.list_parent_indices(extra)]).astype(np.int64)
    kinds = pa.concat_arrays(
        [pa.repeat("embedded", pc.sum(embedded).as_py() or 0), endings.cast(pa.string())]
    )
    order = np.argsort(owners, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=len(entries)))])
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), kinds.take(pa.array(order)))


def rows_of(opened: OpenTable, entries: EntryColumns, described: pa.Table) -> list[dict[str, Any]]:
    """The rows of a page with the texts that are made only for it: keys."""
    part = entries.table.select(["min_key", "max_key"]).take(described.column("row"))
    lows: list[Any] = part.column("min_key").to_pylist()
    highs: list[Any] = part.column("max_key").to_pylist()
    return [
        row
        | {
            "min_key": opened.labels.key(row["schema_id"], low),
            "max_key": opened.labels.key(row["schema_id"], high),
        }
        for row, low, high in zip(described.to_pylist(), lows, highs, strict=True)
    ]


def find_file(live: LiveFiles, name: str) -> int:
    """The position of a live file.

    Raises:
        Problem: `not-found`.
    """
    position = pc.index(live.table.column("name"), name).as_py()
    if position < 0:
        raise Problem("not-found", kind="file", name=name)
    return int(position)
