"""The streaming sink: each batch is one commit, made exactly once.

The commit user is the id of the query, which lives in its checkpoint, and the commit's identifier the
number of the batch. A batch that is run again after a crash finds its commit by them, and what was
written again goes. That holds for two that run at once, too: the process that commits may live on when
its driver has died, and be slower or faster than the one of the driver that goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceStreamArrowWriter, WriterCommitMessage

from core.commit import TableCommit
from core.errors import CommitConflictError, InvalidRequestError
from core.snapshot import Snapshot
from core.write import CommitMessage, overwrite_base
from spark_jobs.committing import commit_or_abort
from spark_jobs.datasource.writing import WriteSetup, Written
from spark_jobs.failures import carrying_errors

# What Spark tells the tasks of a streaming query.
QUERY_PROPERTY = "sql.streaming.queryId"
BATCH_PROPERTY = "streaming.sql.batchId"


class TableStreamWriter(DataSourceStreamArrowWriter):
    """Appends each batch, or in output mode `complete` replaces the table by it."""

    def __init__(self, setup: WriteSetup, overwrite: bool) -> None:
        self._setup = setup
        self._overwrites = overwrite

    def write(  # type: ignore[override] # Spark's own Arrow writer says so, too
        self, iterator: Iterator[pa.RecordBatch]
    ) -> WriterCommitMessage:
        with carrying_errors():
            query, batch = _running()
            base = overwrite_base(self._setup.table) if self._overwrites else None
            return Written(self._setup.write(iterator, base, batch), query)

    def commit(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        queries = {task.query for task in messages if isinstance(task, Written)}
        if not queries:
            return  # a batch without tasks has no rows
        with carrying_errors():
            (query,) = queries
            made = self._setup.received(messages)
            commit = TableCommit(self._setup.table, query)
            if not commit.filter_committed([batchId]):
                commit.abort(made)  # the files of the run before are in the table
                return
            try:
                commit_or_abort(commit, made, partial(self._act, commit, made, messages, batchId))
            except CommitConflictError:
                if commit.filter_committed([batchId]):
                    raise
                # Another run of the batch was faster; or its rows are in, and only what was compacted is not.

    def _act(
        self,
        commit: TableCommit,
        made: list[CommitMessage],
        written: Sequence[WriterCommitMessage | None],
        batch: int,
    ) -> list[Snapshot]:
        self._setup.check_tasks_apart(made, written)
        if not self._overwrites:
            return commit.commit(made, batch)
        return commit.overwrite(made, None if self._setup.replaces_partitions else {}, batch)

    def abort(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        """Delete what the tasks that ended well have made, if another one failed; see `TableWriter.abort`."""
        if any(message is None for message in messages):
            with carrying_errors():
                made = self._setup.received(messages)
                TableCommit(self._setup.table, f"batch {batchId}").abort(made)


def _running() -> tuple[str, int]:
    """The id of the query that this task is of, and the number of its batch."""
    context = TaskContext.get()
    query = context.getLocalProperty(QUERY_PROPERTY) if context else None
    batch = context.getLocalProperty(BATCH_PROPERTY) if context else None
    if query is None or batch is None:
        raise InvalidRequestError("a streaming sink runs in a streaming query of Spark")
    return query, int(batch)
