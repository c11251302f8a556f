"""What core asks of a store of files.

Paths are absolute strings: `/data/wh/db.db/t/...` or `s3://bucket/...`, as they stand in
metadata. All failures leave as core errors: `NotFoundError` for a file that is not there,
`AlreadyExistsError` from `create`, `StorageError` for everything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class FileStatus:
    """One file as a listing shows it."""

    path: str
    size: int  # bytes
    modified_millis: int  # epoch milliseconds, UTC
    tag: str | None = None  # another one where the content may be another; None: the store tells none


@runtime_checkable
class FileIO(Protocol):
    """A store. Instances are picklable and safe to use from several threads."""

    def read(self, path: str) -> bytes:
        """The whole content."""
        ...

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        """Exactly `length` bytes; fewer is a `FormatError` (the file is cut)."""
        ...

    def read_ranges(self, path: str, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """`(offset, length)` ranges in one call, near ones coalesced by the store."""
        ...

    def status(self, path: str) -> FileStatus:
        """Size and time of a file; `NotFoundError` if there is none."""
        ...

    def exists(self, path: str) -> bool: ...

    def list_files(self, directory: str, *, recursive: bool = False) -> list[FileStatus]:
        """Files directly in (or anywhere below) a directory, by path; none if it does not exist."""
        ...

    def list_directories(self, directory: str) -> list[str]:
        """Names (not paths) of the directories directly in `directory`, sorted."""
        ...

    def write(self, path: str, data: bytes) -> None:
        """Write or replace a small file; a reader sees the old or the new content, never a mix."""
        ...

    def create(self, path: str, data: bytes) -> None:
        """Create a file atomically with its content; `AlreadyExistsError` if the name is taken.

        Of any number of racing callers exactly one succeeds, and a crash leaves the name
        absent or the file whole.
        """
        ...

    def open_input(self, path: str) -> IO[bytes]:
        """A seekable, readable file object that pyarrow accepts."""
        ...

    def open_output(self, path: str) -> IO[bytes]:
        """A writable file object; the file exists, whole, once it has been closed without error."""
        ...

    def create_directory(self, directory: str) -> None:
        """Make a directory that can be listed while it is empty; one that exists is no error."""
        ...

    def delete(self, path: str) -> None:
        """Delete a file; one that is not there is no error."""
        ...

    def delete_directory(self, directory: str) -> None:
        """Delete a directory and all that is below it."""
        ...

    def delete_empty_directory(self, directory: str) -> None:
        """Delete a directory that holds nothing; one that does, or is not there, is no error."""
        ...

    def rename_directory(self, source: str, target: str) -> None: ...

    def rename_file(self, source: str, target: str) -> None:
        """Give a file another name in the same store, under which it appears whole.

        The directory is made where it is missing. On a disk a name that is taken is an `AlreadyExistsError`;
        an object store copies, so names have to be ones that nobody else takes, and a crash may leave both.
        """
        ...

    def iter_tree(self, directory: str) -> Iterator[FileStatus]:
        """All files below a directory, lazily."""
        ...
