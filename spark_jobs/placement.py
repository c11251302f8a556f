"""Which task gets a row: all rows of one partition and bucket go to the same one.

Spark computes Paimon's hash of the columns that decide by itself where it can (`spark_jobs.row_hash`): of
whole numbers, short decimals, dates, texts and bytes. By all other columns core numbers the rows: those of
the partition and of the bucket key cross into Python, which takes several times longer. The buckets of a
partition are dealt out to the tasks in turn, so that none gets twice as many as another, as a hash of
their numbers would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that all of Spark's documentation uses
from pyspark.sql import types as T  # noqa: N812 - the name that all of Spark's documentation uses
from pyspark.sql.pandas.functions import arrow_udf as _arrow_udf

from core.binary import BinaryRow, hash_row
from core.bucket import BucketMode, assign_buckets, bucket_mode
from core.options import BUCKET, BUCKET_FUNCTION, BucketFunction, TableOptions
from core.schema import TableSchema
from core.types import DataField
from core.write.conform import conform_rows
from core.write.partitions import partitions_of
from spark_jobs.failures import carrying_errors
from spark_jobs.incoming import Incoming, key_rows
from spark_jobs.row_hash import SETTINGS, can_hash, row_hash
from spark_jobs.transforms import set_to

arrow_udf: Any = _arrow_udf  # its stubs know no function of as many arrays as there are columns

TASK_COLUMN = "__lakescope_task"


def by_bucket(frame: DataFrame, table: TableSchema, tasks: int) -> DataFrame:
    """The rows so that all of one bucket are in one task, where buckets depend on columns.

    Raises:
        InvalidRequestError: the rows lack a key, or hold one of another type.
    """
    placement = Placement.of(table, frame.schema, tasks)
    return frame if placement is None else placement.placed(frame)


@dataclass(frozen=True, slots=True)
class Placement:
    """How the rows of a DataFrame go to the tasks that write a table. Picklable."""

    tasks: int
    keys: Incoming  # the columns that decide, out of the DataFrame's
    partition: tuple[DataField, ...]
    bucket_key: tuple[DataField, ...]  # empty: all rows of a partition are in one task
    options: TableOptions

    @classmethod
    def of(cls, table: TableSchema, frame: T.StructType, tasks: int) -> Placement | None:
        """That of a write of such a frame by at most so many tasks; None if any task may write any row.

        Which key is in which dynamic bucket only one task may decide in each partition, and in which
        partition a key that may move is, only one at all.
        """
        partition, key = _deciding(table)
        mode = _mode(table)
        if mode is BucketMode.BUCKET_UNAWARE:
            return None
        fields = () if mode is BucketMode.KEY_DYNAMIC else _distinct((*partition, *key))
        keys = key_rows(frame, fields) if fields else Incoming(())
        return cls(tasks if keys.columns else 1, keys, partition, key, TableOptions(table.options))

    @classmethod
    def of_merge(
        cls, table: TableSchema, frame: T.StructType, on: Mapping[str, str], tasks: int
    ) -> Placement | None:
        """That of a merge which joins columns of the frame to columns of the table; None: one task does it.

        A row is where its partner in the table is, or would be.
        """
        sources = {target: source for source, target in on.items()}
        partition, key = _deciding(table)
        if not all(field.name in sources for field in key):
            key = ()
        fields = [_without_rules(field) for field in _distinct((*partition, *key))]
        if not fields or _mode(table) is BucketMode.KEY_DYNAMIC or any(f.name not in sources for f in fields):
            return None
        joined = [T.StructField(f.name, frame[sources[f.name]].dataType) for f in fields]
        columns = key_rows(T.StructType(joined), fields).columns
        keys = Incoming(tuple(replace(column, source=sources[column.field.name]) for column in columns))
        partition, key = (tuple(map(_without_rules, each)) for each in (partition, key))
        return cls(tasks, keys, partition, key, TableOptions(table.options))

    def placed(self, frame: DataFrame) -> DataFrame:
        """The rows of the frame, each in the partition of Spark with the number of its task."""
        if self.tasks == 1:
            return frame.repartition(1)
        if self.is_known_to_spark:
            with set_to(frame.sparkSession, SETTINGS):
                return frame.repartitionById(self.tasks, self.task_column(frame))
        number = arrow_udf(self.tasks_of, T.IntegerType())
        columns = [frame[_quoted(column.source)] for column in self.keys.columns]
        numbered = frame.withColumn(TASK_COLUMN, number(*columns))
        return numbered.repartitionById(self.tasks, TASK_COLUMN).drop(TASK_COLUMN)

    @property
    def is_known_to_spark(self) -> bool:
        """Whether `task_column` has the tasks of all rows."""
        return self.options.get(BUCKET_FUNCTION) is BucketFunction.DEFAULT and all(
            not column.is_cast
            and column.field.default_value is None
            and can_hash(column.source_type, column.field.type)
            for column in self.keys.columns
        )

    def task_column(self, frame: DataFrame) -> Column:
        """The task of each row as an expression of Spark, as `tasks_of` has it."""
        sources = {column.field.name: frame[_quoted(column.source)] for column in self.keys.columns}

        def hashed(fields: Sequence[DataField]) -> Column:
            return row_hash([sources[f.name] for f in fields], [f.type for f in fields])

        number = F.lit(0).cast("bigint")
        if self.partition:
            number = number + hashed(self.partition)
        if self.bucket_key:
            number = number + F.abs(hashed(self.bucket_key) % self.options.get(BUCKET))
        return F.pmod(number, F.lit(self.tasks).cast("bigint")).cast("int")

    # Spark goes by these annotations, and knows no other ones.
    def tasks_of(self, *columns: pa.Array) -> pa.Array:  # type: ignore[type-arg]
        """The task of each row, out of the columns that decide."""
        with carrying_errors():
            names = [column.source for column in self.keys.columns]
            batch = pa.RecordBatch.from_arrays(list(columns), names=names)
            rows = conform_rows(self.keys.rows(batch), _distinct((*self.partition, *self.bucket_key)))
            placed = partitions_of(rows, self.partition)
            starts = np.array([self.task_of(partition, 0) for partition in placed.partitions], np.int64)
            numbers = starts[placed.codes] + self._buckets(rows)
            return pa.array((numbers % self.tasks).astype(np.int32))  # type: ignore[no-any-return]

    def task_of(self, partition: BinaryRow, bucket: int) -> int:
        """The task of all rows of a bucket."""
        start = hash_row(partition) if self.partition else 0
        return (start + (bucket if self.bucket_key else 0)) % self.tasks

    def _buckets(self, rows: pa.Table) -> Any:
        if not self.bucket_key:
            return 0
        columns = [rows.column(field.name).combine_chunks() for field in self.bucket_key]
        types = [field.type for field in self.bucket_key]
        found = assign_buckets(types, columns, self.options.get(BUCKET), self.options.get(BUCKET_FUNCTION))
        return found.astype(np.int64)


def _mode(table: TableSchema) -> BucketMode:
    return bucket_mode(table.primary_keys, table.partition_keys, TableOptions(table.options).get(BUCKET))


def _deciding(table: TableSchema) -> tuple[tuple[DataField, ...], tuple[DataField, ...]]:
    """The columns of the partition, and those of the bucket key if they tell buckets apart."""
    hashed = _mode(table) is BucketMode.HASH_FIXED and TableOptions(table.options).get(BUCKET) > 1
    key = table.fields_of(table.bucket_keys or table.field_names) if hashed else ()
    return tuple(table.fields_of(table.partition_keys)), tuple(key)


def _distinct(fields: Sequence[DataField]) -> tuple[DataField, ...]:
    return tuple({field.id: field for field in fields}.values())


def _without_rules(field: DataField) -> DataField:
    """A null of a merge's source joins nothing; it is no mistake."""
    return replace(field, type=field.type.with_nullability(True), default_value=None)


def _quoted(name: str) -> str:
    escaped = name.replace("`", "``")
    return f"`{escaped}`"
