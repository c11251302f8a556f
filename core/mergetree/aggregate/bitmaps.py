"""`rbm32`: the union of 32-bit roaring bitmaps. Spec: 06, 4.2; 05, 1.

A bitmap is one opaque value, so this is the one function that looks at values one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyroaring import BitMap

from core.fileindex.roaring import decode_bitmap, encode_bitmap
from core.mergetree.aggregate.events import Column, Events, Folded, computed
from core.mergetree.aggregate.function import Accumulator, Value


@dataclass(frozen=True, slots=True)
class Bitmaps:
    """All numbers of the bitmaps that are not null."""

    retracts: bool = False
    appends_older: bool = False

    def accumulator(self) -> Accumulator:
        return _Bitmaps()

    def fold(self, column: Column, events: Events) -> Folded:
        valid = events.live().valid(column)
        values = column.take(pa.array(valid.row))
        return computed(column, pa.array(_unions(values, valid), column.type))


def _unions(values: Column, events: Events) -> Iterator[bytes | None]:
    start = 0
    for count in events.counts():
        group = values.slice(start, count)
        start += count
        yield encode_bitmap(BitMap.union(*(decode_bitmap(v.as_py()) for v in group))) if count else None


class _Bitmaps(Accumulator):
    def agg(self, accumulator: Value, value: Value) -> Value:
        if accumulator is None or value is None:
            return value if accumulator is None else accumulator
        return encode_bitmap(decode_bitmap(accumulator) | decode_bitmap(value))
