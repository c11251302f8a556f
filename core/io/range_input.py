"""A file in a store as a file object: pyarrow reads footers and columns of it by themselves."""

from __future__ import annotations

from dataclasses import dataclass
from io import RawIOBase
from typing import Any

from core.io.file_io import FileIO, FileStatus


@dataclass
class RangeInput(RawIOBase):
    """A seekable view of a file; each read is one ranged request."""

    _io: FileIO
    _file: FileStatus
    _position: int = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = 0) -> int:
        start = (0, self._position, self._file.size)[whence]
        self._position = max(0, start + offset)
        return self._position

    def readinto(self, buffer: Any) -> int:
        length = min(len(buffer), self._file.size - self._position)
        if length <= 0:
            return 0
        buffer[:length] = self._io.read_range(self._file.path, self._position, length)
        self._position += length
        return length
