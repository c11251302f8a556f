"""BinaryRows -> columns, all rows at once. Spec: 03, 1; the clear form is `decode.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from core.arrow import arrow_type, from_python, timestamp_unit
from core.binary.decode import decode_nested
from core.binary.layout import INLINE_FLAG, INLINE_MAX, fixed_size, is_long_timestamp, null_bytes
from core.binary.pieces import Buffer, Longs, arrow_buffer, decimal_array, spread, text_array
from core.errors import FormatError
from core.types import (
    BinaryType,
    BlobType,
    BooleanType,
    CharType,
    DataType,
    DecimalType,
    GeographyType,
    GeometryType,
    LocalZonedTimestampType,
    TimestampType,
    VarBinaryType,
    VarCharType,
)

_TEXTS = (CharType, VarCharType, BinaryType, VarBinaryType, BlobType, GeometryType, GeographyType)
_PREFIX = 4  # bytes of the arity
_HALF = np.uint64(32)


def decode_rows(types: Sequence[DataType], rows: Any) -> list[Any]:
    """One canonical Arrow column for each type, from a binary column of rows with arity prefix.

    A null row is null in every column.

    Raises:
        FormatError: a row has another arity, is cut, or points outside itself.
    """
    array = rows.combine_chunks() if isinstance(rows, pa.ChunkedArray) else rows
    reader = _Reader(array, len(types))
    return [reader.column(i, data_type) for i, data_type in enumerate(types)]


class _Reader:
    """Where the rows lie; positions count from the start of the column's bytes."""

    def __init__(self, array: Any, arity: int) -> None:
        offsets = np.frombuffer(array.buffers()[1] or bytes(4), np.int32)
        offsets = offsets[array.offset : array.offset + len(array) + 1].astype(np.int64)
        self._present = np.asarray(array.is_valid())
        self._buffer = Buffer(array.buffers()[2] or b"")
        self._begin = offsets[:-1][self._present] + _PREFIX
        self._end = offsets[1:][self._present]
        self._slots = null_bytes(arity)
        self._check(arity)

    def _check(self, arity: int) -> None:
        cut = self._end - self._begin < fixed_size(arity)
        if cut.any():
            found = int((self._end - self._begin)[cut][0])
            raise FormatError("a BinaryRow is cut", expected=fixed_size(arity), found=found)
        prefix = self._buffer.words[self._begin - _PREFIX].astype(np.uint32).byteswap()
        if (prefix != arity).any():
            found = int(prefix[prefix != arity][0])
            raise FormatError("a BinaryRow has another arity", expected=arity, found=found)

    def column(self, i: int, data_type: DataType) -> Any:
        bit = 8 + i
        header = self._buffer.bytes[self._begin + bit // 8]
        valid = header & (1 << bit % 8) == 0
        lanes = np.flatnonzero(valid)
        begin, end = self._begin[lanes], self._end[lanes]
        values = self._values(data_type, begin, end, begin + self._slots + 8 * i)
        whole = self._present.copy()
        whole[self._present] = valid
        return spread(values, whole)

    def _values(self, data_type: DataType, begin: Longs, end: Longs, slot: Longs) -> Any:
        arrow, words = arrow_type(data_type), self._buffer.words[slot]
        match data_type:
            case BooleanType():
                return pa.array(words & np.uint64(0xFF) != 0)
            case TimestampType() | LocalZonedTimestampType():
                return self._timestamps(data_type, begin, end, words)
            case DecimalType(is_compact=True):
                halves = np.stack([words, (words.view(np.int64) >> 63).view(np.uint64)], axis=1)
                return pa.Array.from_buffers(arrow, len(words), [None, arrow_buffer(halves)])
            case DecimalType():
                start, length = self._area(begin, end, words)
                return decimal_array(self._buffer, start, length, arrow)
        if isinstance(data_type, _TEXTS):
            start, length = self._text(begin, end, slot, words)
            return text_array(self._buffer, start, length, arrow)
        if pa.types.is_primitive(arrow):
            narrow = words.astype(f"<u{arrow.bit_width // 8}")
            return pa.Array.from_buffers(arrow, len(words), [None, arrow_buffer(narrow)])
        return self._nested(data_type, *self._area(begin, end, words))

    def _timestamps(self, data_type: Any, begin: Longs, end: Longs, words: Any) -> Any:
        per_milli = {"ms": 1, "us": 1_000, "ns": 1_000_000}[timestamp_unit(data_type.precision)]
        if is_long_timestamp(data_type):
            start = begin + (words >> _HALF).astype(np.int64)
            if len(start) and (start + 8 > end).any():
                raise FormatError("a timestamp lies outside its row")
            millis = self._buffer.words[start].view(np.int64)
            nanos = words.astype(np.uint32).astype(np.int64)
        else:
            millis, nanos = words.view(np.int64), np.zeros(len(words), np.int64)
        values = millis * per_milli + nanos // (1_000_000 // per_milli)
        if len(values) and (np.abs(millis).max() > (1 << 63) // per_milli - 1):
            raise FormatError(
                "a timestamp is beyond what Arrow holds", expected=f"precision {data_type.precision}"
            )
        return pa.array(values).cast(arrow_type(data_type))

    def _text(self, begin: Longs, end: Longs, slot: Longs, words: Any) -> tuple[Longs, Longs]:
        """Start and length of texts, be they in the slot or in an area."""
        last = (words >> np.uint64(56)).astype(np.int64)
        inline = last & INLINE_FLAG != 0
        size = last & ~INLINE_FLAG
        if (size[inline] > INLINE_MAX).any():
            raise FormatError("an inlined value is longer than its slot", found=int(size[inline].max()))
        area = np.where(inline, np.uint64(0), words)
        start, length = self._area(begin, end, area)
        return np.where(inline, slot, start), np.where(inline, size, length)

    @staticmethod
    def _area(begin: Longs, end: Longs, words: Any) -> tuple[Longs, Longs]:
        start = begin + (words >> _HALF).astype(np.int64)
        length = words.astype(np.uint32).astype(np.int64)
        if (start + length > end).any():
            raise FormatError("an area lies outside its row")
        return start, length

    def _nested(self, data_type: DataType, start: Longs, length: Longs) -> Any:
        """Keys and statistics have no nested values; where a row has one, values go one at a time."""
        data = self._buffer.bytes
        values = [
            decode_nested(data_type, data[a : a + n].tobytes())
            for a, n in zip(start.tolist(), length.tolist(), strict=True)
        ]
        return from_python(values, data_type)
