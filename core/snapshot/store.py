"""The snapshot/ and changelog/ directories of a table or branch. Spec: 01, 3 and 8."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from core.errors import FormatError, NotFoundError, PaimonError
from core.io.decoding import read_decoded
from core.io.file_io import FileIO
from core.io.paths import TablePaths
from core.snapshot.codec import decode_snapshot, encode_snapshot
from core.snapshot.hints import HintedDirectory, HintReport
from core.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class UnreadableSnapshot:
    """A snapshot whose file is there and cannot be used."""

    id: int
    error: PaimonError


class _SnapshotFiles:
    """Snapshots in one directory of numbered files. Nothing is cached: a rollback re-uses ids."""

    def __init__(self, io: FileIO, directory: str, prefix: str) -> None:
        self._io = io
        self._files = HintedDirectory(io, directory, prefix)

    def ids(self) -> list[int]:
        """By listing, ascending."""
        return self._files.ids()

    def latest_id(self) -> int | None:
        """By the hint where it proves right, else by listing; None if there is none."""
        return self._files.latest()

    def earliest_id(self) -> int | None:
        return self._files.earliest()

    def exists(self, snapshot_id: int) -> bool:
        return self._files.has(snapshot_id)

    def get(self, snapshot_id: int) -> Snapshot:
        """`NotFoundError` if it never was or has expired, `FormatError` if its file is damaged."""
        path = self._files.path(snapshot_id)
        try:
            snapshot = read_decoded(self._io, path, decode_snapshot)
        except NotFoundError as error:
            raise NotFoundError("snapshot not found", snapshot_id=snapshot_id, path=path) from error
        if snapshot.id != snapshot_id:
            raise FormatError(
                "snapshot id differs from its file name", path=path, expected=snapshot_id, found=snapshot.id
            )
        return snapshot

    def latest(self) -> Snapshot | None:
        """The newest; one that vanishes between the look and the read is looked for again."""
        for _ in range(_ATTEMPTS):
            snapshot_id = self.latest_id()
            if snapshot_id is None:
                return None
            try:
                return self.get(snapshot_id)
            except NotFoundError:
                continue  # rolled back or expired meanwhile
        raise NotFoundError("the latest snapshot keeps vanishing", snapshot_id=snapshot_id)

    def earliest(self) -> Snapshot | None:
        """The oldest that can still be read while an expiration runs. Spec: 01, 3."""
        first = self.earliest_id()
        if first is None:
            return None
        for snapshot_id in range(first, first + _EXPIRING):
            try:
                return self.get(snapshot_id)
            except NotFoundError:
                continue
        raise NotFoundError("the earliest snapshots keep vanishing", snapshot_id=first)

    def newest(self, limit: int, before: int | None = None) -> list[Snapshot]:
        """Up to `limit` snapshots, newest first, with ids below `before`."""
        ids = [i for i in reversed(self.ids()) if before is None or i < before]
        return [self.get(i) for i in ids[:limit]]

    def iter_all(self) -> Iterator[Snapshot]:
        """Every snapshot, ascending; those that expire meanwhile are passed over."""
        for snapshot_id in self.ids():
            snapshot = self._present(snapshot_id)
            if snapshot is not None:
                yield snapshot

    def after(self, snapshot_id: int) -> list[Snapshot]:
        """Every snapshot above an id, ascending, several read at once; those that expire are passed over."""
        ids = [i for i in self.ids() if i > snapshot_id]
        with ThreadPoolExecutor(_READERS) as pool:
            return [snapshot for snapshot in pool.map(self._present, ids) if snapshot is not None]

    def _present(self, snapshot_id: int) -> Snapshot | None:
        try:
            return self.get(snapshot_id)
        except NotFoundError:
            if self.exists(snapshot_id):
                raise
            return None

    def examine(self, ids: list[int] | None = None) -> Iterator[Snapshot | UnreadableSnapshot]:
        """Every snapshot, ascending, with the error in place of one that cannot be read."""
        for snapshot_id in self.ids() if ids is None else ids:
            try:
                yield self.get(snapshot_id)
            except PaimonError as error:
                yield UnreadableSnapshot(snapshot_id, error)

    def hint_report(self) -> HintReport:
        return self._files.report()

    def create(self, snapshot: Snapshot) -> None:
        """Make the snapshot visible: this is the commit. `AlreadyExistsError` if another was first."""
        self._io.create(self._files.path(snapshot.id), encode_snapshot(snapshot))

    def delete(self, snapshot_id: int) -> None:
        """Delete the file alone; hints and what the snapshot names stay."""
        self._io.delete(self._files.path(snapshot_id))

    def write_hint(self, latest_id: int) -> None:
        """Write LATEST."""
        self._files.write_latest(latest_id)

    def write_earliest_hint(self, earliest_id: int) -> None:
        self._files.write_earliest(earliest_id)

    def delete_hint(self) -> None:
        """Delete LATEST; readers list then."""
        self._files.delete_latest()

    def delete_hints(self) -> None:
        """Delete EARLIEST and LATEST; readers list then."""
        self._files.delete_earliest()
        self._files.delete_latest()


_ATTEMPTS = 10
_READERS = 16  # snapshots fetched at once: an object store answers each in tens of milliseconds
_EXPIRING = 300  # how far Paimon looks for the first snapshot that an expiration has left


class SnapshotStore(_SnapshotFiles):
    """The snapshots of a table or branch."""

    def __init__(self, io: FileIO, paths: TablePaths) -> None:
        super().__init__(io, paths.snapshot_dir, "snapshot-")

    def by_time(self, millis: int) -> Snapshot | None:
        """The newest snapshot committed at or before `millis` (epoch, UTC); None if all are later.

        Commit times ascend with ids, as in every reader of Paimon.
        """
        ids = self.ids()
        low, high, best = 0, len(ids), None
        while low < high:
            middle = (low + high) // 2
            snapshot = self.get(ids[middle])
            if snapshot.time_millis <= millis:
                best, low = snapshot, middle + 1
            else:
                high = middle
        return best

    def by_watermark(self, watermark: int) -> Snapshot | None:
        """The first snapshot whose watermark is at least `watermark`; None if none has come so far.

        Watermarks ascend with ids; a snapshot without one has that of the nearest before it.
        """
        ids = self.ids()
        low, high, best = 0, len(ids), None
        while low < high:
            middle = (low + high) // 2
            place, snapshot = self._with_watermark(ids, middle, low)
            if snapshot is None or snapshot.watermark is None or snapshot.watermark < watermark:
                low = middle + 1
            else:
                best, high = snapshot, place
        return best

    def _with_watermark(self, ids: list[int], place: int, first: int) -> tuple[int, Snapshot | None]:
        """The nearest snapshot at or before `place`, from `first` on, that has a watermark."""
        for i in range(place, first - 1, -1):
            snapshot = self.get(ids[i])
            if snapshot.watermark is not None:
                return i, snapshot
        return first, None


class ChangelogStore(_SnapshotFiles):
    """Snapshots that expired while their changelog is kept. Spec: 01, 8.1."""

    def __init__(self, io: FileIO, paths: TablePaths) -> None:
        super().__init__(io, paths.changelog_dir, "changelog-")
