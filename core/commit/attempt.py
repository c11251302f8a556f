"""One attempt after the other to put a change on top of the latest snapshot. Spec: 08, 2."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

import pyarrow as pa

from core.binary import BinaryRow
from core.commit.base import entries_to_check, entries_to_replace, names_in, partition_test, snapshots_since
from core.commit.conflicts import check_change, file_clash
from core.errors import (
    AlreadyExistsError,
    CommitConflictError,
    CommitUnknownError,
    NotFoundError,
    StorageError,
    UnsupportedError,
)
from core.manifest.columns import ENTRY_SCHEMA, EntryColumns
from core.manifest.entry import FileKind, ManifestEntry
from core.manifest.manifest_list import ManifestFileMeta
from core.manifest.merge import MergeSettings, merge_manifests
from core.manifest.writer import ManifestWriter
from core.options import COMMIT_DISCARD_DUPLICATES
from core.snapshot.snapshot import CommitKind, Snapshot
from core.types.data_types import DataType
from core.write.target import WriteTarget

_log = logging.getLogger(__name__)

_WRITER = "lakescope"


@dataclass(frozen=True, slots=True)
class Change:
    """What one snapshot changes."""

    kind: CommitKind
    entries: tuple[ManifestEntry, ...]
    replaces: Callable[[BinaryRow], bool] | None = None  # partitions whose live files all go
    is_retry: bool = False  # after an unknown outcome: its files may be in the table already
    made_after: str = ""  # the new files were begun on this snapshot (a reference); empty: not known

    @property
    def is_empty(self) -> bool:
        return not self.entries and self.replaces is None

    @property
    def replaces_files(self) -> bool:
        """Whether files go; new ones alone clash with no files that are there."""
        return self.kind is not CommitKind.APPEND or any(e.kind is FileKind.DELETE for e in self.entries)

    @property
    def needs_check(self) -> bool:
        """Whether the change can clash with another commit. Rows of a fixed number of buckets do
        with a commit that changed the number; without buckets new files fit in everywhere."""
        return self.replaces_files or self.is_retry or any(e.total_buckets > 0 for e in self.entries)


class CommitAttempts:
    """Attempts at one change by one user; remembers what the earlier ones may have left."""

    def __init__(
        self,
        table: WriteTarget,
        user: str,
        identifier: int,
        change: Change,
        now_millis: Callable[[], int],
    ) -> None:
        self._table = table
        self._user = user
        self._identifier = identifier
        self._change = change
        self._now_millis = now_millis
        self._seen: int | None = (
            None  # the latest snapshot as the attempt before saw it; None: no attempt yet
        )
        self._uuids: set[str] = set()  # of the snapshots that were tried
        self.unknown_id: int | None = None  # snapshot that an attempt may yet turn out to have written

    def run(self) -> Snapshot:
        """The snapshot made.

        Raises:
            AlreadyExistsError: another commit took the id; try again.
            CommitUnknownError: the snapshot may or may not be there; try again, this looks first.
            CommitConflictError: trying again cannot help.
        """
        latest = self._table.snapshots.latest()
        earlier = self._own_since_last_look(latest)
        if earlier is not None:
            self._write_hint(earlier.id)
            return earlier
        merge = self._seen is None
        self._seen = latest.id if latest else 0
        writer = ManifestWriter(
            self._table.io, self._table.paths, self._table.schema.partition_types, self._table.options
        )
        try:
            snapshot = self._prepare(latest, writer, merge=merge)
        except Exception:
            writer.discard()
            raise
        self._uuids.add(str(snapshot.uuid))
        made = self._create(snapshot, writer)
        if latest is not None and not self._stands_on(latest):
            self._take_back(made, writer)
        self._write_hint(made.id)
        return made

    def look_again(self) -> Snapshot | None:
        """The snapshot of an attempt whose outcome was unknown, if it is there after all."""
        return self._own_since_last_look(self._table.snapshots.latest())

    def _own_since_last_look(self, latest: Snapshot | None) -> Snapshot | None:
        if self._seen is None or latest is None:
            return None
        for snapshot_id in range(self._seen + 1, latest.id + 1):
            try:
                snapshot = self._table.snapshots.get(snapshot_id)
            except NotFoundError as error:
                if snapshot_id == self.unknown_id:
                    raise CommitUnknownError(
                        "the snapshot that was tried has gone again: whose it was, nobody can tell",
                        snapshot_id=snapshot_id,
                        user=self._user,
                    ) from error
                continue  # expired since, and not ours
            if snapshot.uuid in self._uuids:
                return snapshot
            if snapshot_id == self.unknown_id:
                self.unknown_id = None  # another took the id, so ours was never written
            self._check_not_a_twin(snapshot)
        return None

    def _check_not_a_twin(self, snapshot: Snapshot) -> None:
        """A second process that commits as we do: the same change twice, or two that only look alike.

        Neither may be guessed: the first would be there twice, the second would be lost.
        """
        own = (self._user, self._identifier, self._change.kind)
        found = (snapshot.commit_user, snapshot.commit_identifier, snapshot.commit_kind)
        if found == own and self.unknown_id is None:
            raise CommitConflictError(
                "another process has just committed as the same user with the same identifier",
                check="user",
                user=self._user,
                identifier=self._identifier,
                winner=snapshot.reference,
            )

    def _create(self, snapshot: Snapshot, writer: ManifestWriter) -> Snapshot:
        try:
            self._table.snapshots.create(snapshot)
        except AlreadyExistsError:
            # The store may have answered an earlier try of the same request.
            if not self._is_there(snapshot):
                writer.discard()
                raise
        except StorageError as error:
            self.unknown_id = snapshot.id
            raise CommitUnknownError(
                "the store failed while the snapshot was created: it may be there or not",
                snapshot_id=snapshot.id,
                user=self._user,
                cause=str(error),
            ) from error
        return snapshot

    def _stands_on(self, base: Snapshot) -> bool:
        """Whether `base` is still part of the history: a rewind may have removed it, and its id
        been used again, between our look at it and our snapshot on top of it."""
        try:
            return self._table.snapshots.get(base.id).identity == base.identity
        except NotFoundError:
            # Expired snapshots go from the oldest on; one that misses among older ones was rewound.
            return not any(i < base.id for i in self._table.snapshots.ids())
        except StorageError as error:
            _log.warning("whether snapshot %d is still there cannot be told: %s", base.id, error)
            return True

    def _take_back(self, made: Snapshot, writer: ManifestWriter) -> NoReturn:
        """Remove a snapshot that would bring back what a rewind removed, unless it is built upon."""
        if self._table.snapshots.exists(made.id + 1):
            raise CommitUnknownError(
                "the snapshot stands on one that a rollback removed, and another on it",
                snapshot_id=made.id,
                user=self._user,
            )
        self._table.snapshots.delete(made.id)
        writer.discard()
        raise AlreadyExistsError("the table was rolled back during the commit", snapshot_id=made.id)

    def _is_there(self, snapshot: Snapshot) -> bool:
        try:
            return self._table.snapshots.get(snapshot.id).uuid == snapshot.uuid
        except NotFoundError:
            return False  # rolled back meanwhile, by whoever did that

    def _write_hint(self, snapshot_id: int) -> None:
        """Best effort: the commit is done, and readers list where the hint is wrong. Another
        commit may have written a later hint meanwhile; ours is then one of those wrong ones."""
        try:
            self._table.snapshots.write_hint(snapshot_id)
        except StorageError as error:
            _log.warning("LATEST was not written after snapshot %d: %s", snapshot_id, error)

    def _prepare(self, latest: Snapshot | None, writer: ManifestWriter, *, merge: bool) -> Snapshot:
        """Everything but the snapshot file."""
        table = self._table
        base = table.manifests.manifests(latest) if latest else []
        delta = self._delta(latest, base)
        if merge:
            may_contain = partition_test(table.schema.partition_types)
            settings = MergeSettings.of(table.options)
            base = merge_manifests(base, settings, table.manifests, writer, may_contain)
        base_list = writer.write_list(base)
        delta_list = writer.write_list(writer.write_manifests(delta))
        rows = _record_count(delta)
        schema_id = table.schemas.latest().id
        now = self._now_millis()
        return Snapshot(
            id=latest.id + 1 if latest else 1,
            uuid=str(uuid.uuid4()),
            schema_id=schema_id,
            base_manifest_list=base_list.name,
            base_manifest_list_size=base_list.size,
            delta_manifest_list=delta_list.name,
            delta_manifest_list_size=delta_list.size,
            index_manifest=latest.index_manifest if latest else None,
            commit_user=self._user,
            writer_version=_WRITER,
            commit_identifier=self._identifier,
            commit_kind=self._change.kind,
            time_millis=max(now, latest.time_millis) if latest else now,
            total_record_count=((latest.total_record_count or 0) if latest else 0) + rows,
            delta_record_count=rows,
            changelog_record_count=0,
            watermark=latest.watermark if latest else None,
            # Statistics describe one schema; by induction those of `latest` describe its schema.
            statistics=latest.statistics if latest and latest.schema_id == schema_id else None,
            next_row_id=latest.next_row_id if latest else None,
        )

    def _delta(self, latest: Snapshot | None, base: Sequence[ManifestFileMeta]) -> EntryColumns:
        """The entries of the change, those of replaced partitions included."""
        change, table = self._change, self._table
        added = EntryColumns.of(change.entries)
        if latest is None:
            if change.needs_check:
                check_change([], change.entries, _key_types(table), same_buckets=False)
            return added
        if change.replaces_files:
            self._check_indexes(latest)
        recent = self._added_since_the_writer_began(latest)
        if change.replaces is not None:
            self._new_entries(recent)
            live = table.manifests.live_entries(latest, list(base))
            return EntryColumns.concat([_deletes(entries_to_replace(live, change.replaces)), added])
        if recent is not None and not change.needs_check:
            return EntryColumns.of(self._new_entries(recent))
        partitions = {entry.partition for entry in change.entries}
        test = partition_test(table.schema.partition_types)
        touched = [meta for meta in base if test(meta, [p.to_bytes() for p in partitions])]
        live = table.manifests.live_entries(latest, touched)
        entries = self._new_entries(recent, live)
        check_change(entries_to_check(live, entries), entries, _key_types(table))
        return EntryColumns.of(entries)

    def _added_since_the_writer_began(self, latest: Snapshot) -> EntryColumns | None:
        """What only the new files' second commit could name; None where all live files have to be asked."""
        if self._change.kind is CommitKind.COMPACT:
            return EntryColumns.empty()  # its inputs are gone after the first
        since = snapshots_since(self._table.snapshots, latest, self._change.made_after)
        if since is None:
            return None
        return EntryColumns.concat(list(map(self._table.manifests.delta_entries, since)))

    def _new_entries(self, *there: EntryColumns | None) -> tuple[ManifestEntry, ...]:
        """The entries of the change without those that another process has committed.

        Raises:
            CommitConflictError: there are such, and the table does not say to leave them out.
        """
        entries = self._change.entries
        if self._change.kind is CommitKind.COMPACT:
            return entries
        known = names_in(entries, *there)
        if known and not self._table.options.get(COMMIT_DISCARD_DUPLICATES):
            raise file_clash(
                "a file is added that the table has already",
                next(e for e in entries if e.file.file_name in known),
            )
        return tuple(e for e in entries if e.file.file_name not in known)

    def _check_indexes(self, latest: Snapshot) -> None:
        """An index of files that are replaced would go stale; which of them do is not tracked yet."""
        for entry in self._table.manifests.index_entries(latest):
            raise UnsupportedError(
                "files with a table index are not replaced by this release",
                feature=f"index {entry.index_type}",
                where=entry.file_name,
            )


def _key_types(table: WriteTarget) -> list[DataType]:
    return [field.type for field in table.schema.key_fields()]


def _deletes(entries: EntryColumns) -> EntryColumns:
    kinds = pa.array([int(FileKind.DELETE)] * len(entries), pa.int8())
    position = ENTRY_SCHEMA.get_field_index("kind")
    return EntryColumns(entries.table.set_column(position, ENTRY_SCHEMA.field(position), kinds))


def _record_count(delta: EntryColumns) -> int:
    """Rows of added files less those of deleted ones."""
    signs = 1 - 2 * delta.numpy("kind").astype("int64")
    return int((signs * delta.numpy("row_count")).sum())
