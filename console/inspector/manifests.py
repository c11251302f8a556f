"""The manifest lists of a snapshot as a tree. A missing object is an answer, not an error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from console.api.damage import Damage, Pointer, damage_of, problem_of, wrong_size
from console.inspector.cache import loaded
from console.inspector.damages import lists_of, manifest_files
from console.inspector.labels import HIDDEN
from console.inspector.opening import OpenTable
from core.binary import BinaryRow
from core.errors import PaimonError
from core.manifest import IndexManifestEntry, ManifestFileMeta
from core.options import MANIFEST_TARGET_FILE_SIZE
from core.snapshot import Snapshot


def tree(opened: OpenTable, snapshot: Snapshot) -> dict[str, Any]:
    """Base, delta, changelog and index, each with what it names."""
    lists = [_list(opened, snapshot, entry) for entry in lists_of(snapshot)]
    return {"snapshot": snapshot.reference, "target_bytes": _target(opened), "lists": lists}


def _target(opened: OpenTable) -> int | None:
    """The size that manifests are merged to; None if the schema with the options is damaged."""
    try:
        return opened.table.options.get(MANIFEST_TARGET_FILE_SIZE)
    except PaimonError:
        return None


def _list(opened: OpenTable, snapshot: Snapshot, entry: dict[str, Any]) -> dict[str, Any]:
    shown = {**entry, "missing": False, **problem_of(None), "manifests": [], "index_files": []}
    try:
        shown["bytes"] = shown["bytes"] or _size(opened, entry["name"])
        if entry["kind"] == "index":
            found = opened.table.manifests.read_index(entry["name"])
            return shown | {"index_files": [index_file(opened, e) for e in found]}
        present = manifest_files(opened)
        metas = opened.table.manifests.read_list(entry["name"])
        return shown | {"manifests": [_manifest(opened, meta, present) for meta in metas]}
    except PaimonError as error:
        damage = damage_of(error).named(Pointer("snapshot", str(snapshot.id), entry["kind"]))
        return shown | {"missing": damage.code == "missing"} | problem_of(damage)


def standing(opened: OpenTable, snapshot: Snapshot, name: str) -> NDArray[np.bool_] | None:
    """Which entries of a manifest are live at the snapshot: others are cancelled by an entry after them.

    None for a manifest that does not say what is live: one of a changelog, or of another snapshot.
    """
    metas = opened.table.manifests.manifests(snapshot)
    counts = [meta.num_added_files + meta.num_deleted_files for meta in metas]
    place = next((i for i, meta in enumerate(metas) if meta.file_name == name), None)
    if place is None:
        return None
    key = ("standing", *opened.cache_key(snapshot))
    flags = loaded(
        key, lambda: opened.table.manifests.open_entries(metas).standing(), size=lambda flags: flags.nbytes
    )
    start = sum(counts[:place])
    return flags[start : start + counts[place]]


def _size(opened: OpenTable, name: str) -> int:
    return opened.table.io.status(opened.paths.manifest_file(name)).size


def _manifest(opened: OpenTable, meta: ManifestFileMeta, present: Mapping[str, int]) -> dict[str, Any]:
    size = present.get(meta.file_name)
    low, high = _partitions(opened, meta)
    return {
        "name": meta.file_name,
        "bytes": meta.file_size,
        "added": meta.num_added_files,
        "deleted": meta.num_deleted_files,
        "schema_id": meta.schema_id,
        "min_partition": low,
        "max_partition": high,
        "min_bucket": meta.min_bucket,
        "max_bucket": meta.max_bucket,
        "min_level": meta.min_level,
        "max_level": meta.max_level,
        "min_row_id": meta.min_row_id,
        "max_row_id": meta.max_row_id,
        "missing": size is None,
        **problem_of(_damage(opened, meta, size)),
    }


def _damage(opened: OpenTable, meta: ManifestFileMeta, size: int | None) -> Damage | None:
    """What a listing tells of a manifest: it is not there, or not of the size that its list says."""
    if size == meta.file_size:
        return None
    path = opened.paths.manifest_file(meta.file_name)
    if size is None:
        return Damage("missing", "manifest", meta.file_name, path)
    return wrong_size("manifest", path, expected=meta.file_size, found=size)


def _partitions(opened: OpenTable, meta: ManifestFileMeta) -> tuple[str | None, str | None]:
    """The first and the last partition; of masked ones neither, which would tell their order."""
    rows = (meta.partition_stats.min_values, meta.partition_stats.max_values)
    low, high = (_partition(opened, row) for row in rows)
    return (HIDDEN, HIDDEN) if low != high and opened.hides_partitions else (low, high)


def _partition(opened: OpenTable, row: BinaryRow) -> str | None:
    try:
        if row.arity != len(opened.table.schema.partition_keys):
            return None  # the writer gave no range
        return opened.labels.partition(row.to_bytes())
    except PaimonError:
        return None


def index_file(opened: OpenTable, entry: IndexManifestEntry) -> dict[str, Any]:
    """One entry of the index manifest."""
    return {
        "kind": entry.index_type,
        "partition": opened.labels.partition(entry.partition.to_bytes()),
        "bucket": entry.bucket,
        "name": entry.file_name,
        "bytes": entry.file_size,
        "rows": entry.row_count,
    }
