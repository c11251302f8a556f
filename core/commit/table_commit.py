"""TableCommit: makes what writers prepared visible, atomically. Spec: 08, 1, 2 and 4.

Theory, in numbers. A commit is one new file, `snapshot-<latest + 1>`, created only if no
file of that name exists: of any number of racing commits one wins, and the others look at
the new latest snapshot and try again with the next number. All else that a commit writes
(manifests, lists) has names nobody else uses and means nothing until a snapshot names it.

Three outcomes of the creation, and what follows:

    created           done; the LATEST hint is written, and if that fails readers list
    exists already    another was first (or an earlier attempt of ours was, see below): what this
                      attempt wrote is deleted, then wait and try again
    any other error   nobody knows whether the file is there: nothing is deleted, and the
                      next attempt first looks for the snapshots that we tried, by uuid; after
                      the last attempt it is `CommitUnknownError`

One call makes up to two snapshots, both with the same user and identifier: APPEND (or
OVERWRITE) for new files, then COMPACT for rewritten ones. A crash between them loses only
the compaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from core.arguments import check_argument, is_a, is_list, is_whole_number, items_of
from core.binary import BinaryRow
from core.commit.attempt import CommitAttempts
from core.commit.base import live_names
from core.commit.change import Change, compacted, overwritten, written
from core.commit.clock import Clock
from core.commit.lock import CommitLock
from core.commit.made_files import MadeFiles, check_files_exist, made_files
from core.commit.notes import NO_NOTES, CommitNotes, makes_empty_snapshots
from core.commit.prepare import Author
from core.commit.retries import run_attempts
from core.commit.target import CommitTarget
from core.commit.upgrade import upgraded_messages
from core.errors import (
    CommitConflictError,
    CommitUnknownError,
    InvalidRequestError,
    NotFoundError,
    PaimonError,
    UnsupportedError,
)
from core.manifest.entry import FileKind
from core.options import DYNAMIC_PARTITION_OVERWRITE, LOCK_ENABLED
from core.snapshot.snapshot import BATCH_COMMIT_IDENTIFIER, CommitKind, Snapshot
from core.write.message import CommitMessage
from core.write.partition_spec import PartitionSpec, partition_test
from core.write.table_write import partition_directory


class TableCommit:
    """Commits as one user. Not for use by several threads at once."""

    def __init__(
        self,
        table: CommitTarget,
        user: str,
        *,
        clock: Clock | None = None,
        lock: CommitLock | None = None,
    ) -> None:
        """A committer to a table.

        Args:
            table: what to commit to.
            user: whose snapshots they are to be; who goes on with another's work has the same.
            clock: what tells the time and waits.
            lock: taken around the creation of a snapshot, where the store cannot do that atomically;
                that of the table's catalog if not given.

        Raises:
            InvalidRequestError: the user is no text.
        """
        check_argument(is_a(user, str) and user != "", "a commit is in the name of a user", user)
        self._table = table
        self._user = user
        self._clock = clock or Clock()
        self._lock = lock or table.home.commit_lock()
        self._committed: set[str] = set()  # names of files
        self._unsure: set[str] = set()  # those that a snapshot may name
        self._looked_up_to: int | None = None  # the snapshot up to which the user's own were looked for

    def commit(
        self,
        messages: Iterable[CommitMessage],
        identifier: int = BATCH_COMMIT_IDENTIFIER,
        notes: CommitNotes = NO_NOTES,
        *,
        returns_files: bool = False,
    ) -> list[Snapshot]:
        """The snapshots that the messages made, oldest first.

        None if the messages hold no change, unless the table's options ask for empty snapshots
        (`snapshot.ignore-empty-commit`, `commit.force-create-snapshot`).

        Args:
            messages: of one `prepare_commit` or compaction, or of many that belong together.
            identifier: grows from commit to commit of a streaming user; a batch has the default.
            notes: watermark, properties and the like of the snapshots.
            returns_files: files that were deleted before may come again. All manifests are merged then:
                some readers leave out whatever a manifest of the snapshot says was deleted.

        If the second of two snapshots fails, the first one stays.

        Raises:
            InvalidRequestError: this object has committed one of the new files before; or these are no
                messages, no identifier, or no notes.
            CommitConflictError: the table has moved so that the change no longer fits. Field `committed`
                is the reference of the first of two snapshots, if that was made: the new rows are there,
                and only what was compacted is not.
            CommitUnknownError: the store failed in the one moment that counts. Look with
                `filter_committed` before trying again; never abort the messages.
            UnsupportedError: the table's writers take a lock (`lock.enabled`), and none was given; or its
                catalog keeps something of it that we do not write.
        """
        messages = _checked(messages)
        first = written(messages)
        forced = [first] if makes_empty_snapshots(self._table.options, identifier) else []
        changes = [first, compacted(messages)]
        return self._commit_all(changes, identifier, notes, forced, merges_manifests=returns_files)

    def overwrite(
        self,
        messages: Iterable[CommitMessage],
        partition: PartitionSpec | BinaryRow | None = None,
        identifier: int = BATCH_COMMIT_IDENTIFIER,
        notes: CommitNotes = NO_NOTES,
        *,
        read_at: str = "",
    ) -> list[Snapshot]:
        """The snapshots of a commit that replaces partitions by the new files of `messages`.

        Args:
            messages: the new rows; may be none.
            partition: the partitions to replace, `{}` for the whole table; they end up with
                the new rows alone, even if these are none. A row is that one partition.
                None replaces exactly the
                partitions that the new rows are in (the whole table if it has no partitions,
                or if `dynamic-partition-overwrite` is off).
            identifier: see `commit`.
            notes: see `commit`.
            read_at: reference of the snapshot that the rows are of, if it must still be in the table.

        Where keys move between partitions (a primary key without the partition keys), those that live in
        partitions that stay are deleted there by the same snapshot.

        Raises:
            InvalidRequestError: new rows lie outside `partition`; or keys move, and the table's merge
                engine or its deletion vectors ask for all partitions to be replaced. The others as `commit`.
        """
        messages = _checked(messages)
        replaces = self._partitions_to_replace(messages, partition)
        if replaces is None:
            return []
        messages = upgraded_messages(self._table.schema, self._table.options, messages)
        change = replace(overwritten(messages, replaces), read_at=read_at)
        return self._commit_all([change, compacted(messages)], identifier, notes)

    def truncate(self, identifier: int = BATCH_COMMIT_IDENTIFIER) -> Snapshot:
        """The snapshot of a table without rows.

        Raises:
            CommitConflictError, CommitUnknownError: as `commit`.
        """
        return self.truncate_partitions([{}], identifier)

    def truncate_partitions(
        self, specs: Sequence[PartitionSpec | BinaryRow], identifier: int = BATCH_COMMIT_IDENTIFIER
    ) -> Snapshot:
        """The snapshot without the rows of some partitions; this is how partitions are dropped.

        Args:
            specs: each names some of the partition keys, or is a partition; what matches one of them goes.
            identifier: see `commit`.

        Raises:
            InvalidRequestError: no spec, or one with another key or value.
            CommitConflictError, CommitUnknownError: as `commit`.
        """
        schema = self._table.schema
        check_argument(is_list(specs, Mapping | BinaryRow), "give a list of partitions", specs)
        if not specs:
            raise InvalidRequestError("no partition is named", expected="at least one spec")
        change = overwritten([], partition_test(schema, specs))
        return self._commit_change(replace(change, notes=_TRUNCATE), identifier)

    def commit_statistics(self, statistics: str, identifier: int = BATCH_COMMIT_IDENTIFIER) -> Snapshot:
        """The snapshot that names a file in `statistics/` which describes the table.

        Raises:
            CommitConflictError, CommitUnknownError: as `commit`.
        """
        return self._commit_change(Change(CommitKind.ANALYZE, statistics=statistics), identifier)

    def merge_manifests(self, identifier: int = BATCH_COMMIT_IDENTIFIER) -> Snapshot | None:
        """The snapshot whose manifests are as few as can be; None if they are already.

        Raises:
            CommitConflictError, CommitUnknownError: as `commit`.
        """
        return self._try(Change(CommitKind.COMPACT, merges_manifests=True), identifier)

    def filter_and_commit(
        self, commits: Mapping[int, Iterable[CommitMessage]], notes: CommitNotes = NO_NOTES
    ) -> list[Snapshot]:
        """The snapshots of those commits that were not made before this process took over, in order.

        Args:
            commits: the messages of each identifier that may or may not be committed.
            notes: see `commit`.

        Raises:
            NotFoundError: a file to be committed has been deleted; nothing of its commit was made.
            The others as `commit`.
        """
        check_argument(is_a(commits, Mapping), "give a mapping of identifiers to messages", commits)
        made = []
        for identifier in self.filter_committed(commits):
            messages = _checked(commits[identifier])
            check_files_exist(self._table, messages)
            made += self.commit(messages, identifier, notes)
        return made

    def filter_committed(self, identifiers: Iterable[int]) -> list[int]:
        """Those of the identifiers that this user has not committed yet, ascending.

        An identifier counts as committed if the user's latest snapshot has it or a higher one. If another
        process commits one of them, or a higher one, between this look and a commit of this object, that
        is refused.

        Raises:
            InvalidRequestError: no identifiers.
        """
        identifiers = [_checked_identifier(i) for i in items_of(identifiers, int, "give identifiers")]
        found = self._latest_of_user()
        return sorted(i for i in identifiers if found is None or i > found.commit_identifier)

    def snapshots_of(self, identifier: int) -> list[Snapshot]:
        """The snapshots that this user made for one identifier, oldest first."""
        return [
            s
            for s in self._table.snapshots.iter_all()
            if (s.commit_user, s.commit_identifier) == (self._user, identifier)
        ]

    def abort(self, messages: Iterable[CommitMessage]) -> None:
        """Delete the files that the messages made: data, changelog and index files.

        Files that this object has committed, or may have, stay. So do those that the latest
        snapshot names, whoever committed them, and all that came with them; yet where another
        process may have tried to commit the messages, look with `filter_committed` first.
        """
        messages = _checked(messages)
        groups = [group for message in messages for group in made_files(self._table, message)]
        kept = self._committed | self._unsure | self._named_by_latest(groups)
        for group in groups:
            if not kept & set(group):
                for path in (path for paths in group.values() for path in paths):
                    self._table.io.delete(path)

    def _partitions_to_replace(
        self, messages: Sequence[CommitMessage], partition: PartitionSpec | BinaryRow | None
    ) -> Callable[[BinaryRow], bool] | None:
        """A test of partitions; None if the new rows are to say which, and there are none."""
        schema, options = self._table.schema, self._table.options
        if partition is None and schema.partition_keys and options.get(DYNAMIC_PARTITION_OVERWRITE):
            touched = frozenset(m.partition for m in messages if m.new_files and not self._only_leaves(m))
            return touched.__contains__ if touched else None
        is_one = partition is None or is_a(partition, Mapping | BinaryRow)
        check_argument(is_one, "a partition is told by the values of its keys, or by its row", partition)
        is_wanted = partition_test(schema, [{} if partition is None else partition])
        for message in messages:
            if not is_wanted(message.partition) and not self._only_leaves(message):
                raise InvalidRequestError(
                    "new rows lie outside the partition that is overwritten",
                    partition=partition_directory(schema, options, message.partition),
                )
        return is_wanted

    def _only_leaves(self, message: CommitMessage) -> bool:
        """Whether all that a message does is to delete keys that have moved to another partition."""
        moves = self._table.schema.is_cross_partition
        return moves and all(file.delete_row_count == file.row_count for file in message.new_files)

    def _named_by_latest(self, groups: Sequence[MadeFiles]) -> set[str]:
        """Those of the files that the latest snapshot holds."""
        snapshot = self._table.snapshots.latest()
        names = {name for group in groups for name in group}
        if snapshot is None or not names:
            return set()
        manifests = self._table.manifests
        return live_names(manifests.live_entries(snapshot), names) | {
            index.file_name for index in manifests.index_entries(snapshot)
        }

    def _latest_of_user(self) -> Snapshot | None:
        """Searched from the latest snapshot downwards, to the first that is missing."""
        latest = self._looked_up_to = self._table.snapshots.latest_id() or 0
        for snapshot_id in range(latest, 0, -1):
            try:
                snapshot = self._table.snapshots.get(snapshot_id)
            except NotFoundError:
                return None
            if snapshot.commit_user == self._user:
                return snapshot
        return None

    def _commit_all(
        self,
        changes: Sequence[Change],
        identifier: int,
        notes: CommitNotes,
        forced: Sequence[Change] = (),
        *,
        merges_manifests: bool = False,
    ) -> list[Snapshot]:
        check_argument(is_a(notes, CommitNotes), "give CommitNotes", notes)
        _checked_identifier(identifier)
        made: list[Snapshot] = []
        for change in changes:
            if change in forced or not change.is_empty:
                try:
                    noted = replace(change, notes=notes, merges_manifests=merges_manifests)
                    made.append(self._commit_change(noted, identifier))
                except CommitConflictError as error:
                    if not made:
                        raise
                    fields = {**error.fields, "committed": made[0].reference}
                    raise CommitConflictError(error.what, **fields) from error
        return made

    def _commit_change(self, change: Change, identifier: int) -> Snapshot:
        """The snapshot of a change whose files are kept from `abort` unless it surely was not made."""
        names = change.made_names
        again = names & self._committed - _upgraded(change)
        if again:
            raise InvalidRequestError("files are committed a second time", file=min(again), user=self._user)
        change = replace(change, is_retry=bool(names & self._unsure))
        self._unsure |= names
        try:
            made = self._try(change, identifier)
        except CommitUnknownError:
            raise
        except PaimonError:
            self._unsure -= names
            raise
        assert made is not None, "only a merge of manifests may find nothing to do"
        self._committed |= names
        return made

    def _try(self, change: Change, identifier: int) -> Snapshot | None:
        self._check_home()
        author = Author(self._user, _checked_identifier(identifier))
        attempts = CommitAttempts(
            self._table, author, change, self._clock.now_millis, self._lock, self._looked_up_to
        )
        made = run_attempts(attempts, self._table.options, self._clock)
        if made is not None and self._looked_up_to is not None:
            self._looked_up_to = made.id
        if made is not None:
            self._table.home.committed(self._table, made)
        return made

    def _check_home(self) -> None:
        """A commit is refused that the table's catalog would not follow, before anything is written.

        Who takes the lock looks and then writes, so a snapshot made without it may be written over.
        """
        kept = self._table.home.unwritten(self._table.options)
        if kept is not None:
            raise UnsupportedError("the table's catalog would not be kept up", feature=kept)
        if self._lock is None and self._table.options.get(LOCK_ENABLED):
            raise UnsupportedError(
                "writers of this table take a lock, and this one has none: give TableCommit a CommitLock, "
                "or switch the option off once every writer creates snapshots atomically",
                feature=f"{LOCK_ENABLED.key} without a lock",
            )


def _checked(messages: Iterable[CommitMessage]) -> list[CommitMessage]:
    return items_of(messages, CommitMessage, "give the messages of writers and compactions")


def _checked_identifier(identifier: int) -> int:
    is_long = is_whole_number(identifier) and -(1 << 63) <= identifier < 1 << 63
    check_argument(is_long, "an identifier is a whole number of 64 bits", identifier)
    return identifier


_TRUNCATE = CommitNotes(operation="TRUNCATE")


def _upgraded(change: Change) -> set[str]:
    """Files that only get another level."""
    return {entry.file.file_name for entry in change.entries if entry.kind is FileKind.DELETE}
