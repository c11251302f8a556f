"""64-bit hashes of values, as bloom filters test them. Spec: 05, 5."""

from __future__ import annotations

import math
import struct
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import xxhash

from core.errors import UnsupportedError
from core.fileindex.key_arrays import float_bits, key_array
from core.fileindex.keys import key_form
from core.fileindex.xxh64 import text_digests
from core.types import (
    BigIntType,
    BinaryType,
    CharType,
    DataType,
    DateType,
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

Hashes = npt.NDArray[np.int64]

_INTEGERS = (TinyIntType, SmallIntType, IntType, BigIntType, DateType, TimeType)
_TIMESTAMPS = (TimestampType, LocalZonedTimestampType)
_TEXTS = (CharType, VarCharType, BinaryType, VarBinaryType)
_SIGN = 1 << 63


@lru_cache(maxsize=4096)
def value_hashes(data_type: DataType, value: Any) -> tuple[int, ...]:
    """The signed hashes of all values that `=` takes for this one: two for a zero that has a sign.

    Raises:
        UnsupportedError: no bloom filter holds values of this type.
    """
    match data_type:
        case CharType() | VarCharType():
            return (_signed(xxhash.xxh64_intdigest(value.encode())),)
        case BinaryType() | VarBinaryType():
            return (_signed(xxhash.xxh64_intdigest(value)),)
        case FloatType():
            numbers = [_bits(v, ">f") for v in _zeros(value)]
        case DoubleType():
            numbers = [_bits(v, ">d") for v in _zeros(value)]
        case _ if isinstance(data_type, _INTEGERS):
            numbers = [value]
        case _ if isinstance(data_type, _TIMESTAMPS):
            numbers = [int(key) for key in key_form(data_type).of(value)]
        case _:
            feature = type(data_type).__name__
            raise UnsupportedError("no bloom filter holds values of this type", feature=feature)
    hashes: list[int] = hash_integers(np.array(numbers, np.int64)).tolist()
    return tuple(hashes)


def column_hashes(column: Any, data_type: DataType) -> Hashes:
    """The hash of each value of a column without nulls, in canonical form.

    Raises:
        UnsupportedError: no bloom filter holds values of this type.
    """
    if isinstance(data_type, _TEXTS):
        return text_digests(column)
    if isinstance(data_type, (FloatType, DoubleType)):
        return hash_integers(float_bits(column))
    if not isinstance(data_type, (*_INTEGERS, *_TIMESTAMPS)):
        feature = type(data_type).__name__
        raise UnsupportedError("no bloom filter holds values of this type", feature=feature)
    return hash_integers(key_array(column, data_type).to_numpy())


def hash_integers(keys: Hashes) -> Hashes:
    """Thomas Wang's hash of each 64-bit number."""
    k = keys.astype(np.int64)
    k = ~k + (k << 21)
    k ^= k >> 24
    k = k + (k << 3) + (k << 8)
    k ^= k >> 14
    k = k + (k << 2) + (k << 4)
    k ^= k >> 28
    return np.asarray(k + (k << 31))


def _zeros(value: float) -> tuple[float, ...]:
    return (-0.0, 0.0) if value == 0.0 else (value,)


def _bits(value: float, form: str) -> int:
    canonical = math.nan if math.isnan(value) else value
    return int.from_bytes(struct.pack(form, canonical), "big", signed=True)


def _signed(digest: int) -> int:
    return digest - 2 * _SIGN if digest >= _SIGN else digest
