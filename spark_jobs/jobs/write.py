"""`write`: rows of a path or a query into a table, as one commit.

Executors write data files with core and send back commit messages, nothing else; the
driver commits them. Before that moment nobody sees anything, afterwards everybody sees
all of it; a retry of a job that did commit finds its snapshot by the job's commit user
and does not write again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from core import Table
from core.arrow import fields_from_arrow
from core.commit import TableCommit
from core.datafile.read import decoding_errors
from core.errors import InvalidRequestError, NotFoundError, PaimonError
from core.io import file_io_for
from core.io.open import absolute_path
from core.jobs import JobSpec, PathSource, QuerySource, Result, SourceFormat, WriteJob, WriteMode
from core.maintenance.tags import apply_auto_tags, plan_batch_tag
from core.options import TAG_AUTOMATIC_CREATION, TagCreation
from core.schema import MergeRules, TableSchema, merge_schema, retyped_keys
from core.snapshot import BATCH_COMMIT_IDENTIFIER, CommitKind, Snapshot
from core.types import DataField, type_to_text
from core.write import (
    CommitMessage,
    TableWrite,
    WriteBase,
    decode_messages,
    encode_message,
    overwrite_base,
    read_write_base,
)
from core.write.fit import fit_schema
from spark_jobs.committing import check_tasks_apart, commit_or_abort
from spark_jobs.crossing import large_values_measured
from spark_jobs.executors import SparkExecutors
from spark_jobs.failures import carrying_errors
from spark_jobs.jobs.sources import read_source
from spark_jobs.jobs.steps import Job, Outcome, Run, perform, result_of
from spark_jobs.jobs.verified import Facts, added_entries, made_snapshots, not_true
from spark_jobs.jobs.write_files import WRITE_FILES
from spark_jobs.placement import by_bucket
from spark_jobs.progress import reporting
from spark_jobs.report import Reporter
from spark_jobs.spark_types import paimon_fields
from spark_jobs.transforms import ROW_KIND_COLUMN, fitted

_MESSAGE = "message"


@dataclass(frozen=True, slots=True)
class WritePlan:
    """What is known before Spark has read the source."""

    base: Snapshot | None  # the latest
    mode: str
    replaces: str | None  # what an overwrite takes away
    source: str
    fit: Any  # of the source's columns, where a footer tells them; a line a column


def run(spark: SparkSession, spec: JobSpec, reporter: Reporter) -> Result:
    """Run the job in a session that is open."""
    return perform(WRITE, Run(spec, reporter, SparkExecutors(lambda: spark, reporter)))


def _plan(run: Run) -> WritePlan:
    table, work = run.table, run.work
    return WritePlan(
        base=table.snapshots.latest(),
        mode="upsert" if table.schema.primary_keys and work.mode is WriteMode.APPEND else work.mode.value,
        replaces=_replaced(table, work),
        source=work.source.path if isinstance(work.source, PathSource) else work.source.sql,
        fit=source_fit(table, work.source, work.row_kind_column, merge_rules(work)),
    )


def _replaced(table: Table, work: WriteJob) -> str | None:
    if work.mode is not WriteMode.OVERWRITE:
        return None
    if work.static_partition is None and table.schema.partition_keys:
        return "exactly the partitions that get new rows"
    spec = ", ".join(f"{key}={value}" for key, value in (work.static_partition or {}).items())
    return f"partition {spec}" if spec else "the whole table"


def merge_rules(work: WriteJob) -> MergeRules | None:
    """How the schema of the table follows the rows; None where it stays as it is."""
    if not work.merge_schema:
        return None
    return MergeRules(work.type_widening, work.explicit_casts, case_sensitive=False)


def source_fit(
    table: Table,
    source: PathSource | QuerySource,
    row_kind_column: str | None = None,
    rules: MergeRules | None = None,
) -> Any:
    """How the columns of parquet files fit the table, by the footer of the first; None of other sources.

    With `rules` the table has the schema that it would get by them.

    Raises:
        NotFoundError: there is no such file.
        InvalidRequestError: types that do not merge.
    """
    if not isinstance(source, PathSource) or source.format is not SourceFormat.PARQUET:
        return None
    if any(letter in source.path for letter in "*?[{"):
        return None
    path = absolute_path(source.path)
    io = file_io_for(path)
    files = [f.path for f in io.list_files(path, recursive=True) if is_source_file(path, f.path)]
    if not files and not io.exists(path):
        raise NotFoundError("there is no such file or folder", path=path)
    first = files[0] if files else path
    with decoding_errors(first), io.open_input(first) as file:
        fields = fields_from_arrow(pq.read_schema(file))
    columns = [f for f in fields if f.name != row_kind_column]
    return fit_schema(columns, _schema_for(table, columns, rules)).to_json()


def _schema_for(table: Table, columns: Sequence[DataField], rules: MergeRules | None) -> TableSchema:
    """The schema that rows of these columns are written with.

    Raises:
        InvalidRequestError: types that do not merge, or a key whose type would change.
    """
    schema = table.schema
    if rules is None:
        return schema
    merged = merge_schema(schema, columns, rules, time_millis=schema.time_millis)
    for key in retyped_keys(schema, merged):
        raise InvalidRequestError(
            "a key keeps its type: rows of one key would lie in two places",
            column=key,
            table=type_to_text(schema.field(key).type),
            rows=type_to_text(merged.field(key).type),
        )
    return merged


def is_source_file(root: str, path: str) -> bool:
    """Whether Spark and Hive read a file of a folder: no part of its path is hidden or begins with _."""
    parts = path.removeprefix(root).strip("/").split("/")
    return not any(part.startswith((".", "_")) for part in parts)


def _apply(run: Run, plan: WritePlan) -> Outcome:
    spark = run.executors.spark
    source = read_source(spark, run.work.source)
    return written(spark, run.table, source, run.work, user=run.user, reporter=run.reporter)


def verify_written(run: Run, plan: object, outcome: Outcome) -> Facts:
    """The snapshot is there with its files, and holds the rows that were written."""
    table = run.table_now()
    facts = made_snapshots(table, outcome.snapshots)
    added = sum(
        int(added_entries(table, snapshot).numpy("row_count").sum())
        for snapshot in outcome.snapshots
        if snapshot.commit_kind is not CommitKind.COMPACT
    )
    rows = outcome.metrics["rows_written"]
    if not table.schema.primary_keys and added != rows:
        not_true("other rows are in the files than were written", expected=rows, found=added)
    return {**facts, "rows_in_new_files": added}


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
    """Write a DataFrame into the table and commit it; for those who are no job themselves.

    Raises:
        InvalidRequestError: the DataFrame does not fit the table.
    """
    made = written(spark, table, source, work, user=user, reporter=reporter, identifier=identifier)
    return result_of(table, made.snapshots, dict(made.metrics), dict(made.details))


def written(
    spark: SparkSession,
    table: Table,
    source: DataFrame,
    work: WriteJob,
    *,
    user: str,
    reporter: Reporter,
    identifier: int = BATCH_COMMIT_IDENTIFIER,
) -> Outcome:
    """As `write_frame`.

    Raises:
        InvalidRequestError: the DataFrame does not fit the table.
    """
    rules = merge_rules(work)
    if rules is not None:
        columns = [f for f in paimon_fields(source.schema) if f.name != work.row_kind_column]
        _schema_for(table, columns, rules)
        # A commit of its own: a job that dies before the rows are committed leaves columns without values.
        table.schemas.commit_merge(columns, rules)
        table = table.refreshed()
    frame, fit = fitted(source, table.schema, work.row_kind_column)
    overwrites = work.mode is WriteMode.OVERWRITE
    base = overwrite_base(table) if overwrites else read_write_base(table)
    tasks = max(spark.sparkContext.defaultParallelism, 1)
    with reporting(spark.sparkContext, reporter, "write", "tasks"):
        messages, counts = _written(by_bucket(frame, table.schema, tasks), table, base)
    reporter.progress("commit", 0, 1, "commits")
    commit = TableCommit(table, user)

    def act() -> list[Snapshot]:
        check_tasks_apart(table, messages, sum(count > 0 for count in counts))
        if overwrites:
            return commit.overwrite(messages, work.static_partition, identifier)
        return commit.commit(messages, identifier)

    snapshots = commit_or_abort(commit, messages, act)
    reporter.progress("commit", 1, 1, "commits")
    _tag(table, reporter)
    files = [file for message in messages for file in message.new_files]
    metrics = {
        "rows_written": sum(counts),
        "files_written": len(files),
        "bytes_written": sum(file.file_size for file in files),
    }
    return Outcome(snapshots=snapshots, metrics=metrics, details={"fit": fit.to_json()})


def _tag(table: Table, reporter: Reporter) -> None:
    """The tag that a batch job leaves, where the table asks for it; the rows are there with or without it."""
    if table.options.get(TAG_AUTOMATIC_CREATION) is not TagCreation.BATCH:
        return
    try:
        plan = plan_batch_tag(table, now_millis=time.time_ns() // 1_000_000)
        apply_auto_tags(table, plan)
    except PaimonError as error:
        reporter.log(f"the rows are committed, and the tag of the job was not made: {error}")


def _written(frame: DataFrame, table: Table, base: WriteBase) -> tuple[list[CommitMessage], list[int]]:
    """Write all rows; the messages of all tasks, and the number of rows of each."""

    def write_task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with carrying_errors():
            yield from _task_messages(table, base, batches)

    with large_values_measured(frame):
        collected = frame.mapInArrow(write_task, f"{_MESSAGE} binary, rows bigint").collect()
    messages = decode_messages([bytes(row[_MESSAGE]) for row in collected if row[_MESSAGE] is not None])
    return messages, [row["rows"] for row in collected if row[_MESSAGE] is None]


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


WRITE = Job(plan=_plan, apply=_apply, verify=verify_written, of_files=WRITE_FILES)
