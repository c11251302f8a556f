"""Paimon's types, fields and values <-> Arrow: the only such mapping.

Each type has one canonical Arrow form, which all batches inside core have; values as
Python objects are in the internal forms (`Timestamp`, days, (key, value) pairs).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count, pairwise
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from core.arguments import check_argument, is_a
from core.errors import InvalidRequestError, UnsupportedError
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
    GeographyType,
    GeometryType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    RowType,
    SmallIntType,
    Timestamp,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    VariantType,
    VectorType,
    type_to_text,
)

Column: TypeAlias = "pa.Array[Any]"

_pa: Any = pa  # its stubs have no overloads for types that are found at run time

_SIMPLE: dict[type[DataType], pa.DataType] = {
    BooleanType: pa.bool_(),
    TinyIntType: pa.int8(),
    SmallIntType: pa.int16(),
    IntType: pa.int32(),
    BigIntType: pa.int64(),
    FloatType: pa.float32(),
    DoubleType: pa.float64(),
    CharType: pa.string(),
    VarCharType: pa.string(),
    BinaryType: pa.binary(),
    VarBinaryType: pa.binary(),
    BlobType: pa.binary(),
    GeometryType: pa.binary(),
    GeographyType: pa.binary(),
    DateType: pa.date32(),
    TimeType: pa.time32("ms"),
    VariantType: pa.struct(
        [pa.field("value", pa.binary(), nullable=False), pa.field("metadata", pa.binary(), nullable=False)]
    ),
}
_NANOS = {"ms": 1_000_000, "us": 1_000, "ns": 1}


def arrow_type(data_type: DataType) -> pa.DataType:
    """The canonical Arrow type of values of `data_type`."""
    simple = _SIMPLE.get(type(data_type))
    built: pa.DataType = _built_type(data_type) if simple is None else simple
    return built


def _built_type(data_type: DataType) -> Any:
    match data_type:
        case DecimalType():
            return pa.decimal128(data_type.precision, data_type.scale)
        case TimestampType():
            return _pa.timestamp(timestamp_unit(data_type.precision))
        case LocalZonedTimestampType():
            return _pa.timestamp(timestamp_unit(data_type.precision), tz="UTC")
        case ArrayType():
            return pa.list_(_child("element", data_type.element))
        case VectorType():
            return pa.list_(_child("element", data_type.element), data_type.length)
        case MapType():
            return _pa.map_(_child("key", data_type.key, nullable=False), _child("value", data_type.value))
        case MultisetType():
            count = pa.field("value", pa.int32(), nullable=False)
            return _pa.map_(_child("key", data_type.element, nullable=False), count)
        case RowType():
            # Members are nullable even where Paimon says NOT NULL: a null ROW has null members in Arrow.
            return pa.struct([arrow_field(f).with_nullable(True) for f in data_type.fields])
        case _:
            raise UnsupportedError("no Arrow form for this type", feature=data_type)


def timestamp_unit(precision: int) -> str:
    """The Arrow unit that holds `precision` digits after the second."""
    return "ms" if precision <= 3 else "us" if precision <= 6 else "ns"


def arrow_field(field: DataField) -> pa.Field[Any]:
    """The field with name and nullability; ids stay in the schema."""
    return pa.field(field.name, arrow_type(field.type), nullable=field.type.nullable)


def arrow_schema(fields: Iterable[DataField]) -> pa.Schema:
    """The schema of batches with these columns."""
    return pa.schema([arrow_field(f) for f in fields])


def _child(name: str, data_type: DataType, nullable: bool | None = None) -> pa.Field[Any]:
    return pa.field(
        name, arrow_type(data_type), nullable=data_type.nullable if nullable is None else nullable
    )


# --- Arrow -> Paimon ---------------------------------------------------------------


def fields_from_arrow(schema: pa.Schema) -> tuple[DataField, ...]:
    """Fields for a table made from Arrow data, ids given depth first from 0.

    Raises:
        UnsupportedError: a column has a type that Paimon does not have.
        InvalidRequestError: no Arrow schema.
    """
    check_argument(is_a(schema, pa.Schema), "give an Arrow schema", schema)
    ids = count()
    return tuple(_field_from_arrow(field, ids) for field in schema)


def type_from_arrow(arrow: pa.DataType) -> DataType:
    """The Paimon type that holds every value of an Arrow type."""
    return _type_from_arrow(arrow, count())


def _field_from_arrow(field: pa.Field[Any], ids: count[int]) -> DataField:
    number = next(ids)  # a parent takes its id before its members
    try:
        data_type = _type_from_arrow(field.type, ids)
    except UnsupportedError as error:
        raise UnsupportedError(error.what, **{"where": f"column {field.name}", **error.fields}) from error
    return DataField(number, field.name, data_type.with_nullability(field.nullable))


_FROM_ARROW: tuple[tuple[Callable[[pa.DataType], bool], DataType], ...] = (
    (pa.types.is_boolean, BooleanType()),
    (pa.types.is_int8, TinyIntType()),
    (pa.types.is_int16, SmallIntType()),
    (pa.types.is_int32, IntType()),
    (pa.types.is_int64, BigIntType()),
    (pa.types.is_float32, FloatType()),
    (pa.types.is_float64, DoubleType()),
    (pa.types.is_string, STRING),
    (pa.types.is_large_string, STRING),
    (pa.types.is_string_view, STRING),
    (pa.types.is_binary, BYTES),
    (pa.types.is_large_binary, BYTES),
    (pa.types.is_binary_view, BYTES),
    (pa.types.is_date, DateType()),
)
_TIME_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


def _type_from_arrow(arrow: pa.DataType, ids: count[int]) -> DataType:
    for test, data_type in _FROM_ARROW:
        if test(arrow):
            return data_type
    if isinstance(arrow, pa.FixedSizeBinaryType) and pa.types.is_fixed_size_binary(arrow):
        return BinaryType(arrow.byte_width)
    if (
        isinstance(arrow, (pa.Decimal128Type, pa.Decimal256Type))
        and 0 <= arrow.scale <= arrow.precision <= 38
    ):
        return DecimalType(arrow.precision, arrow.scale)
    if isinstance(arrow, (pa.Time32Type, pa.Time64Type)):
        return TimeType(_TIME_DIGITS[arrow.unit])
    if isinstance(arrow, pa.TimestampType):
        digits = _TIME_DIGITS[arrow.unit]
        return TimestampType(digits) if arrow.tz is None else LocalZonedTimestampType(digits)
    if isinstance(arrow, pa.DictionaryType):
        return _type_from_arrow(arrow.value_type, ids)
    return _nested_from_arrow(arrow, ids)


def _nested_from_arrow(arrow: pa.DataType, ids: count[int]) -> DataType:
    if isinstance(arrow, pa.StructType):
        return RowType(tuple(_field_from_arrow(f, ids) for f in arrow.fields))
    if isinstance(arrow, pa.MapType):
        key = _type_from_arrow(arrow.key_type, ids).with_nullability(False)
        value = _type_from_arrow(arrow.item_type, ids).with_nullability(arrow.item_field.nullable)
        return MapType(key, value)
    if isinstance(arrow, (pa.ListType, pa.LargeListType, pa.FixedSizeListType)):
        element = _type_from_arrow(arrow.value_type, ids).with_nullability(arrow.value_field.nullable)
        if isinstance(arrow, pa.FixedSizeListType):
            return VectorType(element, arrow.list_size)
        return ArrayType(element)
    raise UnsupportedError("Paimon has no type for this Arrow type", feature=f"Arrow {arrow}")


# --- values ------------------------------------------------------------------------


def to_python(array: Any, data_type: DataType) -> list[Any]:
    """The internal values of a column in canonical form; for single values and tests, not for data paths."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks() if array.num_chunks != 1 else array.chunk(0)
    convert = _READERS.get(type(data_type))
    if convert is None:
        return list(array.to_pylist())
    values = convert(array, data_type)
    if array.null_count == 0:
        return values
    valid = np.asarray(array.is_valid())
    return [v if ok else None for v, ok in zip(values, valid, strict=True)]


