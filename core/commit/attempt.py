"""One attempt after the other to put a change on top of the latest snapshot. Spec: 08, 2."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable
from typing import NoReturn

from core.commit.base import partition_test
from core.commit.change import Change
from core.commit.delta import delta_of
from core.errors import (
    AlreadyExistsError,
    CommitConflictError,
    CommitUnknownError,
    NotFoundError,
    StorageError,
)
from core.manifest.merge import MergeSettings, merge_manifests
from core.manifest.writer import ManifestWriter
from core.snapshot.snapshot import Snapshot
from core.write.target import WriteTarget

_log = logging.getLogger(__name__)

_WRITER = "lakescope"


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
        self._seen: int | None = None  # the latest snapshot at the attempt before; None: no attempt yet
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
        delta = delta_of(table, self._change, latest, base)
        if merge:
            may_contain = partition_test(table.schema.partition_types)
            settings = MergeSettings.of(table.options)
            base = merge_manifests(base, settings, table.manifests, writer, may_contain)
        base_list = writer.write_list(base)
        delta_list = writer.write_list(writer.write_manifests(delta.entries))
        changelog = writer.write_list(writer.write_manifests(delta.changelog)) if delta.changelog else None
        index_manifest = latest.index_manifest if latest else None
        if delta.indexes is not None:
            index_manifest = writer.write_index(delta.indexes)
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
            changelog_manifest_list=changelog.name if changelog else None,
            changelog_manifest_list_size=changelog.size if changelog else None,
            index_manifest=index_manifest,
            commit_user=self._user,
            writer_version=_WRITER,
            commit_identifier=self._identifier,
            commit_kind=self._change.kind,
            time_millis=max(now, latest.time_millis) if latest else now,
            total_record_count=((latest.total_record_count or 0) if latest else 0) + delta.record_count,
            delta_record_count=delta.record_count,
            changelog_record_count=delta.changelog_record_count,
            watermark=latest.watermark if latest else None,
            # Statistics describe one schema; by induction those of `latest` describe its schema.
            statistics=latest.statistics if latest and latest.schema_id == schema_id else None,
            next_row_id=latest.next_row_id if latest else None,
        )
