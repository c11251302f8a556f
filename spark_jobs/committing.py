"""Committing what executors made, if it may be one commit, and cleaning up where that is safe."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core import Table
from core.binary import BinaryRow
from core.bucket import BucketMode, bucket_mode
from core.commit import TableCommit
from core.errors import CommitConflictError, InvalidRequestError, UnsupportedError
from core.options import BUCKET
from core.snapshot import Snapshot
from core.write import CommitMessage
from core.write.table_write import partition_directory

_NOTHING_WAS_MADE = (CommitConflictError, InvalidRequestError, UnsupportedError)
_TO_DO = "spark_jobs.datasource.distributed(frame, path)"


def commit_or_abort(
    commit: TableCommit, messages: Sequence[CommitMessage], act: Callable[[], list[Snapshot]]
) -> list[Snapshot]:
    """The snapshots that `act` makes of the messages.

    If the commit was refused, the messages' files are deleted. After any other end, an
    interrupt above all, the snapshot may be there: files that turn out to belong to none
    are found by the clean-up of orphans.
    """
    try:
        return act()
    except _NOTHING_WAS_MADE:
        commit.abort(messages)
        raise


def check_tasks_apart(table: Table, messages: Sequence[CommitMessage], tasks: int) -> None:
    """Nothing, unless two tasks of one write to a table with keys could each have had rows of one key.

    In one bucket they give out the same sequence numbers, so which row is the newest would be left to
    chance. Where keys move between partitions, each finds a new key a place of its own: it is there twice.

    Args:
        table: which is written.
        messages: of all tasks.
        tasks: how many of them have sent messages.

    Raises:
        InvalidRequestError: names the bucket, and what to do.
    """
    if not table.schema.primary_keys:
        return
    mode = bucket_mode(table.schema.primary_keys, table.schema.partition_keys, table.options.get(BUCKET))
    if tasks > 1 and mode is BucketMode.KEY_DYNAMIC:
        raise InvalidRequestError(
            f"keys of this table may move between partitions, so one task has to write all rows: {_TO_DO}",
            tasks=tasks,
            primary_key=", ".join(table.schema.primary_keys),
            partition_keys=", ".join(table.schema.partition_keys),
        )
    seen: set[tuple[BinaryRow, int]] = set()
    for message in messages:
        place = (message.partition, message.bucket)
        if place in seen:
            raise InvalidRequestError(
                f"two tasks wrote rows of one bucket; bring the rows of a bucket together before: {_TO_DO}",
                bucket=message.bucket,
                partition=partition_directory(table.schema, table.options, message.partition),
            )
        seen.add(place)
