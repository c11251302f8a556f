"""Keys in a form that numpy sorts: one array whose order and equality are those of the key.

A key of one whole-number-like column becomes an integer array. Any other key becomes
bytes that compare as the key does (memcomparable), of equal width in one call, so that
numpy's stable sort, a merge sort that finds existing runs, merges sorted runs at some
ten million rows a second and core. Widths depend on the rows given, so only keys made
by the same call can be compared.

Per column, most significant first:

    nulls           1 byte, 0 for null, 1 otherwise; only where the column has nulls (null is smallest)
    integers, date, time, timestamp, compact decimal
                    big endian with the sign bit flipped
    float, double   IEEE bits, all flipped if negative, else the sign bit; NaN is largest; -0.0 is 0.0,
                    as Paimon compares keys with Java's `<` (its `min` and `max` tell them apart)
    decimal         128 bits, as integers
    string, bytes   zero padded to the longest; then the length if a zero byte occurs in
                    the data, as padding alone could not tell `a` from `a\\0`
    wide strings    dense rank, when padding would waste memory
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.errors import UnsupportedError

Column: TypeAlias = Any  # a pa.Array: which one is known when it runs, not to its stubs
KeyArray: TypeAlias = npt.NDArray[Any]
ByteMatrix: TypeAlias = npt.NDArray[np.uint8]

_MAX_PADDED_WIDTH = 64  # bytes; longer strings are ranked


def comparable_keys(columns: Sequence[Column], *, signed_zeros: bool = False) -> KeyArray:
    """One value a row, ordered and equal as the rows of `columns` are, nulls first.

    The result is an integer array or a fixed-width bytes array. With `signed_zeros` -0.0 is
    less than 0.0.

    Raises:
        UnsupportedError: a column's type has no order in Paimon.
    """
    plain = integer_keys(columns)
    if plain is not None:
        return plain
    if not signed_zeros:
        columns = [_one_zero(column) for column in columns]
    parts = [part for column in columns for part in _byte_parts(column)]
    matrix = np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0]
    return _as_sortable(matrix)


def integer_keys(columns: Sequence[Column]) -> KeyArray | None:
    """The key as integers in its order, if it is one column without nulls that is held as such."""
    if len(columns) != 1 or columns[0].null_count:
        return None
    return _integers(columns[0])


def _as_sortable(matrix: ByteMatrix) -> KeyArray:
    matrix = _without_constants(matrix)
    rows, width = matrix.shape
    if width > 8:
        return np.ascontiguousarray(matrix).view(f"S{width}").reshape(rows)
    words = np.zeros((rows, 8), dtype=np.uint8)
    words[:, :width] = matrix
    return words.view(">u8").reshape(rows).astype(np.uint64)


def _without_constants(matrix: ByteMatrix) -> ByteMatrix:
    """Less the bytes that all rows share, where the others fit into an integer: `user-0000042` does."""
    rows, width = matrix.shape
    if width <= 8 or rows == 0:
        return matrix
    sample = matrix[:: max(1, rows // 64)]
    shared = np.flatnonzero((sample == matrix[0]).all(axis=0))
    if width - len(shared) > 8:
        return matrix
    shared = shared[(matrix[:, shared] == matrix[0, shared]).all(axis=0)]
    narrow = np.delete(matrix, shared, axis=1)
    return narrow if narrow.shape[1] <= 8 else matrix


def _integers(column: Column) -> KeyArray | None:
    """The column as a signed integer array if its Arrow form is one; it has no nulls."""
    kind = column.type
    if pa.types.is_integer(kind):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        return np.asarray(column.view(pa.int32()).to_numpy(zero_copy_only=False))
    if pa.types.is_timestamp(kind) or pa.types.is_time64(kind):
        return np.asarray(column.view(pa.int64()).to_numpy(zero_copy_only=False))
    if pa.types.is_decimal128(kind) and kind.precision <= 18:
        return _decimal_words(column)[:, 0].view(np.int64)
    return None


def _byte_parts(column: Column) -> list[ByteMatrix]:
    """The column as one or two matrices of a row of bytes each."""
    if column.null_count == 0:
        return [_bytes(column)]
    valid = np.asarray(column.is_valid().to_numpy(zero_copy_only=False))
    values = _bytes(_without_nulls(column))
    values = np.where(valid[:, None], values, np.uint8(0))
    return [valid.astype(np.uint8)[:, None], values]


def _without_nulls(column: Column) -> Column:
    """The same column with some value in place of each null."""
    if column.null_count == len(column):
        return pa.repeat(pa.scalar(False), len(column))
    filled = pc.fill_null_forward(column)
    return pc.fill_null_backward(filled)


def _bytes(column: Column) -> ByteMatrix:
    kind = column.type
    integers = _integers(column)
    if integers is not None:
        return _flip_sign(integers)
    if pa.types.is_boolean(kind):
        return np.asarray(column.to_numpy(zero_copy_only=False)).astype(np.uint8)[:, None]
    if pa.types.is_floating(kind):
        return _float_bytes(column)
    if pa.types.is_decimal128(kind):
        words = np.ascontiguousarray(_decimal_words(column)[:, ::-1]).astype(">u8")
        matrix = words.view(np.uint8).reshape(len(column), 16)
        matrix[:, 0] ^= 0x80
        return matrix
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        return _string_bytes(column)
    raise UnsupportedError("a column of this type cannot be compared", feature=f"key of type {kind}")


def _flip_sign(values: KeyArray) -> ByteMatrix:
    width = values.dtype.itemsize
    matrix = values.astype(values.dtype.newbyteorder(">")).view(np.uint8).reshape(len(values), width)
    matrix[:, 0] ^= 0x80
    return matrix


def _one_zero(column: Column) -> Column:
    """The same numbers without -0.0: IEEE's sum of -0.0 and 0.0 is 0.0."""
    return pc.add(column, pa.scalar(0, column.type)) if pa.types.is_floating(column.type) else column


