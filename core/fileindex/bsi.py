"""The head of a bit-sliced index. Spec: 05, 7."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import UnsupportedError
from core.fileindex.cursor import Cursor
from core.fileindex.roaring import bitmap_size, decode_bitmap


@dataclass(frozen=True, slots=True)
class SliceHead:
    """One side of the index: the values from zero up, or the absolute values of those below."""

    min_value: int  # raw integer: unscaled decimal, days, milliseconds or microseconds
    max_value: int
    row_count: int
    slices: int


@dataclass(frozen=True, slots=True)
class BsiHead:
    row_count: int
    positive: SliceHead | None
    negative: SliceHead | None

    @property
    def null_count(self) -> int:
        sides = (self.positive, self.negative)
        return self.row_count - sum(side.row_count for side in sides if side)


def decode_bsi(payload: bytes) -> BsiHead:
    """Raises `FormatError` for cut payloads, `UnsupportedError` for unknown versions."""
    cursor = Cursor(payload)
    _require_version(cursor)
    row_count = cursor.integer(4)
    positive = _side(cursor) if cursor.boolean() else None
    negative = _side(cursor) if cursor.boolean() else None
    return BsiHead(row_count, positive, negative)


def _side(cursor: Cursor) -> SliceHead:
    _require_version(cursor)
    min_value, max_value = cursor.integer(8), cursor.integer(8)
    existing = decode_bitmap(_next_bitmap(cursor))
    slices = cursor.integer(4)
    for _ in range(slices):
        _next_bitmap(cursor)
    return SliceHead(min_value, max_value, len(existing), slices)


def _next_bitmap(cursor: Cursor) -> bytes:
    return cursor.take(bitmap_size(cursor.data, cursor.position))


def _require_version(cursor: Cursor) -> None:
    version = cursor.byte()
    if version != 1:
        raise UnsupportedError("unknown version of the BSI index", feature=f"BSI version {version}")
