"""Smallest and largest value and number of nulls of each column, gathered while rows are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from core.arrow import arrow_type, to_python
from core.types.data_types import (
    BlobType,
    DataField,
    DataType,
    DoubleType,
    FloatType,
    GeographyType,
    GeometryType,
    VariantType,
)

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_UNORDERED = (BlobType, VariantType, GeometryType, GeographyType)


class ColumnBounds:
    """One column's bounds over all rows added so far.

    `minimum` and `maximum` are values in the internal forms; None when there was no value,
    when the type has no order, or when a NaN was seen: it orders above all numbers for
    Java and nowhere for others.
    """

    def __init__(self, field: DataField) -> None:
        self._type = field.type
        self._ordered = is_ordered(field.type)
        self._extremes: list[pa.Array[Any]] = []
        self.null_count = 0

    def add(self, column: pa.ChunkedArray[Any], *, extremes_follow: bool = False) -> None:
        """Count values in; `extremes_follow` if `add_extremes` is going to be told what they lie between."""
        self.null_count += column.null_count
        if not self._ordered or extremes_follow:
            return
        if isinstance(self._type, (FloatType, DoubleType)):
            self._add_floats(column)
            return
        extremes = pc.min_max(column)
        self.add_extremes(extremes["min"], extremes["max"])

    def add_extremes(self, low: Any, high: Any) -> None:
        """The smallest and largest of some values, as Arrow takes them."""
        self._extremes.append(pa.array([low, high], arrow_type(self._type)))

    def _add_floats(self, column: pa.ChunkedArray[Any]) -> None:
        """By numpy: Arrow looks out for NaN value by value, and needs ten times as long."""
        for chunk in column.chunks:
            values = chunk.drop_null().to_numpy()
            if not len(values):
                continue
            low = values.min()
            if np.isnan(low):  # as it is if any value is
                self._ordered, self._extremes = False, []
                return
            self.add_extremes(low, values.max())

    @property
    def minimum(self) -> Any:
        return self._extreme("min")

    @property
    def maximum(self) -> Any:
        return self._extreme("max")

    def _extreme(self, which: str) -> Any:
        if not self._extremes:
            return None
        found = pc.min_max(pa.concat_arrays(self._extremes))[which]
        value = to_python(pa.array([found], arrow_type(self._type)), self._type)[0]
        if isinstance(value, float) and value == 0.0:
            return -0.0 if which == "min" else 0.0  # 0.0 and -0.0 are equal to Arrow, not to Java
        return value


def is_ordered(data_type: DataType) -> bool:
    """Whether values of the type have a smallest and a largest. Spec: 03, 5.1."""
    return not data_type.is_nested and not isinstance(data_type, _UNORDERED)


def column_bounds(fields: Sequence[DataField], rows: pa.Table) -> list[ColumnBounds]:
    """The bounds of each of `fields` over `rows`."""
    bounds = [ColumnBounds(field) for field in fields]
    for field, bound in zip(fields, bounds, strict=True):
        bound.add(rows.column(field.name))
    return bounds
