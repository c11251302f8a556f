"""The manifest/ directory: lists, manifests and index manifests of snapshots. Spec: 02, 4."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

from core.errors import PaimonError
from core.io.decoding import KeepsWhatIsKnown, errors_naming, read_decoded
from core.io.file_io import FileIO
from core.io.paths import TablePaths
from core.manifest.columns import HEAD, EntryColumns, decode_manifests, open_manifests
from core.manifest.index_manifest import IndexManifestEntry, decode_index_manifest
from core.manifest.manifest_list import ManifestFileMeta, decode_manifest_list
from core.snapshot.snapshot import Snapshot

_READERS = 16  # manifests fetched at once: an object store answers each in tens of milliseconds

Told = Callable[[int, int], None]
"""Called with how many manifests have been read, of how many."""


class ManifestStore:
    """Reads what snapshots name. Files here are immutable."""

    def __init__(self, io: FileIO, paths: TablePaths, told: Told | None = None) -> None:
        self._io = io
        self._paths = paths
        self._told = told

    def telling(self, told: Told) -> ManifestStore:
        """The same; of many manifests that are read at once it says after each how many it has read."""
        return ManifestStore(self._io, self._paths, told)

    def read_list(self, name: str) -> list[ManifestFileMeta]:
        return read_decoded(self._io, self._paths.manifest_file(name), decode_manifest_list)

    def base_manifests(self, snapshot: Snapshot) -> list[ManifestFileMeta]:
        return self.read_list(snapshot.base_manifest_list)

    def delta_manifests(self, snapshot: Snapshot) -> list[ManifestFileMeta]:
        return self.read_list(snapshot.delta_manifest_list)

    def changelog_manifests(self, snapshot: Snapshot) -> list[ManifestFileMeta]:
        """Empty where the snapshot has no changelog."""
        name = snapshot.changelog_manifest_list
        return self.read_list(name) if name else []

    def manifests(self, snapshot: Snapshot) -> list[ManifestFileMeta]:
        """Base, then delta: everything that together says which files are live."""
        return self.base_manifests(snapshot) + self.delta_manifests(snapshot)

    def read_entries(self, manifests: Iterable[ManifestFileMeta | str]) -> EntryColumns:
        """The entries of manifests, in order, as they stand."""
        paths = self._paths_of(manifests)
        sources = self._read_all(paths)
        try:
            return decode_manifests(sources)
        except PaimonError:
            _blame(self._io, paths, sources)
            raise

    def open_entries(self, manifests: Iterable[ManifestFileMeta | str]) -> EntryColumns:
        """The same, ready to be pruned and cancelled; `complete()` then reads what is left of them."""
        paths = self._paths_of(manifests)

        def explain() -> None:
            _blame(self._io, paths, self._read_all(paths))

        try:
            return open_manifests(self._read_all(paths), explain).with_columns(HEAD)
        except PaimonError:
            explain()
            raise

    def live_entries(
        self, snapshot: Snapshot, manifests: Sequence[ManifestFileMeta] | None = None
    ) -> EntryColumns:
        """The live files of a snapshot, in the order they were added.

        `manifests` is what pruning left of `self.manifests(snapshot)`. A DELETE that finds no
        ADD then belongs to a manifest that was left out.
        """
        chosen = self.manifests(snapshot) if manifests is None else manifests
        return self.open_entries(chosen).live().adds().complete()

    def delta_entries(self, snapshot: Snapshot) -> EntryColumns:
        """Exactly the changes of the commit."""
        return self.read_entries(self.delta_manifests(snapshot))

    def changelog_entries(self, snapshot: Snapshot) -> EntryColumns:
        return self.read_entries(self.changelog_manifests(snapshot))

    def index_entries(self, snapshot: Snapshot) -> list[IndexManifestEntry]:
        """The table index files of a snapshot; none where it names no index manifest."""
        return self.read_index(snapshot.index_manifest) if snapshot.index_manifest else []

    def read_index(self, name: str) -> list[IndexManifestEntry]:
        return read_decoded(self._io, self._paths.manifest_file(name), decode_index_manifest)

    def _paths_of(self, manifests: Iterable[ManifestFileMeta | str]) -> list[str]:
        names = [m if isinstance(m, str) else m.file_name for m in manifests]
        return [self._paths.manifest_file(name) for name in names]

    def _read_all(self, paths: Sequence[str]) -> list[bytes]:
        if len(paths) <= 2:
            return [self._io.read(path) for path in paths]
        with ThreadPoolExecutor(_READERS) as pool:
            found = []
            for data in pool.map(self._io.read, paths):
                found.append(data)
                if self._told is not None:
                    self._told(len(found), len(paths))
            return found


def _blame(io: FileIO, paths: Sequence[str], sources: Sequence[bytes]) -> None:
    """Raises the error of the first manifest that fails alone, with its path."""
    for path, source in zip(paths, sources, strict=True):
        try:
            with errors_naming(path):
                decode_manifests([source])
        except PaimonError:
            if isinstance(io, KeepsWhatIsKnown):
                io.forget(path)
            raise
