"""Reads lists, manifests and index manifests for the check: each once, faults noted.

A list or manifest that several snapshots name is read for the first of them; a fault is one
finding that all of them point to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pyarrow.compute as _pc

from core.errors import PaimonError
from core.io import TablePaths
from core.maintenance.check.finding import FindingKind, Findings
from core.maintenance.check.listing import Listing
from core.manifest import EntryColumns, IndexManifestEntry, ManifestFileMeta
from core.table import Table

_T = TypeVar("_T")
pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

# What the check needs of entries: their identity, and what can be held against a file.
_COLUMNS = [
    "kind",
    "partition",
    "bucket",
    "file_name",
    "file_size",
    "row_count",
    "schema_id",
    "level",
    "extra_files",
    "embedded_index",
    "external_path",
]


class ManifestReader:
    """What the manifest directory holds, as far as the roots name it."""

    def __init__(self, table: Table, listing: Listing, findings: Findings) -> None:
        self.used_names: set[str] = set()  # of all files that any metadata names
        self.incomplete: str | None = None  # the first object without which that set has holes
        self.checked: dict[str, int] = {}  # objects read, by kind
        self._manifests = table.manifests
        self._paths = TablePaths(table.location)
        self._listing = listing
        self._findings = findings
        self._read: dict[str, object] = {}
        self._failures: dict[str, PaimonError] = {}

    def manifest_list(self, name: str, size: int | None, pointer: str) -> list[ManifestFileMeta]:
        """The manifests of a list; none where it cannot be read."""
        path = self._paths.manifest_file(name)
        metas = self._once(name, "manifest list", pointer, lambda: self._manifests.read_list(name))
        self.check_size("manifest list", path, size, pointer)
        for meta in metas or ():
            self.used_names.update((meta.file_name, *(meta.extra_files or ())))
        return metas or []

    def entries(self, metas: Sequence[ManifestFileMeta], pointer: str) -> EntryColumns:
        """The entries of the manifests that can be read, in order, as they stand."""
        return EntryColumns.concat([self._manifest(meta, pointer) for meta in metas] or [_none()])

    def index_manifest(self, name: str, pointer: str) -> list[IndexManifestEntry]:
        entries = self._once(name, "index manifest", pointer, lambda: self._manifests.read_index(name))
        self.used_names.update(entry.file_name for entry in entries or ())
        return entries or []

    def count(self, what: str) -> None:
        self.checked[what] = self.checked.get(what, 0) + 1

    def lost(self, what: str) -> None:
        """Note that names are unknown because this could not be read."""
        self.incomplete = self.incomplete or what

    def check_size(self, what: str, path: str, expected: int | None, pointer: str) -> None:
        found = self._listing.size(path)
        if expected is not None and found is not None and expected != found:
            problem = "has another size than its parent says"
            self._findings.add(
                FindingKind.WRONG_SIZE,
                what,
                path,
                problem,
                pointed_by=(pointer,),
                expected=expected,
                found=found,
            )

    def _manifest(self, meta: ManifestFileMeta, pointer: str) -> EntryColumns:
        entries = self._once(meta.file_name, "manifest", pointer, lambda: self._slim(meta, pointer))
        self.check_size("manifest", self._paths.manifest_file(meta.file_name), meta.file_size, pointer)
        return _none() if entries is None else entries

    def _slim(self, meta: ManifestFileMeta, pointer: str) -> EntryColumns:
        entries = self._manifests.read_entries([meta])
        extra_files = pc.list_flatten(entries.column("extra_files"))
        for names in (entries.column("file_name"), extra_files):
            self.used_names.update(pc.drop_null(names).to_pylist())
        self._check_counts(meta, entries, pointer)
        return EntryColumns(entries.table.select(_COLUMNS))

    def _check_counts(self, meta: ManifestFileMeta, entries: EntryColumns, pointer: str) -> None:
        added = len(entries.adds())
        expected, found = (meta.num_added_files, meta.num_deleted_files), (added, len(entries) - added)
        if expected != found:
            self._findings.add(
                FindingKind.WRONG_CONTENT,
                "manifest",
                self._paths.manifest_file(meta.file_name),
                "holds another number of added and deleted files than its list says",
                pointed_by=(pointer,),
                expected=expected,
                found=found,
            )

    def _once(self, name: str, what: str, pointer: str, read: Callable[[], _T]) -> _T | None:
        """What `read` gives, None where it fails; every pointer to a failure is noted."""
        if name not in self._read and name not in self._failures:
            self.count(f"{what}s")
            try:
                self._read[name] = read()
            except PaimonError as error:
                self._failures[name] = error
                self.lost(f"{what} {name}")
        if name in self._failures:
            path = self._paths.manifest_file(name)
            self._findings.add_error(what, path, self._failures[name], pointed_by=(pointer,))
            return None
        return self._read[name]  # type: ignore[return-value]  # a name is of one kind of object


def _none() -> EntryColumns:
    return EntryColumns(EntryColumns.empty().table.select(_COLUMNS))
