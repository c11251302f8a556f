"""DELETE, UPDATE and MERGE INTO spread over Spark's tasks, and appends, upserts and overwrites of DataFrames.

A statement is planned on the driver, as of one snapshot; tasks carry out its parts with core and send
back commit messages; the driver makes one commit of them. `core.dml.parts` tells what can be changed
apart. Memory of a task is that of core.dml; on the driver there are the plan and the messages.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, TypeVar

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession

from core import Table
from core.arguments import column_names
from core.arrow import arrow_schema
from core.commit import TableCommit
from core.dml import (
    AsOf,
    ChangePlan,
    Column,
    Matched,
    MergeClause,
    NotMatched,
    NotMatchedBySource,
    apply_changes,
    part_within,
    parts_of,
    plan_delete,
    plan_merge,
    plan_update,
)
from core.dml.expressions import SOURCE
from core.errors import InvalidRequestError
from core.predicate import Predicate
from core.snapshot import BATCH_COMMIT_IDENTIFIER, Snapshot
from core.types import DataField
from core.write import CommitMessage, decode_messages, encode_message
from spark_jobs.committing import commit_or_abort
from spark_jobs.crossing import large_values_measured
from spark_jobs.datasource.address import Address
from spark_jobs.datasource.distribution import distributed
from spark_jobs.datasource.options import PATH
from spark_jobs.datasource.writing import WriteSetup
from spark_jobs.failures import carrying_errors
from spark_jobs.placement import Placement
from spark_jobs.spark_types import from_spark, paimon_fields
from spark_jobs.sql_values import Sql, Value, made_of_pairs, made_of_rows, row_key, rows_at

_SENT = "task int, message binary"  # columns of what a task sends

_Sent: TypeAlias = "tuple[int, bytes | None]"
_Part = TypeVar("_Part")


@dataclass(frozen=True, slots=True)
class Commit:
    """In whose name a change is committed, and under which number."""

    user: str
    identifier: int = BATCH_COMMIT_IDENTIFIER


# --- rows of a DataFrame -----------------------------------------------------------


def append(frame: DataFrame, path: str, **options: str) -> None:
    """Adds the rows in one commit: `df.write` of docs/spark.md, with the rows distributed by bucket.

    Raises:
        InvalidRequestError: columns do not fit the table, or an option is wrong; nothing has run.
        NotFoundError: there is no such table.
        PySparkException: a value does not fit, or the commit failed; it carries core's error.
    """
    _save(frame, path, "append", options)


def upsert(frame: DataFrame, path: str, **options: str) -> None:
    """As `append`, and rows whose key is there take the place of the old ones, as the merge engine says.

    Raises as `append`, and:
        InvalidRequestError: the table has no primary key.
    """
    table = Address.of({**options, "path": path}).open_for_writes()
    if not table.schema.primary_keys:
        raise InvalidRequestError("an upsert needs a table with a primary key", table=str(table.identifier))
    _save(frame, path, "append", options)


def overwrite(frame: DataFrame, path: str, **options: str) -> None:
    """The rows take the place of the table, or of their partitions: `partitionOverwriteMode` `dynamic`.

    Raises as `append`.
    """
    _save(frame, path, "overwrite", options)


def _save(frame: DataFrame, path: str, mode: str, options: Mapping[str, str]) -> None:
    # Spark asks the sink only when tasks have numbered the rows, and a wrong type would be told by these.
    WriteSetup.of({**options, PATH: path}, frame.schema)
    placed = distributed(frame, path, tasks=None, **options)
    with large_values_measured(placed):
        placed.write.format("lakescope").mode(mode).options(**options).save(path)


# --- rows of the table -------------------------------------------------------------


def delete(
    spark: SparkSession, table: Table | str, filter: Predicate | str | None, *, commit: Commit | None = None
) -> list[Snapshot]:
    """The snapshots of a commit by which the rows that satisfy `filter` go; every row if it is None.

    Args:
        spark: whose executors do it.
        table: or its directory.
        filter: in the grammar of docs/reading.md.
        commit: a name and number of the commit; those of a new user without it.

    Raises:
        InvalidRequestError, UnsupportedError: see `core.dml.plan_delete`.
        CommitConflictError: files that it read are gone by now; nothing has changed.
    """
    opened = _opened(table)
    return _changed(spark, opened, plan_delete(opened, filter), commit)


def update(
    spark: SparkSession,
    table: Table | str,
    assignments: Mapping[str, Value],
    filter: Predicate | str | None = None,
    *,
    commit: Commit | None = None,
) -> list[Snapshot]:
    """The snapshots of a commit by which columns of the rows that satisfy `filter` get new values.

    Where there is an `Sql`, Spark reads those rows and makes of them the source of a merge.

    Args:
        spark: whose executors do it.
        table: or its directory.
        assignments: what each column becomes: `core.dml.Literal`, `Column`, a function of an Arrow batch, or
            `spark_jobs.dml.Sql`.
        filter: in the grammar of docs/reading.md; every row if it is None.
        commit: a name and number of the commit; those of a new user without it.

    Raises:
        InvalidRequestError, UnsupportedError: see `core.dml.plan_update`, and `spark_jobs.sql_values`.
        CommitConflictError: files that it read are gone by now; nothing has changed.
    """
    opened = _opened(table)
    plan = plan_of_update(opened, assignments, filter)
    if not any(isinstance(value, Sql) for value in assignments.values()):
        return _changed(spark, opened, plan, commit)
    if plan.snapshot is None:
        return []
    key = row_key(opened)
    columns = [*opened.schema.field_names, *(name for name in key if name not in opened.schema.field_names)]
    rows = rows_at(spark, opened, plan.snapshot, columns, filter)
    source, made = made_of_rows(rows, opened, key, assignments)
    return _merged(opened, source, key, [Matched(made)], _cores(spark), AsOf(plan.snapshot), commit)


def plan_of_update(
    table: Table, assignments: Mapping[str, Value], filter: Predicate | str | None
) -> ChangePlan:
    """What an update looks through; of an `Sql` it is not known yet whether it fits.

    Raises as `update`.
    """
    if any(isinstance(value, Sql) for value in assignments.values()):
        row_key(table)
    known = {n: Column(n) if isinstance(value, Sql) else value for n, value in assignments.items()}
    return plan_update(table, filter, known)


def merge_into(
    table: Table | str,
    source: DataFrame,
    on: Sequence[str] | Mapping[str, str],
    clauses: Sequence[MergeClause],
    *,
    tasks: int | None = None,
    commit: Commit | None = None,
) -> list[Snapshot]:
    """The snapshots of a commit that merges the rows of a DataFrame into a table.

    Where the columns joined hold the partition and the bucket key of a table with fixed buckets, its buckets
    are merged by as many tasks as there are cores; else one task does it, its memory bounded all the same.

    Args:
        table: or its directory.
        source: rows; a row of the table that several of them match is an error, unless it is deleted anyway.
        on: columns that are equal in joined rows, or names of the source to names of the table.
        clauses: `core.dml.Matched`, `NotMatched`, `NotMatchedBySource`, in order; the first one counts. The
            first two may assign `Sql`, in which the source's columns are `source.NAME`.
        tasks: how many merge at most; one for each core of the cluster by default.
        commit: a name and number of the commit; those of a new user without it.

    Raises:
        InvalidRequestError, UnsupportedError: see `core.dml.plan_merge`.
        CommitConflictError: files that it read are gone by now; nothing has changed.
    """
    opened = _opened(table)
    as_of = AsOf(opened.snapshots.latest())
    pairs = _pairs(on)
    source, clauses = made_of_pairs(source, opened, as_of.snapshot, pairs, clauses)
    return _merged(opened, source, pairs, clauses, tasks or _cores(source.sparkSession), as_of, commit)


def _merged(
    opened: Table,
    source: DataFrame,
    on: Sequence[str] | Mapping[str, str],
    clauses: Sequence[MergeClause],
    tasks: int,
    as_of: AsOf,
    commit: Commit | None,
) -> list[Snapshot]:
    merge = _Merge.of(opened, source, _pairs(on), clauses, tasks, as_of)
    with large_values_measured(source):
        rows = merge.placed(source).mapInArrow(merge.run, _SENT).collect()
    done: list[_Sent] = [(row[0], row[1]) for row in rows]
    if any(isinstance(clause, NotMatchedBySource) for clause in clauses):
        told = {task for task, _ in done}  # Spark may pass over tasks without rows
        left = [task for task in range(merge.tasks) if task not in told]
        done += _in_tasks(source.sparkSession, left, merge.without_source)
    return _committed(opened, _received(done), commit)


def _pairs(on: Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    return dict(on) if isinstance(on, Mapping) else {name: name for name in column_names(on)}


@dataclass(frozen=True, slots=True)
class _Merge:
    """What the tasks of a merge get."""

    table: Table
    fields: tuple[DataField, ...]  # of the source
    on: Mapping[str, str]
    clauses: tuple[MergeClause, ...]
    as_of: AsOf
    placement: Placement | None

    @classmethod
    def of(
        cls,
        table: Table,
        source: DataFrame,
        pairs: Mapping[str, str],
        clauses: Sequence[MergeClause],
        tasks: int,
        as_of: AsOf,
    ) -> _Merge:
        """Raises as `core.dml.plan_merge` does."""
        fields = paimon_fields(source.schema)
        plan_merge(table, arrow_schema(fields).empty_table(), pairs, clauses, as_of=as_of)
        placement = Placement.of_merge(table.schema, source.schema, pairs, tasks)
        if placement is not None and not all(_stays(clause, placement, pairs) for clause in clauses):
            placement = None
        return cls(table, fields, pairs, tuple(clauses), as_of, placement)

    @property
    def tasks(self) -> int:
        return 1 if self.placement is None else self.placement.tasks

    def placed(self, source: DataFrame) -> DataFrame:
        return source.repartition(1) if self.placement is None else self.placement.placed(source)

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """In an executor: merge the rows of one task."""
        context = TaskContext.get()
        assert context is not None
        tasks, messages = zip(*self._merged(context.partitionId(), batches), strict=True)
        columns: list[Any] = [pa.array(tasks, pa.int32()), pa.array(messages, pa.binary())]
        yield pa.RecordBatch.from_arrays(columns, names=["task", "message"])

    def without_source(self, task: int) -> list[_Sent]:
        """In an executor: what a task does that gets no rows."""
        return self._merged(task, iter(()))

    def _merged(self, task: int, batches: Iterator[pa.RecordBatch]) -> list[_Sent]:
        with carrying_errors():
            schema = arrow_schema(self.fields)
            rows = pa.RecordBatchReader.from_batches(schema, map(self._canonical, batches))
            plan = plan_merge(self.table, rows, self.on, self.clauses, as_of=self.as_of)
            if self.placement is not None:
                of = self.placement.task_of
                plan = part_within(plan, lambda partition, bucket: of(partition, bucket) == task)
            return _sent(task, apply_changes(self.table, plan))

    def _canonical(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        columns = [from_spark(batch.column(field.name), field.type) for field in self.fields]
        return pa.RecordBatch.from_arrays(columns, schema=arrow_schema(self.fields))


def _stays(clause: MergeClause, placement: Placement, on: Mapping[str, str]) -> bool:
    """Whether the rows that a clause inserts belong to the task of the source's rows."""
    if not isinstance(clause, NotMatched):
        return True
    pairs = [(c.source, c.field.name) for c in placement.keys.columns]
    if clause.insert is None:
        return all(source == target for source, target in pairs)
    return all(clause.insert.get(target) == Column(SOURCE + source) for source, target in pairs)


