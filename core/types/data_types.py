"""The data types of Paimon as values.

A type knows its nullability and its parameters, nothing else: text and JSON forms are
in `parse.py` and `json.py`, Arrow in `core.arrow`, casts in `casts.py`. Spec: 01, 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

MAX_LENGTH = 2**31 - 1  # the length of STRING and BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class DataType:
    """Base of all types; equality takes nullability and parameters into account."""

    nullable: bool = True

    def with_nullability(self, nullable: bool) -> Self:
        return replace(self, nullable=nullable)

    @property
    def is_nested(self) -> bool:
        return isinstance(self, (ArrayType, MapType, MultisetType, RowType, VectorType))


@dataclass(frozen=True, slots=True)
class BooleanType(DataType): ...


@dataclass(frozen=True, slots=True)
class TinyIntType(DataType): ...


@dataclass(frozen=True, slots=True)
class SmallIntType(DataType): ...


@dataclass(frozen=True, slots=True)
class IntType(DataType): ...


@dataclass(frozen=True, slots=True)
class BigIntType(DataType): ...


@dataclass(frozen=True, slots=True)
class FloatType(DataType): ...


@dataclass(frozen=True, slots=True)
class DoubleType(DataType): ...


@dataclass(frozen=True, slots=True)
class DecimalType(DataType):
    precision: int = 10  # 1..38
    scale: int = 0  # 0..precision

    @property
    def is_compact(self) -> bool:
        """Whether the unscaled value is stored as a 64-bit integer."""
        return self.precision <= 18


@dataclass(frozen=True, slots=True)
class CharType(DataType):
    length: int = 1


@dataclass(frozen=True, slots=True)
class VarCharType(DataType):
    """`VARCHAR(n)`; with `MAX_LENGTH` it is written `STRING`."""

    length: int = 1


@dataclass(frozen=True, slots=True)
class BinaryType(DataType):
    length: int = 1


@dataclass(frozen=True, slots=True)
class VarBinaryType(DataType):
    """`VARBINARY(n)`; with `MAX_LENGTH` it is written `BYTES`."""

    length: int = 1


@dataclass(frozen=True, slots=True)
class DateType(DataType):
    """Days since 1970-01-01."""


@dataclass(frozen=True, slots=True)
class TimeType(DataType):
    """Milliseconds of the day, whatever the precision."""

    precision: int = 0


@dataclass(frozen=True, slots=True)
class TimestampType(DataType):
    """Wall clock without a zone."""

    precision: int = 6


@dataclass(frozen=True, slots=True)
class LocalZonedTimestampType(DataType):
    """An instant, stored in UTC."""

    precision: int = 6


@dataclass(frozen=True, slots=True)
class VariantType(DataType): ...


@dataclass(frozen=True, slots=True)
class BlobType(DataType): ...


@dataclass(frozen=True, slots=True)
class GeometryType(DataType):
    crs: str = "OGC:CRS84"


@dataclass(frozen=True, slots=True)
class GeographyType(DataType):
    crs: str = "OGC:CRS84"
    algorithm: str = "spherical"


@dataclass(frozen=True, slots=True)
class ArrayType(DataType):
    element: DataType


@dataclass(frozen=True, slots=True)
class VectorType(DataType):
    element: DataType
    length: int


@dataclass(frozen=True, slots=True)
class MultisetType(DataType):
    element: DataType


@dataclass(frozen=True, slots=True)
class MapType(DataType):
    key: DataType
    value: DataType


@dataclass(frozen=True, slots=True)
class DataField:
    """A column of a table or a member of a ROW. `id` is what identifies it across schemas."""

    id: int
    name: str
    type: DataType
    description: str | None = None
    default_value: str | None = None


@dataclass(frozen=True, slots=True)
class RowType(DataType):
    fields: tuple[DataField, ...]

    def field(self, name: str) -> DataField | None:
        return next((f for f in self.fields if f.name == name), None)


def inner_types(data_type: DataType) -> Iterator[DataType]:
    """A type and all types inside it."""
    yield data_type
    match data_type:
        case ArrayType() | VectorType() | MultisetType():
            yield from inner_types(data_type.element)
        case MapType():
            yield from inner_types(data_type.key)
            yield from inner_types(data_type.value)
        case RowType():
            for field in data_type.fields:
                yield from inner_types(field.type)
