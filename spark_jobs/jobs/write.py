"""`write`: rows of a path or a query into a table, as one commit.

Executors write data files with core and send back commit messages, nothing else; the
driver commits them. Before that moment nobody sees anything, afterwards everybody sees
all of it; a retry of a job that did commit finds its snapshot by the job's commit user
and does not write again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from core import Table, open_catalog
from core.commit import TableCommit
from core.errors import PaimonError
from core.jobs import JobSpec, PathSource, QuerySource, Result, WriteJob, WriteMode
from core.maintenance.tags import apply_auto_tags, plan_batch_tag
from core.options import TAG_AUTOMATIC_CREATION, TagCreation
from core.snapshot import BATCH_COMMIT_IDENTIFIER, Snapshot
from core.write import (
    CommitMessage,
    TableWrite,
    WriteBase,
    decode_messages,
    encode_message,
    overwrite_base,
    read_write_base,
)
from spark_jobs.committing import commit_or_abort
from spark_jobs.failures import carrying_errors
from spark_jobs.placement import by_bucket
from spark_jobs.progress import reporting
from spark_jobs.queries import run_query
from spark_jobs.report import Reporter
from spark_jobs.transforms import ROW_KIND_COLUMN, fitted

_MESSAGE = "message"


def run(spark: SparkSession, spec: JobSpec, reporter: Reporter) -> Result:
    """Run the job; its result, also if an earlier run of the same job has committed it."""
    work = spec.work
    assert isinstance(work, WriteJob)
    table = open_catalog(spec.catalog).get_data_table(spec.table)
    done = committed_before(table, spec.commit_user)
    if done:
        reporter.log("an earlier run of this job has committed already: nothing is written again")
        return result_of(table, done)
    reporter.progress("plan", 0, 1, "steps")
    source = read_source(spark, work.source)
    return write_frame(spark, table, source, work, user=spec.commit_user, reporter=reporter)


def read_source(spark: SparkSession, source: PathSource | QuerySource) -> DataFrame:
    """The rows that a job is to write."""
    if isinstance(source, PathSource):
        options = {"inferSchema": "true", **source.options} if source.format == "csv" else source.options
        return spark.read.format(source.format.value).options(**options).load(source.path)
    for name, view in source.views.items():
        read_source(spark, view).createOrReplaceTempView(name)
    return run_query(spark, source.sql)


def write_frame(
    spark: SparkSession,
    table: Table,
    source: DataFrame,
    work: WriteJob,
    *,
    user: str,
    reporter: Reporter,
    identifier: int = BATCH_COMMIT_IDENTIFIER,
) -> Result:
    """Write a DataFrame into the table and commit it.

    Raises:
        InvalidRequestError: the DataFrame does not fit the table.
    """
    frame, fit = fitted(source, table.schema, work.row_kind_column)
    reporter.progress("plan", 1, 1, "steps")
    overwrites = work.mode is WriteMode.OVERWRITE
    base = overwrite_base(table) if overwrites else read_write_base(table)
    tasks = max(spark.sparkContext.defaultParallelism, 1)
    with reporting(spark.sparkContext, reporter, "write", "tasks"):
        messages, rows = _written(by_bucket(frame, table.schema, tasks), table, base)
    reporter.progress("commit", 0, 1, "commits")
    commit = TableCommit(table, user)
    if overwrites:
        act = partial(commit.overwrite, messages, work.static_partition, identifier)
    else:
        act = partial(commit.commit, messages, identifier)
    snapshots = commit_or_abort(commit, messages, act)
    reporter.progress("commit", 1, 1, "commits")
    _tag(table, reporter)
    files = [file for message in messages for file in message.new_files]
    metrics = {
        "rows_written": rows,
        "files_written": len(files),
        "bytes_written": sum(file.file_size for file in files),
    }
    return result_of(table, snapshots, metrics, {"fit": fit.to_json()})


def _tag(table: Table, reporter: Reporter) -> None:
    """The tag that a batch job leaves, where the table asks for it; the rows are there with or without it."""
    if table.options.get(TAG_AUTOMATIC_CREATION) is not TagCreation.BATCH:
        return
    try:
        plan = plan_batch_tag(table, now_millis=time.time_ns() // 1_000_000)
        apply_auto_tags(table, plan)
    except PaimonError as error:
        reporter.log(f"the rows are committed, and the tag of the job was not made: {error}")


def _written(frame: DataFrame, table: Table, base: WriteBase) -> tuple[list[CommitMessage], int]:
    """Write all rows; the messages of all tasks, and the number of rows."""

    def write_task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with carrying_errors():
            yield from _task_messages(table, base, batches)

    collected = frame.mapInArrow(write_task, f"{_MESSAGE} binary, rows bigint").collect()
    messages = decode_messages([bytes(row[_MESSAGE]) for row in collected if row[_MESSAGE] is not None])
    return messages, sum(row["rows"] for row in collected)


def _task_messages(
    table: Table, base: WriteBase, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """In an executor: write the batches of one task, give back its messages."""
    rows = 0
    with TableWrite(table, base=base) as write:
        for batch in batches:
            rows += batch.num_rows
            kinds = None
            if ROW_KIND_COLUMN in batch.schema.names:
                kinds = batch.column(ROW_KIND_COLUMN)
                batch = batch.drop_columns([ROW_KIND_COLUMN])
            write.write(batch, kinds)
        messages = [encode_message(message) for message in write.prepare_commit()]
    counted: list[bytes | None] = [*messages, None]  # the last line counts the rows
    counts = [0] * len(messages) + [rows]
    columns: list[Any] = [pa.array(counted, pa.binary()), pa.array(counts, pa.int64())]
    yield pa.RecordBatch.from_arrays(columns, names=[_MESSAGE, "rows"])


def committed_before(table: Table, user: str, identifier: int = BATCH_COMMIT_IDENTIFIER) -> list[Snapshot]:
    """The snapshots that this user has made for the identifier in an earlier run; none in a first run."""
    commit = TableCommit(table, user)
    return [] if commit.filter_committed([identifier]) else commit.snapshots_of(identifier)


def result_of(
    table: Table,
    snapshots: Sequence[Snapshot],
    metrics: dict[str, int] | None = None,
    details: dict[str, object] | None = None,
) -> Result:
    """The result of a job that made `snapshots`."""
    latest = table.snapshots.latest()
    return Result(
        snapshots=tuple(snapshot.reference for snapshot in snapshots),
        latest=latest.reference if latest else None,
        metrics=metrics or {},
        details=details or {},
    )
