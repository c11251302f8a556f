"""What an expiration would remove, before anything is touched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from core.errors import FormatError, NotFoundError
from core.maintenance.notice import Notice
from core.maintenance.reach import FileRole, NamedFiles, files_of_entries
from core.manifest import EntryColumns, ManifestFileMeta
from core.snapshot import Snapshot
from core.table import Table

# What is needed of entries to find their files, and to tell moves to another level from removals.
_COLUMNS = ("kind", "partition", "bucket", "file_name", "file_size", "extra_files", "external_path")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpirePlan:
    """Snapshots or changelogs that go, the oldest first, and the files that go with them."""

    expired: tuple[Snapshot, ...]
    first_kept: int | None  # id; None for an empty table, or where all changelogs go
    becomes_changelog: bool = False  # snapshots that go are kept as long-lived changelogs
    named: NamedFiles  # what only may go: something else may name it too
    files: NamedFiles  # what goes, as far as was known when the plan was made
    blockers: tuple[Notice, ...] = ()
    warnings: tuple[Notice, ...] = ()

    @property
    def changes_nothing(self) -> bool:
        return not self.expired


@dataclass(frozen=True, slots=True)
class Gathered:
    """The files that metadata of what goes names, and what of it could not be read."""

    named: NamedFiles
    warnings: tuple[Notice, ...]


def gather(parts: Iterable[Callable[[], NamedFiles]]) -> Gathered:
    """All files that the parts name. One that is damaged names none: its files are left as orphans."""
    found: list[NamedFiles] = []
    warnings: list[Notice] = []
    for part in parts:
        try:
            found.append(part())
        except NotFoundError:
            continue  # an expiration before has got so far
        except FormatError as error:
            warnings.append(Notice.of_error("unreadable-metadata", error))
    return Gathered(NamedFiles.union(found), tuple(warnings))


def removed_files(table: Table, snapshot: Snapshot) -> NamedFiles:
    """The data files that the snapshot's commit took away (or moved to another level)."""
    return files_of_entries(table, _entries(table, table.manifests.delta_manifests(snapshot)).deletes())


def changelog_files(table: Table, snapshot: Snapshot) -> NamedFiles:
    """The files of the snapshot's changelog."""
    entries = _entries(table, table.manifests.changelog_manifests(snapshot))
    return files_of_entries(table, entries, FileRole.CHANGELOG)


def added_files(table: Table, snapshot: Snapshot) -> NamedFiles:
    """The data files that the snapshot's commit added."""
    return files_of_entries(table, _entries(table, table.manifests.delta_manifests(snapshot)).adds())


def live_files(table: Table, snapshot: Snapshot) -> NamedFiles:
    """The data files of the snapshot."""
    entries = table.manifests.open_entries(table.manifests.manifests(snapshot)).live().adds()
    return files_of_entries(table, entries.with_columns(_COLUMNS))


def _entries(table: Table, manifests: Sequence[ManifestFileMeta]) -> EntryColumns:
    return table.manifests.open_entries(manifests).with_columns(_COLUMNS)
