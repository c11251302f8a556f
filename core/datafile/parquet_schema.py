"""The parquet form of a table's columns, as Paimon writes them. Spec: 04, A2 and A3.

pyarrow decides the parquet type of a column from its Arrow type and gives it the id found
in the field's metadata, so the whole mapping is an Arrow schema. Two choices are for Java
Paimon, which reads by physical type: decimals up to 18 digits are integers and never
dictionary encoded, and TIMESTAMP(7..9) is INT96, the others INT64.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from core.arrow import arrow_type
from core.datafile.format_options import FormatOptions
from core.datafile.parquet_footer import TimestampLogicalType, TimeUnit
from core.types import BYTES
from core.types.data_types import (
    ArrayType,
    BooleanType,
    DataField,
    DataType,
    DecimalType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    RowType,
    TimestampType,
    VariantType,
    VectorType,
)

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_FIRST_ID = 536870911  # of elements that have no field id of their own
_DEPTHS = 1024
_ID_KEY = b"PARQUET:field_id"
_INT96_PRECISION = 7
_VARIANT_PARTS = ("value", "metadata")  # their ids are 0 and 1


@dataclass(frozen=True, slots=True)
class ParquetShape:
    """How columns are handed to pyarrow's writer."""

    schema: pa.Schema
    int96: bool  # timestamps of the schema become INT96
    annotations: Mapping[int, TimestampLogicalType]  # leaf column -> what its footer entry lacks


def parquet_shape(fields: Sequence[DataField], *, int96: bool = False) -> ParquetShape:
    """The columns with their field ids, nested ones included; with `int96` no timestamp is INT64."""
    leaves = list(_leaves(field.type for field in fields))
    mixed = not int96 and any(map(_is_int96, leaves))
    annotations = {
        i: _logical_type(leaf) for i, leaf in enumerate(leaves) if mixed and _is_int64_timestamp(leaf)
    }
    schema = pa.schema([_column(field, plain=bool(annotations)) for field in fields])
    return ParquetShape(schema, int96 or mixed, annotations)


def _column(field: DataField, *, plain: bool) -> pa.Field[Any]:
    """`plain`: INT64 timestamps as integers, see `parquet_footer`."""
    return _with_id(field.name, _type(field.type, field.id, 0, plain), field.type.nullable, field.id)


def _member(field: DataField, *, plain: bool) -> pa.Field[Any]:
    """A field inside a ROW, always optional: below a null ROW Arrow has nulls even for NOT NULL."""
    return _column(field, plain=plain).with_nullable(True)


def _with_id(name: str, kind: pa.DataType, nullable: bool, field_id: int) -> pa.Field[Any]:
    wrapped = (field_id + 2**31) % 2**32 - 2**31  # ids are 32 bits wide
    return pa.field(name, kind, nullable=nullable, metadata={_ID_KEY: str(wrapped).encode()})


def _type(kind: DataType, field_id: int, depth: int, plain: bool) -> pa.DataType:
    """The type of a node `depth` levels below the field with `field_id`."""
    above, below = _FIRST_ID + _DEPTHS * field_id + depth + 1, _FIRST_ID - _DEPTHS * field_id - depth - 1

    def part(name: str, of: DataType, part_id: int, nullable: bool | None = None) -> pa.Field[Any]:
        nullable = of.nullable if nullable is None else nullable
        return _with_id(name, _type(of, field_id, depth + 1, plain), nullable, part_id)

    match kind:
        case ArrayType(element):
            return pa.list_(part("element", element, above))
        case VectorType(element):
            return pa.list_(part("element", element, above))
        case MapType(key, value):
            return _map(part("key", key, below, nullable=False), part("value", value, above))
        case MultisetType(element):
            count = IntType(nullable=False)
            return _map(part("key", element, below, nullable=False), part("value", count, above))
        case RowType(fields):
            return pa.struct([_member(field, plain=plain) for field in fields])
        case VariantType():
            return pa.struct([_with_id(name, pa.binary(), False, i) for i, name in enumerate(_VARIANT_PARTS)])
        case _ if plain and _is_int64_timestamp(kind):
            return pa.int64()
        case _:
            return arrow_type(kind)


def _map(key: Any, value: Any) -> pa.DataType:
    kind: pa.DataType = pa.map_(key, value)
    return kind


def _is_int96(kind: DataType) -> bool:
    return isinstance(kind, (TimestampType, LocalZonedTimestampType)) and kind.precision >= _INT96_PRECISION


def _is_int64_timestamp(kind: DataType) -> bool:
    return isinstance(kind, (TimestampType, LocalZonedTimestampType)) and kind.precision < _INT96_PRECISION


def _logical_type(kind: DataType) -> TimestampLogicalType:
    assert isinstance(kind, (TimestampType, LocalZonedTimestampType))
    unit = TimeUnit.MILLIS if kind.precision <= 3 else TimeUnit.MICROS
    return TimestampLogicalType(unit, utc=isinstance(kind, LocalZonedTimestampType))


def _leaves(kinds: Iterable[DataType]) -> Iterator[DataType]:
    """The types of the parquet columns, depth first."""
    for kind in kinds:
        match kind:
            case ArrayType(element) | VectorType(element):
                yield from _leaves([element])
            case MapType(key, value):
                yield from _leaves([key, value])
            case MultisetType(element):
                yield from _leaves([element, IntType(nullable=False)])
            case RowType(fields):
                yield from _leaves(field.type for field in fields)
            case VariantType():
                yield from (BYTES for _ in _VARIANT_PARTS)
            case _:
                yield kind


def dictionary_columns(fields: Sequence[DataField], rows: pa.Table, settings: FormatOptions) -> list[str]:
    """Columns that repeat their values often enough, judged by some first rows, unless the table says more.

    A dictionary that nearly every value enters costs its space twice, in each row group.
    Nested columns get none, nor do decimals, which Java Paimon 0.9 cannot read from one.
    """
    able = [field.name for field in fields if not isinstance(field.type, _WITHOUT)]
    asked = {name: settings.dictionary(name) for name in able}
    return [n for n, wanted in asked.items() if (_repeats(rows.column(n)) if wanted is None else wanted)]


_WITHOUT = (ArrayType, VectorType, MapType, MultisetType, RowType, VariantType, DecimalType, BooleanType)
_SAMPLE_ROWS = 8 * 1024


def _repeats(column: pa.ChunkedArray[Any]) -> bool:
    sample = column.slice(0, _SAMPLE_ROWS)
    return bool(pc.count_distinct(sample, mode="all").as_py() * 2 <= len(sample))
