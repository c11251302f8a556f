"""Bit-sliced indexes: numbers as one bitmap a bit. Spec: 05, 7.

1 | rows | positive? slices of the values from 0 up | negative? slices of the magnitudes below 0
slices: 1 | min | max | rows with a value | number of slices | slices, the lowest bit first
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pyroaring import BitMap

from core.binary.pieces import Longs
from core.errors import InvalidRequestError, UnsupportedError
from core.fileindex.column_index import ColumnIndex, Rows, union
from core.fileindex.cursor import Cursor
from core.fileindex.keys import KeyForm
from core.fileindex.roaring import bitmap_of, bitmap_size, decode_bitmap, encode_bitmap
from core.predicate import Operator

VERSION = 1


@dataclass(frozen=True, slots=True)
class Slices:
    """One side of the index: the values from zero up, or the magnitudes of those below."""

    min_value: int
    max_value: int
    existing: BitMap  # rows with a value on this side
    slices: tuple[BitMap, ...]  # of value - min_value, the lowest bit first

    @property
    def row_count(self) -> int:
        return len(self.existing)

    def equal(self, value: int) -> BitMap:
        return self._split(value)[1]

    def less(self, value: int) -> BitMap:
        return self._split(value)[0]

    def greater(self, value: int) -> BitMap:
        return self._split(value)[2]

    def _split(self, value: int) -> tuple[BitMap, BitMap, BitMap]:
        """Rows below, at and above a value."""
        wanted = value - self.min_value
        if wanted < 0:
            return BitMap(), BitMap(), self.existing
        if wanted >> len(self.slices):
            return self.existing, BitMap(), BitMap()
        less, equal, greater = BitMap(), self.existing, BitMap()
        for bit in reversed(range(len(self.slices))):
            ones = self.slices[bit]
            if wanted >> bit & 1:
                less |= equal - ones
                equal = equal & ones
            else:
                greater |= equal & ones
                equal = equal - ones
        return less, equal, greater


_NOTHING = Slices(0, 0, BitMap(), ())


@dataclass(frozen=True, slots=True)
class BsiIndex(ColumnIndex):
    """All answers are exact."""

    row_count: int
    positive: Slices | None
    negative: Slices | None
    form: KeyForm

    @property
    def null_count(self) -> int:
        return self.row_count - len(self._existing())

    def any_of(self, leaf_values: Sequence[object]) -> BitMap:
        return union([self._equal(int(key)) for value in leaf_values for key in self.form.of(value)])

    def none_of(self, leaf_values: Sequence[object]) -> Rows:
        return self._existing() - self.any_of(leaf_values) if self.form.is_exact else None

    def compared(self, operator: Operator, value: object) -> Rows:
        if not self.form.is_exact:
            return None
        number = int(self.form.of(value)[0])
        if operator in (Operator.LESS, Operator.LESS_OR_EQUAL):
            found = self._less(number)
        else:
            found = self._greater(number)
        return found | self._equal(number) if operator in _OR_EQUAL else found

    def nulls(self) -> Rows:
        return BitMap(range(self.row_count)) - self._existing()

    def not_nulls(self) -> Rows:
        return self._existing()

    def _sides(self) -> tuple[Slices, Slices]:
        return self.positive or _NOTHING, self.negative or _NOTHING

    def _existing(self) -> BitMap:
        positive, negative = self._sides()
        return positive.existing | negative.existing

    def _equal(self, number: int) -> BitMap:
        positive, negative = self._sides()
        return positive.equal(number) if number >= 0 else negative.equal(-number)

    def _less(self, number: int) -> BitMap:
        positive, negative = self._sides()
        return positive.less(number) | negative.existing if number >= 0 else negative.greater(-number)

    def _greater(self, number: int) -> BitMap:
        positive, negative = self._sides()
        return positive.greater(number) if number >= 0 else positive.existing | negative.less(-number)


_OR_EQUAL = (Operator.LESS_OR_EQUAL, Operator.GREATER_OR_EQUAL)


def decode_bsi(payload: bytes, form: KeyForm) -> BsiIndex:
    """Raises `FormatError` for cut payloads, `UnsupportedError` for unknown versions."""
    cursor = Cursor(payload)
    _require_version(cursor)
    row_count = cursor.count()
    positive = _side(cursor) if cursor.boolean() else None
    negative = _side(cursor) if cursor.boolean() else None
    return BsiIndex(row_count, positive, negative, form)


def _side(cursor: Cursor) -> Slices:
    _require_version(cursor)
    min_value, max_value = cursor.integer(8), cursor.integer(8)
    existing = _next_bitmap(cursor)
    slices = tuple(_next_bitmap(cursor) for _ in range(cursor.count()))
    return Slices(min_value, max_value, existing, slices)


def _next_bitmap(cursor: Cursor) -> BitMap:
    return decode_bitmap(cursor.take(bitmap_size(cursor.data, cursor.position)))


def _require_version(cursor: Cursor) -> None:
    version = cursor.byte()
    if version != VERSION:
        raise UnsupportedError("unknown version of the BSI index", feature=f"BSI version {version}")


def encode_bsi(row_count: int, rows: Longs, numbers: Longs) -> bytes:
    """The payload for the numbers of a column and the rows they stand in; other rows are null.

    Raises:
        InvalidRequestError: the smallest 64-bit number, whose magnitude the index cannot hold.
    """
    if len(numbers) and numbers.min() == np.iinfo(np.int64).min:
        raise InvalidRequestError("a number is too small for the index", found=int(numbers.min()))
    below = numbers < 0
    sides = (_encode_side(rows[~below], numbers[~below]), _encode_side(rows[below], -numbers[below]))
    return bytes([VERSION]) + row_count.to_bytes(4, "big") + b"".join(sides)


def _encode_side(rows: Longs, magnitudes: Longs) -> bytes:
    if not len(rows):
        return b"\0"
    largest = int(magnitudes.max())
    slices = slice_rows(rows, magnitudes, largest.bit_length())
    # Java's accumulator of the smallest value starts at 0, so 0 is what it writes.
    bounds = b"\1" + bytes([VERSION]) + (0).to_bytes(8, "big") + largest.to_bytes(8, "big")
    bitmaps = b"".join(map(encode_bitmap, slices))
    return bounds + encode_bitmap(bitmap_of(rows)) + len(slices).to_bytes(4, "big") + bitmaps


def slice_rows(rows: Longs, codes: Longs, bits: int) -> list[BitMap]:
    """The rows whose code has each bit, the lowest bit first."""
    return [bitmap_of(rows[(codes >> bit & 1).astype(np.bool_)]) for bit in range(bits)]
