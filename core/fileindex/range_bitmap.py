"""Range bitmaps: a sorted dictionary of keys and a bit-sliced index of their codes. Spec: 05, 8.

    A: head length | 1 | rows | keys | smallest, largest key | dictionary length
    B: dictionary: head length | 1 | chunks | lengths | offsets | chunk heads | keys
    C: slices: head length | 1 | slices | lengths | (offset, length)... | rows with a value | slices

A key's code is its rank. A chunk head holds its first key, so that a look-up reads one chunk.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from pyroaring import BitMap

from core.errors import FormatError, UnsupportedError
from core.fileindex.bsi import Slices, slice_rows
from core.fileindex.column_index import ColumnIndex, Rows, union
from core.fileindex.cursor import Cursor
from core.fileindex.keys import Key, KeyForm
from core.fileindex.roaring import bitmap_of, decode_bitmap, encode_bitmap
from core.predicate import Operator

VERSION = 1
DEFAULT_CHUNK_SIZE = 16 * 1024
_EMPTY_SLICES = 64  # what Java writes where no row has a value


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some neighbouring keys of the dictionary."""

    first: Key
    code: int  # of the first key
    offset: int  # of the further keys, in the area of keys
    count: int  # of further keys
    offsets_length: int  # bytes; texts only
    keys_length: int  # bytes


@dataclass(frozen=True, slots=True)
class Dictionary:
    """Keys in order; a key's place is its code."""

    form: KeyForm
    chunks: tuple[Chunk, ...]
    keys: bytes

    def find(self, key: Key) -> tuple[int, bool]:
        """The code of a key and True, or of the next larger one and False."""
        place = bisect_right(self.chunks, key, key=lambda chunk: chunk.first) - 1
        if place < 0:
            return 0, False
        chunk = self.chunks[place]
        keys = [chunk.first, *self._further(chunk)]
        rank = bisect_left(keys, key)
        return chunk.code + rank, rank < len(keys) and keys[rank] == key

    def _further(self, chunk: Chunk) -> list[Key]:
        cursor = Cursor(self.keys, chunk.offset + chunk.offsets_length)
        return [self.form.read(cursor) for _ in range(chunk.count)]


@dataclass(frozen=True, slots=True)
class RangeBitmapIndex(ColumnIndex):
    """All answers are exact."""

    row_count: int
    distinct_count: int
    min_key: Key | None  # None where no row has a value
    max_key: Key | None
    dictionary: Dictionary
    codes: Slices
    form: KeyForm

    @property
    def null_count(self) -> int:
        return self.row_count - len(self.codes.existing)

    def any_of(self, leaf_values: Sequence[object]) -> BitMap:
        found = (self.dictionary.find(key) for value in leaf_values for key in self.form.of(value))
        return union([self.codes.equal(code) for code, is_there in found if is_there])

    def none_of(self, leaf_values: Sequence[object]) -> Rows:
        return self.codes.existing - self.any_of(leaf_values) if self.form.is_exact else None

    def compared(self, operator: Operator, value: object) -> Rows:
        if not self.form.is_exact:
            return None
        keys = self.form.of(value)
        match operator:
            case Operator.LESS:
                return self._below(keys[0])
            case Operator.LESS_OR_EQUAL:
                return self._below(keys[-1], included=True)
            case Operator.GREATER:
                return self.codes.existing - self._below(keys[-1], included=True)
            case _:
                return self.codes.existing - self._below(keys[0])

    def nulls(self) -> Rows:
        return BitMap(range(self.row_count)) - self.codes.existing

    def not_nulls(self) -> Rows:
        return self.codes.existing

    def _below(self, key: Key, *, included: bool = False) -> BitMap:
        code, is_there = self.dictionary.find(key)
        below = self.codes.less(code)
        return below | self.codes.equal(code) if included and is_there else below


def decode_range_bitmap(payload: bytes, form: KeyForm) -> RangeBitmapIndex:
    """Raises `FormatError` for cut payloads, `UnsupportedError` for unknown versions."""
    cursor = Cursor(payload)
    body = 4 + cursor.count()
    _require_version(cursor)
    row_count, distinct_count = cursor.count(), cursor.count()
    low, high = (form.read(cursor), form.read(cursor)) if distinct_count else (None, None)
    dictionary_length = cursor.count()
    dictionary = _dictionary(Cursor(payload, body), form)
    codes = _slices(Cursor(payload, body + dictionary_length), distinct_count)
    return RangeBitmapIndex(row_count, distinct_count, low, high, dictionary, codes, form)


