"""FileIO on a local or mounted file system.

This one store is not obstore: a commit must survive a power cut (fsync of file and
directory), `create` must work by hard link as Paimon's own renames do (spec 08, 2.1), and
partition names may hold any character that the file system takes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import RawIOBase
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import pyarrow as pa

from core.errors import (
    AlreadyExistsError,
    FormatError,
    InvalidRequestError,
    NotFoundError,
    StorageDeniedError,
    StorageError,
)
from core.io.file_io import FileStatus
from core.io.paths import other_store

_TRIES = 10  # to open a file in a directory that others remove
_READING = ("read", "status", "list", "open")


@dataclass(frozen=True, slots=True)
class LocalFileIO:
    """Paths are absolute, with or without `file:` in front.

    What is written lies first in `.<name>.<uuid>.tmp` beside its target, as with Paimon, so
    that cleaning of orphan files knows what a crash leaves behind.
    """

    def read(self, path: str) -> bytes:
        with _translated(path, "read"):
            return Path(local_path(path)).read_bytes()

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        return self.read_ranges(path, [(offset, length)])[0]

    def read_ranges(self, path: str, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        with _translated(path, "read"), open(local_path(path), "rb") as file:
            parts = [os.pread(file.fileno(), length, offset) for offset, length in ranges]
        for (offset, length), part in zip(ranges, parts, strict=True):
            if len(part) != length:
                raise FormatError("file is cut", path=path, offset=offset, expected=length, found=len(part))
        return parts

    def status(self, path: str) -> FileStatus:
        with _translated(path, "status"):
            return _status(path, os.stat(local_path(path)))

    def exists(self, path: str) -> bool:
        # Not os.path.isfile: to it, what we may not look at is not there.
        try:
            with _translated(path, "status"):
                return stat.S_ISREG(os.stat(local_path(path)).st_mode)
        except NotFoundError:
            return False

    def list_files(self, directory: str, *, recursive: bool = False) -> list[FileStatus]:
        found = self.iter_tree(directory) if recursive else _files_in(directory)
        return sorted(found, key=lambda status: status.path)

    def list_directories(self, directory: str) -> list[str]:
        with _scanned(directory) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir())

    def iter_tree(self, directory: str) -> Iterator[FileStatus]:
        yield from _files_in(directory)
        for name in self.list_directories(directory):
            yield from self.iter_tree(f"{directory.rstrip('/')}/{name}")

    def write(self, path: str, data: bytes) -> None:
        with self.open_output(path) as output:
            output.write(data)

    def create(self, path: str, data: bytes) -> None:
        target = local_path(path)
        with _translated(path, "create"):
            temporary = _write_temporary(target, data)
            try:
                os.link(temporary, target)  # fails if the name is taken; os.rename would replace it
            finally:
                with contextlib.suppress(FileNotFoundError):  # cleaned up meanwhile
                    os.unlink(temporary)
            _sync_directory(target)

    def open_input(self, path: str) -> IO[bytes]:
        with _translated(path, "open"):
            return cast("IO[bytes]", pa.OSFile(local_path(path), "rb"))

    def open_output(self, path: str) -> IO[bytes]:
        with _translated(path, "open for writing"):
            return cast("IO[bytes]", _LocalOutput(path))

    def create_directory(self, directory: str) -> None:
        with _translated(directory, "create directory"):
            os.makedirs(local_path(directory), exist_ok=True)

    def delete(self, path: str) -> None:
        with _translated(path, "delete"), contextlib.suppress(FileNotFoundError):
            os.unlink(local_path(path))

    def delete_directory(self, directory: str) -> None:
        with _translated(directory, "delete directory"), contextlib.suppress(FileNotFoundError):
            shutil.rmtree(local_path(directory))

    def delete_empty_directory(self, directory: str) -> None:
        try:
            os.rmdir(local_path(directory))
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR):
                raise StorageError(
                    "the store failed", path=directory, operation="delete directory", cause=error.strerror
                ) from error

    def rename_directory(self, source: str, target: str) -> None:
        if os.path.lexists(local_path(target)):
            raise AlreadyExistsError("directory exists already", path=target)
        with _translated(source, "rename directory"):
            os.makedirs(os.path.dirname(local_path(target)), exist_ok=True)
            os.rename(local_path(source), local_path(target))

    def rename_file(self, source: str, target: str) -> None:
        old, new = local_path(source), local_path(target)
        with _translated(source, "rename"):
            os.makedirs(os.path.dirname(new), exist_ok=True)
            os.link(old, new)  # fails if the name is taken; os.rename would replace it
            os.unlink(old)
            _sync_directory(new)


class _LocalOutput(RawIOBase):
    """A file that gets its name when it is closed without error, and never before."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._target = local_path(path)
        self._temporary = _temporary_name(self._target)
        self._file = _open_new(self._temporary)  # closed by close or discard

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._file.tell()

    def write(self, data: Any) -> int:
        with _translated(self._path, "write"):
            return self._file.write(data)

    def flush(self) -> None:
        if not self._file.closed:
            self._file.flush()

    def close(self) -> None:
        if self.closed:
            return
        with _translated(self._path, "close"):
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            os.replace(self._temporary, self._target)
            _sync_directory(self._target)
        super().close()

    def discard(self) -> None:
        """Close without leaving a file."""
        if self.closed:
            return
        self._file.close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._temporary)
        super().close()

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def __del__(self) -> None:
        # A forgotten output is an unfinished one: it must not appear under its name.
        if hasattr(self, "_file"):
            self.discard()


