"""A snapshot's lists and manifests as a tree, missing ones in their place. Design: 6.7."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.errors import PaimonError
from core.manifest import ManifestFileMeta
from core.options import MANIFEST_TARGET_FILE_SIZE
from core.schema import TableSchema
from core.snapshot import Snapshot
from core.system.manifests import partition_bound
from core.table import Table


@dataclass(frozen=True, slots=True)
class ManifestNode:
    """One manifest as its list describes it; ranges are None where a writer gave none."""

    name: str
    size: int  # bytes
    added: int
    deleted: int
    schema_id: int
    min_partition: str | None  # row form
    max_partition: str | None
    min_bucket: int | None
    max_bucket: int | None
    min_level: int | None
    max_level: int | None
    min_row_id: int | None
    max_row_id: int | None
    references: int | None  # kept snapshots that name it; None: not counted
    is_small: bool  # under the target size
    is_mostly_deletions: bool
    is_missing: bool


@dataclass(frozen=True, slots=True)
class ManifestListNode:
    role: str  # "base", "delta", "changelog"
    name: str
    size: int | None  # bytes; None: not there
    problem: str | None  # why it cannot be read; it then has no manifests
    manifests: tuple[ManifestNode, ...]


@dataclass(frozen=True, slots=True)
class IndexManifestNode:
    name: str
    size: int | None  # bytes; None: not there
    problem: str | None
    files_by_type: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ManifestTree:
    snapshot: str  # reference
    lists: tuple[ManifestListNode, ...]
    index_manifest: IndexManifestNode | None


def read_manifest_tree(table: Table, snapshot: Snapshot, *, count_references: bool = False) -> ManifestTree:
    """What the snapshot names, down to manifests; with the number of kept snapshots that name each.

    Counting references reads the lists of every snapshot.
    """
    sizes = {s.path.rpartition("/")[2]: s.size for s in table.io.list_files(table.paths.manifest_dir)}
    references = _references(table) if count_references else None
    roles = (
        ("base", snapshot.base_manifest_list),
        ("delta", snapshot.delta_manifest_list),
        ("changelog", snapshot.changelog_manifest_list),
    )
    lists = tuple(_list(table, role, name, sizes, references) for role, name in roles if name)
    return ManifestTree(snapshot.reference, lists, _index_manifest(table, snapshot.index_manifest, sizes))


def _list(
    table: Table, role: str, name: str, sizes: Mapping[str, int], references: Mapping[str, int] | None
) -> ManifestListNode:
    try:
        metas: Sequence[ManifestFileMeta] = table.manifests.read_list(name)
        problem = None
    except PaimonError as error:
        metas, problem = (), str(error)
    target = table.options.get(MANIFEST_TARGET_FILE_SIZE)
    nodes = tuple(_node(table.schema, meta, sizes, references, target) for meta in metas)
    return ManifestListNode(role, name, sizes.get(name), problem, nodes)


def _node(
    schema: TableSchema,
    meta: ManifestFileMeta,
    sizes: Mapping[str, int],
    references: Mapping[str, int] | None,
    target: int,
) -> ManifestNode:
    return ManifestNode(
        name=meta.file_name,
        size=meta.file_size,
        added=meta.num_added_files,
        deleted=meta.num_deleted_files,
        schema_id=meta.schema_id,
        min_partition=partition_bound(schema, meta.partition_stats.min_values),
        max_partition=partition_bound(schema, meta.partition_stats.max_values),
        min_bucket=meta.min_bucket,
        max_bucket=meta.max_bucket,
        min_level=meta.min_level,
        max_level=meta.max_level,
        min_row_id=meta.min_row_id,
        max_row_id=meta.max_row_id,
        references=None if references is None else references.get(meta.file_name, 0),
        is_small=meta.file_size < target,
        is_mostly_deletions=meta.num_deleted_files > meta.num_added_files,
        is_missing=meta.file_name not in sizes,
    )


def _references(table: Table) -> Counter[str]:
    """How many snapshots name each manifest, as far as their lists can be read."""
    counts: Counter[str] = Counter()
    seen: dict[str, list[str]] = {}
    for snapshot in table.snapshots.iter_all():
        lists = (snapshot.base_manifest_list, snapshot.delta_manifest_list, snapshot.changelog_manifest_list)
        for name in filter(None, lists):
            if name not in seen:
                seen[name] = _names(table, name)
        counts.update({manifest for name in filter(None, lists) for manifest in seen[name]})
    return counts


def _names(table: Table, name: str) -> list[str]:
    try:
        return [meta.file_name for meta in table.manifests.read_list(name)]
    except PaimonError:
        return []  # a damaged list names nothing; the tree of its own snapshot says so


def _index_manifest(table: Table, name: str | None, sizes: Mapping[str, int]) -> IndexManifestNode | None:
    if name is None:
        return None
    try:
        entries = table.manifests.read_index(name)
    except PaimonError as error:
        return IndexManifestNode(name, sizes.get(name), str(error), {})
    counts = Counter(entry.index_type for entry in entries)
    return IndexManifestNode(name, sizes.get(name), None, dict(sorted(counts.items())))