def _float_bytes(column: Column) -> ByteMatrix:
    values = np.array(column.to_numpy(zero_copy_only=False))
    values[np.isnan(values)] = np.nan  # one NaN, above infinity
    signed: Any = values.view(np.int32 if values.dtype.itemsize == 4 else np.int64)
    bits = signed.itemsize * 8
    ordered = signed ^ ((signed >> (bits - 1)) & np.iinfo(signed.dtype).max)
    return _flip_sign(ordered)


def _decimal_words(column: Column) -> npt.NDArray[np.uint64]:
    """Low and high word of each 128-bit value."""
    buffer = column.buffers()[1]
    if buffer is None:
        return np.zeros((0, 2), dtype=np.uint64)
    words: npt.NDArray[np.uint64] = np.frombuffer(buffer, dtype=np.uint64).reshape(-1, 2)
    return words[column.offset : column.offset + len(column)]


def _string_bytes(column: Column) -> ByteMatrix:
    offsets, data = _offsets_and_data(column)
    lengths = np.diff(offsets)
    width = int(lengths.max(initial=1))
    if width > _MAX_PADDED_WIDTH:
        rank = pc.rank(column, tiebreaker="dense")
        return _flip_sign(np.asarray(rank.to_numpy(zero_copy_only=False)).astype(np.int64))
    if len(data) == len(column) * width:  # all of one length
        matrix = data.reshape(len(column), width)
    else:
        matrix = np.zeros((len(column), width), dtype=np.uint8)
        matrix[np.arange(width) < lengths[:, None]] = data
    if np.any(data == 0):
        return np.concatenate([matrix, lengths.astype(np.uint8)[:, None]], axis=1)
    return matrix


def _offsets_and_data(column: Column) -> tuple[npt.NDArray[np.int32], ByteMatrix]:
    """Where each value starts and ends, and the bytes between the first start and the last end."""
    _, offset_buffer, data_buffer = column.buffers()
    if offset_buffer is None or len(column) == 0:
        return np.zeros(1, dtype=np.int32), np.zeros(0, dtype=np.uint8)
    offsets = np.frombuffer(offset_buffer, dtype=np.int32)[column.offset : column.offset + len(column) + 1]
    data = np.frombuffer(data_buffer if data_buffer is not None else b"", dtype=np.uint8)
    return offsets - offsets[0], data[offsets[0] : offsets[-1]]
