"""Which table and snapshot a pasted name belongs to: a file of data or of metadata, alone or with its path.

Snapshot files say which lists they name, lists say which manifests, entries say which files. So a name is
looked for from the newest snapshot back: in the table that its path tells, else in the one that is open, then
in those that the console has measured, the most recently written first. The search has its seconds, and says
how far it came; it never lists a warehouse. Design: 5, search palette.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import pyarrow.compute as _pc
from django.db.models import F

from console.accounts.roles import Access, Permission, Scope
from console.api.errors import Problem
from console.api.waiting import StillWorkingError
from console.inspector import changes
from console.inspector.live import live_files
from console.inspector.opening import OpenTable, open_table
from console.warehouses.models import TableStatistics, Warehouse
from core.errors import PaimonError
from core.io.paths import MAIN_BRANCH
from core.manifest import EntryColumns
from core.snapshot import Snapshot, Tag

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

SECONDS = 6.0  # that one search takes at most, but for the one object that it is reading
MOST_COMMITS = 2000  # of one branch, newest first

_KINDS: tuple[tuple[str, str], ...] = (
    (r"snapshot-\d{1,18}", "snapshot"),
    (r"changelog-\d{1,18}", "changelog"),
    (r"schema-\d{1,18}", "schema"),
    (r"manifest-list-.+", "manifest_list"),
    (r"index-manifest-.+", "index_manifest"),
    (r"manifest-.+", "manifest"),
    (r"index-.+", "index_file"),
    (r"stats?-.+", "statistics"),
    (r".*[0-9a-f]{8}-[0-9a-f]{4}-.+", "file"),
    (r".+\.(parquet|orc|avro|csv|json|blob|lance|index)", "file"),
)
KINDS = tuple(dict.fromkeys(kind for _, kind in _KINDS))
ROLES = ("live", "tagged", "removed", "changelog", "base", "delta", "index", "statistics", "itself")
VERDICTS = (
    "found",
    "unreferenced",
    "gone",
    "not-found",
    "not-in-time",
    "unknown-table",
    "needs-table",
    "no-name",
)
_NUMBERED = frozenset({"snapshot", "changelog", "schema"})  # every table has files of these names
_IN_PATH = re.compile(r"([^/]+)\.db/([^/]+)/(?:branch/branch-([^/]+)/)?")


@dataclass(frozen=True, slots=True)
class Place:
    """One table to look in."""

    warehouse: str
    database: str
    table: str
    branch: str | None = None  # None: all of them


@dataclass(frozen=True, slots=True)
class Asked:
    """What a pasted text says."""

    name: str
    kind: str | None  # None: no file is called so
    path: Place | None = None  # of its path; its warehouse is not in it


@dataclass(slots=True)
class _Search:
    """How far a search came, and when it has to end."""

    until: float
    tables: int = 0
    commits: int = 0
    unreadable: int = 0
    complete: bool = True

    def go_on(self) -> None:
        if time.monotonic() > self.until:
            raise _OutOfTimeError


class _OutOfTimeError(Exception):
    """The seconds of the search are over."""


@dataclass(frozen=True, slots=True)
class Match:
    """Where a name occurs: the newest snapshot that knows it, and as what."""

    role: str
    snapshot: Snapshot | None = None
    tag: str | None = None
    name: str = field(default="")  # of the file itself where a companion of it was asked for


def parse(text: str) -> Asked:
    """The name, its kind, and the table that the path around it tells."""
    path = text.strip().strip("\"'`").split("?")[0].rstrip("/")
    name = path.rpartition("/")[2]
    kind = next((kind for pattern, kind in _KINDS if re.fullmatch(pattern, name)), None)
    found = _IN_PATH.search(path)
    return Asked(name, kind, Place("", found[1], found[2], found[3]) if found else None)


def locate(text: str, access: Access, here: Place | None) -> dict[str, Any]:
    """Where the name is, or why it is nowhere; `here` is the table that the reader has open."""
    asked = parse(text)
    search = _Search(time.monotonic() + SECONDS)
    if asked.kind is None:
        return _reply(asked, search, "no-name")
    places = list(_places(asked, access, here))
    if not places:
        return _reply(asked, search, "needs-table" if asked.kind in _NUMBERED and not asked.path else
                      "unknown-table" if asked.path else "not-found")  # fmt: skip
    for place in places:
        try:
            found = _in_table(asked, place, access, search)
        except (_OutOfTimeError, StillWorkingError):
            search.complete = False
            break
        if found is not None:
            return _reply(asked, search, "found", [found], len(places))
    return _reply(asked, search, _why_not(asked, places, search), [], len(places))


def _reply(
    asked: Asked, search: _Search, verdict: str, items: list[dict[str, Any]] | None = None, of: int = 0
) -> dict[str, Any]:
    searched = {"tables": search.tables, "of": of, "commits": search.commits, "unreadable": search.unreadable}
    return {
        "name": asked.name,
        "kind": asked.kind,
        "verdict": verdict,
        "items": items or [],
        "searched": searched,
    }


def _places(asked: Asked, access: Access, here: Place | None) -> Iterator[Place]:
    """The tables to look in, the likeliest first; only those that the caller may browse."""
    if asked.path is not None:
        yield from (place for place in _of_path(asked.path) if _may(access, place))
        return
    if here is not None and _may(access, here):
        yield here
    if asked.kind in _NUMBERED:
        return
    rows = TableStatistics.objects.select_related("warehouse").order_by(
        F("last_commit_at").desc(nulls_last=True)
    )
    for row in rows.iterator():
        place = Place(row.warehouse.name, row.database, row.name)
        if _may(access, place) and (here is None or place != _whole(here)):
            yield place


def _whole(place: Place) -> Place:
    return Place(place.warehouse, place.database, place.table)


def _of_path(path: Place) -> Iterator[Place]:
    for name in Warehouse.objects.values_list("name", flat=True):
        yield Place(name, path.database, path.table, path.branch)


def _may(access: Access, place: Place) -> bool:
    return access.allows(Permission.META_READ, Scope(place.warehouse, place.database, place.table))


def _in_table(asked: Asked, place: Place, access: Access, search: _Search) -> dict[str, Any] | None:
    search.go_on()
    try:
        opened = open_table(place.warehouse, place.database, place.table)
        branches = [place.branch] if place.branch else [MAIN_BRANCH, *opened.table.branches.names()]
    except (Problem, PaimonError):
        return None  # gone since it was measured, or of another warehouse than the path
    search.tables += 1
    for branch in branches:
        try:
            view = opened if branch == MAIN_BRANCH else opened.on_branch(branch)
            match = _FINDERS[asked.kind or ""](view, asked.name, search)
        except PaimonError:
            search.unreadable += 1
            continue
        if match is not None:
            return _shown(asked, place, branch, match)
    return None


def _shown(asked: Asked, place: Place, branch: str, match: Match) -> dict[str, Any]:
    return {
        "warehouse": place.warehouse,
        "database": place.database,
        "table": place.table,
        "branch": branch,
        "name": match.name or asked.name,
        "role": match.role,
        "snapshot": match.snapshot.reference if match.snapshot else None,
        "tag": match.tag,
    }


def _why_not(asked: Asked, places: list[Place], search: _Search) -> str:
    """What it means that nothing names the file."""
    if not search.complete:
        return "not-in-time"
    if search.tables == 0:
        return "unknown-table" if asked.path else "not-found"
    if search.tables > 1:
        return "not-found"
    return _on_disk(asked, places)


def _on_disk(asked: Asked, places: list[Place]) -> str:
    """Of one table: whether the object is still there without anything that leads to it."""
    folder = _FOLDERS.get(asked.kind or "")
    for place in places if folder else ():
        try:
            opened = open_table(
                place.warehouse, place.database, place.table, branch=place.branch or MAIN_BRANCH
            )
            there = opened.table.io.exists(f"{getattr(opened.paths, folder or '')}/{asked.name}")
        except (Problem, PaimonError):
            continue
        return "unreferenced" if there else "gone"
    return "not-found"


_FOLDERS: Mapping[str, str] = MappingProxyType(
    {
        "snapshot": "snapshot_dir",
        "changelog": "changelog_dir",
        "schema": "schema_dir",
        "manifest_list": "manifest_dir",
        "index_manifest": "manifest_dir",
        "manifest": "manifest_dir",
        "index_file": "index_dir",
        "statistics": "statistics_dir",
    }
)


# --- what knows a name ----------------------------------------------------------------------------
def _commits(opened: OpenTable, search: _Search) -> Iterator[tuple[Snapshot, str | None]]:
    """Every snapshot that is kept, newest first, then those that only a tag or a long changelog keeps."""
    ids = opened.table.snapshots.ids()
    search.complete = search.complete and len(ids) <= MOST_COMMITS
    kept: set[str] = set()
    for snapshot_id in reversed(ids[-MOST_COMMITS:]):
        search.go_on()
        try:
            snapshot = opened.table.snapshots.get(snapshot_id)
        except PaimonError:
            search.unreadable += 1
            continue
        search.commits += 1
        kept.add(snapshot.reference)
        yield snapshot, None
    for tag in opened.table.tags.examine():
        if isinstance(tag, Tag) and tag.snapshot.reference not in kept:
            yield tag.snapshot, tag.name


def _long_changelogs(opened: OpenTable, search: _Search) -> Iterator[Snapshot]:
    for changelog_id in reversed(opened.table.changelogs.ids()[-MOST_COMMITS:]):
        search.go_on()
        yield opened.table.changelogs.get(changelog_id)


def _find_numbered(opened: OpenTable, name: str, search: _Search) -> Match | None:
    """A pointer file by its number: the snapshot, which a tag may keep, changelog or schema itself."""
    kind, _, number = name.rpartition("-")
    stores: dict[str, Any] = {"snapshot": opened.table.snapshots, "changelog": opened.table.changelogs}
    if kind == "schema":
        return Match("itself") if int(number) in opened.table.schemas.ids() else None
    search.commits += 1
    if stores[kind].exists(int(number)):
        return Match("itself", stores[kind].get(int(number)))
    tags = [tag for tag in opened.table.tags.examine() if isinstance(tag, Tag)]
    kept = (tag for tag in tags if kind == "snapshot" and tag.snapshot.id == int(number))
    return next((Match("itself", tag.snapshot, tag.name) for tag in kept), None)


def _find_list(opened: OpenTable, name: str, search: _Search) -> Match | None:
    for snapshot, tag in _commits(opened, search):
        role = _roles(snapshot).get(name)
        if role is not None:
            return Match(role, snapshot, tag)
    found = (s for s in _long_changelogs(opened, search) if name in _roles(s))
    return next((Match("changelog", snapshot) for snapshot in found), None)


def _roles(snapshot: Snapshot) -> dict[str | None, str]:
    return {
        snapshot.base_manifest_list: "base",
        snapshot.delta_manifest_list: "delta",
        snapshot.changelog_manifest_list: "changelog",
        snapshot.index_manifest: "index",
        snapshot.statistics: "statistics",
    }


def _find_manifest(opened: OpenTable, name: str, search: _Search) -> Match | None:
    """The list that names the manifest, the newest that does; each list is read once."""
    read: set[str] = set()
    for snapshot, tag in _commits(opened, search):
        for listed, role in _roles(snapshot).items():
            if listed is None or role not in ("base", "delta", "changelog") or listed in read:
                continue
            search.go_on()
            read.add(listed)
            if _names(opened, listed, name, search):
                return Match(role, snapshot, tag)
    return None


def _names(opened: OpenTable, listed: str, name: str, search: _Search) -> bool:
    try:
        return any(meta.file_name == name for meta in opened.table.manifests.read_list(listed))
    except PaimonError:
        search.unreadable += 1
        return False


def _find_index_file(opened: OpenTable, name: str, search: _Search) -> Match | None:
    read: set[str] = set()
    for snapshot, tag in _commits(opened, search):
        listed = snapshot.index_manifest
        if listed is None or listed in read:
            continue
        search.go_on()
        read.add(listed)
        try:
            entries = opened.table.manifests.read_index(listed)
        except PaimonError:
            search.unreadable += 1
            continue
        if any(entry.file_name == name for entry in entries):
            return Match("index", snapshot, tag)
    return None


def _find_file(opened: OpenTable, name: str, search: _Search) -> Match | None:
    """A data file: live at the latest snapshot, else by the commit that removed it, else in a tag."""
    latest = opened.table.snapshots.latest()
    if latest is not None:
        found = _entry_name(live_files(opened, latest).entries, name)
        if found is not None:
            return Match("live", latest, name=found)
    tagged: list[tuple[Snapshot, str]] = []
    for snapshot, tag in _commits(opened, search):
        if tag is not None:
            tagged.append((snapshot, tag))
            continue
        match = _in_commit(opened, snapshot, name, search)
        if match is not None:
            return match
    for snapshot, tag in tagged:
        search.go_on()
        found = _entry_name(live_files(opened, snapshot).entries, name)
        if found is not None:
            return Match("tagged", snapshot, tag, found)
    return _in_long_changelogs(opened, name, search)


def _in_commit(opened: OpenTable, snapshot: Snapshot, name: str, search: _Search) -> Match | None:
    try:
        found = _entry_name(changes.delta(opened, snapshot), name)
        if found is not None:
            return Match("removed", snapshot, name=found)
        if snapshot.changelog_manifest_list is not None:
            found = _entry_name(changes.changelog(opened, snapshot), name)
            return None if found is None else Match("changelog", snapshot, name=found)
    except PaimonError:
        search.unreadable += 1
    return None


def _in_long_changelogs(opened: OpenTable, name: str, search: _Search) -> Match | None:
    for snapshot in _long_changelogs(opened, search):
        found = _entry_name(changes.changelog(opened, snapshot), name)
        if found is not None:
            return Match("changelog", snapshot, name=found)
    return None


def _entry_name(entries: EntryColumns, name: str) -> str | None:
    """The data file of that name, or the one that a file of that name goes with; None without either."""
    if pc.any(pc.equal(entries.column("file_name"), name)).as_py():
        return name
    extra: Any = entries.column("extra_files").combine_chunks()
    owners = pc.list_parent_indices(extra).filter(pc.equal(pc.list_flatten(extra), name))
    return str(entries.column("file_name")[owners[0].as_py()].as_py()) if len(owners) else None


_FINDERS: Mapping[str, Callable[[OpenTable, str, _Search], Match | None]] = MappingProxyType(
    {
        "snapshot": _find_numbered,
        "changelog": _find_numbered,
        "schema": _find_numbered,
        "manifest_list": _find_list,
        "index_manifest": _find_list,
        "statistics": _find_list,
        "manifest": _find_manifest,
        "index_file": _find_index_file,
        "file": _find_file,
    }
)
