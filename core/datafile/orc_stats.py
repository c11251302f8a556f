"""What an ORC file says of the values in each of its stripes.

Whole numbers, dates and texts alone: ORC leaves NaN out of bounds, fills a CHAR up with spaces, and
counts timestamps from where the writer's clock was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Any

import pyarrow as pa

from core.arrow import arrow_type
from core.datafile.orc_tail import Message, OrcTail, read_at
from core.errors import FormatError
from core.predicate import ColumnStats, Predicate, may_match
from core.types import (
    BigIntType,
    DataField,
    DataType,
    DateType,
    IntType,
    SmallIntType,
    TinyIntType,
    VarCharType,
)

_COLUMNS, _VALUES = 1, 1  # of StripeStatistics, of ColumnStatistics
_NUMBERS, _TEXTS, _DATES = 2, 4, 7  # members of ColumnStatistics
_LOW, _HIGH = 1, 2  # of each of these; a text that was cut is not among them
_MEMBERS: Mapping[type[DataType], int] = {
    **dict.fromkeys((TinyIntType, SmallIntType, IntType, BigIntType), _NUMBERS),
    DateType: _DATES,
    VarCharType: _TEXTS,
}


def matching_stripes(
    source: IO[bytes], tail: OrcTail, predicates: Sequence[tuple[Predicate, Sequence[DataField]]]
) -> list[bool]:
    """Whether each stripe may hold rows that satisfy all of the predicates, over columns of the file.

    A file whose statistics are damaged or missing may hold them anywhere.
    """
    rows = pa.array([stripe.rows for stripe in tail.stripes], pa.int64())
    keep = [True] * len(rows)
    if not predicates:
        return keep
    fields = {field.name: field for _, named in predicates for field in named}
    try:
        stats = dict(_statistics(source, tail, list(fields.values())))
    except (FormatError, IndexError, OverflowError, pa.ArrowInvalid):
        return keep  # they only speed reads up
    for predicate, _ in predicates:
        found = may_match(predicate, stats, rows).to_numpy(zero_copy_only=False)
        keep = [a and bool(b) for a, b in zip(keep, found, strict=True)]
    return keep


def _statistics(
    source: IO[bytes], tail: OrcTail, fields: Sequence[DataField]
) -> Iterator[tuple[str, ColumnStats]]:
    packed = read_at(source, tail.statistics_offset, tail.statistics_length)
    stripes = [Message.of(data).all(_COLUMNS) for data in Message.of(tail.chunks.unpack(packed)).all(1)]
    if len(stripes) != len(tail.stripes):
        return
    for field in fields:
        member, at = _MEMBERS.get(type(field.type)), tail.columns.get(field.name)
        if member is not None and at is not None and len(at) == 1:
            columns = [Message.of(stripe[at.start]) for stripe in stripes]
            yield field.name, _column(columns, member, arrow_type(field.type), tail)


def _column(columns: Sequence[Message], member: int, kind: Any, tail: OrcTail) -> ColumnStats:
    known = [Message.of(found[-1]) if (found := column.all(member)) else Message({}) for column in columns]
    bound: Callable[[Message, int], Any] = _text if member == _TEXTS else _number
    low, high = (pa.array([bound(m, end) for m in known], _STORED.get(member, kind)) for end in (_LOW, _HIGH))
    nulls = [
        stripe.rows - column.number(_VALUES) for stripe, column in zip(tail.stripes, columns, strict=True)
    ]
    return ColumnStats(low.cast(kind), high.cast(kind), pa.array(nulls, pa.int64()))


_STORED = {_DATES: pa.int32(), _TEXTS: pa.binary()}


def _text(message: Message, member: int) -> bytes | None:
    found = message.all(member)
    return found[-1] if found else None


def _number(message: Message, member: int) -> int | None:
    return zigzag(message.number(member)) if member in message.members else None


def zigzag(number: int) -> int:
    """The signed number that is stored as this one: 0, -1, 1, -2, ..."""
    return (number >> 1) ^ -(number & 1)
