"""Bucket modes, and which bucket a key belongs to. Spec: 01, 13; 03, 4."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.arrow import to_python
from core.binary import hash_rows
from core.errors import InvalidRequestError, UnsupportedError
from core.options import POSTPONE_BUCKET, BucketFunction
from core.types import (
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    SmallIntType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    type_to_text,
)

DYNAMIC_BUCKET = -1

Ints = np.ndarray[Any, np.dtype[np.int32]]


class BucketMode(Enum):
    """How rows come to their bucket."""

    HASH_FIXED = "HASH_FIXED"  # by the hash of the bucket key
    HASH_DYNAMIC = "HASH_DYNAMIC"  # by an index of key hashes
    KEY_DYNAMIC = "KEY_DYNAMIC"  # by an index of keys, as a key may change its partition
    POSTPONE_MODE = "POSTPONE_MODE"  # later, by a compaction
    BUCKET_UNAWARE = "BUCKET_UNAWARE"  # there is one, bucket 0


def bucket_mode(primary_keys: Sequence[str], partition_keys: Sequence[str], bucket: int) -> BucketMode:
    """The mode of a table with these keys and this option `bucket`.

    Raises:
        InvalidRequestError: a number of buckets that such a table cannot have.
    """
    if bucket > 0:
        return BucketMode.HASH_FIXED
    if bucket == DYNAMIC_BUCKET and not primary_keys:
        return BucketMode.BUCKET_UNAWARE
    if bucket == DYNAMIC_BUCKET:
        crosses_partitions = not set(partition_keys) <= set(primary_keys)
        return BucketMode.KEY_DYNAMIC if crosses_partitions else BucketMode.HASH_DYNAMIC
    if bucket == POSTPONE_BUCKET and primary_keys:
        return BucketMode.POSTPONE_MODE
    raise InvalidRequestError(
        "a table cannot have this number of buckets",
        bucket=bucket,
        expected="1 or more, -1, or -2 with a primary key",
    )


def assign_buckets(
    types: Sequence[DataType],
    arrays: Sequence[Any],
    count: int,
    function: BucketFunction = BucketFunction.DEFAULT,
) -> Ints:
    """The bucket, 0 to `count` - 1, of each row of bucket-key columns in canonical Arrow form.

    Raises:
        InvalidRequestError: no buckets, or keys that the function cannot take.
    """
    if count < 1:
        raise InvalidRequestError("buckets are assigned to tables with fixed buckets only", bucket=count)
    match function:
        case BucketFunction.DEFAULT:
            # Of -2^31, too: numpy's abs leaves its bits alone, which unsigned are 2^31.
            return _remainders(np.abs(hash_rows(types, arrays)).view(np.uint32), count)
        case BucketFunction.MOD:
            return _mod_buckets(types, arrays, count)
        case BucketFunction.HIVE:
            return _hive_buckets(types, arrays, count)


def _remainders(numbers: npt.NDArray[np.uint32], count: int) -> Ints:
    """Numpy divides by one number with vectors, and finds remainders five times as slowly."""
    divisor = np.uint32(count)
    return (numbers - numbers // divisor * divisor).view(np.int32)


def _mod_buckets(types: Sequence[DataType], arrays: Sequence[Any], count: int) -> Ints:
    if len(types) != 1 or not isinstance(types[0], (IntType, BigIntType)):
        texts = ", ".join(map(type_to_text, types))
        raise InvalidRequestError("bucket function mod takes one INT or BIGINT key", found=texts)
    remainders: Ints = (_integers(arrays[0]) % count).astype(np.int32)  # numpy's % is floor-mod
    return remainders


def _hive_buckets(types: Sequence[DataType], arrays: Sequence[Any], count: int) -> Ints:
    combined = np.zeros(len(arrays[0]) if arrays else 0, np.int32)
    with np.errstate(over="ignore"):
        for data_type, array in zip(types, arrays, strict=True):
            combined = combined * np.int32(31) + hive_hashes(data_type, array)
    return (combined & np.int32(0x7FFFFFFF)) % np.int32(count)


def hive_hashes(data_type: DataType, array: Any) -> Ints:
    """Hive's hash of each value, 0 for null.

    Raises:
        UnsupportedError: a type that Hive's function refuses.
    """
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    match data_type:
        case BooleanType() | TinyIntType() | SmallIntType() | IntType():
            return _integers(array).astype(np.int32)
        case DateType() | TimeType():
            return _integers(array.cast(pa.int32())).astype(np.int32)
        case BigIntType():
            return _folded(_integers(array))
        case FloatType():
            return _float_values(array).view(np.int32)
        case DoubleType():
            return _folded(_float_values(array).view(np.int64))
        case CharType() | VarCharType() | BinaryType() | VarBinaryType():
            return _byte_hashes(array)
        case DecimalType():
            # Java's BigDecimal: digits of any length, so one value at a time.
            hashes = [0 if v is None else _decimal_hash(v) for v in to_python(array, data_type)]
            return np.array(hashes, np.int64).astype(np.int32)
        case _:
            raise UnsupportedError(
                "bucket function hive refuses this type", feature=type_to_text(data_type), where="bucket-key"
            )


def _integers(array: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
    longs: np.ndarray[Any, np.dtype[np.int64]] = (
        array.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
        if isinstance(array, pa.Array)
        else array.cast(pa.int64()).fill_null(0).to_numpy()
    )
    return longs


def _folded(longs: np.ndarray[Any, np.dtype[np.int64]]) -> Ints:
    unsigned = longs.view(np.uint64)
    return (unsigned ^ unsigned >> np.uint64(32)).astype(np.uint32).view(np.int32)


def _float_values(array: Any) -> np.ndarray[Any, Any]:
    """With -0.0 as 0.0 and every NaN as Java's one."""
    values = np.array(array.fill_null(0).to_numpy(zero_copy_only=False))
    values[values == 0] = 0
    values[np.isnan(values)] = np.nan
    return values


def _byte_hashes(array: Any) -> Ints:
    """31 * h + signed byte over the bytes: all values one byte further with each step."""
    data = array.cast(pa.binary())
    offsets = np.frombuffer(data.buffers()[1] or bytes(4), np.int32)
    offsets = offsets[data.offset : data.offset + len(data) + 1].astype(np.int64)
    content = np.frombuffer(data.buffers()[2] or b"", np.int8)
    start, length = offsets[:-1], np.where(np.asarray(data.is_valid()), np.diff(offsets), 0)
    hashes = np.zeros(len(data), np.int32)
    with np.errstate(over="ignore"):
        for i in range(int(length.max()) if len(length) else 0):
            lanes = np.flatnonzero(length > i)
            hashes[lanes] = hashes[lanes] * np.int32(31) + content[start[lanes] + i]
    return hashes


def _decimal_hash(value: Any) -> int:
    """`BigDecimal.hashCode` of the value without trailing zeros."""
    sign, digits, exponent = value.as_tuple()
    unscaled, scale = int("".join(map(str, digits))), -int(exponent)
    if unscaled == 0:
        return 0
    while unscaled % 10 == 0 and scale > 0:  # a negative scale is brought back to 0
        unscaled, scale = unscaled // 10, scale - 1
    words, h = unscaled, 0
    for shift in reversed(range(0, unscaled.bit_length(), 32)):
        h = 31 * h + (words >> shift & 0xFFFFFFFF)
    signed = -h if sign else h
    return _int32(31 * signed + scale)


def _int32(value: int) -> int:
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)