# --- tasks, and what they send -----------------------------------------------------


def _changed(spark: SparkSession, table: Table, plan: ChangePlan, commit: Commit | None) -> list[Snapshot]:
    """The snapshots of a planned DELETE or UPDATE."""
    if len(plan.dropped):
        return _committed(table, apply_changes(table, plan), commit)

    def run(part: ChangePlan) -> list[_Sent]:
        with carrying_errors():
            return _sent(0, apply_changes(table, part))

    return _committed(table, _received(_in_tasks(spark, parts_of(table, plan), run)), commit)


def _in_tasks(
    spark: SparkSession, parts: Sequence[_Part], run: Callable[[_Part], list[_Sent]]
) -> list[_Sent]:
    """What `run` makes of each part, a task each."""
    return spark.sparkContext.parallelize(parts, len(parts)).flatMap(run).collect() if parts else []


def _sent(task: int, messages: Sequence[CommitMessage]) -> list[_Sent]:
    """That the task has ended, and its messages."""
    return [(task, None), *((task, encode_message(message)) for message in messages)]


def _received(sent: Iterable[_Sent]) -> list[CommitMessage]:
    return decode_messages([bytes(message) for _, message in sent if message is not None])


def _committed(table: Table, messages: Sequence[CommitMessage], commit: Commit | None) -> list[Snapshot]:
    """One commit of all messages; none if no row changes."""
    by = commit or Commit(str(uuid.uuid4()))
    made = TableCommit(table, by.user)
    return commit_or_abort(made, messages, partial(made.commit, messages, by.identifier))


def _opened(table: Table | str) -> Table:
    return table if isinstance(table, Table) else Address.of({"path": table}).open_for_writes()


def _cores(spark: SparkSession) -> int:
    return max(spark.sparkContext.defaultParallelism, 1)
