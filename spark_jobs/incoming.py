"""Batches of a DataFrame -> rows of a table.

Columns are found by name, in another case of letters too where there is one such column. As core's
writers have it, a value is cast where it stays what it is; beyond that digits after the second that the
table does not keep are cut off, as Paimon's own writers do. Other casts have to be allowed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql.types import StructType

from core.arrow import arrow_type
from core.errors import FormatError, InvalidRequestError
from core.schema import TableSchema
from core.schema.casts import cast_column
from core.types import (
    DataField,
    DataType,
    LocalZonedTimestampType,
    TimestampType,
    type_to_text,
)
from core.types.casts import CastKind, cast_kind
from core.write.conform import castable
from core.write.fit import FitKind, fit_schema
from core.write.row_kinds import kinds_of_texts
from spark_jobs.spark_types import from_spark, paimon_fields

_REFUSED = frozenset({FitKind.REQUIRED, FitKind.UNKNOWN})
_TIMES = (TimestampType, LocalZonedTimestampType)


@dataclass(frozen=True, slots=True)
class _Column:
    source: str
    source_type: DataType
    field: DataField  # of the table
    is_cast: bool

    def of(self, batch: pa.RecordBatch) -> Any:
        column = from_spark(batch.column(self.source), self.source_type)
        if not self.is_cast:
            return column
        try:
            return cast_column(column, self.source_type, self.field.type)
        except FormatError as error:
            what = "a value does not fit its column"
            raise InvalidRequestError(what, **{"column": self.source, **error.fields}) from error


@dataclass(frozen=True, slots=True)
class Incoming:
    """What becomes of the batches of one DataFrame. Picklable."""

    columns: tuple[_Column, ...]
    kinds: str | None = None  # column of the batches that says of which kind a row is

    def rows(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The columns of the table that the batch has."""
        names = [column.field.name for column in self.columns]
        return pa.RecordBatch.from_arrays([column.of(batch) for column in self.columns], names=names)

    def kinds_of(self, batch: pa.RecordBatch) -> pa.ChunkedArray[Any] | None:
        """The kinds of the rows, if they have any; `InvalidRequestError` for what is none."""
        if self.kinds is None:
            return None
        return kinds_of_texts(pa.chunked_array([batch.column(self.kinds)]), self.kinds)


def incoming(
    frame: StructType, table: TableSchema, casts: CastKind | None = None, kinds: str | None = None
) -> Incoming:
    """How a DataFrame with this schema becomes rows of the table.

    Args:
        frame: its schema.
        table: as which rows are written.
        casts: which casts are allowed beside those that change no value; explicit includes implicit.
        kinds: the column that holds the kinds of rows; it is not written, unless the table has it.

    Raises:
        InvalidRequestError: the first column that does not fit.
        UnsupportedError: a column has a type that Paimon has not.
    """
    given = paimon_fields(frame)
    if kinds is not None and kinds not in frame.names:
        raise InvalidRequestError("the rows have no such column", option="rowkind.field", column=kinds)
    written = [field for field in given if field.name != kinds or kinds in table.field_names]
    fit = fit_schema(written, table)
    for column in fit.columns:
        alike = [name for name in frame.names if name.lower() == column.column.lower()]
        if column.kind in _REFUSED and len(alike) > 1:
            raise InvalidRequestError(
                "the rows have several columns of one name; rename or drop all but one",
                column=column.column,
                columns=", ".join(frame.names),
            )
        if column.kind is FitKind.REQUIRED:
            raise InvalidRequestError(
                "the rows lack a column that is never null in the table",
                column=column.column,
                problem=column.kind.value,
                columns=", ".join(frame.names) or "none of its keys",
            )
        if column.kind is FitKind.UNKNOWN:
            raise InvalidRequestError(
                "the rows do not fit the table; a new column is taken with write.merge-schema",
                column=column.column,
                problem=column.kind.value,
                columns=", ".join(frame.names),
            )
    types = {field.name: field.type for field in given}
    chosen = [(c.source, field) for c, field in zip(fit.columns, table.fields, strict=True) if c.source]
    return Incoming(tuple(_column(name, types[name], field, casts) for name, field in chosen), kinds)


def key_rows(frame: StructType, fields: Sequence[DataField]) -> Incoming:
    """How some columns of a DataFrame become those columns of a table, which it has to have."""
    wanted = TableSchema(id=0, fields=tuple(fields), highest_field_id=max(f.id for f in fields))
    names = {field.name.lower() for field in fields}
    return incoming(StructType([f for f in frame if f.name.lower() in names]), wanted, CastKind.EXPLICIT)


def _column(source: str, source_type: DataType, field: DataField, casts: CastKind | None) -> _Column:
    cuts = isinstance(source_type, _TIMES) and isinstance(field.type, type(source_type))
    if cuts or castable(arrow_type(source_type), arrow_type(field.type)):
        return _Column(source, source_type, field, is_cast=cuts)
    kind = cast_kind(source_type, field.type)
    if casts is not None and kind in (CastKind.IMPLICIT, casts):
        return _Column(source, source_type, field, is_cast=True)
    raise InvalidRequestError(
        "the type of a column does not fit; cast it, or allow it with write.merge-schema and "
        "write.merge-schema.explicit-cast",
        column=field.name,
        table=type_to_text(field.type),
        rows=type_to_text(source_type),
    )
