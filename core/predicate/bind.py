"""Predicates bound to fields: columns are known, literals are values of their types."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Sequence
from dataclasses import replace
from datetime import time, timedelta
from decimal import Decimal
from typing import Any

from core.arrow import timestamp_unit
from core.binary.decode import decimal_value
from core.binary.encode import unscaled_value
from core.errors import InvalidRequestError
from core.partition import parse_timestamp
from core.predicate.predicate import (
    MAX_DEPTH,
    And,
    Comparison,
    In,
    IsNull,
    Leaf,
    Like,
    Not,
    Or,
    Predicate,
    depth,
)
from core.types import (
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
    SmallIntType,
    Timestamp,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    type_to_text,
)

_BITS: dict[type[DataType], int] = {TinyIntType: 8, SmallIntType: 16, IntType: 32, BigIntType: 64}
_INTEGER = re.compile(r"[+-]?[0-9]{1,20}")
_NOT_FINITE = frozenset(["NaN", "Infinity", "+Infinity", "-Infinity"])  # as SQL casts them
_OFFSET = re.compile(r"(.*?)\s*(?:(Z)|([+-])(\d{2}):?(\d{2}))")
_UNIT_NANOS = {"ms": 1_000_000, "us": 1_000, "ns": 1}


def bind(predicate: Predicate, fields: Sequence[DataField]) -> Predicate:
    """The predicate with every literal as an internal value of its column's type.

    Binding what is bound to the same fields changes nothing.

    Raises:
        InvalidRequestError: nested too deeply, no such column, or a literal or test that the
            column's type does not take; names column and type.
    """
    if depth(predicate) > MAX_DEPTH:
        raise InvalidRequestError("a filter is nested too deeply", limit=MAX_DEPTH)
    return _bind(predicate, {f.name: f.type for f in fields})


def _bind(predicate: Predicate, types: dict[str, DataType]) -> Predicate:
    match predicate:
        case And():
            return And(tuple(_bind(child, types) for child in predicate.children))
        case Or():
            return Or(tuple(_bind(child, types) for child in predicate.children))
        case Not():
            return Not(_bind(predicate.child, types))
        case Leaf():
            if predicate.column not in types:
                raise _unknown(predicate.column, types)
            return _bind_leaf(predicate, types[predicate.column])
        case _:
            raise TypeError(f"cannot bind {predicate!r}")


def _unknown(column: str, types: dict[str, DataType]) -> InvalidRequestError:
    outer = re.split(r"[.\[]", column)[0]
    if outer != column and outer in types:
        what = "a filter names whole columns: it cannot ask for a field inside of one"
        return InvalidRequestError(what, column=outer, found=column)
    return InvalidRequestError(
        "a filter names no column of the table", column=column, columns=", ".join(types)
    )


def _bind_leaf(leaf: Leaf, data_type: DataType) -> Predicate:
    match leaf:
        case Comparison():
            return replace(leaf, literal=_coerced(leaf.column, data_type, leaf.literal), type=data_type)
        case In():
            if not leaf.literals:
                raise InvalidRequestError("IN needs at least one value", column=leaf.column)
            literals = tuple(_coerced(leaf.column, data_type, v) for v in leaf.literals)
            return replace(leaf, literals=literals, type=data_type)
        case Like():
            if not isinstance(data_type, (CharType, VarCharType)):
                raise _bad(leaf.column, data_type, leaf.pattern, "LIKE is for text columns")
            _check_pattern(leaf)
            return replace(leaf, type=data_type)
        case IsNull():
            return replace(leaf, type=data_type)
        case _:
            raise TypeError(f"cannot bind {leaf!r}")


_LONGEST_PATTERN = 10_000  # characters; those that match it compile their own form of it


def _check_pattern(leaf: Like) -> None:
    if len(leaf.pattern) > _LONGEST_PATTERN:
        raise InvalidRequestError("a LIKE pattern is too long", column=leaf.column, limit=_LONGEST_PATTERN)
    if re.fullmatch(r"(?:[^\\]|\\.)*", leaf.pattern, re.DOTALL) is None:
        raise InvalidRequestError("a LIKE pattern ends in a lone backslash", column=leaf.column)


def _coerced(column: str, data_type: DataType, literal: Any) -> Any:
    try:
        value = _value(data_type, literal)
    except (ValueError, ArithmeticError, struct.error) as error:
        raise _bad(column, data_type, literal, str(error)) from error
    if value is None:
        raise _bad(column, data_type, literal, "not a value of the column's type")
    return value


def _bad(column: str, data_type: DataType, literal: Any, why: str) -> InvalidRequestError:
    return InvalidRequestError(
        "a filter does not fit its column",
        column=column,
        type=type_to_text(data_type),
        value=repr(literal),
        reason=why,
    )


def _value(data_type: DataType, literal: Any) -> Any:
    """The internal value, or None if the literal is of a kind that the type does not take."""
    match data_type:
        case BooleanType():
            texts = {"true": True, "false": False}
            return literal if isinstance(literal, bool) else texts.get(str(literal).lower())
        case TinyIntType() | SmallIntType() | IntType() | BigIntType():
            return _integer(literal, _BITS[type(data_type)])
        case FloatType() | DoubleType():
            return _float(literal, single=isinstance(data_type, FloatType))
        case DecimalType():
            return _decimal(literal, data_type)
        case CharType() | VarCharType():
            return literal if isinstance(literal, str) else None
        case BinaryType() | VarBinaryType() | BlobType():
            return _bytes(literal)
        case DateType():
            return _date(literal)
        case TimeType():
            return _time(literal)
        case TimestampType() | LocalZonedTimestampType():
            return _timestamp(literal, data_type)
        case _:
            raise ValueError("only IS NULL can be asked of this type")


def _number(literal: Any) -> Decimal | None:
    if isinstance(literal, bool) or not isinstance(literal, (int, float, Decimal, str)):
        return None
    number = Decimal(literal.strip() if isinstance(literal, str) else literal)
    if not number.is_finite():
        raise ValueError("not a finite number")
    return number


def _integer(literal: Any, bits: int) -> int | None:
    if isinstance(literal, str) and not _INTEGER.fullmatch(literal.strip()):
        raise ValueError("not an integer")
    number = _number(literal)
    if number is None:
        return None
    if number.adjusted() > 20 or number != number.to_integral_value():
        raise ValueError(f"not an integer of {bits} bits")
    if not -(1 << bits - 1) <= int(number) < 1 << bits - 1:
        raise ValueError(f"beyond {bits} bits")
    return int(number)


def _float(literal: Any, *, single: bool) -> float | None:
    if isinstance(literal, str) and literal.strip() in _NOT_FINITE:
        literal = float(literal)
    if isinstance(literal, float) and not math.isfinite(literal):
        return math.nan if math.isnan(literal) else literal  # one NaN for all of them
    number = _number(literal)
    if number is None:
        return None
    value = float(number)
    if not math.isfinite(value):
        raise ValueError("beyond the type's range")
    try:
        return struct.unpack("f", struct.pack("f", value))[0] if single else value
    except OverflowError as error:
        raise ValueError("beyond the type's range") from error


def _decimal(literal: Any, data_type: DecimalType) -> Decimal | None:
    number = _number(literal)
    if number is None:
        return None
    if number and not -60 < number.adjusted() < 60:
        raise ValueError("beyond the type's digits")
    try:
        return decimal_value(unscaled_value(number, data_type), data_type.scale)
    except ValueError as error:
        raise ValueError(
            f"needs more than {data_type.precision} digits, {data_type.scale} of them after the point"
        ) from error


def _bytes(literal: Any) -> bytes:
    if not isinstance(literal, bytes):
        raise ValueError("bytes are written X'00ff'")
    return literal


def _date(literal: Any) -> int | None:
    if isinstance(literal, int) and not isinstance(literal, bool):
        return _integer(literal, 32)
    if not isinstance(literal, str):
        return None
    millis, rest = divmod(parse_timestamp(literal).millis, 86_400_000)
    if rest or ":" in literal:
        raise ValueError("a date has no time of day")
    return millis


def _time(literal: Any) -> int | None:
    if isinstance(literal, int) and not isinstance(literal, bool):
        if not 0 <= literal < 86_400_000:
            raise ValueError("not a millisecond of a day")
        return literal
    if not isinstance(literal, str):
        return None
    clock = time.fromisoformat(literal.strip())
    if clock.tzinfo is not None or clock.microsecond % 1000:
        raise ValueError("a time has milliseconds at most, and no zone")
    since = timedelta(hours=clock.hour, minutes=clock.minute, seconds=clock.second)
    return since // timedelta(milliseconds=1) + clock.microsecond // 1000


def _timestamp(literal: Any, data_type: TimestampType | LocalZonedTimestampType) -> Timestamp | None:
    if isinstance(literal, Timestamp):
        value = literal
    elif isinstance(literal, str):
        value = _parsed(literal.strip(), isinstance(data_type, LocalZonedTimestampType))
    else:
        return None
    if value.nanos % _UNIT_NANOS[timestamp_unit(data_type.precision)]:
        raise ValueError(f"more digits than precision {data_type.precision}")
    if timestamp_unit(data_type.precision) == "ns" and not -(1 << 63) <= value.nanos < 1 << 63:
        raise ValueError("beyond the years 1677 to 2262, which nanoseconds can count")
    return value


def _parsed(text: str, zoned: bool) -> Timestamp:
    """Local-zoned literals may name an offset; without one they are UTC."""
    match = _OFFSET.fullmatch(text) if zoned and ":" in text else None
    if match is None:
        return parse_timestamp(text)
    body, _, sign, hours, minutes = match.groups()
    value = parse_timestamp(body)
    if sign is None:
        return value
    offset = (int(hours) * 60 + int(minutes)) * 60_000
    return Timestamp(value.millis - (offset if sign == "+" else -offset), value.nanos_of_milli)