def _dictionary(cursor: Cursor, form: KeyForm) -> Dictionary:
    start = cursor.position + 4 + cursor.count()
    _require_version(cursor)
    chunk_count, offsets_length, chunks_length = cursor.count(), cursor.count(), cursor.count()
    heads = Cursor(cursor.data, start + offsets_length)
    chunks = tuple(_chunk(heads, form) for _ in range(chunk_count))
    return Dictionary(form, chunks, cursor.data[start + offsets_length + chunks_length :])


def _chunk(cursor: Cursor, form: KeyForm) -> Chunk:
    _require_version(cursor)
    first, code, offset, count = form.read(cursor), cursor.count(), cursor.count(), cursor.count()
    if form.width is None:
        return Chunk(first, code, offset, count, cursor.count(), cursor.count())
    keys_length, width = cursor.count(), cursor.count()
    if width != form.width:
        raise FormatError("keys have another width than their type", expected=form.width, found=width)
    return Chunk(first, code, offset, count, 0, keys_length)


def _slices(cursor: Cursor, distinct_count: int) -> Slices:
    start = cursor.position + 4 + cursor.count()
    _require_version(cursor)
    slice_count = cursor.byte()
    existence_length, indexes_length = cursor.count(), cursor.count()
    if indexes_length != 8 * slice_count:
        raise FormatError("range bitmap with a wrong table of slices", expected=8 * slice_count)
    places = [(cursor.count(), cursor.count()) for _ in range(slice_count)]
    data, area = cursor.data, start + existence_length
    existing = decode_bitmap(data[start:area])
    slices = (decode_bitmap(data[area + at : area + at + length]) for at, length in places)
    return Slices(0, max(distinct_count - 1, 0), existing, tuple(slices))


def _require_version(cursor: Cursor) -> None:
    version = cursor.byte()
    if version != VERSION:
        feature = f"range-bitmap version {version}"
        raise UnsupportedError("unknown version of the range bitmap", feature=feature)


def encode_range_bitmap(
    row_count: int, values: Mapping[Key, BitMap], form: KeyForm, chunk_size: int = DEFAULT_CHUNK_SIZE
) -> bytes:
    """The payload for the rows of each key; rows in none of them are null."""
    keys = sorted(values)
    dictionary = _encode_dictionary(keys, form, chunk_size)
    bounds = form.write(keys[0]) + form.write(keys[-1]) if keys else b""
    head = bytes([VERSION]) + _ints(row_count, len(keys)) + bounds + _ints(len(dictionary))
    return _ints(len(head)) + head + dictionary + _encode_slices(keys, values)


def _encode_dictionary(keys: Sequence[Key], form: KeyForm, chunk_size: int) -> bytes:
    offsets, heads, area = bytearray(), bytearray(), bytearray()
    code = 0
    while code < len(keys):
        further = _keys_of_chunk(keys, code + 1, form, chunk_size)
        stored = [form.write(key) for key in keys[code + 1 : code + 1 + further]]
        begins = accumulate(map(len, stored[:-1]), initial=0) if stored else ()
        table = _ints(*begins) if form.width is None else b""
        offsets += _ints(len(heads))
        heads += bytes([VERSION]) + form.write(keys[code]) + _ints(code, len(area), further)
        length = sum(map(len, stored))
        heads += _ints(len(table), length) if form.width is None else _ints(length, form.width)
        area += table + b"".join(stored)
        code += 1 + further
    chunks = len(offsets) // 4
    head = bytes([VERSION]) + _ints(chunks, len(offsets), len(heads))
    return _ints(len(head)) + head + bytes(offsets) + bytes(heads) + bytes(area)


def _keys_of_chunk(keys: Sequence[Key], start: int, form: KeyForm, chunk_size: int) -> int:
    """How many keys from `start` on fit beside a first one; of texts, their table of offsets must too."""
    used = count = 0
    for at in range(start, len(keys)):
        used += len(form.write(keys[at]))
        if used > chunk_size or (form.width is None and 4 * (count + 1) > chunk_size):
            break
        count += 1
    return count


def _encode_slices(keys: Sequence[Key], values: Mapping[Key, BitMap]) -> bytes:
    found = [np.array(values[key].to_array(), dtype=np.int64) for key in keys]
    rows = np.concatenate([np.empty(0, np.int64), *found])
    codes = np.repeat(np.arange(len(keys)), [len(part) for part in found])
    bits = max(1, (len(keys) - 1).bit_length()) if keys else _EMPTY_SLICES
    slices = [encode_bitmap(part) for part in slice_rows(rows, codes, bits)]
    existence = encode_bitmap(bitmap_of(rows))
    table, at = bytearray(), 0
    for raw in slices:
        table += _ints(at, len(raw))
        at += len(raw)
    head = bytes([VERSION, bits]) + _ints(len(existence), len(table)) + bytes(table)
    return _ints(len(head)) + head + existence + b"".join(slices)


def _ints(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(4, "big") for number in numbers)
