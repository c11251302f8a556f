"""A stored sketch or bitmap as input: it is joined with others, as an aggregate function does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pyroaring import BitMap

from core.fileindex.roaring import decode_bitmap, encode_bitmap
from core.mergetree.aggregate.sketch_bytes import check_theta, compact_hll
from core.mergetree.aggregate.unions import Unions, bitmaps, hll_sketches, theta_sketches
from tests import sketches

_UNIONS: Mapping[str, tuple[Callable[[], Unions], Callable[[bytes], object]]] = {
    "rbm32": (bitmaps, decode_bitmap),
    "hll-sketch": (hll_sketches, compact_hll),
    "theta-sketch": (theta_sketches, check_theta),
}
_WRITTEN: Mapping[str, Callable[[], list[bytes]]] = {
    "rbm32": lambda: [encode_bitmap(BitMap(range(0, 3 * count, 3))) for count in (3, 40, 2000)],
    "hll-sketch": lambda: list(sketches.hll_sketches().values()),
    "theta-sketch": lambda: list(sketches.theta_sketches().values()),
}
_OTHERS = 3  # what an input is joined with, from each end


def join(kind: str) -> Callable[[bytes], None]:
    """The target of a kind: what it is joined to is one again."""
    make, check = _UNIONS[kind]
    union, known = make(), sorted(_WRITTEN[kind](), key=len)
    others = known[:: len(known) // _OTHERS]

    def target(data: bytes) -> None:
        for other in others:
            check(union.joined(iter((other, data))))
            check(union.joined(iter((data, other, data))))

    return target


def written(kind: str) -> Callable[[], Iterator[bytes]]:
    """Sketches of few and of many numbers, in every form."""
    return lambda: iter(_WRITTEN[kind]())
