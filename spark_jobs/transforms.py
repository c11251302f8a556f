"""DataFrame -> DataFrame: the columns of a source as those of a table, and rows by bucket."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that all of Spark's documentation uses
from pyspark.sql import types as T  # noqa: N812

from core.bucket import assign_buckets
from core.errors import InvalidRequestError
from core.options import BUCKET, BUCKET_FUNCTION, TableOptions
from core.schema import TableSchema
from core.types import DataField, LocalZonedTimestampType, RowKind, TimestampType
from core.write.conform import conform_rows
from core.write.fit import FitKind, SchemaFit, fit_schema
from spark_jobs.incoming import key_rows
from spark_jobs.spark_types import paimon_fields, spark_type

BUCKET_COLUMN = "__bucket"
ROW_KIND_COLUMN = "__row_kind"


def fitted(
    frame: DataFrame, table: TableSchema, row_kind_column: str | None = None
) -> tuple[DataFrame, SchemaFit]:
    """The DataFrame with exactly the table's columns and types (and `ROW_KIND_COLUMN`), and how it fits.

    Raises:
        InvalidRequestError: a column does not fit.
    """
    if row_kind_column is not None and row_kind_column not in frame.columns:
        raise InvalidRequestError(
            "the source has no such column", field="write.row_kind_column", column=row_kind_column
        )
    fields = [field for field in paimon_fields(frame.schema) if field.name != row_kind_column]
    fit = fit_schema(fields, table)
    fit.check()
    columns = [
        _column(frame, column.source, field)
        for column, field in zip(fit.columns, table.fields, strict=True)
        if column.kind in (FitKind.SAME, FitKind.CAST)
    ]
    if row_kind_column is not None:
        columns.append(_row_kind(frame[_quoted(row_kind_column)]).alias(ROW_KIND_COLUMN))
    return frame.select(*columns), fit


def _column(frame: DataFrame, source: str | None, field: DataField) -> Column:
    column = frame[_quoted(source or field.name)].cast(spark_type(field.type))
    match field.type:
        case TimestampType() | LocalZonedTimestampType() if field.type.precision < 6:
            # Spark has microseconds; the table keeps fewer digits, as Paimon's own writers do.
            column = F.date_trunc(_UNITS[field.type.precision], column).cast(spark_type(field.type))
    return column.alias(field.name)


_UNITS = ("second", "millisecond", "millisecond", "millisecond", "microsecond", "microsecond")


def _quoted(name: str) -> str:
    escaped = name.replace("`", "``")
    return f"`{escaped}`"


def _row_kind(column: Column) -> Column:
    """The code of `+I`, `-U`, `+U` or `-D`; anything else fails the job."""
    code = F.raise_error(F.concat(F.lit("not a kind of row: "), F.coalesce(column, F.lit("null"))))
    chosen = F.when(column.isNull(), code.cast("tinyint"))
    for kind in RowKind:
        chosen = chosen.when(column == kind.short, F.lit(int(kind)).cast("tinyint"))
    return chosen.otherwise(code.cast("tinyint"))


def by_bucket(frame: DataFrame, table: TableSchema, tasks: int) -> DataFrame:
    """The rows so that all of one bucket are in one task, where buckets depend on columns.

    Which key is in which dynamic bucket only one task may decide in each partition, and in which
    partition a key that may move is, only one at all.
    """
    options = TableOptions(table.options)
    buckets = options.get(BUCKET)
    keys = [frame[_quoted(name)] for name in table.partition_keys]
    if buckets <= 0 and not table.primary_keys:
        return frame
    if buckets <= 1:
        alone = not keys or table.is_cross_partition
        return frame.repartition(1) if alone else frame.repartition(tasks, *keys)
    function = options.get(BUCKET_FUNCTION)
    fields = table.fields_of(table.bucket_keys or table.field_names)
    types = [field.type for field in fields]
    keys_of = key_rows(frame.schema, fields)

    def add_buckets(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            columns = conform_rows(keys_of.rows(batch), fields).columns
            found = assign_buckets(types, [c.combine_chunks() for c in columns], buckets, function)
            yield batch.append_column(BUCKET_COLUMN, pa.array(found, pa.int32()))

    schema = T.StructType([*frame.schema.fields, T.StructField(BUCKET_COLUMN, T.IntegerType())])
    numbered = frame.mapInArrow(add_buckets, schema)
    spread = [numbered[_quoted(name)] for name in table.partition_keys]
    return numbered.repartition(tasks, *spread, numbered[BUCKET_COLUMN]).drop(BUCKET_COLUMN)
