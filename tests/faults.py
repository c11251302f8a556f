"""A store that dies, or fails, at a chosen operation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from io import BufferedReader, RawIOBase
from typing import IO, Any

from core.errors import StorageError
from core.io import FileIO, FileStatus


class Died(BaseException):
    """The process is gone: nothing that it would still do has an effect."""


class FaultyFileIO:
    """Passes everything on to `io`, until the change number `dies_at` (from 0).

    `done` tells whether that change still reaches the store. From then on the store is dead
    for this process: every operation raises `Died`. With `fails` it is the one operation
    that raises `StorageError`, and the store goes on. With `reads` the number counts every operation:
    looks, reads and each write into an open file, too.
    """

    def __init__(
        self,
        io: FileIO,
        dies_at: int | None = None,
        *,
        done: bool = False,
        fails: bool = False,
        reads: bool = False,
    ) -> None:
        self._io = io
        self._at = dies_at
        self._done = done
        self._fails = fails
        self._reads = reads
        self._dead = False
        self.changes: list[str] = []
        self.operations: list[str] = []

    def _change(self, what: str, path: str, act: Any) -> Any:
        self._check()
        hit = len(self.operations if self._reads else self.changes) == self._at
        self.changes.append(f"{what} {path}")
        self.operations.append(self.changes[-1])
        if hit and not self._done:
            self._break(path)
        result = act()
        if hit:
            self._break(path)
        return result

    def _look(self, what: str, path: str) -> None:
        self._check()
        hit = self._reads and len(self.operations) == self._at
        self.operations.append(f"{what} {path}")
        if hit:
            self._break(path)

    def _check(self) -> None:
        if self._dead:
            raise Died

    def _break(self, path: str) -> None:
        if self._fails:
            raise StorageError("the store failed", path=path, operation="test")
        self._dead = True
        raise Died

    def read(self, path: str) -> bytes:
        self._look("read", path)
        return self._io.read(path)

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        self._look("read", path)
        return self._io.read_range(path, offset, length)

    def read_ranges(self, path: str, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        self._look("read", path)
        return self._io.read_ranges(path, ranges)

    def status(self, path: str) -> FileStatus:
        self._look("status", path)
        return self._io.status(path)

    def exists(self, path: str) -> bool:
        self._look("status", path)
        return self._io.exists(path)

    def list_files(self, directory: str, *, recursive: bool = False) -> list[FileStatus]:
        self._look("list", directory)
        return self._io.list_files(directory, recursive=recursive)

    def list_directories(self, directory: str) -> list[str]:
        self._look("list", directory)
        return self._io.list_directories(directory)

    def iter_tree(self, directory: str) -> Iterator[FileStatus]:
        self._look("list", directory)
        return self._io.iter_tree(directory)

    def open_input(self, path: str) -> IO[bytes]:
        self._look("open", path)
        opened = self._io.open_input(path)
        return BufferedReader(_FaultyInput(self, path, opened)) if self._reads else opened  # type: ignore[return-value]

    def write(self, path: str, data: bytes) -> None:
        self._change("write", path, lambda: self._io.write(path, data))

    def create(self, path: str, data: bytes) -> None:
        self._change("create", path, lambda: self._io.create(path, data))

    def open_output(self, path: str) -> IO[bytes]:
        self._look("open", path)
        return _FaultyOutput(self, path, self._io.open_output(path))  # type: ignore[return-value]

    def create_directory(self, directory: str) -> None:
        self._change("create directory", directory, lambda: self._io.create_directory(directory))

    def delete(self, path: str) -> None:
        self._change("delete", path, lambda: self._io.delete(path))

    def delete_directory(self, directory: str) -> None:
        self._change("delete directory", directory, lambda: self._io.delete_directory(directory))

    def delete_empty_directory(self, directory: str) -> None:
        self._change("delete", directory, lambda: self._io.delete_empty_directory(directory))

    def rename_directory(self, source: str, target: str) -> None:
        self._change("rename", source, lambda: self._io.rename_directory(source, target))

    def rename_file(self, source: str, target: str) -> None:
        self._change("rename", source, lambda: self._io.rename_file(source, target))


class _FaultyInput(RawIOBase):
    """An open file; each read of it is an operation."""

    def __init__(self, store: FaultyFileIO, path: str, opened: Any) -> None:
        self._store = store
        self._path = path
        self._opened = opened

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return int(self._opened.tell())

    def seek(self, offset: int, whence: int = 0) -> int:
        return int(self._opened.seek(offset, whence))

    def readinto(self, buffer: Any) -> int:
        self._store._look("read", self._path)
        return int(self._opened.readinto(buffer))

    def close(self) -> None:
        self._opened.close()
        super().close()


class _FaultyOutput:
    """An output whose end is the change: before it there is no file."""

    def __init__(self, store: FaultyFileIO, path: str, output: IO[bytes]) -> None:
        self._store = store
        self._path = path
        self._output = output

    def write(self, data: Any) -> int:
        self._store._look("append to", self._path)
        return self._output.write(data)

    def tell(self) -> int:
        return self._output.tell()

    def __enter__(self) -> _FaultyOutput:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None:
            try:
                self._store._change("put", self._path, self._output.close)
            except BaseException as died:
                if not self._output.closed:
                    self._output.__exit__(type(died), died, None)
                raise
        else:
            self._output.__exit__(kind, error, trace)


class RacingFileIO:
    """Passes everything on to `io`; `other` happens once, right before an `operation` on a path.

    `other` is what another process does. The path is the first that contains `at`.
    """

    def __init__(self, io: FileIO, operation: str, at: str, other: Callable[[], object]) -> None:
        self._io = io
        self._operation = operation
        self._at = at
        self._other: Callable[[], object] | None = other

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._io, name)
        if name != self._operation:
            return found

        def raced(path: str, *rest: Any, **named: Any) -> Any:
            other, wanted = self._other, self._at in path
            if other is not None and wanted:
                self._other = None
                other()
            return found(path, *rest, **named)

        return raced
