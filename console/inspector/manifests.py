"""The manifest lists of a snapshot as a tree. A missing object is an answer, not an error."""

from __future__ import annotations

from typing import Any

from console.inspector.opening import OpenTable
from console.inspector.snapshots import lists_of
from core.binary import BinaryRow
from core.errors import NotFoundError, PaimonError
from core.manifest import IndexManifestEntry, ManifestFileMeta
from core.snapshot import Snapshot


def tree(opened: OpenTable, snapshot: Snapshot) -> dict[str, Any]:
    """Base, delta, changelog and index, each with what it names."""
    lists = [_list(opened, entry) for entry in lists_of(snapshot)]
    return {"snapshot": snapshot.reference, "lists": lists}


def _list(opened: OpenTable, entry: dict[str, Any]) -> dict[str, Any]:
    shown = {**entry, "missing": False, "problem": None, "manifests": [], "index_files": []}
    try:
        shown["bytes"] = shown["bytes"] or _size(opened, entry["name"])
        if entry["kind"] == "index":
            found = opened.table.manifests.read_index(entry["name"])
            return shown | {"index_files": [index_file(opened, e) for e in found]}
        present = _present(opened)
        metas = opened.table.manifests.read_list(entry["name"])
        return shown | {"manifests": [_manifest(opened, meta, present) for meta in metas]}
    except NotFoundError as error:
        return shown | {"missing": True, "problem": str(error)}
    except PaimonError as error:
        return shown | {"problem": str(error)}


def _size(opened: OpenTable, name: str) -> int:
    return opened.table.io.status(opened.table.paths.manifest_file(name)).size


def _present(opened: OpenTable) -> frozenset[str]:
    """The names of all files in the manifest folder, by one listing."""
    files = opened.table.io.list_files(opened.table.paths.manifest_dir)
    return frozenset(status.path.rpartition("/")[2] for status in files)


def _manifest(opened: OpenTable, meta: ManifestFileMeta, present: frozenset[str]) -> dict[str, Any]:
    stats = meta.partition_stats
    return {
        "name": meta.file_name,
        "bytes": meta.file_size,
        "added": meta.num_added_files,
        "deleted": meta.num_deleted_files,
        "schema_id": meta.schema_id,
        "min_partition": _partition(opened, stats.min_values),
        "max_partition": _partition(opened, stats.max_values),
        "min_bucket": meta.min_bucket,
        "max_bucket": meta.max_bucket,
        "min_level": meta.min_level,
        "max_level": meta.max_level,
        "missing": meta.file_name not in present,
    }


def _partition(opened: OpenTable, row: BinaryRow) -> str | None:
    if row.arity != len(opened.table.schema.partition_keys):
        return None  # the writer gave no range
    try:
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
