"""Compactions that a writer makes by itself, of the buckets that it has written to. Spec: 07, 2 and 3.

Paimon compacts beside a writer, in a thread that a commit may or may not wait for. Here a writer
compacts when it prepares a commit, after its rows have become files, and the result is part of the
same messages. So a commit always has what `commit.force-compact` and `lookup-wait` ask for, a writer
holds back no rows because of too many runs (`num-sorted-run.stop-trigger`), and what is written does
not depend on how fast a thread was. With `write-only` nothing of this happens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from core.binary import BinaryRow
from core.compact.plan import Bucket, CompactionTask, Strategy, plan_tasks
from core.datafile.write import delete_data_file
from core.manifest.file_meta import DataFileMeta
from core.manifest.index_manifest import IndexManifestEntry
from core.options import (
    BRANCH_MERGE_ENABLED,
    BUCKET,
    CHANGELOG_PRODUCER,
    CLUSTERING_INCREMENTAL,
    FULL_COMPACTION_DELTA_COMMITS,
    WRITE_ONLY,
    ChangelogProducer,
)
from core.scan.deletion_files import index_path
from core.scan.source import bucket_directory
from core.snapshot.snapshot import BATCH_COMMIT_IDENTIFIER
from core.write.compaction import buckets_of, index_files_of, moment_of, run_task
from core.write.cross_partition import leaves_partitions_that_stay
from core.write.expiry import expired_files
from core.write.layout import target_file_size
from core.write.message import CommitMessage
from core.write.target import WriteTarget

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_Place = tuple[BinaryRow, int]


_NOT_OWN: Any = {"new_files": (), "new_changelog": (), "new_index_files": ()}  # of a message: a writer's


@dataclass(frozen=True, slots=True)
class _State:
    """A bucket as it is once the messages so far are committed."""

    files: tuple[DataFileMeta, ...] = ()
    index_files: tuple[IndexManifestEntry, ...] = ()
    total_buckets: int = 0


class WriterCompaction:
    """Adds compactions to the messages of one writer."""

    def __init__(self, table: WriteTarget, *, replaces: bool) -> None:
        """`replaces`: the messages overwrite, so that files of the table are none of their buckets'."""
        self._table = table
        self._replaces = replaces
        self._states: dict[_Place, _State] = {}
        self._uncompacted: set[_Place] = set()  # written to since their last full compaction

    @staticmethod
    def of(table: WriteTarget, *, replaces: bool) -> WriterCompaction | None:
        """None if writers of the table leave compactions to others, or it has no buckets to keep in order."""
        ordered = bool(table.schema.primary_keys) or table.options.get(BUCKET) > 0
        left_alone = (WRITE_ONLY, BRANCH_MERGE_ENABLED, CLUSTERING_INCREMENTAL)
        if not ordered or any(table.options.get(option) for option in left_alone):
            return None
        moves = table.schema.is_cross_partition
        if replaces and moves and leaves_partitions_that_stay(table.schema, table.options):
            return None  # deletes that go to partitions that stay have to meet the rows there
        return WriterCompaction(table, replaces=replaces)

    def added_to(self, messages: Sequence[CommitMessage], identifier: int | None) -> list[CommitMessage]:
        """The messages with the compactions that are due.

        Buckets without new files may be among them, if a full compaction is due. On an error the files
        that were made here are deleted; those of the writer are not.

        Args:
            messages: the new files, one message a bucket.
            identifier: of the commit, as streams number theirs; None for a batch.
        """
        self._uncompacted |= {(m.partition, m.bucket) for m in messages}
        full = self._full_is_due(identifier)
        given = {(m.partition, m.bucket): m for m in messages}
        places = {**given, **dict.fromkeys(self._uncompacted)} if full else given
        states = self._states_now(places)
        made: list[CommitMessage] = []
        try:
            for place in places:
                made.append(self._compacted(place, given.get(place), states[place], full=full))
        except BaseException:
            discard_messages(self._table, [replace(message, **_NOT_OWN) for message in made])
            raise
        if full:
            self._uncompacted.clear()
        return [message for message in made if not message.is_empty]

    def _full_is_due(self, identifier: int | None) -> bool:
        """Spec: 06, 9.3."""
        options = self._table.options
        every = options.get(FULL_COMPACTION_DELTA_COMMITS)
        if identifier is None:
            return every is not None
        if every is None and options.get(CHANGELOG_PRODUCER) is ChangelogProducer.FULL_COMPACTION:
            every = 1
        return every is not None and (identifier % every == 0 or identifier == BATCH_COMMIT_IDENTIFIER)

    def _states_now(self, places: Iterable[_Place]) -> dict[_Place, _State]:
        """What the buckets hold, as the latest snapshot has it.

        A message that is not committed yet counts all the same: its rows are older than those to come.
        If others have compacted its files meanwhile, the next compaction here conflicts with theirs.
        """
        live = {} if self._replaces else dict(self._live(set(places)))
        states = {}
        for place in places:
            found, own = live.get(place, _State()), self._states.get(place)
            names = {file.file_name for file in found.files}
            pending = own is not None and not names.issuperset(f.file_name for f in own.files)
            states[place] = own if own is not None and pending else found
        return states

    def _live(self, places: set[_Place]) -> Iterator[tuple[_Place, _State]]:
        snapshot = self._table.snapshots.latest()
        if snapshot is None:
            return
        live = self._table.manifests.live_entries(snapshot)
        partitions = pa.array(sorted({partition.to_bytes() for partition, _ in places}), pa.binary())
        live = live.filter(pc.is_in(live.column("partition"), partitions))
        for bucket in buckets_of(live, index_files_of(self._table, snapshot)):
            if (bucket.partition, bucket.bucket) in places:
                yield (
                    (bucket.partition, bucket.bucket),
                    _State(bucket.files, bucket.index_files, bucket.total_buckets),
                )

    def _compacted(
        self, place: _Place, message: CommitMessage | None, state: _State, *, full: bool
    ) -> CommitMessage:
        total = message.total_buckets if message else state.total_buckets
        message = message or CommitMessage(partition=place[0], bucket=place[1], total_buckets=total)
        bucket = Bucket(*place, total, (*state.files, *message.new_files), state.index_files)
        for task in self._tasks(bucket, full=full):
            result = run_task(self._table, task)
            message = replace(
                message,
                compact_before=(*message.compact_before, *result.compact_before),
                compact_after=(*message.compact_after, *result.compact_after),
                compact_changelog=(*message.compact_changelog, *result.compact_changelog),
                compact_new_index_files=result.compact_new_index_files,
                compact_deleted_index_files=result.compact_deleted_index_files,
            )
        self._states[place] = _after(bucket, message)
        return message

    def _tasks(self, bucket: Bucket, *, full: bool) -> list[CompactionTask]:
        """One at most: a bucket is one merge tree, or one row of files."""
        schema, options = self._table.schema, self._table.options
        return list(
            plan_tasks(
                [bucket],
                keyed=bool(schema.primary_keys),
                options=options,
                target_file_size=target_file_size(schema, options),
                strategy=Strategy.FULL if full else Strategy.MINOR,
                moment=moment_of(None),
                expired=expired_files(self._table),
            )
        )


def _after(bucket: Bucket, message: CommitMessage) -> _State:
    """The bucket once the compaction of a message is committed."""
    gone = {(file.file_name, file.level) for file in message.compact_before}
    files = tuple(file for file in bucket.files if (file.file_name, file.level) not in gone)
    replaced = {entry.file_name for entry in message.compact_deleted_index_files}
    indexes = tuple(entry for entry in bucket.index_files if entry.file_name not in replaced)
    return _State(
        (*files, *message.compact_after),
        (*indexes, *message.compact_new_index_files),
        bucket.total_buckets,
    )


def discard_messages(table: WriteTarget, messages: Iterable[CommitMessage]) -> None:
    """Delete what messages made that nobody will commit."""
    for message in messages:
        before = {file.file_name for file in message.compact_before}
        directory = bucket_directory(table, table.schema, message.partition, message.bucket)
        compacted = [file for file in message.compact_after if file.file_name not in before]
        for file in (*message.new_files, *message.new_changelog, *compacted, *message.compact_changelog):
            delete_data_file(table.io, directory, file)
        for entry in (*message.new_index_files, *message.compact_new_index_files):
            table.io.delete(index_path(table, table.schema, entry))
