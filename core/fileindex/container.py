"""The container that holds all indexes of one data file. Spec: 05, 4.

It lies in the manifest entry (`_EMBEDDED_FILE_INDEX`) or, above
`file-index.in-manifest-threshold`, in an `.index` file beside the data file. An index
only speeds reads up: one of a type that we do not know is named, carried and not used.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    magic = cursor.integer(8)
    if magic != MAGIC:
        raise FormatError(
            "not a file index: wrong magic", offset=0, expected=f"{MAGIC:#018x}", found=data[:8].hex()
        )
    version = cursor.integer(4)
    if version != VERSION:
        raise UnsupportedError("unknown version of the file index", feature=f"file index version {version}")
    head_length = cursor.integer(4)
    slots = tuple(slot for _ in range(cursor.integer(4)) for slot in _column(cursor))
    end = len(data) if size is None else size
    for slot in slots:
        if not slot.is_empty and not head_length <= slot.start <= slot.start + slot.length <= end:
            raise FormatError(
                "file index reaches past its end",
                column=slot.column,
                offset=slot.start,
                expected=slot.length,
                found=end - slot.start,
            )
    return FileIndex(version, head_length, slots, data)


def _column(cursor: Cursor) -> list[IndexSlot]:
    column = cursor.short_text()
    count = cursor.integer(4)
    return [
        IndexSlot(column, cursor.short_text(), cursor.integer(4), cursor.integer(4)) for _ in range(count)
    ]


def index_file_name(extra_files: Sequence[str]) -> str | None:
    """The one companion that holds the index, or None.

    Raises:
        FormatError: there are two.
    """
    names = [name for name in extra_files if name.endswith(INDEX_SUFFIX)]
    if len(names) > 1:
        raise FormatError("a data file has two index files", found=", ".join(names))
    return names[0] if names else None
