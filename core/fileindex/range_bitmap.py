"""The head of a range-bitmap index. Spec: 05, 8."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import UnsupportedError
from core.fileindex.cursor import Cursor
from core.fileindex.keys import key_reader
from core.fileindex.roaring import decode_bitmap
from core.types.data_types import DataType


@dataclass(frozen=True, slots=True)
class RangeBitmapHead:
    row_count: int
    distinct_count: int
    min_key: object | None  # as `keys.key_reader` gives it; None when all rows are null
    max_key: object | None
    dictionary_chunks: int
    slices: int
    null_count: int


def decode_range_bitmap(payload: bytes, data_type: DataType) -> RangeBitmapHead:
    """Raises `FormatError` for cut payloads, `UnsupportedError` for unknown versions."""
    cursor = Cursor(payload)
    body = 4 + cursor.integer(4)
    _require_version(cursor)
    row_count, distinct_count = cursor.integer(4), cursor.integer(4)
    read_key = key_reader(data_type)
    low, high = (read_key(cursor), read_key(cursor)) if distinct_count else (None, None)
    dictionary_length = cursor.integer(4)
    dictionary = Cursor(payload, body)
    dictionary.take(4)
    _require_version(dictionary)
    chunks = dictionary.integer(4)
    slices, existing = _slices(Cursor(payload, body + dictionary_length))
    return RangeBitmapHead(row_count, distinct_count, low, high, chunks, slices, row_count - existing)


def _slices(cursor: Cursor) -> tuple[int, int]:
    head = cursor.integer(4)
    start = cursor.position + head
    _require_version(cursor)
    slices = cursor.byte()
    existence_length = cursor.integer(4)
    return slices, len(decode_bitmap(cursor.data[start : start + existence_length]))


def _require_version(cursor: Cursor) -> None:
    version = cursor.byte()
    if version != 1:
        raise UnsupportedError(
            "unknown version of the range bitmap", feature=f"range-bitmap version {version}"
        )
