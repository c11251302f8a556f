"""Stores and a clock that commits are tried on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.commit import Clock
from core.errors import StorageError
from core.io import FileIO
from core.table import Table

ID_V = {"id": "INT NOT NULL", "v": "STRING"}


class StillClock(Clock):
    """Stands still; remembers how long it was asked to sleep."""

    slept: list[float]

    def __init__(self) -> None:
        object.__setattr__(self, "slept", [])
        super().__init__(now_millis=lambda: 1_000, sleep=self.slept.append, jitter=lambda: 0.0)


class Interrupted:
    """A store that lets others act just before each creation of a snapshot."""

    def __init__(self, io: FileIO, act: Callable[[], Any], times: int) -> None:
        self._io, self._act, self._left = io, act, times

    def __getattr__(self, name: str) -> Any:
        return getattr(self._io, name)

    def create(self, path: str, data: bytes) -> None:
        if "/snapshot/" in path and self._left:
            self._left -= 1
            self._act()
        self._io.create(path, data)


class Unreliable:
    """A store whose creations of snapshots fail `times` times, after or before they took effect."""

    def __init__(self, io: FileIO, times: int, *, done: bool) -> None:
        self._io, self._left, self._done = io, times, done

    def __getattr__(self, name: str) -> Any:
        return getattr(self._io, name)

    def create(self, path: str, data: bytes) -> None:
        if "/snapshot/" not in path or not self._left:
            self._io.create(path, data)
            return
        self._left -= 1
        if self._done:
            self._io.create(path, data)
        raise StorageError("no answer", path=path, operation="create")


class Blind:
    """A store that fails while a snapshot is created, `done` or not, and at each look for it."""

    def __init__(self, io: FileIO, *, done: bool) -> None:
        self._io, self._done, self._tried = io, done, False
        self.is_blind = True

    def __getattr__(self, name: str) -> Any:
        if self._tried and self.is_blind and name in ("read", "exists", "list_files"):
            raise StorageError("no answer", operation=name)
        return getattr(self._io, name)

    def create(self, path: str, data: bytes) -> None:
        if "/snapshot/" not in path or not self.is_blind:
            self._io.create(path, data)
            return
        if self._done:
            self._io.create(path, data)
        self._tried = True
        raise StorageError("no answer", path=path, operation="create")


class ReadCounter:
    """A store that counts the files read as a whole."""

    def __init__(self, io: FileIO) -> None:
        self._io, self.reads = io, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._io, name)

    def read(self, path: str) -> bytes:
        self.reads += 1
        return self._io.read(path)


def through(table: Table, io: Any) -> Table:
    return Table(io, table.location, table.identifier)


def manifests(table: Table) -> set[str]:
    return {status.path for status in table.io.list_files(table.paths.manifest_dir)}
