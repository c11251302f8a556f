"""One attempt after the other to put a change on top of the latest snapshot. Spec: 08, 2."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import ExitStack
from typing import NoReturn

from core.commit.change import Change
from core.commit.lock import CommitLock
from core.commit.prepare import Author, prepare_snapshot
from core.commit.target import CommitTarget
from core.errors import (
    AlreadyExistsError,
    CommitConflictError,
    CommitUnknownError,
    NotFoundError,
    StorageError,
)
from core.manifest.writer import ManifestWriter
from core.snapshot.snapshot import Snapshot

_log = logging.getLogger(__name__)


class CommitAttempts:
    """Attempts at one change by one user; remembers what the earlier ones may have left."""

    def __init__(
        self,
        table: CommitTarget,
        author: Author,
        change: Change,
        now_millis: Callable[[], int],
        lock: CommitLock | None = None,
        looked_up_to: int | None = None,
    ) -> None:
        """Attempts that begin now.

        Args:
            table, author, change, now_millis, lock: see `TableCommit`.
            looked_up_to: the snapshot up to which the author's own were looked for, if they were: one
                that is newer was made by a second process in the same name.
        """
        self._table = table
        self.author = author
        self._lock = lock
        self._change = change
        self._now_millis = now_millis
        self._refuses_later = looked_up_to is not None
        self._seen = looked_up_to  # the latest snapshot at the attempt before; None: not looked at yet
        self._is_first = True
        self._base: Snapshot | None = None  # that snapshot, if there was one
        self._uuids: set[str] = set()  # of the snapshots that were tried
        self.unknown_id: int | None = None  # snapshot that an attempt may yet turn out to have written

    def run(self) -> Snapshot | None:
        """The snapshot made; None if manifests were to be merged and there is nothing to win.

        Raises:
            AlreadyExistsError: another commit took the id, or an expiration the base; try again.
            CommitUnknownError: the snapshot may or may not be there; try again, this looks first.
            CommitConflictError: trying again cannot help.
        """
        latest = self._table.snapshots.latest()
        earlier = self._own_since_last_look(latest)
        if earlier is not None:
            self._write_hint(earlier.id)
            return earlier
        merge, self._is_first = self._is_first, False
        self._seen, self._base = (latest.id if latest else 0), latest
        writer = ManifestWriter(
            self._table.io, self._table.paths, self._table.schema.partition_types, self._table.options
        )
        try:
            snapshot = prepare_snapshot(
                self._table,
                self._change,
                latest,
                writer,
                self.author,
                now_millis=self._now_millis(),
                merge=merge,
            )
        except NotFoundError as error:
            writer.discard()
            if latest is None or self._table.snapshots.exists(latest.id):
                raise
            raise AlreadyExistsError(
                "the snapshot to commit on has expired, so there are later ones", snapshot_id=latest.id
            ) from error
        except Exception:
            writer.discard()
            raise
        if snapshot is None:
            return None
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
                        user=self.author.user,
                    ) from error
                continue  # expired since, and not ours
            if snapshot.uuid in self._uuids:
                return snapshot
            if snapshot_id == self.unknown_id:
                self._check_not_rewound()
                self.unknown_id = None  # another took the id, so ours was never written
            self._check_not_a_twin(snapshot)
        self._check_not_rewound()
        return None

    def _check_not_rewound(self) -> None:
        """A rollback below the base removed our snapshot, too, if it was there: somebody wanted it gone.

        One that went back to the base itself leaves no trace: the change then counts as made after it.
        """
        if self.unknown_id is not None and self._base is not None and not self._is_in_history(self._base):
            raise CommitUnknownError(
                "the table was rolled back while it was not known whether the snapshot had been created: "
                "a rollback may have removed it, so it is not made again; look at the table, then write anew",
                snapshot_id=self.unknown_id,
                user=self.author.user,
            )

    def _check_not_a_twin(self, snapshot: Snapshot) -> None:
        """A second process that commits as we do: the same change twice, or two that only look alike.

        Neither may be guessed: the first would be there twice, the second would be lost. Where the user's
        own commits were looked for, one with a later identifier says as much: it came after the same change.
        """
        own = (self.author.user, self._change.kind)
        identifier = snapshot.commit_identifier
        is_later = self._refuses_later and identifier > self.author.identifier
        is_twin = (snapshot.commit_user, snapshot.commit_kind) == own and (
            is_later or identifier == self.author.identifier
        )
        if is_twin and self.unknown_id is None:
            raise CommitConflictError(
                "another process has just committed as this user with the same identifier or a later one",
                check="user",
                user=self.author.user,
                identifier=self.author.identifier,
                winner=snapshot.reference,
            )

    def _create(self, snapshot: Snapshot, writer: ManifestWriter) -> Snapshot:
        if self._lock is None:
            return self._create_at_once(snapshot, writer)
        with ExitStack() as stack:
            try:
                stack.enter_context(self._lock.held())
                taken = self._table.snapshots.exists(snapshot.id)
            except StorageError:
                writer.discard()
                raise
            if taken:
                writer.discard()
                raise AlreadyExistsError("another commit held the lock before", snapshot_id=snapshot.id)
            return self._create_at_once(snapshot, writer)

    def _create_at_once(self, snapshot: Snapshot, writer: ManifestWriter) -> Snapshot:
        try:
            self._table.home.create_snapshot(self._table, snapshot, self._base)
        except AlreadyExistsError:
            # The store may have answered an earlier try of the same request.
            if not self._is_there(snapshot):
                writer.discard()
                raise
        except CommitConflictError:
            writer.discard()  # the table's catalog refuses it: it was not made, and never will be
            raise
        except (StorageError, NotFoundError) as error:  # not found: the folder, or the file made first
            self.unknown_id = snapshot.id
            raise CommitUnknownError(
                "the store failed while the snapshot was created: it may be there or not",
                snapshot_id=snapshot.id,
                user=self.author.user,
                cause=str(error),
            ) from error
        return snapshot

    def _stands_on(self, base: Snapshot) -> bool:
        """Whether `base` is still part of the history: a rewind may have removed it, and its id
        been used again, between our look at it and our snapshot on top of it."""
        try:
            return self._is_in_history(base)
        except StorageError as error:
            _log.warning("whether snapshot %d is still there cannot be told: %s", base.id, error)
            return True

    def _is_in_history(self, base: Snapshot) -> bool:
        try:
            return self._table.snapshots.get(base.id).identity == base.identity
        except NotFoundError:
            # Expired snapshots go from the oldest on; one that misses among older ones was rewound.
            return not any(i < base.id for i in self._table.snapshots.ids())

    def _take_back(self, made: Snapshot, writer: ManifestWriter) -> NoReturn:
        """Remove a snapshot that would bring back what a rewind removed, unless it is built upon."""
        if self._table.snapshots.exists(made.id + 1):
            raise CommitUnknownError(
                "the snapshot stands on one that a rollback removed, and another on it",
                snapshot_id=made.id,
                user=self.author.user,
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
