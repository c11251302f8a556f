"""Types and rows as Spark has them <-> as Paimon has them, the only such mapping: see docs/spark.md.

A type without a counterpart is refused by name, never read or written as another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc
from pyspark.sql import types as T  # noqa: N812 - the name that all of Spark's documentation uses
from pyspark.sql.pandas.types import to_arrow_schema

from core.arrow import arrow_type
from core.datafile.recast import recast
from core.errors import UnsupportedError
from core.types import (
    BYTES,
    STRING,
    ArrayType,
    BigIntType,
    BinaryType,
    BlobType,
    BooleanType,
    CharType,
    DataField,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    RowType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    VariantType,
    VectorType,
    type_to_text,
)

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

FINEST_DIGITS = 6  # after the second: Spark counts microseconds
_NANOS_A_MILLI = 1_000_000
_UTC = "UTC"  # of the Arrow form of instants; a session shows them in its own zone

_TO_SPARK: Mapping[type[DataType], T.DataType] = MappingProxyType(
    {
        BooleanType: T.BooleanType(),
        TinyIntType: T.ByteType(),
        SmallIntType: T.ShortType(),
        IntType: T.IntegerType(),
        BigIntType: T.LongType(),
        FloatType: T.FloatType(),
        DoubleType: T.DoubleType(),
        CharType: T.StringType(),
        VarCharType: T.StringType(),
        BinaryType: T.BinaryType(),
        VarBinaryType: T.BinaryType(),
        BlobType: T.BinaryType(),
        DateType: T.DateType(),
        TimeType: T.TimeType(3),
        TimestampType: T.TimestampNTZType(),
        LocalZonedTimestampType: T.TimestampType(),
        VariantType: T.VariantType(),
    }
)
_FROM_SPARK: Mapping[type[T.DataType], Callable[[Any], DataType]] = MappingProxyType(
    {
        T.BooleanType: lambda _: BooleanType(),
        T.ByteType: lambda _: TinyIntType(),
        T.ShortType: lambda _: SmallIntType(),
        T.IntegerType: lambda _: IntType(),
        T.LongType: lambda _: BigIntType(),
        T.FloatType: lambda _: FloatType(),
        T.DoubleType: lambda _: DoubleType(),
        T.StringType: lambda _: STRING,
        T.CharType: lambda kind: CharType(kind.length),
        T.VarcharType: lambda kind: VarCharType(kind.length),
        T.BinaryType: lambda _: BYTES,
        T.DateType: lambda _: DateType(),
        T.TimeType: lambda kind: TimeType(kind.precision),
        T.TimestampNTZType: lambda _: TimestampType(FINEST_DIGITS),
        T.TimestampType: lambda _: LocalZonedTimestampType(FINEST_DIGITS),
        T.DecimalType: lambda kind: DecimalType(kind.precision, kind.scale),
        T.VariantType: lambda _: VariantType(),
    }
)


# --- Paimon -> Spark ---------------------------------------------------------------


def spark_type(data_type: DataType) -> T.DataType:
    """The type that Spark has for values of a Paimon type.

    Raises:
        UnsupportedError: Spark has none.
    """
    if type(data_type) in _TO_SPARK:
        return _TO_SPARK[type(data_type)]
    match data_type:
        case DecimalType():
            return T.DecimalType(data_type.precision, data_type.scale)
        case ArrayType() | VectorType():
            return T.ArrayType(spark_type(data_type.element), data_type.element.nullable)
        case MapType():
            return T.MapType(spark_type(data_type.key), spark_type(data_type.value), data_type.value.nullable)
        case MultisetType():
            return T.MapType(spark_type(data_type.element), T.IntegerType(), valueContainsNull=False)
        case RowType():
            # Members may be null whatever Paimon says, as those of a null ROW are.
            return T.StructType([T.StructField(f.name, spark_type(f.type)) for f in data_type.fields])
    raise UnsupportedError("Spark has no such type", feature=f"{type_to_text(data_type)} in Spark")


def spark_schema(fields: Iterable[DataField], never_null: Iterable[str] = ()) -> T.StructType:
    """The columns of a DataFrame with these fields; those named are never null, whatever their row is.

    Raises:
        UnsupportedError: names the first column that Spark cannot hold.
    """
    sure = set(never_null)
    return T.StructType([_spark_field(field, field.name not in sure) for field in fields])


def _spark_field(field: DataField, nullable: bool) -> T.StructField:
    try:
        return T.StructField(field.name, spark_type(field.type), nullable)
    except UnsupportedError as error:
        what = f"{error.what}; name the other columns with the option columns"
        raise UnsupportedError(what, **{"where": f"column {field.name}", **error.fields}) from error


def arrow_of(schema: T.StructType) -> pa.Schema:
    """What Arrow batches of a DataFrame have to look like."""
    return to_arrow_schema(schema, timezone=_UTC)


def to_spark(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The columns of `schema` out of a batch of core, in the form that Spark takes."""
    columns = [recast(batch.column(field.name), field.type, _cut_to) for field in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _cut_to(column: Any, kind: Any) -> Any:
    """Digits below a microsecond are cut off, as Paimon's own connector does."""
    if pa.types.is_timestamp(column.type) and column.type.unit == "ns" and pa.types.is_timestamp(kind):
        return pc.floor_temporal(column, unit="microsecond").cast(kind)
    return column.cast(kind)


# --- Spark -> Paimon ---------------------------------------------------------------


def paimon_type(kind: T.DataType) -> DataType:
    """The Paimon type for values of a Spark type.

    Raises:
        UnsupportedError: Paimon has none.
    """
    found = _FROM_SPARK.get(type(kind))
    if found is not None:
        return found(kind)
    if isinstance(kind, T.ArrayType):
        return ArrayType(paimon_type(kind.elementType).with_nullability(kind.containsNull))
    if isinstance(kind, T.MapType):
        value = paimon_type(kind.valueType).with_nullability(kind.valueContainsNull)
        return MapType(paimon_type(kind.keyType).with_nullability(False), value)
    if isinstance(kind, T.StructType):
        return RowType(paimon_fields(kind))
    raise UnsupportedError(
        "Paimon has no type for this type of Spark", feature=f"Spark {kind.simpleString()}"
    )


def from_spark(column: Any, data_type: DataType) -> Any:
    """A column of one of Spark's batches in core's form of the type that `paimon_type` gives."""
    return recast(column, arrow_type(data_type), _cut_from)


def _cut_from(column: Any, kind: Any) -> Any:
    """Digits of a time below a millisecond are cut off: Paimon has none."""
    if pa.types.is_time64(column.type) and pa.types.is_time32(kind):
        return pc.divide(column.cast(pa.int64()), _NANOS_A_MILLI).cast(pa.int32()).cast(kind)
    return column.cast(kind)


def paimon_fields(schema: T.StructType) -> tuple[DataField, ...]:
    """The columns of a DataFrame in Paimon's types; ids only tell them apart.

    Raises:
        UnsupportedError: names the first column that Paimon cannot hold.
    """
    return tuple(_paimon_field(i, field) for i, field in enumerate(schema))


def _paimon_field(number: int, field: T.StructField) -> DataField:
    try:
        data_type = paimon_type(field.dataType)
    except UnsupportedError as error:
        raise UnsupportedError(error.what, **{"where": f"column {field.name}", **error.fields}) from error
    return DataField(number, field.name, data_type.with_nullability(field.nullable))
