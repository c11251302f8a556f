"""Rows -> groups by partition and bucket, each in the order the rows came in."""

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
from core.types.data_types import DataField

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BucketRows:
    """Rows of one bucket of one partition."""

    partition: BinaryRow
    bucket: int
    rows: pa.Table


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
    rows: pa.Table, placed: RowPartitions, buckets: npt.NDArray[np.signedinteger[Any]] | None
) -> Iterator[BucketRows]:
    """The groups of `rows`; `buckets` holds each row's bucket, None if all are in bucket 0."""
    if len(rows) == 0:
        return
    low, span = (0, 1) if buckets is None else (int(buckets.min()), int(np.ptp(buckets)) + 1)
    codes = placed.codes if buckets is None else placed.codes * span + (buckets - low)
    if codes.min() == codes.max():
        yield BucketRows(placed.partitions[int(placed.codes[0])], int(codes[0]) % span + low, rows)
        return
    codes = codes.astype(np.min_scalar_type(codes.max()))  # the fewer bits, the faster they are sorted
    order = np.argsort(codes, kind="stable")
    ordered, codes = rows.take(order), codes[order]
    starts = [0, *(np.flatnonzero(codes[1:] != codes[:-1]) + 1)]
    for start, end in zip(starts, [*starts[1:], len(order)], strict=True):
        group, bucket = divmod(int(codes[start]), span)
        yield BucketRows(placed.partitions[group], bucket + low, ordered.slice(int(start), int(end - start)))


def _codes_of(column: pa.ChunkedArray[Any]) -> Codes:
    """Equal values have equal numbers; null is a value."""
    encoded: Any = pc.dictionary_encode(column, null_encoding="encode").combine_chunks()
    return np.asarray(encoded.indices.to_numpy(zero_copy_only=False)).astype(np.int64)