def _numbers(array: Any, to: pa.DataType) -> list[Any]:
    return list(array.cast(to).to_pylist())


def _timestamps(array: Any, _: DataType) -> list[Any]:
    unit = _NANOS[array.type.unit]
    return [None if v is None else Timestamp.from_nanos(v * unit) for v in _numbers(array, pa.int64())]


def _lists(array: Any, data_type: Any) -> list[Any]:
    return _slices(to_python(array.values, data_type.element), array.offsets)


def _vectors(array: Any, data_type: Any) -> list[Any]:
    # values() ignores the offset of a slice; a null vector still has its elements there
    flat = to_python(array.values, data_type.element)
    size, start = data_type.length, array.offset
    return [flat[(start + i) * size : (start + i + 1) * size] for i in range(len(array))]


def _maps(array: Any, data_type: Any) -> list[Any]:
    key = data_type.key if isinstance(data_type, MapType) else data_type.element
    value = data_type.value if isinstance(data_type, MapType) else IntType()
    pairs = zip(to_python(array.keys, key), to_python(array.items, value), strict=True)
    return _slices(list(pairs), array.offsets)


def _structs(array: Any, data_type: Any) -> list[Any]:
    types = [BYTES, BYTES] if isinstance(data_type, VariantType) else [f.type for f in data_type.fields]
    if not types:
        return [() for _ in range(len(array))]
    columns = [to_python(array.field(i), t) for i, t in enumerate(types)]
    return list(zip(*columns, strict=True))


