"""What ANALYZE tells of one column, gathered batch by batch. Spec: 01, 11; 08, 14."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from core.arrow import to_python
from core.maintenance.analyze.distinct import DistinctCounter
from core.stats.table_statistics import ColumnStatistics
from core.types import (
    BigIntType,
    BinaryType,
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
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
)
from core.types.text import cast_text, plain_text

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

# How many bytes query engines take a value of each type for.
_WIDTHS: dict[type[DataType], int] = {
    BooleanType: 1,
    TinyIntType: 1,
    SmallIntType: 2,
    IntType: 4,
    BigIntType: 8,
    FloatType: 4,
    DoubleType: 8,
    DateType: 4,
    TimeType: 4,
    TimestampType: 8,
    LocalZonedTimestampType: 8,
}
_TEXTS = (CharType, VarCharType)
_VARYING = (*_TEXTS, BinaryType, VarBinaryType)
_TIMESTAMPS = (TimestampType, LocalZonedTimestampType)
_LONG_DECIMAL = 18  # digits; with more than these it takes twice the bytes


def is_analyzed(data_type: DataType) -> bool:
    """Whether columns of this type have statistics: those that hold other values have none."""
    return isinstance(data_type, (*_WIDTHS, DecimalType, *_VARYING))


class ColumnSummary:
    """What is known of one column so far; its memory does not grow with the rows.

    Texts and bytes have no bounds, as in Paimon: they may be of any length, and nobody asks for them.
    """

    def __init__(self, field: DataField) -> None:
        self._field = field
        self._nulls = 0
        self._values = 0
        self._distinct = DistinctCounter()
        self._bounds: Any = None  # an array of the least and the greatest value
        self._total_length = 0
        self._max_length = 0

    def add(self, column: Any) -> None:
        """Take in some rows."""
        values = column.drop_null()
        self._nulls += column.null_count
        if not len(values):
            return
        self._values += len(values)
        self._distinct.add(values)
        if isinstance(self._field.type, _VARYING):
            self._add_lengths(values)
        else:
            known = values if self._bounds is None else pa.concat_arrays([self._bounds, values])
            self._bounds = _bounds(known)

    def merge(self, other: ColumnSummary) -> None:
        """Take in what another knows of other rows of the column."""
        self._nulls += other._nulls
        self._values += other._values
        self._distinct.merge(other._distinct)
        self._total_length += other._total_length
        self._max_length = max(self._max_length, other._max_length)
        known = [bounds for bounds in (self._bounds, other._bounds) if bounds is not None]
        self._bounds = _bounds(pa.concat_arrays(known)) if known else None

    def statistics(self) -> ColumnStatistics:
        average, longest = self._lengths()
        least, greatest = self._texts()
        return ColumnStatistics(
            self._field.id,
            distinct_count=min(self._distinct.count, self._values),
            minimum=least,
            maximum=greatest,
            null_count=self._nulls,
            average_length=average,
            max_length=longest,
        )

    def _add_lengths(self, values: Any) -> None:
        is_text = isinstance(self._field.type, _TEXTS)
        lengths = pc.utf8_length(values) if is_text else pc.binary_length(values)
        self._total_length += pc.sum(lengths).as_py()
        self._max_length = max(self._max_length, pc.max(lengths).as_py())

    def _lengths(self) -> tuple[int, int]:
        """The average, rounded up, and the greatest: characters of texts, else bytes."""
        match self._field.type:
            case DecimalType(precision=precision):
                width = 8 if precision <= _LONG_DECIMAL else 16
            case kind if isinstance(kind, _VARYING):
                return -(-self._total_length // max(self._values, 1)), self._max_length
            case kind:
                width = _WIDTHS[type(kind)]
        return width, width

    def _texts(self) -> tuple[str | None, str | None]:
        if self._bounds is None:
            return None, None
        kind = self._field.type
        to_text = cast_text if isinstance(kind, _TIMESTAMPS) else plain_text
        least, greatest = (to_text(kind, value) for value in to_python(self._bounds, kind))
        return least, greatest


def _bounds(values: Any) -> Any:
    """The least and the greatest of some values; NaN is above all numbers."""
    found = pc.min_max(values)
    bounds = [found["min"], found["max"]]
    if pa.types.is_floating(values.type) and (nan := values.filter(pc.is_nan(values))):
        bounds = [nan[0] if len(nan) == len(values) else found["min"], nan[0]]
    return pa.array(bounds, values.type)
