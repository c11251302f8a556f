"""A table's store as one request sees it: each small metadata file and each listing is asked for once.

Between requests the content of a file is kept for as long as the listing of its folder shows the same tag of
it: a rollback that gives an id again makes another file, with another tag. What a page is known to need is
asked for ahead, all of it at once, so that a page waits for one answer of the store and not for six.

Most pages need no more of the folder of snapshots than which is the latest, so they do not list it: beside
the hint they ask for the snapshot that it named before, and whether there is one after it. Where the hint
still says so, that is the proof which readers of Paimon ask for; where not, these two answers go unused.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar, cast

from console.inspector.cache import cache
from core.errors import NotFoundError, PaimonError
from core.io import FileIO
from core.io.decoding import errors_naming
from core.io.file_io import FileStatus
from core.io.numbered_files import numbers_of
from core.io.paths import TablePaths
from core.snapshot.hints import parse_hint
from core.table import Table

T = TypeVar("T")

# Of files in these folders only: manifests have a cache of their own, and data is too large.
_FOLDERS = frozenset({"snapshot", "schema", "tag", "changelog", "consumer", "branch"})
_ASKING = 32  # listings ahead at once, of all requests of the process
_OVERHEAD = 300  # bytes, about, of what keeps a small file
_DECODED = 8  # times the bytes of a small file, about, take the objects that it is decoded to
_NO_HINT = -1  # in place of the snapshot that the hint names
LATEST = "latest"  # in place of a folder: which snapshot is the latest
_ahead = ThreadPoolExecutor(_ASKING, thread_name_prefix="ahead")


def asking_once(table: Table, keep: Callable[[FileIO], FileIO] = lambda io: io) -> Table:
    """The same table; a page asks an object store some twenty times without this, and a few times with it.

    It also shows one state of the table throughout, whatever is committed meanwhile. `keep` may answer for
    its store.
    """
    if isinstance(table.io, _RememberingIO):
        return table
    return Table(
        remembering(keep(table.io)), table.location, table.identifier, table.dynamic_options, table.home
    )


def remembering(io: FileIO) -> FileIO:
    """The same store, which is asked for each small metadata file and each listing of a table once."""
    return cast(FileIO, _RememberingIO(io))


def look_ahead(io: FileIO, location: str, branch: str, parts: Iterable[str]) -> None:
    """Begin to ask for parts of a table's branch, side by side, if it is a store that asks once.

    A part is a folder to list (of `branch`, the folder of the table's branches, only the folders in it), or
    `LATEST`: the latest snapshot.
    """
    if not isinstance(io, _RememberingIO):
        return
    paths = TablePaths(location, branch)
    wanted = list(parts)
    if LATEST in wanted:
        io.ask_for_latest(paths)
    io.list_ahead(
        paths.branches_dir if part == "branch" else f"{paths.branch_root}/{part}"
        for part in wanted
        if part != LATEST
    )


def content_key(table: Table, path: str) -> Hashable | None:
    """What changes with the content of a small file, by its folder's listing; None where none was made."""
    return table.io.content_key(path) if isinstance(table.io, _RememberingIO) else None


class _RememberingIO:
    """Everything else goes to the store itself. What was listed and is gone makes it forget, to look anew."""

    def __init__(self, io: FileIO) -> None:
        self._io = io
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], Future[Any]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._io, name)

    def list_ahead(self, directories: Iterable[str]) -> None:
        """Begin to list these."""
        for directory in directories:
            what, ask = (
                ("folders", self._io.list_directories) if _is_branches(directory) else ("list", self._list)
            )
            self._begin((what, directory), partial(ask, directory))

    def ask_for_latest(self, paths: TablePaths) -> None:
        """Begin to ask for the hint, for the snapshot that it named last time, and for the one after that."""
        hint = f"{paths.snapshot_dir}/LATEST"
        guessed: int | None = cache.peek(("hint", hint))
        if guessed == _NO_HINT:
            self.list_ahead([paths.snapshot_dir])
        elif guessed is not None:
            self._look_at(paths, guessed)

        def read() -> bytes:
            try:
                found = self._io.read(hint)
            except NotFoundError:
                cache.put(("hint", hint), _NO_HINT, _OVERHEAD)
                raise
            named = parse_hint(found.decode("utf-8", "replace"))
            if named is not None and named != guessed:
                cache.put(("hint", hint), named, _OVERHEAD)
                self._look_at(paths, named)
            return found

        self._begin(("read", hint), read)

    def _look_at(self, paths: TablePaths, snapshot_id: int) -> None:
        here, after = paths.snapshot_file(snapshot_id), paths.snapshot_file(snapshot_id + 1)
        self._begin(("read", here), partial(self._io.read, here))
        self._begin(("exists", after), partial(self._io.exists, after))

    def _begin(self, key: tuple[str, str], ask: Callable[[], Any]) -> None:
        mine: Future[Any] = Future()
        with self._lock:
            known = self._known.setdefault(key, mine)
        if known is mine:
            _ahead.submit(self._answer, key, mine, ask)

    def read(self, path: str) -> bytes:
        folder = path.rpartition("/")[0]
        if folder.rpartition("/")[2] not in _FOLDERS:
            return self._io.read(path)
        listed = self._listed(folder)
        if listed is not None and path not in listed:
            raise NotFoundError("file not found", path=path)
        try:
            return self._once(("read", path), lambda: self._content(path, (listed or {}).get(path)))
        except NotFoundError:
            if listed is not None:
                with self._lock:
                    self._known.clear()
            raise

    def decoded(self, path: str, decode: Callable[[bytes], T]) -> T:
        """What `decode` makes of the file; not decoded again as long as the listing shows the same tag."""

        def made(data: bytes) -> T:
            try:
                with errors_naming(path):
                    return decode(data)
            except PaimonError:
                self.forget(path)
                raise

        folder = path.rpartition("/")[0]
        if folder.rpartition("/")[2] not in _FOLDERS or "<" in decode.__qualname__:
            return made(self.read(path))
        content = self.content_key(path)
        if content is None:
            return made(self.read(path))
        key = ("decoded", decode, *content)
        kept: T | None = cache.peek(key)
        if kept is None:
            data = self.read(path)
            kept = made(data)
            cache.put(key, kept, _DECODED * len(data) + _OVERHEAD)
        return kept

    def forget(self, path: str) -> None:
        """What was kept on disk of a file that makes no sense is kept no longer."""
        if (keeper := getattr(self._io, "keeper", None)) is not None:
            keeper.forget(path)

    def content_key(self, path: str) -> tuple[str, int, int, str | None] | None:
        """What changes with the content of the file; None where no listing with tags was asked for."""
        known = (self._listed(path.rpartition("/")[0]) or {}).get(path)
        return None if known is None or known.tag is None else _key_of(known)

    def numbers(self, directory: str, prefix: str) -> list[int]:
        """The numbers of the files `<prefix><number>`, ascending."""
        names = (status.path.rpartition("/")[2] for status in self.list_files(directory))
        return list(self._once(("numbers", f"{directory}/{prefix}"), lambda: numbers_of(names, prefix)))

    def exists(self, path: str) -> bool:
        listed = self._listed(path.rpartition("/")[0])
        if listed is not None:
            return path in listed
        with self._lock:
            read = self._known.get(("read", path))
        if read is not None and read.exception() is None:
            return True
        return bool(self._once(("exists", path), lambda: self._io.exists(path)))

    def list_files(self, directory: str, *, recursive: bool = False) -> list[FileStatus]:
        if recursive or directory.rpartition("/")[2] not in _FOLDERS:
            return self._io.list_files(directory, recursive=recursive)
        return list(self._once(("list", directory), lambda: self._list(directory)).values())

    def list_directories(self, directory: str) -> list[str]:
        if not _is_branches(directory):
            return self._io.list_directories(directory)
        return list(self._once(("folders", directory), lambda: self._io.list_directories(directory)))

    def _list(self, directory: str) -> dict[str, FileStatus]:
        return {status.path: status for status in self._io.list_files(directory)}

    def _listed(self, folder: str) -> dict[str, FileStatus] | None:
        """The listing of a folder if it was asked for in this request; None if not, or if that failed."""
        with self._lock:
            known = self._known.get(("list", folder))
        return None if known is None or known.exception() is not None else known.result()

    def _content(self, path: str, listed: FileStatus | None) -> bytes:
        """The file, from an earlier request where its listing shows that it is the same."""
        if listed is None or listed.tag is None:
            return self._io.read(path)
        key = ("small file", *_key_of(listed))
        kept: bytes | None = cache.peek(key)
        if kept is None:
            kept = self._io.read(path)
            cache.put(key, kept, len(kept) + _OVERHEAD)
        return kept

    def _once(self, key: tuple[str, str], ask: Callable[[], T]) -> T:
        mine: Future[Any] = Future()
        with self._lock:
            known = self._known.setdefault(key, mine)
        if known is mine:
            self._answer(key, mine, ask)
        found: T = known.result()
        return found

    def _answer(self, key: tuple[str, str], mine: Future[Any], ask: Callable[[], Any]) -> None:
        """Ask; a failure is told to who waits for it, and the next one asks anew."""
        try:
            mine.set_result(ask())
        except Exception as error:
            with self._lock:
                self._known.pop(key, None)
            mine.set_exception(error)


def _is_branches(directory: str) -> bool:
    return directory.endswith("/branch")


def _key_of(status: FileStatus) -> tuple[str, int, int, str | None]:
    return (status.path, status.size, status.modified_millis, status.tag)
