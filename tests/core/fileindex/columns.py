"""Columns as the writers of indexes see them, and indexes of each type over them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from pyroaring import BitMap

from core.fileindex.bitmap import encode_bitmap_index
from core.fileindex.bloom_filter import build_bloom_filter, encode_bloom_filter
from core.fileindex.bsi import encode_bsi
from core.fileindex.hashes import value_hashes
from core.fileindex.keys import Key, key_form
from core.fileindex.range_bitmap import encode_range_bitmap
from core.types import DataType, DoubleType, FloatType
from tests.strategies import values

INTEGERS = ("TINYINT", "SMALLINT", "INT", "BIGINT", "DATE", "TIME(3)", "TIMESTAMP(3)", "TIMESTAMP(6)")
KEYED = (*INTEGERS, "DECIMAL(9, 2)", "STRING", "FLOAT", "DOUBLE", "BOOLEAN")
BITMAPPED = tuple(t for t in KEYED if t != "DECIMAL(9, 2)")
TYPES = {
    "bloom-filter": (*INTEGERS, "STRING", "BYTES", "FLOAT", "DOUBLE"),
    "bitmap v1": BITMAPPED,
    "bitmap v2": BITMAPPED,
    "bsi": (*INTEGERS, "DECIMAL(9, 2)"),
    "range-bitmap": KEYED,
}


def columns(data_type: DataType) -> st.SearchStrategy[list[Any]]:
    """A few values each of which may stand in several rows, and nulls."""
    some = values(data_type, nulls=False)
    if isinstance(data_type, (FloatType, DoubleType)):
        some |= st.just(math.nan)
    pool = st.lists(some, min_size=1, max_size=5)
    rows = pool.flatmap(lambda found: st.lists(st.none() | st.sampled_from(found), max_size=12))
    # Java cannot put the smallest BIGINT into a bit-sliced index.
    return rows.map(lambda found: [None if v == -(1 << 63) else v for v in found])


def rows_by_key(column: Sequence[Any], data_type: DataType) -> dict[Key, BitMap]:
    found: dict[Key, BitMap] = {}
    for row, value in enumerate(column):
        if value is not None:
            found.setdefault(stored_key(value, data_type), BitMap()).add(row)
    return found


def stored_key(value: Any, data_type: DataType) -> Key:
    """The one key of a stored value; a filter's zero has two."""
    keys = key_form(data_type).of(value)
    return keys[0] if str(value).startswith("-") else keys[-1]


def nulls(column: Sequence[Any]) -> BitMap:
    return BitMap([row for row, value in enumerate(column) if value is None])


def encode(index_type: str, column: Sequence[Any], data_type: DataType, small: bool = False) -> bytes:
    """The payload of an index of the column; `small` blocks and chunks come in greater number."""
    match index_type:
        case "bloom-filter":
            hashes = [h for v in column if v is not None for h in value_hashes(data_type, v)]
            return encode_bloom_filter(build_bloom_filter(np.array(hashes, np.int64), items=20))
        case "bitmap v1" | "bitmap v2":
            version = int(index_type[-1])
            size = 200 if small else 16384
            return encode_bitmap_index(
                version, len(column), rows_by_key(column, data_type), nulls(column), key_form(data_type), size
            )
        case "bsi":
            numbers = {row: int(stored_key(v, data_type)) for row, v in enumerate(column) if v is not None}
            rows = np.array(list(numbers), np.int64)
            return encode_bsi(len(column), rows, np.array(list(numbers.values()), np.int64))
        case "range-bitmap":
            return encode_range_bitmap(
                len(column), rows_by_key(column, data_type), key_form(data_type), 9 if small else 16384
            )
    raise AssertionError(index_type)
