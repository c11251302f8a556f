"""DataFrame -> DataFrame: the columns of a source as those of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that all of Spark's documentation uses

from core.errors import InvalidRequestError
from core.schema import TableSchema
from core.types import DataField, LocalZonedTimestampType, RowKind, TimestampType
from core.write.fit import FitKind, SchemaFit, fit_schema
from spark_jobs.spark_types import paimon_fields, spark_type

ROW_KIND_COLUMN = "__row_kind"
_ANSI = "spark.sql.ansi.enabled"


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
        columns.append(_row_kind(frame[quoted(row_kind_column)]).alias(ROW_KIND_COLUMN))
    with strict_casts(frame.sparkSession):
        return frame.select(*columns), fit


@contextmanager
def strict_casts(spark: SparkSession) -> Iterator[None]:
    """Casts of DataFrames made in the block fail at a value that does not fit, whatever the session says.

    Without ANSI Spark would make another number of it, or null. So do its own INSERT and UPDATE.
    """
    with set_to(spark, {_ANSI: "true"}):
        yield


@contextmanager
def set_to(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """DataFrames made in the block mean what they do under these settings, whatever the session says."""
    before = {name: spark.conf.get(name) for name in settings}
    try:
        for name, value in settings.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, own in before.items():
            spark.conf.set(name, own or settings[name])


def _column(frame: DataFrame, source: str | None, field: DataField) -> Column:
    column = frame[quoted(source or field.name)].cast(spark_type(field.type))
    match field.type:
        case TimestampType() | LocalZonedTimestampType() if field.type.precision < 6:
            # Spark has microseconds; the table keeps fewer digits, as Paimon's own writers do.
            column = F.date_trunc(_UNITS[field.type.precision], column).cast(spark_type(field.type))
    return column.alias(field.name)


_UNITS = ("second", "millisecond", "millisecond", "millisecond", "microsecond", "microsecond")


def quoted(name: str) -> str:
    """The name of a column as Spark's expressions have it."""
    escaped = name.replace("`", "``")
    return f"`{escaped}`"


def _row_kind(column: Column) -> Column:
    """The code of `+I`, `-U`, `+U` or `-D`; anything else fails the job."""
    code = F.raise_error(F.concat(F.lit("not a kind of row: "), F.coalesce(column, F.lit("null"))))
    chosen = F.when(column.isNull(), code.cast("tinyint"))
    for kind in RowKind:
        chosen = chosen.when(column == kind.short, F.lit(int(kind)).cast("tinyint"))
    return chosen.otherwise(code.cast("tinyint"))
