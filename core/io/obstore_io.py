"""FileIO on object stores, and in memory for tests, through obstore."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from io import BufferedReader, RawIOBase
from typing import IO, Any, ClassVar, cast

import obstore
from obstore import exceptions as failures
from obstore.store import MemoryStore, ObjectStore, from_url

from core.errors import (
    AlreadyExistsError,
    FormatError,
    InvalidRequestError,
    NotFoundError,
    StorageDeniedError,
    StorageError,
)
from core.io.clouds import AZURE_SCHEMES, GCS_SCHEMES, OSS_SCHEMES, azure_root, endpoint_of_bucket
from core.io.file_io import FileStatus
from core.io.paths import other_store
from core.io.range_input import RangeInput

_READ_AHEAD = 1 << 20  # bytes; small reads of a footer or a block header share one request


@dataclass(slots=True)
class ObstoreFileIO:
    """All buckets that `settings` give access to; a store is opened when a path first needs it.

    `settings` are obstore's own (`access_key_id`, `endpoint`, ...); `core.io.open` makes them
    of Paimon's options.
    """

    schemes: ClassVar[tuple[str, ...]] = ("s3", "s3a", "s3n")

    settings: Mapping[str, str] = field(default_factory=dict, repr=False)  # hold secrets
    _stores: dict[str, ObjectStore] = field(default_factory=dict, repr=False, compare=False)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (dict(self.settings),)  # stores are opened anew where the copy is used

    def read(self, path: str) -> bytes:
        store, key = self._locate(path)
        with _translated(path, "read"):
            return bytes(obstore.get(store, key).bytes())

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        return self.read_ranges(path, [(offset, length)])[0]

    def read_ranges(self, path: str, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        if not ranges:
            return []
        store, key = self._locate(path)
        starts, lengths = [r[0] for r in ranges], [r[1] for r in ranges]
        with _translated(path, "read"):
            parts = [bytes(p) for p in obstore.get_ranges(store, key, starts=starts, lengths=lengths)]
        for (offset, length), part in zip(ranges, parts, strict=True):
            if len(part) != length:
                raise FormatError("file is cut", path=path, offset=offset, expected=length, found=len(part))
        return parts

    def status(self, path: str) -> FileStatus:
        store, key = self._locate(path)
        with _translated(path, "status"):
            return _status(path, obstore.head(store, key))

    def exists(self, path: str) -> bool:
        try:
            self.status(path)
        except NotFoundError:
            return False
        return True

    def list_files(self, directory: str, *, recursive: bool = False) -> list[FileStatus]:
        if recursive:
            return sorted(self.iter_tree(directory), key=lambda status: status.path)
        store, key = self._locate(directory)
        with _translated(directory, "list"):
            objects = obstore.list_with_delimiter(store, key)["objects"]
        return sorted(_children(directory, key, objects), key=lambda status: status.path)

    def list_directories(self, directory: str) -> list[str]:
        store, key = self._locate(directory)
        with _translated(directory, "list"):
            prefixes = obstore.list_with_delimiter(store, key)["common_prefixes"]
        return sorted(prefix.rstrip("/").rpartition("/")[2] for prefix in prefixes)

    def iter_tree(self, directory: str) -> Iterator[FileStatus]:
        store, key = self._locate(directory)
        with _translated(directory, "list"):
            for page in obstore.list(store, f"{key}/" if key else None, chunk_size=1000):
                yield from _children(directory, key, page)

    def write(self, path: str, data: bytes) -> None:
        store, key = self._locate(path)
        with _translated(path, "write"):
            obstore.put(store, key, data)

    def create(self, path: str, data: bytes) -> None:
        store, key = self._locate(path)
        with _translated(path, "create"):
            # A conditional put (if-none-match) is what the format asks for. Spec: 08, 2.1.
            obstore.put(store, key, data, mode="create", use_multipart=False)

    def open_input(self, path: str) -> IO[bytes]:
        return cast("IO[bytes]", BufferedReader(RangeInput(self, self.status(path)), _READ_AHEAD))

    def open_output(self, path: str) -> IO[bytes]:
        store, key = self._locate(path)
        return cast("IO[bytes]", _ObjectOutput(path, obstore.open_writer(store, key)))

    def create_directory(self, directory: str) -> None:
        """Object stores know no directories: an empty marker file makes one that can be listed."""
        self.write(f"{directory.rstrip('/')}/.directory", b"")

    def delete(self, path: str) -> None:
        store, key = self._locate(path)
        with _translated(path, "delete"), contextlib.suppress(failures.NotFoundError, FileNotFoundError):
            obstore.delete(store, key)

    def delete_directory(self, directory: str) -> None:
        store, key = self._locate(directory)
        with _translated(directory, "delete directory"):
            for page in obstore.list(store, f"{key}/" if key else None, chunk_size=1000):
                obstore.delete(store, [item["path"] for item in page])

    def delete_empty_directory(self, directory: str) -> None:
        """Nothing to do: a directory is there as long as an object lies in it."""

    def rename_directory(self, source: str, target: str) -> None:
        """Copy, then delete: not atomic, and a reader may see both in between."""
        if self.list_files(target, recursive=True):
            raise AlreadyExistsError("directory exists already", path=target)
        moved = self.list_files(source, recursive=True)
        store, _ = self._locate(source)
        if self._locate(target)[0] is not store:
            raise InvalidRequestError("a directory stays in its bucket", source=source, target=target)
        for status in moved:
            new_path = target.rstrip("/") + status.path.removeprefix(source.rstrip("/"))
            with _translated(status.path, "copy"):
                obstore.copy(store, self._locate(status.path)[1], self._locate(new_path)[1])
        self.delete_directory(source)

    def rename_file(self, source: str, target: str) -> None:
        store, key = self._locate(source)
        to, new_key = self._locate(target)
        if to is not store:
            raise InvalidRequestError("a file stays in its bucket", source=source, target=target)
        with _translated(source, "copy"):
            obstore.copy(store, key, new_key)
        self.delete(source)

    def _locate(self, path: str) -> tuple[ObjectStore, str]:
        """The store of a path, and the key inside it; `UnsupportedError` for one of another kind."""
        scheme, separator, rest = path.partition("://")
        if not separator or scheme not in self.schemes:
            raise other_store(path, self.schemes[0])
        bucket, _, key = rest.partition("/")
        root = f"{_SCHEMES.get(scheme, scheme)}://{bucket}"
        store = self._stores.get(root)
        if store is None:
            store = self._stores.setdefault(root, self._open(root))
        return store, key.strip("/")

    def _open(self, root: str) -> ObjectStore:
        try:
            options = cast("Any", {"timeout": timedelta(seconds=60), "allow_http": True})
            config = cast("Any", endpoint_of_bucket(self.settings, root))
            return from_url(root, config=config, client_options=options)
        except (failures.BaseError, ValueError) as error:
            raise StorageError(
                "the store cannot be opened", path=root, operation="open", cause=error
            ) from error


# Several names of one store.
_SCHEMES = {"s3a": "s3", "s3n": "s3", "oss": "s3", "gcs": "gs"}


@dataclass(slots=True)
class GcsFileIO(ObstoreFileIO):
    """Buckets of Google Cloud Storage."""

    schemes: ClassVar[tuple[str, ...]] = GCS_SCHEMES


@dataclass(slots=True)
class OssFileIO(ObstoreFileIO):
    """Buckets of Alibaba's OSS, as which S3 is spoken."""

    schemes: ClassVar[tuple[str, ...]] = OSS_SCHEMES


