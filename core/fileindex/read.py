"""An `.index` file beside its data file: its head, and of its body only what is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.fileindex.container import FileIndex, IndexSlot, decode_file_index, head_length
from core.io import FileIO
from core.io.decoding import errors_naming

_FIRST_READ = 8 * 1024  # bytes: the heads of a few columns, and small indexes as a whole


@dataclass(frozen=True, slots=True)
class IndexFile:
    """The head of an index file; payloads are read on demand."""

    io: FileIO
    path: str
    index: FileIndex  # `data` may be cut behind the head
    size: int  # bytes of the file

    def payloads(self, slots: Sequence[IndexSlot]) -> Mapping[IndexSlot, bytes]:
        """The bytes of some indexes, read together; empty ones have none."""
        stored = [slot for slot in slots if not slot.is_empty]
        loaded = len(self.index.data)
        missing = [slot for slot in stored if slot.start + slot.length > loaded]
        ranges = [(slot.start, slot.length) for slot in missing]
        read = dict(zip(missing, self.io.read_ranges(self.path, ranges), strict=True)) if missing else {}
        return {slot: read[slot] if slot in read else self.index.payload(slot) for slot in stored}


def read_file_index(io: FileIO, path: str) -> IndexFile:
    """The head of the index file at `path`.

    Raises:
        NotFoundError, FormatError: it is not there, or damaged. UnsupportedError: its version is not known.
    """
    size = io.status(path).size
    with errors_naming(path):
        data = io.read_range(path, 0, min(size, _FIRST_READ))
        needed = min(head_length(data), size)
        if needed > len(data):
            data = io.read_range(path, 0, needed)
        return IndexFile(io, path, decode_file_index(data, size), size)
