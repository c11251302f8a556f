"""Rows -> groups by partition and bucket, each in the order the rows came in, or by a key.

Theory, in numbers. A flush takes the rows of a bucket in key order out of all that has waited, and every
value taken at random costs a cache miss: 10 nanoseconds, a text 60. Where rows change places here anyway,
a hundred thousand at a time, they may as well be sorted within their bucket: then a flush reads
some runs side by side, in 4 and 20 nanoseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as _pc

from core.arrow import to_python
from core.binary import EMPTY_ROW, BinaryRow, encode_row
from core.mergetree.key_order import order_in_groups
from core.mergetree.keys import KeyArray
from core.types.data_types import DataField

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

_PIECE_ROWS = 128 * 1024  # that are sorted together: they fit into a processor's cache
_GROUP_ROWS = 4 * 1024  # fewer of a group in a piece are not worth it

Codes = npt.NDArray[np.int64]
BucketIds = npt.NDArray[np.signedinteger[Any]]


@dataclass(frozen=True, slots=True)
class BucketRows:
    """Rows of one bucket of one partition."""

    partition: BinaryRow
    bucket: int
    rows: pa.Table
    arrivals: Codes | None = None  # the place of each row among these as they came; None: they stand so


@dataclass(frozen=True, slots=True)
class RowPartitions:
    """Which partition each row is in."""

    codes: Codes  # of each row, its place in `partitions`
    partitions: list[BinaryRow]


def partitions_of(rows: pa.Table, fields: Sequence[DataField]) -> RowPartitions:
    """The partitions of `rows`, each once."""
    if not fields or not len(rows):
        return RowPartitions(np.zeros(len(rows), np.int64), [EMPTY_ROW] if len(rows) else [])
    codes = np.zeros(len(rows), np.int64)
    for field in fields:
        column = _codes_of(rows.column(field.name))
        _, codes = np.unique(codes * (int(column.max()) + 1) + column, return_inverse=True)
    _, first = np.unique(codes, return_index=True)
    samples = rows.select([f.name for f in fields]).take(first)
    values = zip(*(to_python(samples.column(f.name), f.type) for f in fields), strict=True)
    types = [f.type for f in fields]
    return RowPartitions(codes.astype(np.int64), [encode_row(types, row) for row in values])


def split_rows(
    rows: pa.Table, placed: RowPartitions, buckets: BucketIds | None, keys: KeyArray | None = None
) -> Iterator[BucketRows]:
    """The groups of `rows`.

    Args:
        rows: in any order.
        placed: the partition of each row.
        buckets: the bucket of each row; None if all are in bucket 0.
        keys: integers, by which the rows of a group come nearly sorted if they change places anyway;
            such a group may come in pieces. None: rows stay in their order.
    """
    if len(rows) == 0:
        return
    low, span = (0, 1) if buckets is None else (int(buckets.min()), int(np.ptp(buckets)) + 1)
    codes = placed.codes if buckets is None else placed.codes * span + (buckets - low)
    first, last = int(codes.min()), int(codes.max())
    if first == last:
        yield BucketRows(placed.partitions[first // span], first % span + low, rows)
        return
    codes = codes.astype(np.min_scalar_type(last))  # the fewer bits, the faster they are sorted
    if min(len(rows), _PIECE_ROWS) < (last - first + 1) * _GROUP_ROWS:
        keys = None
    pieces = [slice(None)] if keys is None else _pieces(len(rows))
    for piece in pieces:
        for code, group, arrivals in _grouped(
            rows[piece], codes[piece], None if keys is None else keys[piece]
        ):
            yield BucketRows(placed.partitions[code // span], code % span + low, group, arrivals)


def _pieces(count: int) -> list[slice]:
    return [slice(start, min(start + _PIECE_ROWS, count)) for start in range(0, count, _PIECE_ROWS)]


def _grouped(
    rows: pa.Table, codes: npt.NDArray[np.integer[Any]], keys: KeyArray | None
) -> Iterator[tuple[int, pa.Table, Codes | None]]:
    """The rows of each code, and the order in which they came."""
    by_arrival = np.argsort(codes, kind="stable")
    order = by_arrival if keys is None else order_in_groups(codes, keys)
    ordered, codes = pc.take(rows, pa.array(order), boundscheck=False), codes[by_arrival]
    arrivals = None if keys is None else _ranks(by_arrival)[order]
    starts = [0, *(np.flatnonzero(codes[1:] != codes[:-1]) + 1).tolist()]
    for start, end in zip(starts, [*starts[1:], len(order)], strict=True):
        came = None if arrivals is None else arrivals[start:end] - start
        yield int(codes[start]), ordered.slice(start, end - start), came


def _ranks(order: Codes) -> Codes:
    """The place of each row in `order`."""
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def _codes_of(column: pa.ChunkedArray[Any]) -> Codes:
    """Equal values have equal numbers; null is a value."""
    encoded: Any = pc.dictionary_encode(column, null_encoding="encode").combine_chunks()
    return np.asarray(encoded.indices.to_numpy(zero_copy_only=False)).astype(np.int64)
