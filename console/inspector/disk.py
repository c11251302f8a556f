"""Metadata that never changes, kept on disk: by all processes of the console, within a size and an age.

An entry is one file, whose name says what it is of. It appears whole, by a rename, so any number of processes
may write and die; what is cut, changed or of another key does not open, and is taken away. Values of rows
stand in manifests, as statistics: so that the disk tells nobody what a role hides, entries are sealed.

Nothing here fails its caller: a disk that is full or gone keeps nothing.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
import struct
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_HEAD = struct.Struct(">4sQ12s")  # magic and version, bytes of what is sealed, nonce
_MAGIC = b"LSM\x01"
_TAG = 16  # bytes of the checksum that ends what is sealed
_TOUCHED_EVERY = 3600  # seconds: how exactly it is known when an entry was used last
_SWEPT_EVERY = 600  # seconds, at most, between two looks at what is too much or too old
_SHARE = 64  # a process looks, too, when it has written this part of the limit
_MOST_ENTRIES = 50_000
_MOST_WAITING = 64 * 1024 * 1024  # bytes that wait to be written; what comes then is not kept
_ABANDONED = 600  # seconds: half an entry that is older is of a process that died
_TOLD_EVERY = 5  # seconds between two notes of what a process counted
_FORGOTTEN = 86_400  # seconds: what a process counted that has not been heard of since


@dataclass
class Counts:
    """What was asked of the cache, and what became of it."""

    hits: int = 0
    misses: int = 0
    damaged: int = 0
    written: int = 0
    unwritten: int = 0  # for want of room on the disk, or of time
    swept: int = 0


class Kept(NamedTuple):
    """What lies on the disk."""

    entries: int
    bytes: int


class DiskCache:
    """Bytes by name, of at most `limit` bytes in all, each used within `age`. Threads may share it."""

    def __init__(self, folder: Path, *, limit: int, age: timedelta, secret: bytes) -> None:
        self._folder = folder
        self.limit = limit
        self._age = age.total_seconds()
        self._secret = hashlib.blake2b(secret, digest_size=32, person=b"metadata").digest()
        self._seal = AESGCM(self._secret)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="metadata-disk")
        self._lock = threading.Lock()
        self._counts = Counts()
        self._waiting = 0
        self._since_sweep = limit  # bytes: the first write of a process sweeps
        self._entries_since_sweep = 0
        self._swept_at = 0.0
        self._told_at = 0.0
        self._own_counts = folder / "counts" / f"{os.getpid()}-{secrets.token_hex(4)}"

    def get(self, name: str) -> bytes | None:
        """What was put there; None if it is not kept, or not as it was put there."""
        digest, path = self._place(name)
        found = self._read(path, digest)
        self._count("misses" if found is None else "hits")
        return found

    def has(self, name: str) -> bool:
        """Whether there seems to be an entry; `get` may find that there is none."""
        return self._place(name)[1].exists()

    def put(self, name: str, data: bytes | memoryview) -> None:
        """Keep it, in place of what was there."""
        try:
            self._write(name, data)
        except OSError:
            self._count("unwritten")
        else:
            self._count("written")
            self._sweep_if_due(len(data))

    def put_later(self, name: str, data: bytes | memoryview) -> Future[None] | None:
        """The same, behind the caller's back; None where so much waits that it is not done."""
        with self._lock:
            accepted = self._waiting + len(data) <= _MOST_WAITING
            self._waiting += len(data) if accepted else 0
        if not accepted:
            self._count("unwritten")
            return None
        return self._writer.submit(self._put_waiting, name, data)

    def drop_later(self, name: str) -> None:
        """Keep it no longer, nor what still waits to be written there."""
        self._writer.submit(self._drop, name)

    def settle(self) -> None:
        """Wait until all that is to be written is."""
        self._writer.submit(lambda: None).result()

    def kept(self) -> Kept:
        """How much lies on the disk, by a look at all of it."""
        sizes = [status.st_size for _, status in self._entries()]
        return Kept(len(sizes), sum(sizes))

    def counts(self) -> Counts:
        """What all processes counted that were heard of within a day."""
        self._tell()
        total = Counts()
        for file in _files(self._folder / "counts"):
            with suppress(OSError, ValueError, TypeError, AttributeError):
                if "." in file.name:
                    continue  # it is being written
                for name, number in json.loads(Path(file.path).read_bytes()).items():
                    setattr(total, name, getattr(total, name) + number)
        return total

    def sweep(self) -> None:
        """Take away what is too old, then what was used longest ago, until an eighth of the limit is free."""
        with suppress(OSError), _alone(self._folder / "lock") as alone:
            if alone:
                self._sweep()

    def _sweep(self) -> None:
        now = time.time()
        for place, limit in (("half", _ABANDONED), ("counts", _FORGOTTEN)):
            for file in _files(self._folder / place):
                _remove(file.path, unless_newer_than=now - limit)
        entries = sorted(self._entries(), key=lambda entry: entry[1].st_mtime)
        size, count = sum(status.st_size for _, status in entries), len(entries)
        for path, status in entries:
            fits = size <= self.limit * 7 // 8 and count <= _MOST_ENTRIES
            if fits and status.st_mtime >= now - self._age:
                break
            with suppress(OSError):
                os.unlink(path)
                size, count = size - status.st_size, count - 1
                self._count("swept")

    def _sweep_if_due(self, size: int) -> None:
        with self._lock:
            self._since_sweep += size
            self._entries_since_sweep += 1
            due = (
                self._since_sweep > self.limit // _SHARE
                or self._entries_since_sweep > _MOST_ENTRIES // _SHARE
                or time.monotonic() - self._swept_at > _SWEPT_EVERY
            )
            if due:
                self._since_sweep, self._entries_since_sweep = 0, 0
                self._swept_at = time.monotonic()
        if due:
            self.sweep()

    def _entries(self) -> Iterator[tuple[str, os.stat_result]]:
        for folder in _files(self._folder / "entries"):
            for file in _files(folder.path):
                with suppress(OSError):
                    yield file.path, file.stat()

    def _place(self, name: str) -> tuple[bytes, Path]:
        digest = hashlib.blake2b(name.encode(), digest_size=20, key=self._secret).digest()
        text = digest.hex()
        return digest, self._folder / "entries" / text[:2] / text[2:]

    def _read(self, path: Path, digest: bytes) -> bytes | None:
        try:
            with path.open("rb") as file:
                changed = os.fstat(file.fileno()).st_mtime
                data = file.read()
            idle = time.time() - changed
            if idle > self._age:
                return None
            if idle > _TOUCHED_EVERY:
                os.utime(path)
        except OSError:
            return None
        found = self._opened(data, digest)
        if found is None:
            self._count("damaged")
            with suppress(OSError):
                path.unlink(missing_ok=True)
        return found

    def _opened(self, data: bytes, digest: bytes) -> bytes | None:
        """What was sealed, if its length and its checksum are those that it had."""
        if len(data) < _HEAD.size + _TAG:
            return None
        magic, length, nonce = _HEAD.unpack_from(data)
        if magic != _MAGIC or len(data) != _HEAD.size + length:
            return None
        try:
            return self._seal.decrypt(nonce, memoryview(data)[_HEAD.size :], digest)
        except InvalidTag:
            return None

    def _write(self, name: str, data: bytes | memoryview) -> None:
        digest, path = self._place(name)
        nonce = os.urandom(12)
        sealed = self._seal.encrypt(nonce, data, digest)
        half = self._folder / "half" / secrets.token_hex(16)
        for folder in (half.parent, path.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with open(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(_HEAD.pack(_MAGIC, len(sealed), nonce))
                file.write(sealed)
            half.rename(path)
        except OSError:
            with suppress(OSError):
                half.unlink(missing_ok=True)
            raise

    def _drop(self, name: str) -> None:
        with suppress(OSError):
            self._place(name)[1].unlink(missing_ok=True)

    def _put_waiting(self, name: str, data: bytes | memoryview) -> None:
        try:
            self.put(name, data)
        finally:
            with self._lock:
                self._waiting -= len(data)

    def _count(self, what: str) -> None:
        with self._lock:
            setattr(self._counts, what, getattr(self._counts, what) + 1)
            due = time.monotonic() - self._told_at > _TOLD_EVERY
            if due:
                self._told_at = time.monotonic()
        if due:
            self._tell()

    def _tell(self) -> None:
        """Note what this process has counted where the others find it."""
        with suppress(OSError):
            self._own_counts.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            half = self._own_counts.with_name(f"{self._own_counts.name}.{secrets.token_hex(4)}")
            half.write_text(json.dumps(asdict(self._counts)))
            half.rename(self._own_counts)


def _files(folder: Path | str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


def _remove(path: str, *, unless_newer_than: float) -> None:
    with suppress(OSError):
        if os.stat(path).st_mtime < unless_newer_than:
            os.unlink(path)


@contextmanager
def _alone(lock: Path) -> Iterator[bool]:
    """Whether no other process is at it; until the end of the block none is."""
    lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with lock.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
