"""What is kept on disk of a table's metadata: manifests as they are, and the live files of large snapshots.

Both never change under their names, so nothing is ever out of date; but a store may lose what it had. So what
was answered from the disk is looked for afterwards, once a process, and forgotten where it is gone: the next
answer then tells what is missing. Only pages read so. A plan, and whatever deletes, asks the store.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
from django.conf import settings

from console.inspector.disk import DiskCache
from console.warehouses.models import Warehouse
from core.errors import PaimonError
from core.io import FileIO
from core.manifest import ENTRY_SCHEMA, EntryColumns, ManifestFileMeta
from core.table import Table

CHECKPOINT_EVERY = 50  # manifests: after so many more, live files are kept again
LEAST_FILES = 1_000  # of a snapshot whose live files are kept: those of fewer are made sooner than read
_FORMAT = "1"  # of the names of what is kept
_COLUMNS = hashlib.sha256(ENTRY_SCHEMA.to_string().encode()).hexdigest()  # of live files
_ROWS_AT_ONCE = 16_384  # that are packed: all of them would take as much memory again
_checking = ThreadPoolExecutor(1, thread_name_prefix="still-there")


def disk() -> DiskCache | None:
    """The cache that the processes of this console share; None where it is switched off."""
    limit: int = settings.METADATA_DISK_BYTES
    if not limit:
        return None
    age: timedelta = settings.METADATA_DISK_AGE
    return _disk(os.getpid(), Path(settings.METADATA_FOLDER), limit, age, settings.ENCRYPTION_KEY)


@lru_cache(4)
def _disk(process: int, folder: Path, limit: int, age: timedelta, key: str) -> DiskCache:
    return DiskCache(folder, limit=limit, age=age, secret=base64.urlsafe_b64decode(key))


def settle() -> None:
    """Wait until what was answered from the disk has been looked for in the store."""
    _checking.submit(lambda: None).result()
    if (found := disk()) is not None:
        found.settle()


def keeping(io: FileIO, warehouse: Warehouse, *, writes: bool = True) -> FileIO:
    """The same store, whose manifests are read from the disk where they are kept; kept there if `writes`."""
    found = disk()
    return io if found is None else cast(FileIO, KeepingIO(io, found, _scope(warehouse), writes=writes))


def keeping_table(table: Table, warehouse: Warehouse) -> Table:
    """The same table, which reads what is kept and adds no manifest to it."""
    io = keeping(table.io, warehouse, writes=False)
    return Table(io, table.location, table.identifier, table.dynamic_options, table.home)


def _scope(warehouse: Warehouse) -> str:
    """Who reads: what one registration may read, another with other credentials gets from the store."""
    said = json.dumps([warehouse.pk, warehouse.location, warehouse.options], sort_keys=True)
    return hashlib.sha256((said + warehouse.encrypted_credentials).encode()).hexdigest()


class KeepingIO:
    """Everything but the reading of manifests goes to the store itself."""

    def __init__(self, io: FileIO, kept_on: DiskCache, scope: str, *, writes: bool) -> None:
        self._io = io
        self._disk = kept_on
        self._scope = scope
        self._writes = writes
        self.answered = False  # whether something came from the disk

    def __getattr__(self, name: str) -> Any:
        return getattr(self._io, name)

    @property
    def keeper(self) -> KeepingIO:
        return self

    def read(self, path: str) -> bytes:
        if not _is_manifest(path):
            return self._io.read(path)
        kept = self._disk.get(self._object(path))
        if kept is not None:
            self.answered = True
            return kept
        data = self._io.read(path)
        if self._writes:
            self._disk.put_later(self._object(path), data)
        return data

    def forget(self, path: str) -> None:
        """What lies there makes no sense, or is gone: the store is asked again."""
        if _is_manifest(path):
            self._disk.drop_later(self._object(path))

    def kept_live(self, manifests: Sequence[str]) -> tuple[int, EntryColumns] | None:
        """The live files of the longest beginning of these manifests that is kept, with its length."""
        names = self._beginnings(manifests)
        for length in sorted(names, reverse=True):
            if self._disk.has(names[length]) and (data := self._disk.get(names[length])) is not None:
                self.answered = True
                return length, _decoded(data)
        return None

    def keep_live(self, manifests: Sequence[str], entries: EntryColumns) -> None:
        self._disk.put_later(self._beginnings(manifests)[len(manifests)], _encoded(entries))

    def check_later(self, directory: str, sizes: Mapping[str, int], lost: Callable[[], None]) -> None:
        """Look whether these manifests are still there, of these sizes; forget, and call `lost`, if not."""
        _checking.submit(self._check, directory, sizes, lost)

    def _check(self, directory: str, sizes: Mapping[str, int], lost: Callable[[], None]) -> None:
        with suppress(PaimonError):  # the store does not answer: nothing is known
            found = {status.path: status.size for status in self._io.list_files(directory)}
            gone = [name for name, size in sizes.items() if found.get(f"{directory}/{name}") != size]
            if gone:
                for name in gone:
                    self.forget(f"{directory}/{name}")
                for name in self._beginnings(list(sizes)).values():
                    self._disk.drop_later(name)
                lost()

    def _object(self, path: str) -> str:
        return f"{_FORMAT} object {self._scope} {path}"

    def _beginnings(self, manifests: Sequence[str]) -> dict[int, str]:
        """The names of live files by how many manifests from the first on they are of, the longest ones."""
        digest, names = hashlib.sha256(_COLUMNS.encode()), {}
        for length, manifest in enumerate(manifests, 1):
            digest.update(f"{manifest}\n".encode())
            if length >= len(manifests) - CHECKPOINT_EVERY:
                names[length] = f"{_FORMAT} live {self._scope} {digest.hexdigest()}"
        return names


def _is_manifest(path: str) -> bool:
    return path.rpartition("/")[0].endswith("/manifest")


def _encoded(entries: EntryColumns) -> memoryview:
    sink, table = pa.BufferOutputStream(), entries.table
    with pa.ipc.new_file(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as file:
        file.write_table(table, _ROWS_AT_ONCE)
    return memoryview(sink.getvalue()).cast("B")


def _decoded(data: bytes) -> EntryColumns:
    return EntryColumns(pa.ipc.open_file(pa.BufferReader(data)).read_all())


def keeper_of(table: Table) -> KeepingIO | None:
    """What keeps the table's metadata on disk; None where nothing does."""
    found: KeepingIO | None = getattr(table.io, "keeper", None)
    return found


def names_and_sizes(metas: Sequence[ManifestFileMeta]) -> dict[str, int]:
    """What manifests are there, and how large they are, as their lists say."""
    return {meta.file_name: meta.file_size for meta in metas}
