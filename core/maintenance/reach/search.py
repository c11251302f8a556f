"""Which of some names a reader of a table can come across.

Theory. A file is reached by

    1  a snapshot or tag: its lists, their manifests, the files that are live in them, its index
       manifest and index files, its statistics
    2  a snapshot besides: the files of its changelog list, for those who stream
    3  a long-lived changelog: its changelog list; where it never had one, its delta list and the
       files that this adds, which are the changelog then (not of a compaction, which streams skip)

Of consecutive snapshots the first gives its live files and each later one what its delta adds.
That is all that is live in any of them.

Only names that were asked for are kept, so memory is bounded by them and by the manifests that
are read at once, not by the table. Each manifest is read once, whoever names it. Names are
compared, not paths: they are unique, and a file may lie where a writer of old put it.

A root may go while we look: what is missing then is no fault, and the search begins anew with
those that are left, as the next snapshot after it now has to give all its live files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from core.errors import FormatError, NotFoundError, PaimonError
from core.maintenance.reach.named import existing
from core.maintenance.reach.roots import Root, RootKind, is_there
from core.manifest import EntryColumns, ManifestFileMeta
from core.manifest.cancel import IDENTITY
from core.snapshot import CommitKind
from core.table import Table

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_READERS = 8
_ROOTS_AT_ONCE = 256
_MANIFESTS_AT_ONCE = 256
_BYTES_AT_ONCE = 32 << 20  # of manifests, as they are stored
_LOOKED_AT = ("kind", "file_name", "extra_files")
_NO_DELTA = (CommitKind.COMPACT, CommitKind.ANALYZE)  # commits that streams pass over


def reached_names(table: Table, roots: Sequence[Root], names: pa.Array[Any]) -> pa.Array[Any]:
    """Those of `names` that a reader of any of the roots comes across.

    Args:
        table: the table, whatever branch it is seen from.
        roots: as `Roots.of` gives them: of each branch the snapshots ascending.
        names: of data files, their companions, manifests, lists, index or statistics files.

    Raises:
        NotFoundError, FormatError: metadata that a root needs is missing or damaged (`path`).
    """
    while True:
        search = _Search(table, names)
        try:
            for start in range(0, len(roots), _ROOTS_AT_ONCE):
                search.look(_places(roots, start, start + _ROOTS_AT_ONCE))
            return search.found()
        except NotFoundError:
            left = tuple(root for root in roots if is_there(table, root))
            if len(left) == len(roots):
                raise
            roots = left


@dataclass(frozen=True, slots=True)
class _Lists:
    """What the lists of a root lead to."""

    names: frozenset[str]  # of metadata and index files
    state: tuple[ManifestFileMeta, ...] = ()  # its live entries count
    added: tuple[ManifestFileMeta, ...] = ()  # its ADD entries count


class _Search:
    """The names, and which of them have been found so far."""

    def __init__(self, table: Table, names: pa.Array[Any]) -> None:
        self._table = table
        self._names = names
        self._metadata: set[str] = set()
        self._files: list[pa.Array[Any]] = []
        self._entries: dict[str, EntryColumns | PaimonError] = {}  # by manifest, those with one of the names
        self._states: set[tuple[str, str]] = set()  # lists whose live entries have been counted

    def look(self, places: Iterable[tuple[Root, bool]]) -> None:
        """Follow some roots, each with whether the root before is its predecessor."""
        with ThreadPoolExecutor(_READERS) as pool:
            lists = list(pool.map(self._lists_of, places))
        self._read({meta.file_name: meta for found in lists for meta in (*found.state, *found.added)})
        for found in lists:
            self._metadata |= found.names
            self._count(found)

    def found(self) -> pa.Array[Any]:
        metadata = pa.array(sorted(self._metadata), pa.string())
        all_found = pa.chunked_array([metadata, *self._files], pa.string()).combine_chunks()
        found: pa.Array[Any] = pc.filter(self._names, pc.is_in(self._names, value_set=all_found))
        return found

    def _lists_of(self, place: tuple[Root, bool]) -> _Lists:
        root, continues = place
        return (
            self._of_changelog(root) if root.kind is RootKind.CHANGELOG else self._of_state(root, continues)
        )

    def _of_state(self, root: Root, continues: bool) -> _Lists:
        snapshot, manifests = root.snapshot, self._table.manifests
        base, delta = manifests.base_manifests(snapshot), manifests.delta_manifests(snapshot)
        # The changelog of a tag may have expired: nobody streams from tags.
        streams = root.kind is RootKind.SNAPSHOT
        changelog = existing(manifests.changelog_manifests, snapshot) if streams else []
        indexes = manifests.index_entries(snapshot)
        names = _names_of(
            snapshot.base_manifest_list,
            snapshot.delta_manifest_list,
            snapshot.changelog_manifest_list if streams else None,
            snapshot.index_manifest,
            snapshot.statistics,
            *(entry.file_name for entry in indexes),
            metas=(*base, *delta, *changelog),
        )
        lists = (snapshot.base_manifest_list, snapshot.delta_manifest_list)
        if continues or lists in self._states:
            return _Lists(names, added=(*(delta if continues else ()), *changelog))
        self._states.add(lists)
        return _Lists(names, (*base, *delta), tuple(changelog))

    def _of_changelog(self, root: Root) -> _Lists:
        changelog = root.snapshot
        name = changelog.changelog_manifest_list
        if name is None and changelog.commit_kind not in _NO_DELTA:
            name = changelog.delta_manifest_list
        metas = existing(self._table.manifests.read_list, name) if name else []
        return _Lists(_names_of(name, metas=metas), added=tuple(metas))

    def _read(self, manifests: Mapping[str, ManifestFileMeta]) -> None:
        unread = [meta for name, meta in manifests.items() if name not in self._entries]
        for part in _parts(unread):
            with ThreadPoolExecutor(_READERS) as pool:
                opened = list(pool.map(self._open, part))
            good = [entries for entries in opened if isinstance(entries, EntryColumns)]
            asked = iter(_only_named(good, self._names))
            for meta, entries in zip(part, opened, strict=True):
                self._entries[meta.file_name] = next(asked) if isinstance(entries, EntryColumns) else entries

    def _open(self, meta: ManifestFileMeta) -> EntryColumns | PaimonError:
        try:
            return self._table.manifests.open_entries([meta]).with_columns(_LOOKED_AT)
        except (NotFoundError, FormatError) as error:
            return error.with_traceback(None)

    def _count(self, lists: _Lists) -> None:
        for entries in (self._of(lists.state).live().adds(), self._of(lists.added).adds()):
            if len(entries):
                self._files.append(entries.column("file_name").combine_chunks())
                self._files.append(pc.list_flatten(entries.column("extra_files").combine_chunks()))

    def _of(self, metas: Iterable[ManifestFileMeta]) -> EntryColumns:
        """The entries with one of the names, in order."""
        parts = []
        for meta in metas:
            entries = self._entries[meta.file_name]
            if not isinstance(entries, EntryColumns):
                raise entries
            if len(entries):
                parts.append(entries)
        return EntryColumns.concat(parts)


def _places(roots: Sequence[Root], start: int, end: int) -> Iterator[tuple[Root, bool]]:
    """Roots, each with whether it is a snapshot right after the one before it."""
    for i, root in enumerate(roots[start:end], start):
        before = roots[i - 1] if i else None
        continues = (
            before is not None
            and (before.kind, root.kind) == (RootKind.SNAPSHOT, RootKind.SNAPSHOT)
            and before.branch == root.branch
            and before.snapshot.id + 1 == root.snapshot.id
        )
        yield root, continues


def _names_of(*names: str | None, metas: Iterable[ManifestFileMeta]) -> frozenset[str]:
    of_manifests = (name for meta in metas for name in (meta.file_name, *(meta.extra_files or ())))
    return frozenset((*(name for name in names if name), *of_manifests))


def _parts(metas: Sequence[ManifestFileMeta]) -> Iterator[list[ManifestFileMeta]]:
    """As many manifests as are looked through together."""
    part: list[ManifestFileMeta] = []
    for meta in metas:
        if part and (
            len(part) == _MANIFESTS_AT_ONCE
            or sum(m.file_size for m in part) + meta.file_size > _BYTES_AT_ONCE
        ):
            yield part
            part = []
        part.append(meta)
    if part:
        yield part


def _only_named(parts: Sequence[EntryColumns], names: pa.Array[Any]) -> list[EntryColumns]:
    """Of each part the entries that have one of the names, or a companion that has."""
    if not parts:
        return []
    starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    own = pa.chunked_array([c for part in parts for c in part.column("file_name").chunks], pa.string())
    named = pc.is_in(own, value_set=names).to_numpy().copy()
    companions = [part.column("extra_files").combine_chunks() for part in parts]
    flat = pa.chunked_array([pc.list_flatten(lists) for lists in companions], pa.string())
    owners = np.concatenate(
        [
            start + pc.list_parent_indices(lists).to_numpy().astype(np.int64)
            for start, lists in zip(starts, companions, strict=False)
        ]
    )
    named[owners[pc.is_in(flat, value_set=names).to_numpy()]] = True
    return [
        EntryColumns(part.filter(named[start:end]).with_columns(IDENTITY).table.select(list(IDENTITY)))
        for part, start, end in zip(parts, starts[:-1], starts[1:], strict=True)
    ]
