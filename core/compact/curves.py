"""Positions on space-filling curves, by which rows that are near in several columns come near in a file.

Theory, in numbers. Each column becomes a number of 64 bits whose order is the column's, so that equal
weight is given to equal bits:

    integers, date, time, timestamp, decimal   the (unscaled) number with its sign bit flipped; what does
                                               not fit into 64 bits counts as the largest or smallest
    float, double                              IEEE double bits, all flipped if negative, else the sign bit
    boolean                                    the highest bit
    string, bytes                              the first bytes, zero padded
    null                                       zero, so that nulls come first

A z-order position takes one bit of each column in turn, the highest first; texts may have more bytes
than numbers, and a column without bits left drops out. A Hilbert position is that of the point on a
curve through a cube of 2^63 points a side, on which neighbours are next to each other; it is found
with J. Skilling's algorithm (2004), and differs from z-order by never jumping.

Positions are byte strings of equal width, compared as such. They live only while rows are sorted,
so they need not be those of another engine. Spec: 07, 7.4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as _pc

from core.errors import InvalidRequestError

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

Column: TypeAlias = Any  # a pa.Array: which one is known when it runs, not to its stubs
Words: TypeAlias = npt.NDArray[np.uint64]
ByteMatrix: TypeAlias = npt.NDArray[np.uint8]

WORD_BYTES = 8
_HILBERT_BITS = 63
_BITS_AT_ONCE = 1 << 23  # spread out, a bit takes a byte
_SIGN = np.uint64(1 << 63)


class Curve(StrEnum):
    ZORDER = "zorder"
    HILBERT = "hilbert"


def curve_positions(curve: Curve, columns: Sequence[Column], text_bytes: int = WORD_BYTES) -> Column:
    """The position of each row as an Arrow array of bytes, all of one width.

    Args:
        curve: which.
        columns: of equal length, in canonical form; what comes first weighs a little more.
        text_bytes: how many bytes of texts count; z-order only.

    Raises:
        InvalidRequestError: a column's type has no place on a curve.
    """
    rows = len(columns[0])
    position = _POSITIONS[curve]
    at_once = max(_BITS_AT_ONCE // (len(columns) * max(text_bytes, WORD_BYTES) * 8), 1)
    parts = [
        position([column.slice(start, at_once) for column in columns], text_bytes)
        for start in range(0, rows, at_once)
    ]
    return _as_binary(np.concatenate(parts)) if parts else pa.array([], pa.binary())


def _z_positions(columns: Sequence[Column], text_bytes: int) -> ByteMatrix:
    return interleaved([curve_bytes(column, text_bytes) for column in columns])


def _hilbert_positions(columns: Sequence[Column], _: int) -> ByteMatrix:
    words = [_as_words(curve_bytes(column)) >> np.uint64(1) for column in columns]
    return interleaved([_as_bytes(word) for word in hilbert_axes(words, _HILBERT_BITS)], _HILBERT_BITS)


_POSITIONS: dict[Curve, Callable[[Sequence[Column], int], ByteMatrix]] = {
    Curve.ZORDER: _z_positions,
    Curve.HILBERT: _hilbert_positions,
}


def interleaved(columns: Sequence[ByteMatrix], bits: int | None = None) -> ByteMatrix:
    """One bit of each column in turn, the highest first; of `bits`, the lowest so many of each column."""
    unpacked = [np.unpackbits(column, axis=1) for column in columns]
    if bits is not None:
        unpacked = [column[:, -bits:] for column in unpacked]
    widths = [column.shape[1] for column in unpacked]
    starts = np.cumsum([0, *widths[:-1]])
    order = [
        start + bit
        for bit in range(max(widths))
        for start, width in zip(starts, widths, strict=True)
        if bit < width
    ]
    return np.packbits(np.concatenate(unpacked, axis=1)[:, order], axis=1)


def hilbert_axes(words: Sequence[Words], bits: int) -> list[Words]:
    """The coordinates of points turned so that their bits, interleaved, are positions on the curve.

    `words` are the coordinates, one array a dimension, each below 2^`bits`.
    """
    axes = [word.copy() for word in words]
    first, last = axes[0], axes[-1]
    for bit in reversed(range(1, bits)):  # undo the turns of each cube, from the largest down
        below = np.uint64((1 << bit) - 1)
        for axis in axes:
            is_set = (axis >> np.uint64(bit) & np.uint64(1)).astype(np.bool_)
            swapped = np.where(is_set, np.uint64(0), (first ^ axis) & below)
            first ^= np.where(is_set, below, swapped)
            axis ^= swapped
    for before, axis in pairwise(axes):  # Gray code
        axis ^= before
    turn = np.zeros_like(last)
    for bit in reversed(range(1, bits)):
        is_set = (last >> np.uint64(bit) & np.uint64(1)).astype(np.bool_)
        turn ^= np.where(is_set, np.uint64((1 << bit) - 1), np.uint64(0))
    for axis in axes:
        axis ^= turn
    return axes


def curve_bytes(column: Column, text_bytes: int = WORD_BYTES) -> ByteMatrix:
    """A row of bytes for each value, 8 or, of texts, `text_bytes`; their order is that of the values.

    Different values may have equal bytes. Raises `InvalidRequestError` for a type without a place.
    """
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        matrix = _first_bytes(column, text_bytes)
    else:
        matrix = _as_bytes(_words(column))
    if column.null_count:
        matrix[np.asarray(column.is_null().to_numpy(zero_copy_only=False))] = 0
    return matrix


def _words(column: Column) -> Words:
    """Of a column of numbers; those of nulls mean nothing."""
    kind = column.type
    if pa.types.is_boolean(kind):
        return _numbers(column, pa.uint8()).astype(np.uint64) << np.uint64(63)
    if pa.types.is_floating(kind):
        return _float_words(_numbers(column, pa.float64()))
    if pa.types.is_decimal128(kind):
        return _flipped(_saturated(column))
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        return _flipped(_numbers(column.view(pa.int32()), pa.int64()))
    if pa.types.is_timestamp(kind):
        return _flipped(_numbers(column.view(pa.int64()), pa.int64()))
    if pa.types.is_signed_integer(kind):
        return _flipped(_numbers(column, pa.int64()))
    raise InvalidRequestError("rows cannot be sorted by a column of this type", found=str(kind))


def _numbers(column: Column, kind: pa.DataType) -> npt.NDArray[Any]:
    filled = column.cast(kind).fill_null(0)
    return np.array(filled.to_numpy(zero_copy_only=False))


def _flipped(numbers: npt.NDArray[np.int64]) -> Words:
    words: Words = numbers.view(np.uint64) ^ _SIGN
    return words


def _float_words(values: npt.NDArray[np.float64]) -> Words:
    values[np.isnan(values)] = np.nan  # one NaN, above infinity
    values += 0.0  # one zero
    bits = values.view(np.int64)
    return _flipped(bits ^ ((bits >> 63) & np.iinfo(np.int64).max))


def _saturated(column: Column) -> npt.NDArray[np.int64]:
    """The unscaled numbers, the nearest that there is of those that need more than 64 bits."""
    buffer = column.buffers()[1]
    if buffer is None:
        return np.zeros(len(column), np.int64)
    halves = np.frombuffer(buffer, np.int64).reshape(-1, 2)[column.offset : column.offset + len(column)]
    low, high = halves[:, 0], halves[:, 1]
    limits = np.iinfo(np.int64)
    nearest = np.where(high < 0, limits.min, limits.max)
    fitting: npt.NDArray[np.int64] = np.where(high == low >> 63, low, nearest)
    return fitting


def _first_bytes(column: Column, width: int) -> ByteMatrix:
    _, offset_buffer, data_buffer = column.buffers()
    if offset_buffer is None or not len(column):
        return np.zeros((len(column), width), np.uint8)
    offsets = np.frombuffer(offset_buffer, np.int32)[column.offset : column.offset + len(column) + 1]
    data = np.frombuffer(data_buffer or b"", np.uint8)
    places = offsets[:-1, None].astype(np.int64) + np.arange(width)
    inside = places < offsets[1:, None]
    matrix = np.zeros((len(column), width), np.uint8)
    matrix[inside] = data[places[inside]]
    return matrix


def _as_bytes(words: Words) -> ByteMatrix:
    return words.astype(">u8").view(np.uint8).reshape(len(words), WORD_BYTES)


def _as_words(matrix: ByteMatrix) -> Words:
    return np.ascontiguousarray(matrix).view(">u8").reshape(len(matrix)).astype(np.uint64)


def _as_binary(matrix: ByteMatrix) -> Column:
    rows, width = matrix.shape
    offsets = np.arange(rows + 1, dtype=np.int32) * np.int32(width)
    buffers = [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(matrix.tobytes())]
    return pa.Array.from_buffers(pa.binary(), rows, buffers)
