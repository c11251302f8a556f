"""Files that metadata names, as columns: what may go together with the metadata."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from core.errors import NotFoundError
from core.manifest import EntryColumns, ManifestFileMeta
from core.scan.deletion_files import index_path
from core.snapshot import Snapshot
from core.system.placement import Partitions, file_paths
from core.table import Table

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_S = TypeVar("_S")
_T = TypeVar("_T")


class FileRole(StrEnum):
    DATA = "data"  # data files and their companions
    CHANGELOG = "changelog"
    INDEX = "index"
    STATISTICS = "statistics"
    MANIFEST = "manifest"  # manifests, their lists, index manifests
    TEMPORARY = "temporary"  # what an interrupted write of a small file leaves


_COLUMNS: dict[str, pa.DataType] = {
    "role": pa.string(),
    "name": pa.string(),
    "path": pa.string(),
    "size": pa.int64(),
}
_SCHEMA = pa.schema(_COLUMNS)


@dataclass(frozen=True, slots=True)
class RoleTotals:
    role: FileRole
    count: int
    size: int  # bytes, as far as metadata tells: lists of old writers and companions count as none


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """Files, each name once: columns role, name, path and size (bytes, null where not known)."""

    table: pa.Table

    @staticmethod
    def none() -> NamedFiles:
        return NamedFiles(_SCHEMA.empty_table())

    @staticmethod
    def of_rows(rows: Sequence[tuple[str, str, str, int | None]]) -> NamedFiles:
        """Of roles, names, paths and sizes."""
        columns = list(zip(*rows, strict=True)) or [()] * len(_COLUMNS)
        arrays = [pa.array(column, kind) for column, kind in zip(columns, _COLUMNS.values(), strict=True)]
        return NamedFiles(pa.Table.from_arrays(arrays, schema=_SCHEMA))

    @staticmethod
    def joined(parts: Iterable[NamedFiles]) -> NamedFiles:
        """All of them, where no name is in two."""
        return NamedFiles(pa.concat_tables([_SCHEMA.empty_table(), *(part.table for part in parts)]))

    @staticmethod
    def union(parts: Iterable[NamedFiles]) -> NamedFiles:
        """All of them, of equal names the first."""
        whole = pa.concat_tables([_SCHEMA.empty_table(), *(part.table for part in parts)]).combine_chunks()
        if not whole.num_rows:
            return NamedFiles(whole)
        codes = whole.column("name").combine_chunks().dictionary_encode().indices.to_numpy()
        _, first = np.unique(codes, return_index=True)
        return NamedFiles(whole.take(np.sort(first)))

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @property
    def names(self) -> pa.Array[Any]:
        return self.table.column("name").combine_chunks()

    @property
    def paths(self) -> list[str]:
        """As objects: what is deleted is told to the store one by one."""
        paths: Any = self.table.column("path").to_pylist()
        return list(paths)

    @property
    def size(self) -> int:
        """Bytes."""
        return int(pc.sum(self.table.column("size")).as_py() or 0)

    @property
    def totals(self) -> tuple[RoleTotals, ...]:
        """By role, those that occur."""
        sums = self.table.group_by("role").aggregate([("name", "count"), ("size", "sum")])
        found = {row["role"]: row for row in sums.to_pylist()}  # a handful
        return tuple(
            RoleTotals(role, found[role]["name_count"], found[role]["size_sum"] or 0)
            for role in FileRole
            if role in found
        )

    def without(self, names: pa.Array[Any]) -> NamedFiles:
        """Those with other names."""
        return NamedFiles(self.table.filter(pc.invert(pc.is_in(self.table.column("name"), value_set=names))))


def files_of_entries(table: Table, entries: EntryColumns, role: FileRole = FileRole.DATA) -> NamedFiles:
    """The data files of entries and their companions."""
    if not len(entries):
        return NamedFiles.none()
    partitions = Partitions.of(table.schema, entries.column("partition"))
    paths = file_paths(table.paths, partitions, entries)
    names = entries.column("file_name").combine_chunks()
    companions = entries.column("extra_files").combine_chunks()
    owners = pc.take(paths, pc.list_parent_indices(companions))
    extra_names = pc.list_flatten(companions)
    extra_paths = pc.binary_join_element_wise(
        pc.replace_substring_regex(owners, "[^/]*$", ""), extra_names, ""
    )
    sizes = entries.column("file_size").combine_chunks()
    return NamedFiles.union([_files(role, names, paths, sizes), _files(role, extra_names, extra_paths, None)])


def metadata_files(table: Table, snapshot: Snapshot, *, with_state: bool = True) -> NamedFiles:
    """Lists, manifests, index and statistics files of a snapshot, as far as they are there.

    Args:
        table: the snapshot's.
        snapshot: one that is to go. What an expiration before has deleted of it is passed over.
        with_state: False for a changelog, of which the base list is long gone.

    Raises:
        FormatError: a list is damaged.
    """
    lists = [
        (snapshot.base_manifest_list, snapshot.base_manifest_list_size),
        (snapshot.delta_manifest_list, snapshot.delta_manifest_list_size),
        (snapshot.changelog_manifest_list, snapshot.changelog_manifest_list_size),
    ]
    parts = [_index_files(table, snapshot)] if with_state else []
    for name, size in lists:
        if name:
            parts.append(_manifests(table, existing(table.manifests.read_list, name)))
            parts.append(_one(FileRole.MANIFEST, name, table.paths.manifest_file(name), size))
    if snapshot.statistics:
        path = table.paths.statistics_file(snapshot.statistics)
        parts.append(_one(FileRole.STATISTICS, snapshot.statistics, path, None))
    return NamedFiles.union(parts)


def existing(read: Callable[[_S], list[_T]], what: _S) -> list[_T]:
    """What is read, nothing where the file is gone."""
    try:
        return read(what)
    except NotFoundError:
        return []


def _manifests(table: Table, metas: Sequence[ManifestFileMeta]) -> NamedFiles:
    own = [(meta.file_name, meta.file_size) for meta in metas]
    sidecars = [(name, None) for meta in metas for name in meta.extra_files or ()]
    pairs: list[tuple[str, int | None]] = [*own, *sidecars]
    names = pa.array([name for name, _ in pairs], pa.string())
    paths = pa.array([table.paths.manifest_file(name) for name, _ in pairs], pa.string())
    return _files(FileRole.MANIFEST, names, paths, pa.array([size for _, size in pairs], pa.int64()))


def _index_files(table: Table, snapshot: Snapshot) -> NamedFiles:
    if not snapshot.index_manifest:
        return NamedFiles.none()
    entries = existing(table.manifests.index_entries, snapshot)
    manifest = table.paths.manifest_file(snapshot.index_manifest)
    return NamedFiles.union(
        [
            *(
                _one(FileRole.INDEX, e.file_name, index_path(table, table.schema, e), e.file_size)
                for e in entries
            ),
            _one(FileRole.MANIFEST, snapshot.index_manifest, manifest, None),
        ]
    )


def _one(role: FileRole, name: str, path: str, size: int | None) -> NamedFiles:
    return _files(role, pa.array([name]), pa.array([path]), pa.array([size], pa.int64()))


def _files(role: FileRole, names: Any, paths: Any, sizes: Any) -> NamedFiles:
    count = len(names)
    columns = [
        pa.array([role.value] * count, pa.string()),
        names,
        paths,
        pa.nulls(count, pa.int64()) if sizes is None else sizes,
    ]
    return NamedFiles(pa.Table.from_arrays(columns, schema=_SCHEMA))
