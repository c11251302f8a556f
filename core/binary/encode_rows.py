"""Columns -> BinaryRows, all rows at once. Spec: 03, 1; the clear form is `encode.py`.

A row is a multiple of eight bytes, so rows are built as 64-bit words: first every field says
how many words it needs in each row's variable part, which fixes where everything lies; then
each field scatters its slots and its areas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from core.arrow import to_python
from core.binary.encode import encode_nested
from core.binary.layout import INLINE_FLAG, INLINE_MAX, is_long_timestamp, null_bytes
from core.binary.pieces import KEEP, Buffer, Longs, Words, arrow_buffer
from core.errors import InvalidRequestError
from core.types import (
    BinaryType,
    BlobType,
    BooleanType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    GeographyType,
    GeometryType,
    LocalZonedTimestampType,
    TimestampType,
    TimeType,
    VarBinaryType,
    VarCharType,
)

_TEXTS = (CharType, VarCharType, BinaryType, VarBinaryType, BlobType, GeometryType, GeographyType)
_HALF = np.uint64(32)


@dataclass(frozen=True, slots=True)
class RowWords:
    """Rows without arity prefix: `words[begin[i] : begin[i] + size[i]]` is row i."""

    words: Words
    begin: Longs
    size: Longs  # words


@dataclass(frozen=True, slots=True)
class _Field:
    """One column: slots (without the offset of an area), and areas in the variable part."""

    slots: Words
    valid: np.ndarray[Any, np.dtype[np.bool_]]
    area: Longs | None = None  # words of each row's area, 0 for none; None: no row has one
    source: Buffer | None = None  # the bytes of the areas ...
    start: Longs | None = None  # ... where each begins there
    length: Longs | None = None  # ... and its bytes


def encode_rows(types: Sequence[DataType], arrays: Sequence[Any]) -> Any:
    """A binary column of rows with arity prefix, as manifests store them; in projection form.

    Arrays are in canonical Arrow form and of one length.

    Raises:
        InvalidRequestError: no column, or columns of different lengths.
    """
    rows = row_words(types, arrays)
    prefix = int.from_bytes(len(types).to_bytes(4, "big"), "little")
    count = len(rows.begin)
    offsets = np.concatenate(([0], np.cumsum(rows.size * 8 + 4)))
    out = np.empty(int(offsets[-1]) // 4, np.uint32)
    is_prefix = np.zeros(len(out), np.bool_)
    is_prefix[offsets[:-1] // 4] = True
    out[is_prefix] = prefix
    out[~is_prefix] = rows.words.view(np.uint32)
    if offsets[-1] >= 1 << 31:
        raise InvalidRequestError("rows of a batch need more than 2 GiB", found=int(offsets[-1]))
    buffers = [None, arrow_buffer(offsets.astype(np.int32)), arrow_buffer(out)]
    return pa.Array.from_buffers(pa.binary(), count, buffers)


def row_words(types: Sequence[DataType], arrays: Sequence[Any]) -> RowWords:
    """Rows of kind +I as words; see `RowWords`."""
    columns = [_combined(a) for a in arrays]
    if not columns or len(columns) != len(types) or len({len(c) for c in columns}) != 1:
        raise InvalidRequestError("rows need a column for each type, all of one length", expected=len(types))
    count, nulls = len(columns[0]), null_bytes(len(types)) // 8
    fields = [_field(t, c) for t, c in zip(types, columns, strict=True)]
    areas = [f.area for f in fields if f.area is not None]
    if not areas:
        return _equal_rows(fields, nulls)
    size = np.full(count, nulls + len(types), np.int64)
    for area in areas:
        size += area
    begin = np.cumsum(size) - size
    words = np.zeros(int(size.sum()), np.uint64)
    free = np.full(count, nulls + len(types), np.int64)  # where the next area of each row begins
    for i, field in enumerate(fields):
        bit = 8 + i
        missing = np.flatnonzero(~field.valid)
        words[begin[missing] + bit // 64] |= np.uint64(1 << bit % 64)
        _put(words, begin, nulls + i, free, field)
    return RowWords(words, begin, size)


def _equal_rows(fields: Sequence[_Field], nulls: int) -> RowWords:
    """Rows that have no variable part: a matrix of words."""
    count, width = len(fields[0].slots), nulls + len(fields)
    words = np.zeros((count, width), np.uint64)
    for i, field in enumerate(fields):
        bit = 8 + i
        if not field.valid.all():
            words[~field.valid, bit // 64] |= np.uint64(1 << bit % 64)
        words[:, nulls + i] = field.slots
    return RowWords(words.reshape(-1), np.arange(count) * width, np.full(count, width))


def _put(words: Words, begin: Longs, slot: int, free: Longs, field: _Field) -> None:
    slots = field.slots
    if field.area is not None:
        has_area = field.area > 0
        slots = np.where(has_area, slots | (free * 8).astype(np.uint64) << _HALF, slots)
        if field.source is not None:
            _copy_areas(words, begin + free, field)
        free += field.area
    words[begin + slot] = slots


def _copy_areas(words: Words, target: Longs, field: _Field) -> None:
    """Copy the bytes of all areas, a word at a time; the last word of each is cut to its length."""
    assert field.source is not None
    assert field.start is not None
    assert field.length is not None
    assert field.area is not None
    used = np.where(field.area > 0, (field.length + 7) // 8, 0)
    first = np.cumsum(used) - used
    nth = np.arange(int(used.sum())) - np.repeat(first, used)
    taken = field.source.words[np.repeat(field.start, used) + 8 * nth]
    left = np.repeat(field.length, used) - 8 * nth
    words[np.repeat(target, used) + nth] = taken & KEEP[np.minimum(left, 8)]


def _combined(array: Any) -> Any:
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _field(data_type: DataType, array: Any) -> _Field:
    valid = np.asarray(array.is_valid())
    match data_type:
        case TimestampType() | LocalZonedTimestampType():
            return _timestamps(data_type, array, valid)
        case DecimalType():
            return _decimals(data_type, array, valid)
    if isinstance(data_type, _TEXTS):
        return _texts(array, valid)
    if data_type.is_nested or not pa.types.is_primitive(array.type):
        return _nested(data_type, array, valid)
    return _Field(_bits(data_type, array), valid)


def _bits(data_type: DataType, array: Any) -> Words:
    """The bytes of fixed-width values in the low end of a word."""
    if isinstance(data_type, BooleanType):
        array = array.cast(pa.uint8())
    elif isinstance(data_type, (DateType, TimeType)):
        array = array.cast(pa.int32())
    values = np.ascontiguousarray(array.fill_null(0).to_numpy(zero_copy_only=False))
    if isinstance(data_type, (FloatType, DoubleType)):
        values = values.view(f"<u{values.itemsize}")
    return values.view(f"<u{values.itemsize}").astype(np.uint64)


def _timestamps(data_type: DataType, array: Any, valid: Any) -> _Field:
    per_milli = {"ms": 1, "us": 1_000, "ns": 1_000_000}[array.type.unit]
    values = array.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
    millis, rest = np.divmod(values, per_milli)
    if not is_long_timestamp(data_type):
        return _Field(millis.view(np.uint64), valid)
    nanos = (rest * (1_000_000 // per_milli)).astype(np.uint64)
    eights = np.full(len(array), 8, np.int64)
    return _Field(
        nanos, valid, eights // 8, Buffer(millis.tobytes()), np.arange(len(array), dtype=np.int64) * 8, eights
    )


def _decimals(data_type: DecimalType, array: Any, valid: Any) -> _Field:
    halves = np.frombuffer(array.buffers()[1] or b"", "<u8").reshape(-1, 2)
    halves = np.where(valid[:, None], halves[array.offset : array.offset + len(array)], np.uint64(0))
    if data_type.is_compact:
        return _Field(np.ascontiguousarray(halves[:, 0]), valid)
    big_endian = np.ascontiguousarray(halves[:, ::-1]).byteswap().view(np.uint8).reshape(-1, 16)
    length = np.where(valid, _minimal_sizes(big_endian), 0)
    start = np.arange(len(array), dtype=np.int64) * 16 + 16 - length
    two = np.full(len(array), 2, np.int64)
    return _Field(length.astype(np.uint64), valid, two, Buffer(big_endian.tobytes()), start, length)


def _minimal_sizes(big_endian: np.ndarray[Any, np.dtype[np.uint8]]) -> Longs:
    """Bytes of the shortest two's complement form of 16-byte numbers."""
    sign = np.where(big_endian[:, 0] & 0x80, np.uint8(0xFF), np.uint8(0))
    differs = big_endian != sign[:, None]
    first = np.where(differs.any(axis=1), differs.argmax(axis=1), 15)
    # The first byte kept must show the sign, or the one before it is kept too.
    flipped = (big_endian[np.arange(len(first)), first] ^ sign) & 0x80 != 0
    sizes: Longs = 16 - first + flipped
    return sizes


