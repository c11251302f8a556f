"""Columns as the keys of `keys`, all rows at once: what indexes are built of. Spec: 05, 5 to 8."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from core.errors import UnsupportedError
from core.types import (
    BooleanType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    LocalZonedTimestampType,
    TimestampType,
)

Column = Any  # a pa.Array: which one is known when it runs, not to its stubs

_TICKS = (TimestampType, LocalZonedTimestampType)
_NANOS_OF_MICRO = 1000


def key_array(column: Column, data_type: DataType) -> Column:
    """The key of each row, as int64 or binary; null where the column is.

    `column` has the canonical Arrow form of the type, for which indexes must have keys.
    """
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        return column.cast(pa.binary())
    match data_type:
        case FloatType() | DoubleType():
            return _with_nulls(_turned(float_bits(column), kind.bit_width), column)
        case DecimalType() if data_type.is_compact:
            return _with_nulls(_unscaled(column), column)
        case BooleanType():
            return column.cast(pa.uint8()).cast(pa.int64())
        case _ if pa.types.is_date32(kind) or pa.types.is_time32(kind):
            return column.cast(pa.int32()).cast(pa.int64())
        case _ if isinstance(data_type, _TICKS):
            numbers = column.cast(pa.int64())
            if kind.unit != "ns":
                return numbers
            return _with_nulls(numbers.fill_null(0).to_numpy() // _NANOS_OF_MICRO, column)
        case _ if pa.types.is_integer(kind):
            return column.cast(pa.int64())
    raise UnsupportedError("no file index stores values of this type", feature=type(data_type).__name__)


def float_bits(column: Column) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The bits of each float, sign extended; of all NaNs those of Java's one; anything for null."""
    values = column.fill_null(0.0).to_numpy(zero_copy_only=False)
    values = np.where(np.isnan(values), values.dtype.type(np.nan), values)
    bits: np.ndarray[Any, np.dtype[np.int64]] = values.view(f"i{values.itemsize}").astype(np.int64)
    nan = 0x7FC00000 if values.itemsize == 4 else 0x7FF8000000000000
    return np.where(np.isnan(values), nan, bits)


def _turned(bits: np.ndarray[Any, np.dtype[np.int64]], width: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """As numbers in the order of the floats: below zero more magnitude is less."""
    return np.where(bits >= 0, bits, bits ^ np.int64((1 << width - 1) - 1))


def _unscaled(column: Column) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The low half of each number, which holds all of one of up to 18 digits."""
    halves = np.frombuffer(column.buffers()[1], np.int64)
    return halves[2 * column.offset :: 2][: len(column)]


def _with_nulls(numbers: np.ndarray[Any, Any], column: Column) -> Column:
    mask = np.asarray(column.is_null()) if column.null_count else None
    keys: Column = pa.array(numbers, pa.int64(), mask=mask)
    return keys
