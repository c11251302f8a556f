"""Whether a column's new type holds every value of its old one. Design: 6.10, 3."""

from __future__ import annotations

from enum import StrEnum

from core.types import (
    ArrayType,
    BigIntType,
    BinaryType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
)


class TypeChange(StrEnum):
    WIDENING = "widening"  # every old value fits
    NARROWING = "narrowing"  # the way back would be widening
    OTHER = "other"


_INTEGERS: tuple[type[DataType], ...] = (TinyIntType, SmallIntType, IntType, BigIntType)
_DIGITS = {TinyIntType: 3, SmallIntType: 5, IntType: 10, BigIntType: 19}
_EXACT_IN_FLOAT = (TinyIntType, SmallIntType)  # 24 bits
_EXACT_IN_DOUBLE = (TinyIntType, SmallIntType, IntType, FloatType)  # 53 bits


def classify_type_change(before: DataType, after: DataType) -> TypeChange:
    """How the types differ; nullability is not looked at."""
    if _holds(after, before):
        return TypeChange.WIDENING
    return TypeChange.NARROWING if _holds(before, after) else TypeChange.OTHER


def _holds(wide: DataType, narrow: DataType) -> bool:
    """Whether each value of `narrow` is exactly one of `wide`."""
    if wide.with_nullability(True) == narrow.with_nullability(True):
        return True
    match wide, narrow:
        case DecimalType(), DecimalType():
            return (
                wide.scale >= narrow.scale and wide.precision - wide.scale >= narrow.precision - narrow.scale
            )
        case DecimalType(), _ if type(narrow) in _DIGITS:
            return wide.precision - wide.scale >= _DIGITS[type(narrow)]
        case FloatType(), _:
            return isinstance(narrow, _EXACT_IN_FLOAT)
        case DoubleType(), _:
            return isinstance(narrow, _EXACT_IN_DOUBLE)
        case VarCharType(length=room), (CharType(length=need) | VarCharType(length=need)):
            return room >= need
        case VarBinaryType(length=room), (BinaryType(length=need) | VarBinaryType(length=need)):
            return room >= need
        case (CharType(length=room), CharType(length=need)) | (
            BinaryType(length=room),
            BinaryType(length=need),
        ):
            return room >= need
        case TimestampType(precision=room), TimestampType(precision=need):
            return room >= need
        case LocalZonedTimestampType(precision=room), LocalZonedTimestampType(precision=need):
            return room >= need
        case TimeType(), TimeType():
            return wide.precision >= narrow.precision
        case TimestampType(), DateType():
            return True
        case ArrayType(), ArrayType():
            return _holds(wide.element, narrow.element)
        case MultisetType(), MultisetType():
            return _holds(wide.element, narrow.element)
        case MapType(), MapType():
            return _holds(wide.key, narrow.key) and _holds(wide.value, narrow.value)
    if type(wide) in _INTEGERS and type(narrow) in _INTEGERS:
        return _INTEGERS.index(type(wide)) >= _INTEGERS.index(type(narrow))
    return False
