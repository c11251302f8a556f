"""The container that holds all indexes of one data file. Spec: 05, 4.

It lies in the manifest entry (`_EMBEDDED_FILE_INDEX`) or, above
`file-index.in-manifest-threshold`, in an `.index` file beside the data file. An index
only speeds reads up: one of a type that we do not know is named, carried and not used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.errors import FormatError, UnsupportedError
from core.fileindex.cursor import Cursor

MAGIC = 1493475289347502
VERSION = 1
INDEX_SUFFIX = ".index"
_EMPTY = -1  # start of an index that saw no record


@dataclass(frozen=True, slots=True)
class IndexSlot:
    """Where one index of one column lies in the container."""

    column: str  # a column, or `map[key]`
    index_type: str
    start: int  # from the start of the container; -1 for an empty index
    length: int  # bytes

    @property
    def is_empty(self) -> bool:
        return self.start == _EMPTY


@dataclass(frozen=True, slots=True)
class FileIndex:
    """A decoded head and the bytes it speaks of."""

    version: int
    head_length: int  # bytes, magic included
    slots: tuple[IndexSlot, ...]
    data: bytes

    def payload(self, slot: IndexSlot) -> bytes:
        """The bytes of one index; none for an empty one."""
        return b"" if slot.is_empty else self.data[slot.start : slot.start + slot.length]


def decode_file_index(data: bytes, size: int | None = None) -> FileIndex:
    """The container in `data`; `size` is that of the whole where `data` holds only its head.

    Raises:
        FormatError: wrong magic, a cut head, or an index that reaches past the end.
        UnsupportedError: a version that we do not know.
    """
    cursor = Cursor(data)
    length = _head_length(cursor)
    slots = tuple(slot for _ in range(cursor.count()) for slot in _column(cursor))
    end = len(data) if size is None else size
    for slot in slots:
        if not slot.is_empty and not length <= slot.start <= slot.start + slot.length <= end:
            raise FormatError(
                "file index reaches past its end",
                column=slot.column,
                offset=slot.start,
                expected=slot.length,
                found=end - slot.start,
            )
    return FileIndex(VERSION, length, slots, data)


def head_length(data: bytes) -> int:
    """Bytes of the head of the container that begins with `data`; raises as `decode_file_index` does."""
    return _head_length(Cursor(data))


def _head_length(cursor: Cursor) -> int:
    magic = cursor.integer(8)
    if magic != MAGIC:
        raise FormatError(
            "not a file index: wrong magic", offset=0, expected=f"{MAGIC:#018x}", found=cursor.data[:8].hex()
        )
    version = cursor.integer(4)
    if version != VERSION:
        raise UnsupportedError("unknown version of the file index", feature=f"file index version {version}")
    return cursor.count()


def _column(cursor: Cursor) -> list[IndexSlot]:
    column = cursor.short_text()
    count = cursor.count()
    return [
        IndexSlot(column, cursor.short_text(), cursor.integer(4), cursor.integer(4)) for _ in range(count)
    ]


def encode_file_index(columns: Mapping[str, Mapping[str, bytes | None]]) -> bytes:
    """The container of payloads by column and type of index; None is an empty index."""
    start = _HEAD_BYTES + sum(_column_size(name, indexes) for name, indexes in columns.items())
    head, body = bytearray(), bytearray()
    for name, indexes in columns.items():
        head += _short_text(name) + len(indexes).to_bytes(4, "big")
        for index_type, payload in indexes.items():
            at, length = (_EMPTY, 0) if payload is None else (start + len(body), len(payload))
            head += _short_text(index_type) + at.to_bytes(4, "big", signed=True) + length.to_bytes(4, "big")
            body += payload or b""
    fixed = b"".join(number.to_bytes(4, "big") for number in (VERSION, start, len(columns)))
    return MAGIC.to_bytes(8, "big") + fixed + bytes(head) + bytes(4) + bytes(body)


_HEAD_BYTES = 8 + 4 + 4 + 4 + 4  # magic, version, length, number of columns; and the redundant length


def _column_size(name: str, indexes: Mapping[str, bytes | None]) -> int:
    return len(_short_text(name)) + 4 + sum(len(_short_text(kind)) + 8 for kind in indexes)


def _short_text(text: str) -> bytes:
    """As Java's `writeUTF` puts it; see `Cursor.short_text`."""
    units = text.encode("utf-16-be", "surrogatepass")
    codes = (int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2))
    raw = b"".join(chr(c).encode("utf-8", "surrogatepass") if c else b"\xc0\x80" for c in codes)
    return len(raw).to_bytes(2, "big") + raw


def index_file_name(extra_files: Sequence[str]) -> str | None:
    """The one companion that holds the index, or None.

    Raises:
        FormatError: there are two.
    """
    names = [name for name in extra_files if name.endswith(INDEX_SUFFIX)]
    if len(names) > 1:
        raise FormatError("a data file has two index files", found=", ".join(names))
    return names[0] if names else None
