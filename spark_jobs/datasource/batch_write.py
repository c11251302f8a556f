"""The batch sink: tasks write, the driver makes one commit of what they send."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from functools import partial

import pyarrow as pa
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage

from core.commit import TableCommit
from core.snapshot import Snapshot
from core.write import CommitMessage, overwrite_base, read_write_base
from spark_jobs.committing import commit_or_abort
from spark_jobs.datasource.writing import WriteSetup, Written
from spark_jobs.failures import carrying_errors


class TableWriter(DataSourceArrowWriter):
    """Appends, or replaces the whole table or the partitions of the new rows.

    It is made once, on the driver; tasks, `commit` and `abort` each get a copy.
    """

    def __init__(self, setup: WriteSetup, overwrite: bool) -> None:
        self._setup = setup
        self._overwrites = overwrite
        self._base = overwrite_base(setup.table) if overwrite else read_write_base(setup.table)
        self._user = str(uuid.uuid4())

    def write(  # type: ignore[override] # Spark's own Arrow writer says so, too
        self, iterator: Iterator[pa.RecordBatch]
    ) -> WriterCommitMessage:
        with carrying_errors():
            return Written(self._setup.write(iterator, self._base))

    def commit(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        with carrying_errors():
            made = self._setup.received(messages)
            commit = TableCommit(self._setup.table, self._user)
            commit_or_abort(commit, made, partial(self._act, commit, made, messages))

    def _act(
        self,
        commit: TableCommit,
        made: list[CommitMessage],
        written: Sequence[WriterCommitMessage | None],
    ) -> list[Snapshot]:
        self._setup.check_tasks_apart(made, written)
        if not self._overwrites:
            return commit.commit(made)
        return commit.overwrite(made, None if self._setup.replaces_partitions else {})

    def abort(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Delete what the tasks that ended well have made, because another one failed.

        Where none has failed, the commit did: that has deleted the files if it was refused, and if
        nobody knows how it ended they have to stay.
        """
        if any(message is None for message in messages):
            with carrying_errors():
                TableCommit(self._setup.table, self._user).abort(self._setup.received(messages))
