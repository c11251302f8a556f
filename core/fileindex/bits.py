"""Where an index of a column has its bits set: what its picture shows. Spec: 05, 5 to 8."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.fileindex.bloom_filter import decode_bloom_filter
from core.fileindex.bsi import Slices, decode_bsi
from core.fileindex.describe import value_type
from core.fileindex.keys import key_form
from core.fileindex.range_bitmap import decode_range_bitmap
from core.types.data_types import DataType

PARTS = 64  # that a bloom filter is shown in; a slice of a bit-sliced index is a part of its own


@dataclass(frozen=True, slots=True)
class BitShares:
    """How many of the bits of each part are set, 0 to 1.

    The parts of a `filter` follow one another. Those of `positive`, `negative` and `codes` are slices, the
    lowest bit first, of which each row that has a value has one.
    """

    of: str
    shares: tuple[float, ...]


def bit_shares(index_type: str, payload: bytes, data_type: DataType) -> tuple[BitShares, ...]:
    """The bits of an index; empty for a type that has none, or that we carry without knowing it.

    Raises:
        FormatError: the payload does not have the form of its type.
        UnsupportedError: a version of the type that we do not know.
    """
    measure = _MEASURES.get(index_type)
    return measure(payload, value_type(data_type)) if measure else ()


def _bloom_filter(payload: bytes, data_type: DataType) -> tuple[BitShares, ...]:
    data = np.frombuffer(decode_bloom_filter(payload).data, np.uint8)
    edges = np.unique(np.linspace(0, len(data), PARTS + 1).astype(np.int64))
    counts = np.add.reduceat(np.bitwise_count(data).astype(np.int64), edges[:-1])
    return (BitShares("filter", tuple((counts / (8 * np.diff(edges))).tolist())),)


def _bsi(payload: bytes, data_type: DataType) -> tuple[BitShares, ...]:
    index = decode_bsi(payload, key_form(data_type))
    sides = (("positive", index.positive), ("negative", index.negative))
    return tuple(BitShares(name, _of_rows(side)) for name, side in sides if side is not None)


def _range_bitmap(payload: bytes, data_type: DataType) -> tuple[BitShares, ...]:
    codes = decode_range_bitmap(payload, key_form(data_type)).codes
    return (BitShares("codes", _of_rows(codes)),)


def _of_rows(side: Slices) -> tuple[float, ...]:
    return tuple(len(rows) / max(1, side.row_count) for rows in side.slices)


_MEASURES: dict[str, Callable[[bytes, DataType], tuple[BitShares, ...]]] = {
    "bloom-filter": _bloom_filter,
    "bsi": _bsi,
    "range-bitmap": _range_bitmap,
}
