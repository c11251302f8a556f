"""Which type may become which: the cast matrix. Spec: 09, 2.

How values are cast is in `core.schema.casts`, over columns.
"""

from __future__ import annotations

from enum import Enum

from core.types.data_types import (
    ArrayType,
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    RowType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
)


class CastKind(Enum):
    IMPLICIT = "I"
    EXPLICIT = "E"


_TYPES: tuple[type[DataType], ...] = (
    BooleanType,
    TinyIntType,
    SmallIntType,
    IntType,
    BigIntType,
    FloatType,
    DoubleType,
    DecimalType,
    CharType,
    VarCharType,
    BinaryType,
    VarBinaryType,
    DateType,
    TimeType,
    TimestampType,
    LocalZonedTimestampType,
)

# A row a source type, a column a target type, in the order above. I implicit, E explicit,
# = the same type; . no cast (or a rule without an implementation in Paimon).
_MATRIX = (
    "=EEEEEEEEE......",
    "EIIIIIIIEE......",
    "EEIIIIIIEE......",
    "EEEIIIIIEE....EE",
    "EEEEIIIIEE....EE",
    ".EEEEIIIEE......",
    ".EEEEEIIEE......",
    ".EEEEIIIEE......",
    "EEEEEEEEIIEEEEEE",
    "EEEEEEEEEIEEEEEE",
    "........EEII....",
    "........EEEI....",
    ".........E..=.EE",
    ".........E...=EE",
    "...EE....E..IIII",
    "...EE....E..EEII",
)
_KINDS = {"I": CastKind.IMPLICIT, "=": CastKind.IMPLICIT, "E": CastKind.EXPLICIT}


def cast_kind(source: DataType, target: DataType) -> CastKind | None:
    """Whether values of `source` can become `target`, and whether that must be asked for.

    Nullability plays no part; nested types are changed by their inner columns, so they
    cast to nothing but themselves and text.
    """
    if source.with_nullability(True) == target.with_nullability(True):
        return CastKind.IMPLICIT
    if isinstance(source, (ArrayType, MapType, RowType)) and isinstance(target, (CharType, VarCharType)):
        return CastKind.EXPLICIT
    if type(source) not in _TYPES or type(target) not in _TYPES:
        return None
    return _KINDS.get(_MATRIX[_TYPES.index(type(source))][_TYPES.index(type(target))])