def _slices(flat: list[Any], offsets: Any) -> list[Any]:
    bounds = offsets.to_pylist()
    return [flat[a:b] for a, b in pairwise(bounds)]


_READERS: dict[type[DataType], Callable[[Any, DataType], list[Any]]] = {
    DateType: lambda array, _: _numbers(array, pa.int32()),
    TimeType: lambda array, _: _numbers(array, pa.int32()),
    TimestampType: _timestamps,
    LocalZonedTimestampType: _timestamps,
    ArrayType: _lists,
    VectorType: _vectors,
    MapType: _maps,
    MultisetType: _maps,
    RowType: _structs,
    VariantType: _structs,
}


def from_python(values: Sequence[Any], data_type: DataType) -> Column:
    """A column in canonical form from internal values.

    Raises:
        InvalidRequestError: a value does not fit the type.
    """
    try:
        column: Column = _from_python(values, data_type)
    except (pa.ArrowException, TypeError, ValueError, AttributeError, OverflowError) as error:
        text = type_to_text(data_type)
        raise InvalidRequestError(f"values do not fit {text}: {error}", type=text) from error
    return column


def _from_python(values: Sequence[Any], data_type: DataType) -> Any:
    match data_type:
        case TimestampType() | LocalZonedTimestampType():
            unit = _NANOS[timestamp_unit(data_type.precision)]
            numbers = pa.array([None if v is None else v.nanos // unit for v in values], pa.int64())
            return numbers.cast(arrow_type(data_type))
        case DateType() | TimeType():
            return pa.array(values, pa.int32()).cast(arrow_type(data_type))
        case ArrayType():
            return _list_array(values, data_type)
        case VectorType():
            return _vector_array(values, data_type)
        case MapType() | MultisetType():
            return _map_array(values, data_type)
        case RowType() | VariantType():
            return _struct_array(values, data_type)
        case _:
            return pa.array(values, arrow_type(data_type))


def _mask(values: Sequence[Any]) -> Column:
    return pa.array([v is None for v in values], pa.bool_())


def _offsets(values: Sequence[Any]) -> Column:
    sizes = np.fromiter((0 if v is None else len(v) for v in values), np.int64, len(values))
    return pa.array(np.concatenate(([0], np.cumsum(sizes))).astype(np.int32))


def _flat(values: Sequence[Any]) -> list[Any]:
    return [item for value in values if value is not None for item in value]


def _list_array(values: Sequence[Any], data_type: ArrayType) -> Any:
    elements = _from_python(_flat(values), data_type.element)
    return _pa.ListArray.from_arrays(_offsets(values), elements, arrow_type(data_type), mask=_mask(values))


def _vector_array(values: Sequence[Any], data_type: VectorType) -> Any:
    filler = [None if data_type.element.nullable else 0] * data_type.length
    if any(v is not None and len(v) != data_type.length for v in values):
        raise ValueError(f"a vector has not {data_type.length} elements")
    elements = _from_python(_flat([filler if v is None else v for v in values]), data_type.element)
    return _pa.FixedSizeListArray.from_arrays(elements, type=arrow_type(data_type), mask=_mask(values))


def _map_array(values: Sequence[Any], data_type: MapType | MultisetType) -> Any:
    key = data_type.key if isinstance(data_type, MapType) else data_type.element
    value = data_type.value if isinstance(data_type, MapType) else IntType()
    entries = _flat(values)
    keys = _from_python([k for k, _ in entries], key)
    items = _from_python([v for _, v in entries], value)
    return _pa.MapArray.from_arrays(_offsets(values), keys, items, arrow_type(data_type), mask=_mask(values))


def _struct_array(values: Sequence[Any], data_type: RowType | VariantType) -> Any:
    types = [BYTES, BYTES] if isinstance(data_type, VariantType) else [f.type for f in data_type.fields]
    arrow: Any = arrow_type(data_type)
    if not types:
        return pa.array([None if v is None else {} for v in values], arrow)
    # A member that may not be null still needs something under a null row.
    columns = [[None if v is None else v[i] for v in values] for i in range(len(types))]
    children = [_from_python(column, t) for column, t in zip(columns, types, strict=True)]
    return _pa.StructArray.from_arrays(children, fields=list(arrow.fields), mask=_mask(values))
