"""Filters that Spark pushes down -> predicates of core, where both mean the same for every value.

What is not translated stays with Spark: an `Or`, a test of a member, a literal that the column's type
does not take, digits below a microsecond.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from typing import Any

from pyspark.sql import datasource as S  # noqa: N812 - its filters are called as ours

from core.errors import InvalidRequestError
from core.predicate import (
    And,
    Comparison,
    In,
    IsNull,
    Like,
    Not,
    Operator,
    Or,
    Predicate,
    bind,
    parse_predicate,
    split_and,
)
from core.types import (
    BlobType,
    DataField,
    DataType,
    FloatType,
    LocalZonedTimestampType,
    Timestamp,
    TimestampType,
)
from spark_jobs.spark_types import FINEST_DIGITS

_MICROSECOND = timedelta(microseconds=1)


class _StaysWithSpark(Exception):
    """No predicate means the same."""


def translated(filter: S.Filter, fields: Sequence[DataField]) -> Predicate | None:
    """The predicate that holds for exactly the rows that Spark's filter holds for, bound to the fields.

    None if there is none, or the filter asks of another column.
    """
    try:
        return bind(_predicate(filter, {field.name: field for field in fields}), fields)
    except (_StaysWithSpark, InvalidRequestError):
        return None


def joined(predicates: Iterable[Predicate | str | None]) -> Predicate | None:
    """What holds where all of them hold, texts parsed; None for none.

    Raises:
        InvalidRequestError: a text that is no filter.
    """
    parsed = [parse_predicate(p) if isinstance(p, str) else p for p in predicates if p is not None]
    parts = tuple(part for predicate in parsed for part in split_and(predicate))
    return And(parts) if len(parts) > 1 else (parts[0] if parts else None)


def _predicate(filter: S.Filter, fields: Mapping[str, DataField]) -> Predicate:
    if isinstance(filter, S.Not):
        return _negated(filter.child, fields)
    make = _MADE.get(type(filter))
    if make is None:
        raise _StaysWithSpark
    leaf: Any = filter
    if len(leaf.attribute) != 1 or leaf.attribute[0] not in fields:
        raise _StaysWithSpark
    return make(fields[leaf.attribute[0]], leaf)


def _negated(child: S.Filter, fields: Mapping[str, DataField]) -> Predicate:
    if isinstance(child, S.In) and None in child.value:
        raise _StaysWithSpark  # never true
    if isinstance(child, S.EqualNullSafe) and child.value is not None:  # true of null, too
        equal = _predicate(S.EqualTo(child.attribute, child.value), fields)
        return Or((Not(equal), _predicate(S.IsNull(child.attribute), fields)))
    return Not(_predicate(child, fields))


def _comparison(operator: Operator) -> Callable[[DataField, Any], Predicate]:
    return lambda field, leaf: Comparison(field.name, operator, _literal(field.type, leaf.value))


def _equal_null_safe(field: DataField, leaf: S.EqualNullSafe) -> Predicate:
    if leaf.value is None:
        return IsNull(field.name)
    # As one of several conditions it is not asked whether it is false or unknown of a null.
    return Comparison(field.name, Operator.EQUAL, _literal(field.type, leaf.value))


def _in(field: DataField, leaf: S.In) -> Predicate:
    return In(field.name, tuple(_literal(field.type, v) for v in leaf.value if v is not None))


def _like(before: str, after: str) -> Callable[[DataField, Any], Predicate]:
    def made(field: DataField, leaf: Any) -> Predicate:
        plain = "".join(f"\\{c}" if c in "%_\\" else c for c in leaf.value)
        return Like(field.name, f"{before}{plain}{after}")

    return made


_MADE: Mapping[type[S.Filter], Callable[[DataField, Any], Predicate]] = MappingProxyType(
    {
        S.EqualTo: _comparison(Operator.EQUAL),
        S.EqualNullSafe: _equal_null_safe,
        S.GreaterThan: _comparison(Operator.GREATER),
        S.GreaterThanOrEqual: _comparison(Operator.GREATER_OR_EQUAL),
        S.LessThan: _comparison(Operator.LESS),
        S.LessThanOrEqual: _comparison(Operator.LESS_OR_EQUAL),
        S.In: _in,
        S.IsNull: lambda field, _: IsNull(field.name),
        S.IsNotNull: lambda field, _: IsNull(field.name, negated=True),
        S.StringStartsWith: _like("", "%"),
        S.StringEndsWith: _like("%", ""),
        S.StringContains: _like("%", "%"),
    }
)


def _literal(data_type: DataType, value: Any) -> Any:
    """A value of Spark as a literal of a predicate."""
    if value is None or isinstance(data_type, BlobType):
        raise _StaysWithSpark
    if isinstance(data_type, FloatType) and not _is_single(value):
        raise _StaysWithSpark  # binding would round it
    if isinstance(value, datetime):
        return _moment(data_type, value)
    return value.isoformat() if isinstance(value, date) else value


def _is_single(value: Any) -> bool:
    try:
        return bool(value != value or struct.unpack("f", struct.pack("f", value))[0] == value)
    except (OverflowError, struct.error):
        return False


def _moment(data_type: DataType, value: datetime) -> Timestamp:
    if not isinstance(data_type, (TimestampType, LocalZonedTimestampType)):
        raise _StaysWithSpark
    if data_type.precision > FINEST_DIGITS or isinstance(data_type, TimestampType) != (value.tzinfo is None):
        raise _StaysWithSpark
    epoch = datetime(1970, 1, 1, tzinfo=None if value.tzinfo is None else UTC)
    return Timestamp.from_nanos((value - epoch) // _MICROSECOND * 1000)