def local_path(path: str) -> str:
    """The path for `os`: `file:/a`, `file:///a` and `/a` are the same file.

    Raises:
        UnsupportedError: a path of another store, as an external path may be.
    """
    if "\0" in path:
        raise InvalidRequestError("a path holds U+0000", path=repr(path))
    if not path.startswith("file:"):
        if "://" in path and "/" not in path.partition("://")[0]:
            raise other_store(path, "file")
        return path
    return "/" + path.removeprefix("file:").lstrip("/")


def _temporary_name(target: str) -> str:
    folder, name = os.path.split(target)
    return f"{folder}/.{name}.{uuid.uuid4()}.tmp"


def _write_temporary(target: str, data: bytes) -> str:
    """A new synced file with the data beside `target`; none is left when writing fails."""
    temporary = _temporary_name(target)
    try:
        with _open_new(temporary) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    return temporary


def _open_new(path: str) -> BinaryIO:
    """A new file, its directory made first, and again if an expiration has removed it as empty meanwhile."""
    for _ in range(_TRIES - 1):
        with contextlib.suppress(FileNotFoundError, FileExistsError):  # the latter is makedirs losing a race
            return _open_in_new_directory(path)
    return _open_in_new_directory(path)


def _open_in_new_directory(path: str) -> BinaryIO:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return open(path, "xb", buffering=1 << 16)


def _sync_directory(target: str) -> None:
    """Makes the name itself durable, not only the bytes behind it."""
    handle = os.open(os.path.dirname(target), os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def _scanned(directory: str) -> Iterator[Iterator[os.DirEntry[str]]]:
    with _translated(directory, "list"):
        try:
            entries = os.scandir(local_path(directory))
        except (FileNotFoundError, NotADirectoryError):
            yield iter(())
            return
        with entries:
            yield entries


def _files_in(directory: str) -> Iterator[FileStatus]:
    base = directory.rstrip("/")
    with _scanned(directory) as entries:
        for entry in entries:
            # A file may vanish between listing and stat: a concurrent expiration, a temporary file.
            with contextlib.suppress(FileNotFoundError):
                if entry.is_file():
                    yield _status(f"{base}/{entry.name}", entry.stat())


def _status(path: str, found: os.stat_result) -> FileStatus:
    tag = f"{found.st_ino:x}-{found.st_ctime_ns:x}-{found.st_mtime_ns:x}"
    return FileStatus(path, found.st_size, found.st_mtime_ns // 1_000_000, tag)


@contextlib.contextmanager
def _translated(path: str, operation: str) -> Iterator[None]:
    """Errors of the operating system as core errors."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFoundError("file not found", path=path) from error
    except FileExistsError as error:
        raise AlreadyExistsError("file exists already", path=path) from error
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG and operation in _READING:
            raise NotFoundError("file not found", path=path) from error
        kind = StorageDeniedError if isinstance(error, PermissionError) else StorageError
        raise kind("the store failed", path=path, operation=operation, cause=error.strerror) from error
