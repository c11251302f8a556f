"""Where damage is in a table: which snapshot and list name the object, and what can still be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from console.api.damage import Damage, Pointer, damage_of, object_at
from console.api.waiting import StillWorkingError
from console.inspector.live import live_files
from console.inspector.opening import OpenTable
from core.errors import PaimonError
from core.snapshot import Snapshot

MOST_TRIED = 20  # snapshots before a damaged one, newest first


def explain(opened: OpenTable, error: PaimonError, snapshot: Snapshot | None) -> Damage:
    """The damage met while reading the table at a snapshot, with what names the object and what is left."""
    damage = damage_of(error)
    if snapshot is not None:
        damage = damage.named(*pointers(opened, snapshot, damage))
        return damage.leaving(readable_before(opened, snapshot.id))
    if damage.object == "snapshot" and damage.name.isdecimal():
        return damage.leaving(readable_before(opened, int(damage.name)))
    return damage


def pointers(opened: OpenTable, snapshot: Snapshot, damage: Damage) -> list[Pointer]:
    """What leads from the snapshot to the damaged object."""
    if damage.object == "schema":
        return [Pointer("snapshot", str(snapshot.id))] if damage.name == str(snapshot.schema_id) else []
    found = []
    for entry in lists_of(snapshot):
        if entry["name"] == damage.name:
            found.append(Pointer("snapshot", str(snapshot.id), entry["kind"]))
        elif damage.object == "manifest" and entry["kind"] != "index" and _names(opened, entry, damage):
            found.append(Pointer("manifest_list", entry["name"]))
            found.append(Pointer("snapshot", str(snapshot.id), entry["kind"]))
    return found


def _names(opened: OpenTable, entry: dict[str, Any], damage: Damage) -> bool:
    try:
        return any(m.file_name == damage.name for m in opened.table.manifests.read_list(entry["name"]))
    except PaimonError:
        return False  # that list is damaged, too


def readable_before(opened: OpenTable, snapshot_id: int) -> str | None:
    """The newest of the snapshots before whose live files can be read; None if none of the next ones."""
    before = [i for i in opened.table.snapshots.ids() if i < snapshot_id]
    for candidate in reversed(before[-MOST_TRIED:]):
        try:
            snapshot = opened.table.snapshots.get(candidate)
            live_files(opened, snapshot)
        except PaimonError:
            continue
        except StillWorkingError:
            return None  # it takes too long to find out now
        return snapshot.reference
    return None


def lists_of(snapshot: Snapshot) -> list[dict[str, Any]]:
    """The manifest lists that a snapshot names, and its index manifest."""
    named = (
        ("base", snapshot.base_manifest_list, snapshot.base_manifest_list_size),
        ("delta", snapshot.delta_manifest_list, snapshot.delta_manifest_list_size),
        ("changelog", snapshot.changelog_manifest_list, snapshot.changelog_manifest_list_size),
        ("index", snapshot.index_manifest, None),
    )
    return [{"kind": kind, "name": name, "bytes": size} for kind, name, size in named if name]


def manifest_files(opened: OpenTable) -> dict[str, int]:
    """The sizes of all files in the manifest folder by their names, from one listing."""
    files = opened.table.io.list_files(opened.paths.manifest_dir)
    return {status.path.rpartition("/")[2]: status.size for status in files}


def missing_lists(
    opened: OpenTable, snapshot: Snapshot, present: Mapping[str, int]
) -> list[tuple[Damage, str]]:
    """The lists that the snapshot names and that are not there, each with what it is to the snapshot."""
    paths = opened.paths
    return [
        (Damage("missing", object_at(path := paths.manifest_file(entry["name"]))[0], entry["name"], path),
         entry["kind"])
        for entry in lists_of(snapshot)
        if entry["name"] not in present
    ]  # fmt: skip
