"""`rbm32`, `hll_sketch` and `theta_sketch`: values that are sets, or sketches of sets, and their union.

Spec: 06, 4.2; 05, 1. A value is opaque, so these functions look at values one by one. What stands
alone stays as it was written. Sketches are those of Apache DataSketches, whose own library reads,
joins and writes them: the package `datasketches`, which only tables that use them need.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from typing import Any

import pyarrow as pa

from core.errors import FormatError
from core.fileindex.roaring import decode_bitmap, encode_bitmap
from core.mergetree.aggregate.events import Column, Events, Folded, computed
from core.mergetree.aggregate.function import Accumulator, Value
from core.mergetree.aggregate.sketch_bytes import check_theta, compact_hll

Set = Any  # what the library of a kind makes of its bytes

_THETA_LG_K = (
    12  # nominal entries of a union, as a power of two: the default of the library, which Paimon takes
)


@dataclass(frozen=True, slots=True)
class Unions:
    """The union of the values that are not null."""

    decode: Callable[[bytes], Set]
    union: Callable[[Set, Set], Set]
    encode: Callable[[Set], bytes]
    retracts: bool = False
    appends_older: bool = False

    def accumulator(self) -> Accumulator:
        return _Union(self)

    def fold(self, column: Column, events: Events) -> Folded:
        valid = events.live().valid(column)
        values = column.take(pa.array(valid.row))
        return computed(column, pa.array(self._of_each_key(values, valid), column.type))

    def _of_each_key(self, values: Column, events: Events) -> Iterator[bytes | None]:
        start = 0
        for count in events.counts().tolist():
            group = (value.as_py() for value in values.slice(start, count))
            start += count
            yield None if count == 0 else next(group) if count == 1 else self.joined(group)

    def joined(self, values: Iterator[bytes]) -> bytes:
        """The union of some values, from the first to the last.

        Raises:
            FormatError: one of them is no such set.
            UnsupportedError: one of them is of a version or family that is not known.
        """
        try:
            return self.encode(reduce(self.union, map(self.decode, values)))
        except (ValueError, RuntimeError, IndexError, MemoryError) as error:  # of the sketches' library
            raise FormatError(f"a sketch cannot be joined with others: {error}") from error


class _Union(Accumulator):
    def __init__(self, function: Unions) -> None:
        self._function = function

    def agg(self, accumulator: Value, value: Value) -> Value:
        if accumulator is None or value is None:
            return value if accumulator is None else accumulator
        return self._function.joined(iter((accumulator, value)))


def bitmaps() -> Unions:
    """32-bit roaring bitmaps."""
    return Unions(decode_bitmap, operator.or_, encode_bitmap)


def hll_sketches() -> Unions:
    """HyperLogLog sketches; `ModuleNotFoundError` without the package that reads them."""
    library = import_module("datasketches")

    def union(some: Set, other: Set) -> Set:
        both = library.hll_union(other.lg_config_k)
        both.update(other)
        both.update(some)
        return both.get_result(library.tgt_hll_type.HLL_4)

    return Unions(
        lambda data: library.hll_sketch.deserialize(compact_hll(data)),
        union,
        lambda sketch: bytes(sketch.serialize_compact()),
    )


def theta_sketches() -> Unions:
    """Theta sketches; `ModuleNotFoundError` without the package that reads them."""
    library = import_module("datasketches")

    def decode(data: bytes) -> Set:
        check_theta(data)
        return library.compact_theta_sketch.deserialize(data)

    def union(some: Set, other: Set) -> Set:
        both = library.theta_union(_THETA_LG_K)
        both.update(some)
        both.update(other)
        return both.get_result()

    return Unions(decode, union, lambda sketch: bytes(sketch.serialize()))
