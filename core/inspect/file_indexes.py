"""File indexes of a table: what is indexed, how much of it, and what one index says. Design: 6.11."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from core.errors import NotFoundError
from core.fileindex import (
    FileIndex,
    IndexSlot,
    decode_file_index,
    describe_index,
    index_file_name,
    is_known_index,
)
from core.fileindex.container import INDEX_SUFFIX
from core.inspect.selection import snapshot_or_latest
from core.manifest import EntryColumns, ManifestEntry
from core.snapshot import Snapshot
from core.system.placement import bucket_directory
from core.table import Table

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_HEAD = 64 * 1024  # bytes of a separate index file that are read for its head
EMBEDDED, SEPARATE = "embedded", "separate"


@dataclass(frozen=True, slots=True)
class IndexOverview:
    """One (column, index type) over all files looked at."""

    column: str
    index_type: str
    is_known: bool  # whether we can describe it; others are carried unchanged
    files: int
    data_size: int  # bytes of the data files that have it
    index_size: int  # bytes of the payloads
    embedded: int  # files with the index in the manifest; the others have it in a file of its own


@dataclass(frozen=True, slots=True)
class LevelCoverage:
    """How many bytes of a level's files have an index on a column."""

    column: str
    level: int
    indexed_size: int
    size: int


@dataclass(frozen=True, slots=True)
class FileIndexes:
    snapshot: str  # reference
    overview: tuple[IndexOverview, ...]
    coverage: tuple[LevelCoverage, ...]
    separate_files: int  # with an index in a file of its own
    unread_files: int  # of these, left out because of the limit


@dataclass(frozen=True, slots=True)
class IndexDetail:
    """One index of one data file."""

    column: str
    index_type: str
    offset: int  # in the container; -1 for an empty index
    length: int  # bytes
    facts: Mapping[str, object]  # by `core.fileindex.describe_index`; empty where we do not know the type


@dataclass(frozen=True, slots=True)
class DataFileIndexes:
    storage: str  # "embedded" or "separate"
    path: str | None  # of the separate file
    version: int
    size: int  # bytes of the container
    indexes: tuple[IndexDetail, ...]


@dataclass(slots=True)
class _Sums:
    files: int = 0
    data_size: int = 0
    index_size: int = 0
    embedded: int = 0
    by_level: dict[int, int] = field(default_factory=lambda: defaultdict(int))


_AllSums: TypeAlias = dict[tuple[str, str], _Sums]


def list_file_indexes(table: Table, snapshot: Snapshot | None = None, *, limit: int = 1000) -> FileIndexes:
    """All indexes in manifests, and those of up to `limit` separate index files.

    Raises:
        NotFoundError: the table has no snapshot, or an index file is gone.
        FormatError: an index is damaged.
    """
    at = snapshot_or_latest(table, snapshot)
    entries = table.manifests.live_entries(at)
    sums: _AllSums = defaultdict(_Sums)
    separate = _with_index_file(entries)
    for entry in _indexed(entries):
        _add(sums, entry, decode_file_index(entry.file.embedded_index or b""), embedded=True)
    read = min(limit, len(separate))
    for entry in separate.take(np.arange(read)).entries():
        _add(sums, entry, _head(table, _index_path(table, entry)), embedded=False)
    return FileIndexes(
        snapshot=at.reference,
        overview=tuple(_overview(sums)),
        coverage=tuple(_coverage(sums, entries)),
        separate_files=len(separate),
        unread_files=len(separate) - read,
    )


def read_file_indexes(table: Table, entry: ManifestEntry) -> DataFileIndexes:
    """The indexes of one data file, described.

    Raises:
        NotFoundError: the file has none.
        FormatError: the index is damaged.
    """
    embedded = entry.file.embedded_index
    path = None if embedded is not None else _index_path(table, entry)
    data = table.io.read(path) if path is not None else embedded or b""
    index = decode_file_index(data)
    details = tuple(_detail(table, entry, index, slot) for slot in index.slots)
    return DataFileIndexes(EMBEDDED if path is None else SEPARATE, path, index.version, len(data), details)


def _detail(table: Table, entry: ManifestEntry, index: FileIndex, slot: IndexSlot) -> IndexDetail:
    # Names in the head are those of the schema that the file was written with.
    column = table.schemas.get(entry.file.schema_id).field(slot.column.partition("[")[0])
    facts = {} if slot.is_empty else describe_index(slot.index_type, index.payload(slot), column.type)
    return IndexDetail(slot.column, slot.index_type, slot.start, slot.length, facts)


def _indexed(entries: EntryColumns) -> Iterator[ManifestEntry]:
    return entries.filter(pc.is_valid(entries.column("embedded_index"))).entries()


def _with_index_file(entries: EntryColumns) -> EntryColumns:
    """Entries whose index lies in a file of its own; an embedded one wins over that."""
    names = entries.column("extra_files").combine_chunks()
    is_index = pc.ends_with(pc.list_flatten(names), INDEX_SUFFIX)
    having = np.zeros(len(entries), dtype=np.bool_)
    having[pc.list_parent_indices(names).filter(is_index).to_numpy()] = True
    return entries.filter(pc.and_(pa.array(having), pc.is_null(entries.column("embedded_index"))))


def _index_path(table: Table, entry: ManifestEntry) -> str:
    name = index_file_name(entry.file.extra_files)
    if name is None:
        raise NotFoundError("the data file has no index", file=entry.file.file_name)
    external = entry.file.external_path
    directory = (
        external.rpartition("/")[0] if external else bucket_directory(table, entry.partition, entry.bucket)
    )
    return f"{directory}/{name}"


def _head(table: Table, path: str) -> FileIndex:
    size = table.io.status(path).size
    return decode_file_index(table.io.read_range(path, 0, min(size, _HEAD)), size)


def _add(
    sums: dict[tuple[str, str], _Sums], entry: ManifestEntry, index: FileIndex, *, embedded: bool
) -> None:
    for slot in index.slots:
        one = sums[slot.column, slot.index_type]
        one.files += 1
        one.data_size += entry.file.file_size
        one.index_size += slot.length
        one.embedded += embedded
        one.by_level[entry.file.level] += entry.file.file_size


def _overview(sums: _AllSums) -> Iterator[IndexOverview]:
    for (column, index_type), one in sorted(sums.items()):
        known = is_known_index(index_type)
        yield IndexOverview(column, index_type, known, one.files, one.data_size, one.index_size, one.embedded)


def _coverage(sums: _AllSums, entries: EntryColumns) -> Iterator[LevelCoverage]:
    """By column and level; of several index types on a column the one that covers most."""
    levels, sizes = entries.numpy("level"), entries.numpy("file_size")
    totals = {level: int(sizes[levels == level].sum()) for level in sorted(set(levels.tolist()))}
    for column in sorted({column for column, _ in sums}):
        mine = [one for (name, _), one in sums.items() if name == column]
        for level, size in totals.items():
            yield LevelCoverage(column, level, max(one.by_level.get(level, 0) for one in mine), size)
