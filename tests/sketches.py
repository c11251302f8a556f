"""Sketches as the library of Apache DataSketches writes them: every mode, kind, form and version."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Any

import datasketches

KINDS = {"hll4": 0, "hll6": 1, "hll8": 2}
_RARE = [40 << 26 | 3, 20 << 26 | 5]  # coupons that one number in a million millions has


def hll_sketches() -> Mapping[str, bytes]:
    """By a name that tells what each is; `updatable` has empty slots."""
    return dict(_hlls())


def _hlls() -> Iterator[tuple[str, bytes]]:
    for kind in KINDS:
        for lg_k, count in ((4, 0), (4, 5), (4, 100), (8, 20), (8, 300), (10, 90), (12, 9000)):
            yield from _forms(f"{kind} of {count} in 2^{lg_k}", hll(kind, lg_k, count))
        yield from _forms(f"{kind} with rare values in 2^4", hll(kind, 4, 40, _RARE))
        yield from _forms(f"{kind} with rare values in 2^8", hll(kind, 8, 2000, _RARE))
        yield f"{kind} of a union", bytes(_union(kind).serialize_compact())


def _forms(name: str, sketch: Any) -> Iterator[tuple[str, bytes]]:
    yield name, bytes(sketch.serialize_compact())
    yield f"{name}, updatable", bytes(sketch.serialize_updatable())


def hll(kind: str, lg_k: int, count: int, coupons: list[int] | None = None) -> Any:
    """A sketch of so many numbers, and of what these coupons stand for."""
    given = coupons or []
    head = bytes([2, 1, 7, lg_k, 3, 8 if given else 12, len(given), KINDS[kind] << 2])
    sketch = datasketches.hll_sketch.deserialize(head + struct.pack(f"<{len(given)}I", *given))
    for item in range(count):
        sketch.update(item)
    return sketch


def _union(kind: str) -> Any:
    both = datasketches.hll_union(8)
    both.update(hll("hll8", 8, 5000))
    both.update(hll("hll8", 8, 9000))
    both.get_estimate()
    return both.get_result(getattr(datasketches.tgt_hll_type, f"HLL_{kind[3:]}"))


def theta_sketches() -> Mapping[str, bytes]:
    """By a name that tells what each is."""
    return dict(_thetas())


def _thetas() -> Iterator[tuple[str, bytes]]:
    for count in (0, 1, 3, 30, 3000):
        sketch = datasketches.update_theta_sketch(5)
        for item in range(count):
            sketch.update(item)
        for order in (True, False):
            yield f"{count}, ordered {order}", bytes(sketch.compact(order).serialize())
        if count:
            yield f"{count}, packed", bytes(sketch.compact().serialize(compress=True))
            yield from _old(count, sketch.compact())


def _old(count: int, sketch: Any) -> Iterator[tuple[str, bytes]]:
    """What the first two versions wrote, of which the library has only the reader."""
    hashes = list(sketch)
    data = struct.pack(f"<{len(hashes)}Q", *hashes)
    longs = struct.pack("<IIQ", len(hashes), 0, sketch.theta64)
    yield f"{count}, version 1", bytes([3, 1, 3, 0, 0, 0, 0, 0]) + longs + data
    if not sketch.is_estimation_mode():
        yield f"{count}, version 2, exact", bytes([2, 2, 3, 0, 0, 0, 0xCC, 0x93]) + longs[:8] + data
    yield f"{count}, version 2", bytes([3, 2, 3, 0, 0, 0, 0xCC, 0x93]) + longs + data
