"""The head of a bitmap index, in both versions. Spec: 05, 6."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import UnsupportedError
from core.fileindex.cursor import Cursor
from core.fileindex.keys import key_reader
from core.fileindex.roaring import decode_bitmap
from core.types.data_types import DataType


@dataclass(frozen=True, slots=True)
class BitmapHead:
    version: int
    row_count: int
    distinct_count: int  # non-null values
    null_count: int


def decode_bitmap_index(payload: bytes, data_type: DataType) -> BitmapHead:
    """What the index says of its column.

    Raises:
        FormatError: the payload is cut.
        UnsupportedError: a version that we do not know.
    """
    cursor = Cursor(payload)
    version = cursor.byte()
    if version not in (1, 2):
        raise UnsupportedError(
            "unknown version of the bitmap index", feature=f"bitmap index version {version}"
        )
    row_count, distinct_count = cursor.integer(4), cursor.integer(4)
    if not cursor.boolean():
        return BitmapHead(version, row_count, distinct_count, 0)
    null_offset = cursor.integer(4)
    if null_offset < 0:  # exactly one null: its row stands in place of the offset
        return BitmapHead(version, row_count, distinct_count, 1)
    read_body_start = _body_start_v1 if version == 1 else _body_start_v2
    start = read_body_start(cursor, distinct_count, data_type) + null_offset
    return BitmapHead(version, row_count, distinct_count, len(decode_bitmap(payload[start:])))


def _body_start_v1(cursor: Cursor, distinct_count: int, data_type: DataType) -> int:
    read_key = key_reader(data_type)
    for _ in range(distinct_count):
        read_key(cursor)
        cursor.take(4)
    return cursor.position


def _body_start_v2(cursor: Cursor, distinct_count: int, data_type: DataType) -> int:
    cursor.take(4)  # length of the null bitmap
    read_key = key_reader(data_type)
    for _ in range(cursor.integer(4)):
        read_key(cursor)
        cursor.take(4)
    blocks_length = cursor.integer(4)
    return cursor.position + blocks_length