@dataclass(slots=True)
class AzureFileIO(ObstoreFileIO):
    """Containers of Azure's Blob Storage and Data Lake."""

    schemes: ClassVar[tuple[str, ...]] = AZURE_SCHEMES

    def _open(self, root: str) -> ObjectStore:
        return ObstoreFileIO._open(self, azure_root(root))


@dataclass(slots=True)
class MemoryFileIO(ObstoreFileIO):
    """A store that lives in this process, for tests. Paths look like `memory://x/db.db/t`."""

    schemes: ClassVar[tuple[str, ...]] = ("memory",)

    def _open(self, root: str) -> ObjectStore:
        return MemoryStore()

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a memory store cannot leave its process")


class _ObjectOutput(RawIOBase):
    """An object that comes into being when it is closed without error, and never before."""

    def __init__(self, path: str, writer: Any) -> None:
        self._path = path
        self._writer = writer
        self._position = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def write(self, data: Any) -> int:
        with _translated(self._path, "write"):
            written = int(self._writer.write(bytes(data)))
        self._position += written
        return written

    def close(self) -> None:
        if not self.closed:
            with _translated(self._path, "close"):
                self._writer.close()
            super().close()

    def discard(self) -> None:
        """Give the upload up: a multipart upload that is never completed makes no object."""
        self._writer = None
        if not self.closed:
            super().close()

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def __del__(self) -> None:
        self.discard()


def _children(directory: str, key: str, objects: Sequence[Any]) -> Iterator[FileStatus]:
    base = directory.rstrip("/")
    for item in objects:
        name = str(item["path"]).removeprefix(key).lstrip("/")
        if name:  # else Hadoop's marker of the directory itself
            yield _status(f"{base}/{name}", item)


def _status(path: str, item: Any) -> FileStatus:
    modified = int(item["last_modified"].timestamp() * 1000)
    return FileStatus(path, int(item["size"]), modified, item.get("e_tag"))


@contextlib.contextmanager
def _translated(path: str, operation: str) -> Iterator[None]:
    """Errors of the store as core errors."""
    try:
        yield
    except (failures.NotFoundError, FileNotFoundError) as error:
        raise NotFoundError("file not found", path=path) from error
    except failures.AlreadyExistsError as error:
        raise AlreadyExistsError("file exists already", path=path) from error
    except (failures.PermissionDeniedError, failures.UnauthenticatedError) as error:
        raise _denied(path, operation, error) from error
    except (failures.BaseError, OSError) as error:
        if _REFUSED.search(str(error)):  # a list, of which obstore tells no more than that it failed
            raise _denied(path, operation, error) from error
        raise StorageError("the store failed", path=path, operation=operation, cause=_brief(error)) from error


_REFUSED = re.compile(r"\b(401 Unauthorized|403 Forbidden)\b")
# What S3 means by its codes; others are told as they came.
_CODES = {
    "InvalidAccessKeyId": "it knows no such access key",
    "SignatureDoesNotMatch": "the secret key is not that of the access key",
    "ExpiredToken": "the session token has expired",
    "AccessDenied": "the credentials do not allow this",
}


def _denied(path: str, operation: str, error: BaseException) -> StorageDeniedError:
    code = re.search(r"<Code>(\w+)</Code>", str(error))
    cause = f"{code[1]}: {_CODES[code[1]]}" if code is not None and code[1] in _CODES else _brief(error)
    return StorageDeniedError(
        "the store refused the credentials, or what they may do (401 or 403): see the options of access keys "
        "and tokens, and the permissions of their owner",
        path=path,
        operation=operation,
        cause=cause,
    )


def _brief(error: BaseException) -> str:
    return str(error).splitlines()[0][:200]
