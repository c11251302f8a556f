"""Bitmap indexes, both versions: the rows of each distinct value. Spec: 05, 6.

    v1   1 | rows | values | null? | (key, offset)... | bitmaps
    v2   2 | rows | values | null? | blocks (first key, offset)... | (key, offset, length)... | bitmaps

A value that stands in one row has no bitmap: its offset is -1 - row.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyroaring import BitMap

from core.errors import InvalidRequestError, UnsupportedError
from core.fileindex.column_index import ColumnIndex, Rows, union
from core.fileindex.cursor import Cursor
from core.fileindex.keys import Key, KeyForm
from core.fileindex.roaring import decode_bitmap, encode_bitmap

DEFAULT_BLOCK_SIZE = 16 * 1024
_ENTRY_BYTES = 8  # of a v2 entry behind its key: offset and length
_COUNT_BYTES = 4  # of the entries of a block
_INLINE = -1  # the length of what has no bitmap


@dataclass(frozen=True, slots=True)
class BitmapIndex(ColumnIndex):
    """The rows of each value; values are found without reading all of them where the version allows."""

    version: int
    row_count: int
    distinct_count: int  # values, without null
    form: KeyForm
    null_rows: BitMap
    find: Callable[[Key], BitMap]

    def any_of(self, leaf_values: Sequence[object]) -> BitMap:
        return union([self.find(key) for value in leaf_values for key in self.form.of(value)])

    def none_of(self, leaf_values: Sequence[object]) -> Rows:
        if not self.form.is_exact:  # a key of several values does not say that a row has just this one
            return None
        return _others(self.any_of(leaf_values), self.row_count) - self.null_rows

    def nulls(self) -> Rows:
        return self.null_rows

    def not_nulls(self) -> Rows:
        return _others(self.null_rows, self.row_count)


def _others(rows: BitMap, row_count: int) -> BitMap:
    return BitMap(range(row_count)) - rows


def decode_bitmap_index(payload: bytes, form: KeyForm) -> BitmapIndex:
    """The index of a column whose keys have this form.

    Raises:
        FormatError: the payload is cut. UnsupportedError: a version that we do not know.
    """
    cursor = Cursor(payload)
    version = cursor.byte()
    if version not in (1, 2):
        feature = f"bitmap index version {version}"
        raise UnsupportedError("unknown version of the bitmap index", feature=feature)
    row_count, distinct_count = cursor.count(), cursor.count()
    null_offset = cursor.integer(4) if cursor.boolean() else None
    if version == 1:
        find, body = _directory_v1(cursor, form, distinct_count)
    else:
        if null_offset is not None:
            cursor.take(4)  # length of the null bitmap, which ends where it ends
        find, body = _directory_v2(cursor, form)
    null_rows = BitMap() if null_offset is None else _rows_at(payload, body, null_offset)

    def rows_of_key(key: Key) -> BitMap:
        offset = find(key)
        return BitMap() if offset is None else _rows_at(payload, body, offset)

    return BitmapIndex(version, row_count, distinct_count, form, null_rows, rows_of_key)


_Find = Callable[[Key], int | None]


def _rows_at(payload: bytes, body: int, offset: int) -> BitMap:
    return BitMap([-1 - offset]) if offset < 0 else decode_bitmap(payload[body + offset :])


def _directory_v1(cursor: Cursor, form: KeyForm, distinct_count: int) -> tuple[_Find, int]:
    offsets: dict[Key, int] = {}
    for _ in range(distinct_count):
        key = form.read(cursor)
        offsets[key] = cursor.integer(4)
    return offsets.get, cursor.position


def _directory_v2(cursor: Cursor, form: KeyForm) -> tuple[_Find, int]:
    blocks = [(form.read(cursor), cursor.count()) for _ in range(cursor.count())]
    length = cursor.count()
    start = cursor.position
    cursor.take(length)
    firsts = [first for first, _ in blocks]

    def find(key: Key) -> int | None:
        block = bisect_right(firsts, key) - 1
        if block < 0:
            return None
        entries = Cursor(cursor.data, start + blocks[block][1])
        for _ in range(entries.count()):
            found, offset = form.read(entries), entries.integer(4)
            entries.take(4)
            if found == key:
                return offset
        return None

    return find, start + length


def encode_bitmap_index(
    version: int,
    row_count: int,
    values: Mapping[Key, BitMap],
    null_rows: BitMap,
    form: KeyForm,
    block_size: int = DEFAULT_BLOCK_SIZE,
) -> bytes:
    """The payload; version 1 lists the values in the order of `values`, version 2 sorted."""
    body = bytearray()

    def stored(rows: BitMap) -> tuple[int, int]:
        """Offset and length of a bitmap that is put into the body, unless it is a single row."""
        if len(rows) == 1:
            return -1 - rows[0], _INLINE
        offset, raw = len(body), encode_bitmap(rows)
        body.extend(raw)
        return offset, len(raw)

    head = bytes([version]) + _ints(row_count, len(values)) + bytes([bool(null_rows)])
    if null_rows:
        null_length = len(encode_bitmap(null_rows))
        head += _ints(stored(null_rows)[0], *([null_length] if version == 2 else []))
    if version == 1:
        entries = [(form.write(key), stored(rows)[0]) for key, rows in values.items()]
        return head + b"".join(key + _ints(offset) for key, offset in entries) + bytes(body)
    placed = [(key, *stored(values[key])) for key in sorted(values)]
    return head + _encode_blocks(placed, form, block_size) + bytes(body)


def _encode_blocks(placed: Sequence[tuple[Key, int, int]], form: KeyForm, block_size: int) -> bytes:
    blocks: list[list[bytes]] = []
    firsts: list[bytes] = []
    used = block_size
    for key, offset, length in placed:
        entry = form.write(key) + _ints(offset, length)
        if _COUNT_BYTES + len(entry) > block_size:
            raise InvalidRequestError("a value is larger than a block of the index", limit=block_size)
        if used + len(entry) > block_size:
            blocks.append([])
            firsts.append(form.write(key))
            used = _COUNT_BYTES
        blocks[-1].append(entry)
        used += len(entry)
    area, directory = bytearray(), bytearray(_ints(len(blocks)))
    for first, block in zip(firsts, blocks, strict=True):
        directory += first + _ints(len(area))
        area += _ints(len(block)) + b"".join(block)
    return bytes(directory) + _ints(len(area)) + bytes(area)


def _ints(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(4, "big", signed=True) for number in numbers)