def _texts(array: Any, valid: Any) -> _Field:
    text = array.cast(pa.binary()) if array.type != pa.binary() else array
    offsets = np.frombuffer(text.buffers()[1] or bytes(4), np.int32)[
        text.offset : text.offset + len(text) + 1
    ]
    start = offsets[:-1].astype(np.int64)
    length = np.where(valid, np.diff(offsets.astype(np.int64)), 0)
    source = Buffer(text.buffers()[2] or b"")
    return _pieces(source, start, length, valid, length > INLINE_MAX)


def _nested(data_type: DataType, array: Any, valid: Any) -> _Field:
    """Keys and partitions have no nested types; where one is asked for, values go one at a time."""
    values = [b"" if v is None else encode_nested(data_type, v) for v in to_python(array, data_type)]
    length = np.array([len(v) for v in values], np.int64)
    return _pieces(Buffer(b"".join(values)), np.cumsum(length) - length, length, valid, valid)


def _pieces(source: Buffer, start: Longs, length: Longs, valid: Any, outside: Any) -> _Field:
    """Values of any length: `outside` ones get an area, the others lie in the slot."""
    inline = source.words[np.minimum(start, len(source.words) - 1)] & KEEP[np.minimum(length, 8)]
    flag = (INLINE_FLAG | length).astype(np.uint64) << np.uint64(56)
    slots = np.where(outside, length.astype(np.uint64), inline | flag)
    area = np.where(outside, (length + 7) // 8, 0)
    return _Field(np.where(valid, slots, np.uint64(0)), valid, area, source, start, length)
