"""A stored sketch or bitmap as input: it is joined with another one, as an aggregate function does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import datasketches
from pyroaring import BitMap

from core.fileindex.roaring import encode_bitmap
from core.mergetree.aggregate.unions import Unions, bitmaps, hll_sketches, theta_sketches

_UNIONS: Mapping[str, Callable[[], Unions]] = {
    "rbm32": bitmaps,
    "hll-sketch": hll_sketches,
    "theta-sketch": theta_sketches,
}


def join(kind: str) -> Callable[[bytes], object]:
    """The target of a kind."""
    union = _UNIONS[kind]()
    known = next(written(kind)())
    return lambda data: (union.joined(iter((known, data))), union.joined(iter((data, known))))


def written(kind: str) -> Callable[[], Iterator[bytes]]:
    """Sketches of few and of many numbers."""
    return lambda: (_of(kind, count) for count in (3, 40, 2000))


def _of(kind: str, count: int) -> bytes:
    if kind == "rbm32":
        return encode_bitmap(BitMap(range(0, 3 * count, 3)))
    sketch = datasketches.hll_sketch(8) if kind == "hll-sketch" else datasketches.update_theta_sketch(8)
    for item in range(count):
        sketch.update(item)
    return bytes(sketch.serialize_compact() if kind == "hll-sketch" else sketch.compact().serialize())
