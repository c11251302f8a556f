"""From where files are reached: snapshots, tags, long-lived changelogs of each branch. Design: 6.7, 6.8.

What a reader comes across is told by `core.maintenance.reach`, which decides what may be deleted: of a
long-lived changelog only its changelog list counts, and its delta list where it never had one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from console.inspector.cache import cache, computed, in_parallel
from console.inspector.damages import lists_of
from console.inspector.opening import OpenTable
from core.errors import PaimonError
from core.maintenance.reach import Root, RootKind, Roots
from core.snapshot import CommitKind, Snapshot

_NO_DELTA = (CommitKind.COMPACT, CommitKind.ANALYZE)  # commits that streams pass over
Names = frozenset[str]


class Listed(NamedTuple):
    """A manifest list, or an index manifest."""

    name: str
    is_index: bool


@dataclass(slots=True)
class Reach:
    """What of one branch leads to a file."""

    branch: str
    snapshots: list[int] = field(default_factory=list)  # ascending
    tags: list[str] = field(default_factory=list)
    changelogs: int = 0

    def add(self, kind: RootKind, name: str) -> None:
        if kind is RootKind.SNAPSHOT:
            self.snapshots.append(int(name))
        elif kind is RootKind.TAG:
            self.tags.append(name)
        else:
            self.changelogs += 1

    def shown(self) -> dict[str, Any]:
        return {
            "branch": self.branch,
            "snapshots": len(self.snapshots),
            "first": min(self.snapshots, default=None),
            "last": max(self.snapshots, default=None),
            "tags": self.tags,
            "changelogs": self.changelogs,
        }


def of_manifests(opened: OpenTable, snapshot: Snapshot) -> dict[str, Any]:
    """For each manifest, and each index file, that the snapshot names: what leads to it.

    Lists that cannot be read lead nowhere; `unreadable` says how many there are.
    """
    key = ("reach", *opened.cache_key(snapshot))
    return computed(key, lambda: _of_manifests(opened, snapshot))


def _of_manifests(opened: OpenTable, snapshot: Snapshot) -> dict[str, Any]:
    roots = Roots.of(opened.table)
    own = {Listed(entry["name"], entry["kind"] == "index") for entry in lists_of(snapshot)}
    lists = sorted(own.union(*(_lists(root) for root in roots.found)))
    read = dict(zip(lists, in_parallel(lambda listed: _names(opened, listed), lists), strict=True))
    wanted = frozenset[str]().union(*(read[listed] or () for listed in own))
    found: dict[str, dict[str, Reach]] = {name: {} for name in sorted(wanted)}
    for root in roots.found:
        for name in wanted & _all_of(read, root):
            found[name].setdefault(root.branch, Reach(root.branch)).add(root.kind, root.name)
    return {
        "snapshot": snapshot.reference,
        "items": [{"name": name, "reached_from": shown(reach.values())} for name, reach in found.items()],
        "unreadable": len(roots.unreadable) + sum(names is None for names in read.values()),
    }


def _all_of(read: Mapping[Listed, Names | None], root: Root) -> Names:
    return frozenset[str]().union(*(read[listed] or () for listed in _lists(root)))


def shown(reach: Iterable[Reach]) -> list[dict[str, Any]]:
    return [of_branch.shown() for of_branch in reach]


def _lists(root: Root) -> frozenset[Listed]:
    """The lists of a root that its readers follow."""
    snapshot = root.snapshot
    if root.kind is RootKind.CHANGELOG:
        name = changelog_list(snapshot)
        return frozenset([Listed(name, False)] if name else [])
    streams = root.kind is RootKind.SNAPSHOT  # nobody streams from tags
    return frozenset(
        Listed(entry["name"], entry["kind"] == "index")
        for entry in lists_of(snapshot)
        if streams or entry["kind"] != "changelog"
    )


def changelog_list(changelog: Snapshot) -> str | None:
    """The list that a long-lived changelog is read by."""
    if changelog.changelog_manifest_list is not None or changelog.commit_kind in _NO_DELTA:
        return changelog.changelog_manifest_list
    return changelog.delta_manifest_list


def _names(opened: OpenTable, listed: Listed) -> Names | None:
    """What a list names; None where it cannot be read.

    Not by `loaded`: that waits for the threads of which this runs in one.
    """
    key = ("names", opened.table.location, listed.name)
    known: Names | None = cache.peek(key)
    if known is None:
        store = opened.table.manifests
        try:
            entries = store.read_index(listed.name) if listed.is_index else store.read_list(listed.name)
        except PaimonError:
            return None
        known = frozenset(entry.file_name for entry in entries)
        cache.put(key, known, 100 * len(known) + 100)
    return known
