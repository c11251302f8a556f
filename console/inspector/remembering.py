"""A table's store as one request sees it: each small metadata file and each listing is asked for once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from core.errors import NotFoundError
from core.io import FileIO
from core.io.file_io import FileStatus
from core.table import Table

T = TypeVar("T")

# Of files in these folders only: manifests have a cache of their own, and data is too large.
_FOLDERS = frozenset({"snapshot", "schema", "tag", "changelog", "consumer", "branch"})


def asking_once(table: Table) -> Table:
    """The same table; a page asks an object store some twenty times without this, and ten with it.

    It also shows one state of the table throughout, whatever is committed meanwhile.
    """
    io = cast(FileIO, _RememberingIO(table.io))
    return Table(io, table.location, table.identifier, table.dynamic_options)


class _RememberingIO:
    """Everything else goes to the store itself. What was listed and is gone makes it forget, to look anew."""

    def __init__(self, io: FileIO) -> None:
        self._io = io
        self._known: dict[tuple[str, str], Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._io, name)

    def read(self, path: str) -> bytes:
        folder = path.rpartition("/")[0]
        if folder.rpartition("/")[2] not in _FOLDERS:
            return self._io.read(path)
        try:
            return self._once(("read", path), lambda: self._io.read(path))
        except NotFoundError:
            if any(shown.path == path for shown in self._known.get(("list", folder), ())):
                self._known.clear()
            raise

    def list_files(self, directory: str, *, recursive: bool = False) -> list[FileStatus]:
        if recursive or directory.rpartition("/")[2] not in _FOLDERS:
            return self._io.list_files(directory, recursive=recursive)
        return list(self._once(("list", directory), lambda: self._io.list_files(directory)))

    def _once(self, key: tuple[str, str], ask: Callable[[], T]) -> T:
        if key not in self._known:
            self._known[key] = ask()
        found: T = self._known[key]
        return found
