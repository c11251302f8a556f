"""Bytes seen as words, and pieces of them as Arrow columns: what columnar decoders are made of."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pyarrow as pa

from core.arrow import Column
from core.errors import FormatError

_pa: Any = pa  # its stubs have no overloads for types that are found at run time

Longs = np.ndarray[Any, np.dtype[np.int64]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]
Words = np.ndarray[Any, np.dtype[np.uint64]]

PADDING = 16  # bytes behind the data that must exist, so that reading two words stays inside
INLINE = 12  # longest text that Arrow keeps in a view
_MIX, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
KEEP: Words = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)  # the first n bytes of a word


class Buffer:
    """Bytes with padding behind them, also seen as an 8-byte little-endian word at every offset."""

    def __init__(self, *parts: bytes | pa.Buffer) -> None:
        self._see(b"".join((*parts, bytes(PADDING))))

    @classmethod
    def padded(cls, data: bytearray) -> Self:
        """Over `data` itself, which is not copied: the padding is put behind it."""
        data += bytes(PADDING)
        buffer = cls.__new__(cls)
        buffer._see(data)
        return buffer

    def _see(self, whole: bytes | bytearray) -> None:
        self.arrow: Any = pa.py_buffer(whole)
        self.bytes: Bytes = np.frombuffer(whole, np.uint8)
        self.words: Words = np.ndarray((len(whole) - 7,), "<u8", buffer=whole, strides=(1,))
        self.size = len(whole) - PADDING


def text_array(buffer: Buffer, start: Longs, length: Longs, arrow: pa.DataType) -> Column:
    """A string or binary column of pieces of the buffer: as views first, which Arrow then copies together.

    Raises:
        FormatError: a piece lies outside the buffer, or text is not UTF-8.
    """
    if len(start) and (length.min() < 0 or start.min() < 0 or (start + length).max() > buffer.size):
        raise FormatError("a text lies outside its file or row")
    views = _long_views(buffer, start, length)
    inline = np.flatnonzero(length <= INLINE)
    if len(inline):
        views[inline, 1:] = _inline_bytes(buffer, start[inline], length[inline])
    array: Any = pa.Array.from_buffers(
        pa.binary_view(), len(start), [None, arrow_buffer(views), buffer.arrow]
    )
    try:
        texts: Column = array.cast(pa.binary()).cast(arrow)
    except pa.ArrowInvalid as error:
        raise FormatError(f"text is not UTF-8: {error}") from error
    return texts


def _long_views(buffer: Buffer, start: Longs, length: Longs) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """Length, first four bytes, number of the buffer, offset in it."""
    views = np.zeros((len(start), 4), np.uint32)
    views[:, 0] = length
    views[:, 1] = buffer.words[start]
    views[:, 3] = start
    return views


def _inline_bytes(buffer: Buffer, start: Longs, length: Longs) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """The text itself, filled up with zeros."""
    texts = np.empty((len(start), 2), np.uint64)
    texts[:, 0] = buffer.words[start] & KEEP[np.minimum(length, 8)]
    texts[:, 1] = buffer.words[np.minimum(start + 8, len(buffer.words) - 1)] & KEEP[np.maximum(length - 8, 0)]
    return texts.view(np.uint32)[:, :3]


def text_hashes(column: Any) -> Words:
    """64 bits of each text of a column without nulls; the same for equal texts, also of another column."""
    _, offset_buffer, data = column.buffers()
    if not len(column) or data is None:
        return np.zeros(len(column), np.uint64)
    offsets = np.frombuffer(offset_buffer, np.int32)[column.offset :][: len(column) + 1].astype(np.int64)
    start, length = offsets[:-1], np.diff(offsets)
    buffer = Buffer(data.slice(0, int(offsets[-1])))
    shortest, longest = int(length.min()), int(length.max())
    hashes = length.astype(np.uint64)
    for at in range(0, longest, 8):
        word = buffer.words[np.minimum(start + at, buffer.size)]
        if at + 8 > shortest:
            word &= KEEP[np.clip(length - at, 0, 8)]
        mixed = (hashes ^ hashes >> _HALF) * _MIX + word
        # A text that has ended is left as it is, however long those beside it are.
        hashes = mixed if at < shortest else np.where(at < length, mixed, hashes)
    return hashes * _MIX


def decimal_array(buffer: Buffer, start: Longs, length: Longs, arrow: pa.DataType) -> Column:
    """A decimal128 column of big-endian two's complement pieces of 1 to 16 bytes.

    Raises:
        FormatError: a piece of another length, or outside the buffer.
    """
    if len(length) and not (length.min() >= 1 and length.max() <= 16):
        raise FormatError("a decimal has no bytes or more than 16", found=int(length.max()))
    if len(start) and (start.min() < 0 or (start + length).max() > buffer.size):
        raise FormatError("a decimal lies outside its file or row")
    data = buffer.bytes
    out = np.empty((len(start), 16), np.uint8)
    sign = np.where(data[start] & 0x80, np.uint8(0xFF), np.uint8(0))
    last = start + length - 1
    for k in range(16):
        out[:, k] = np.where(k < length, data[np.maximum(last - k, 0)], sign)
    decimals: Column = pa.Array.from_buffers(arrow, len(start), [None, arrow_buffer(out)])
    return decimals


def arrow_buffer(values: np.ndarray[Any, Any]) -> Any:
    """The memory of an array as an Arrow buffer, not copied when it is contiguous."""
    contiguous: Any = np.ascontiguousarray(values)
    return pa.py_buffer(contiguous)


def spread(values: Any, valid: np.ndarray[Any, np.dtype[np.bool_]]) -> Column:
    """`values`, one for each true place of `valid`, with nulls at the false ones."""
    if not valid.any():
        nulls: Column = _pa.nulls(len(valid), values.type)
        return nulls
    places: Any = pa.array(np.cumsum(valid) - 1, pa.int64(), mask=~valid)
    column: Column = values if valid.all() else values.take(places)
    return column
