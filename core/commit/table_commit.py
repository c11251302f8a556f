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

import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from core.binary import BinaryRow
from core.commit.attempt import CommitAttempts
from core.commit.base import live_names
from core.commit.change import Change, added, compacted, overwritten, written
from core.commit.made_files import MadeFiles, made_files
from core.errors import (
    AlreadyExistsError,
    CommitConflictError,
    CommitUnknownError,
    InvalidRequestError,
    NotFoundError,
    PaimonError,
    StorageError,
)
from core.manifest.entry import FileKind
from core.options import (
    COMMIT_MAX_RETRIES,
    COMMIT_MAX_RETRY_WAIT,
    COMMIT_MIN_RETRY_WAIT,
    COMMIT_TIMEOUT,
    DYNAMIC_PARTITION_OVERWRITE,
)
from core.snapshot.snapshot import BATCH_COMMIT_IDENTIFIER, Snapshot
from core.write.message import CommitMessage
from core.write.partition_spec import PartitionSpec, matches_spec, parse_partition_spec
from core.write.table_write import partition_directory
from core.write.target import WriteTarget


@dataclass(frozen=True, slots=True)
class Clock:
    """Time as a commit sees it; tests bring their own."""

    now_millis: Callable[[], int] = lambda: int(time.time() * 1000)
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random


class TableCommit:
    """Commits as one user. Not for use by several threads at once."""

    def __init__(self, table: WriteTarget, user: str, *, clock: Clock | None = None) -> None:
        self._table = table
        self._user = user
        self._clock = clock or Clock()
        self._committed: set[str] = set()  # names of files
        self._unsure: set[str] = set()  # those that a snapshot may name

    def commit(
        self, messages: Iterable[CommitMessage], identifier: int = BATCH_COMMIT_IDENTIFIER
    ) -> list[Snapshot]:
        """The snapshots that the messages made, oldest first; none if the messages hold no change.

        Args:
            messages: of one `prepare_commit` or compaction, or of many that belong together.
            identifier: grows from commit to commit of a streaming user; a batch has the default.

        If the second of two snapshots fails, the first one stays.

        Raises:
            InvalidRequestError: this object has committed one of the new files before.
            CommitConflictError: the table has moved so that the change no longer fits.
            CommitUnknownError: the store failed in the one moment that counts. Look with
                `filter_committed` before trying again; never abort the messages.
        """
        messages = list(messages)
        return self._commit_all([written(messages), compacted(messages)], identifier)

    def overwrite(
        self,
        messages: Iterable[CommitMessage],
        partition: PartitionSpec | None = None,
        identifier: int = BATCH_COMMIT_IDENTIFIER,
    ) -> list[Snapshot]:
        """The snapshots of a commit that replaces partitions by the new files of `messages`.

        Args:
            messages: the new rows; may be none.
            partition: the partitions to replace, `{}` for the whole table; they end up with
                the new rows alone, even if these are none. None replaces exactly the
                partitions that the new rows are in (the whole table if it has no partitions,
                or if `dynamic-partition-overwrite` is off).
            identifier: see `commit`.

        Raises:
            InvalidRequestError: new rows lie outside `partition`. The others as `commit`.
        """
        messages = list(messages)
        replaces = self._partitions_to_replace(messages, partition)
        if replaces is None:
            return []
        return self._commit_all([overwritten(messages, replaces), compacted(messages)], identifier)

    def filter_committed(self, identifiers: Iterable[int]) -> list[int]:
        """Those of the identifiers that this user has not committed yet, ascending.

        An identifier counts as committed if the user's latest snapshot has it or a higher one.
        """
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
        messages = list(messages)
        groups = [group for message in messages for group in made_files(self._table, message)]
        kept = self._committed | self._unsure | self._named_by_latest(groups)
        for group in groups:
            if not kept & set(group):
                for path in (path for paths in group.values() for path in paths):
                    self._table.io.delete(path)

    def _partitions_to_replace(
        self, messages: Sequence[CommitMessage], partition: PartitionSpec | None
    ) -> Callable[[BinaryRow], bool] | None:
        """A test of partitions; None if the new rows are to say which, and there are none."""
        schema, options = self._table.schema, self._table.options
        if partition is None and schema.partition_keys and options.get(DYNAMIC_PARTITION_OVERWRITE):
            touched = frozenset(entry.partition for entry in added(messages))
            return touched.__contains__ if touched else None
        wanted = parse_partition_spec(schema, partition or {})
        for message in messages:
            if not matches_spec(schema, message.partition, wanted):
                raise InvalidRequestError(
                    "new rows lie outside the partition that is overwritten",
                    partition=partition_directory(schema, options, message.partition),
                )
        return lambda found: matches_spec(schema, found, wanted)

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
        latest = self._table.snapshots.latest_id()
        for snapshot_id in range(latest or 0, 0, -1):
            try:
                snapshot = self._table.snapshots.get(snapshot_id)
            except NotFoundError:
                return None
            if snapshot.commit_user == self._user:
                return snapshot
        return None

    def _commit_all(self, changes: Sequence[Change], identifier: int) -> list[Snapshot]:
        return [self._commit_change(change, identifier) for change in changes if not change.is_empty]

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
        self._committed |= names
        return made

    def _try(self, change: Change, identifier: int) -> Snapshot:
        """Try until a snapshot is made, by this attempt or, as it turns out, by an earlier one."""
        options = self._table.options
        timeout = options.get(COMMIT_TIMEOUT)
        started = self._clock.now_millis()
        attempts = CommitAttempts(self._table, self._user, identifier, change, self._clock.now_millis)
        tries = options.get(COMMIT_MAX_RETRIES) + 1
        last: PaimonError
        for number in range(tries):
            if number:
                self._clock.sleep(self._wait(number - 1))
            try:
                return attempts.run()
            except (AlreadyExistsError, CommitUnknownError) as error:
                last = error
            except PaimonError as error:
                if attempts.unknown_id is None:
                    raise
                # This attempt failed for sure; the one before it may have succeeded all the same.
                last = error
            spent = timedelta(milliseconds=self._clock.now_millis() - started)
            if timeout is not None and spent > timeout:
                break
        return self._after_last(attempts, last, number + 1)

    def _after_last(self, attempts: CommitAttempts, last: PaimonError, tries: int) -> Snapshot:
        try:
            found = attempts.look_again()
        except StorageError as error:
            raise CommitUnknownError(
                "the store fails: whether the commit was made is not known", user=self._user, tries=tries
            ) from error
        if found is not None:
            return found
        if attempts.unknown_id is not None:
            raise CommitUnknownError(
                "the snapshot may or may not have been created",
                snapshot_id=attempts.unknown_id,
                user=self._user,
                tries=tries,
            ) from last
        raise CommitConflictError(
            "other commits were faster each time", check="retries", user=self._user, tries=tries
        ) from last

    def _wait(self, retry: int) -> float:
        """Seconds before a retry: doubled each time, up to a limit, and a bit of chance."""
        options = self._table.options
        shortest = options.get(COMMIT_MIN_RETRY_WAIT).total_seconds()
        longest = options.get(COMMIT_MAX_RETRY_WAIT).total_seconds()
        return float(min(shortest * 2.0 ** min(retry, 60), longest) * (1 + 0.2 * self._clock.jitter()))


def _upgraded(change: Change) -> set[str]:
    """Files that only get another level."""
    return {entry.file.file_name for entry in change.entries if entry.kind is FileKind.DELETE}
