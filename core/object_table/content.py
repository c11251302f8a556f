"""The content of one object, a range of it at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from core.errors import InvalidRequestError, NotFoundError
from core.io.file_io import FileIO, FileStatus
from core.io.local import local_path
from core.io.open import scheme_of
from core.object_table.table import ObjectTable

_CHUNK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ObjectContent:
    """An object that is there."""

    io: FileIO
    status: FileStatus

    @property
    def name(self) -> str:
        return self.status.path.rpartition("/")[2]

    @property
    def size(self) -> int:
        return self.status.size

    def chunks(self, offset: int, length: int) -> Iterator[bytes]:
        """Some bytes, a mebibyte at a time; `FormatError` if the object has become shorter."""
        end = offset + length
        while offset < end:
            data = self.io.read_range(self.status.path, offset, min(_CHUNK, end - offset))
            yield data
            offset += len(data)


def open_object(table: ObjectTable, path: str) -> ObjectContent:
    """The object whose `path` a row of the table tells.

    Raises:
        InvalidRequestError: the path leads out of the table's directory.
        NotFoundError: there is no such object.
    """
    steps = path.split("/")
    if not path or any(step in ("", ".", "..") for step in steps) or "\0" in path or "\\" in path:
        raise InvalidRequestError("an object is named by its path below the table's location", path=path)
    whole = f"{table.location}/{path}"
    if scheme_of(whole) == "file":
        root, found = os.path.realpath(local_path(table.location)), os.path.realpath(local_path(whole))
        if not found.startswith(root.rstrip("/") + "/"):
            raise InvalidRequestError("a link leads out of the table's location", path=path)
        if not os.path.isfile(found):
            raise NotFoundError("no such object", path=path)
    return ObjectContent(table.io, table.io.status(whole))
