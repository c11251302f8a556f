"""FileIO on HDFS, through the HTTP interface that every namenode has (WebHDFS).

An address is Paimon's, `hdfs://namenode:8020/path`; HTTP is spoken to the same host at port 9870, or where
the option `hadoop.dfs.namenode.http-address` says. Names of users are believed, as Hadoop does without
Kerberos, which is refused by name.
"""

from __future__ import annotations

import getpass
import http.client
import json
import os
import socket
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader, RawIOBase
from ipaddress import ip_address
from typing import IO, Any, cast
from urllib.parse import quote, urlencode, urlsplit

from core.errors import (
    AlreadyExistsError,
    FormatError,
    InvalidRequestError,
    NotFoundError,
    StorageDeniedError,
    StorageError,
    UnsupportedError,
)
from core.io.file_io import FileStatus
from core.io.paths import other_store
from core.io.range_input import RangeInput

HDFS_SCHEMES = ("hdfs",)
HTTP_ADDRESS = "hadoop.dfs.namenode.http-address"
HTTP_PORT = 9870
TIMEOUT = 60.0  # seconds
_AUTHENTICATION = "hadoop.hadoop.security.authentication"
_IN_MEMORY = 16 << 20  # bytes of a file that is being written; more of them wait on the disk
_READ_AHEAD = 1 << 20

_NOT_THERE = ("FileNotFoundException",)
_TAKEN = ("FileAlreadyExistsException",)
_DENIED = ("AccessControlException", "SecurityException")


def hdfs_namenode(path: str, options: Mapping[str, str]) -> str:
    """`host:port` of the namenode's HTTP.

    Raises:
        InvalidRequestError: neither address nor options name a host. UnsupportedError: Kerberos.
    """
    if options.get(_AUTHENTICATION, "simple").lower() != "simple" or any(
        key.startswith("security.kerberos.") for key in options
    ):
        raise UnsupportedError("no way to sign in to HDFS by Kerberos", feature="kerberos", where="hdfs://")
    host = urlsplit(path).hostname
    address = options.get(HTTP_ADDRESS) or (f"{host}:{HTTP_PORT}" if host else "")
    if not address:
        raise InvalidRequestError(
            "an address in HDFS names its namenode", path=path, expected="hdfs://<host>:<port>/<path>"
        )
    return address


@dataclass(frozen=True, slots=True)
class HdfsFileIO:
    """The files of one namenode; what is written gets its name when it is whole."""

    namenode: str  # host:port of its HTTP

    def read(self, path: str) -> bytes:
        return self._open(path, {})

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        if length == 0:
            return b""
        found = self._open(path, {"offset": str(offset), "length": str(length)})
        if len(found) != length:
            raise FormatError("file is cut", path=path, offset=offset, expected=length, found=len(found))
        return found

    def read_ranges(self, path: str, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        return [self.read_range(path, offset, length) for offset, length in ranges]

    def status(self, path: str) -> FileStatus:
        found = self._ask("GET", path, "GETFILESTATUS")["FileStatus"]
        return _status(path, found)

    def exists(self, path: str) -> bool:
        try:
            return bool(self._ask("GET", path, "GETFILESTATUS")["FileStatus"]["type"] == "FILE")
        except NotFoundError:
            return False

    def list_files(self, directory: str, *, recursive: bool = False) -> list[FileStatus]:
        found = self.iter_tree(directory) if recursive else self._files(directory)
        return sorted(found, key=lambda status: status.path)

    def list_directories(self, directory: str) -> list[str]:
        return sorted(e["pathSuffix"] for e in self._entries(directory) if e["type"] == "DIRECTORY")

    def iter_tree(self, directory: str) -> Iterator[FileStatus]:
        base = directory.rstrip("/")
        for entry in self._entries(directory):
            path = f"{base}/{entry['pathSuffix']}"
            if entry["type"] == "DIRECTORY":
                yield from self.iter_tree(path)
            else:
                yield _status(path, entry)

    def write(self, path: str, data: bytes) -> None:
        with self._written(path, data) as temporary:
            self._rename(temporary, path, replace=True)

    def create(self, path: str, data: bytes) -> None:
        with self._written(path, data) as temporary:
            self._rename(temporary, path)  # the namenode refuses a name that is taken

    def open_input(self, path: str) -> IO[bytes]:
        return cast("IO[bytes]", BufferedReader(RangeInput(self, self.status(path)), _READ_AHEAD))

    def open_output(self, path: str) -> IO[bytes]:
        return cast("IO[bytes]", _HdfsOutput(self, path))

    def create_directory(self, directory: str) -> None:
        self._ask("PUT", directory, "MKDIRS")

    def delete(self, path: str) -> None:
        self._ask("DELETE", path, "DELETE", recursive="false")

    def delete_directory(self, directory: str) -> None:
        self._ask("DELETE", directory, "DELETE", recursive="true")

    def delete_empty_directory(self, directory: str) -> None:
        try:
            is_empty = not self._entries(directory)
        except NotFoundError:
            return
        if is_empty:
            self.delete(directory)

    def rename_directory(self, source: str, target: str) -> None:
        self._make_parent(target)
        self._rename(source, target)

    def rename_file(self, source: str, target: str) -> None:
        self._make_parent(target)
        self._rename(source, target)

    def upload(self, path: str, data: IO[bytes]) -> None:
        """Write a file whole; raises as `write`."""
        temporary = _temporary(path)
        try:
            self._send("PUT", self._url(temporary, "CREATE", overwrite="false"), temporary, "write", data)
            self._rename(temporary, path, replace=True)
        except StorageError:
            self._forget(temporary)
            raise

    # --- requests

    @contextmanager
    def _written(self, path: str, data: bytes) -> Iterator[str]:
        """A file beside the one that is meant, which goes unless it is renamed."""
        temporary = _temporary(path)
        try:
            self._send("PUT", self._url(temporary, "CREATE", overwrite="false"), temporary, "write", data)
            yield temporary
        except (StorageError, AlreadyExistsError):
            self._forget(temporary)
            raise

    def _forget(self, temporary: str) -> None:
        try:
            self.delete(temporary)
        except StorageError:
            return  # of orphan files it is one

    def _rename(self, source: str, target: str, *, replace: bool = False) -> None:
        options = "OVERWRITE" if replace else "NONE"
        self._ask("PUT", source, "RENAME", destination=_key(target), renameoptions=options)

    def _make_parent(self, path: str) -> None:
        self.create_directory(path.rstrip("/").rpartition("/")[0])

    def _open(self, path: str, asked: Mapping[str, str]) -> bytes:
        return self._send("GET", self._url(path, "OPEN", **asked), path, "read")

    def _files(self, directory: str) -> list[FileStatus]:
        base, found = directory.rstrip("/"), self._entries(directory)
        return [_status(f"{base}/{e['pathSuffix']}", e) for e in found if e["type"] == "FILE"]

    def _entries(self, directory: str) -> list[dict[str, Any]]:
        """All that stands in a directory, a thousand or so an answer; nothing of one that is not there."""
        found: list[dict[str, Any]] = []
        after: dict[str, str] = {}
        while True:
            try:
                listing = self._ask("GET", directory, "LISTSTATUS_BATCH", **after)["DirectoryListing"]
            except NotFoundError:
                return found
            some = listing["partialListing"]["FileStatuses"]["FileStatus"]
            found += [entry for entry in some if entry["pathSuffix"]]  # a file lists itself, without a name
            if not some or not listing["remainingEntries"]:
                return found
            after = {"startAfter": some[-1]["pathSuffix"]}

    def _ask(self, method: str, path: str, operation: str, **asked: str) -> dict[str, Any]:
        body = self._send(method, self._url(path, operation, **asked), path, operation.lower())
        answer: dict[str, Any] = json.loads(body or b"{}")
        return answer

    def _url(self, path: str, operation: str, **asked: str) -> str:
        query = urlencode({"op": operation, "user.name": _user(), **asked})
        return f"http://{self.namenode}/webhdfs/v1{quote(_key(path))}?{query}"

    def _send(
        self, method: str, url: str, path: str, operation: str, data: bytes | IO[bytes] | None = None
    ) -> bytes:
        """The answer; content goes to and comes from the datanode that the namenode names."""
        try:
            status, location, body = _request(method, url, None)
            if status == 307 and location:
                _check_datanode(location)
                status, _, body = _request(method, location, data)
        except (OSError, http.client.HTTPException) as error:
            raise StorageError(
                "the store failed", path=path, operation=operation, cause=str(error)
            ) from error
        if status < 300:
            return body
        raise _refusal(status, body, path, operation)


class _HdfsOutput(RawIOBase):
    """A file that comes into being when it is closed without error, and never before."""

    def __init__(self, io: HdfsFileIO, path: str) -> None:
        self._io, self._path = io, path
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115  # closed with this one

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._file.tell()

    def write(self, data: Any) -> int:
        return self._file.write(data)

    def close(self) -> None:
        if not self.closed:
            try:
                self._io.upload(self._path, cast("IO[bytes]", self._file))
            finally:
                self._file.close()
            super().close()

    def discard(self) -> None:
        """Close without leaving a file."""
        self._file.close()
        if not self.closed:
            super().close()

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def __del__(self) -> None:
        self.discard()


def _request(method: str, url: str, data: bytes | IO[bytes] | None) -> tuple[int, str | None, bytes]:
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=TIMEOUT)
    try:
        headers = {}
        if data is not None:
            size = len(data) if isinstance(data, bytes) else data.seek(0, os.SEEK_END)
            headers = {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
        if data is not None and not isinstance(data, bytes):
            data.seek(0)
        connection.request(method, f"{parts.path}?{parts.query}", data, headers)
        answer = connection.getresponse()
        return answer.status, answer.getheader("Location"), answer.read()
    finally:
        connection.close()


def _check_datanode(location: str) -> None:
    """Raises `OSError` for a place where clouds hand out the credentials of this machine."""
    host = urlsplit(location).hostname
    for found in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM):
        if ip_address(str(found[4][0]).partition("%")[0]).is_link_local:
            raise OSError(f"the namenode names a link-local datanode: {host}")


def _refusal(status: int, body: bytes, path: str, operation: str) -> Exception:
    try:
        told = json.loads(body)["RemoteException"]
        kind, cause = str(told["exception"]), str(told["message"]).partition("\n")[0][:200]
    except (ValueError, KeyError, TypeError):
        kind, cause = "", f"HTTP {status}"
    if kind in _NOT_THERE:
        return NotFoundError("file not found", path=path)
    if kind in _TAKEN:
        return AlreadyExistsError("file exists already", path=path)
    given = {"path": path, "operation": operation, "cause": cause}
    if kind in _DENIED or status == 401:
        return StorageDeniedError(f"HDFS does not let the user {_user()} do that", **given)
    return StorageError("the store failed", **given)


def _key(path: str) -> str:
    """The path inside of the store."""
    scheme, separator, rest = path.partition("://")
    if not separator or scheme not in HDFS_SCHEMES:
        raise other_store(path, HDFS_SCHEMES[0])
    return "/" + rest.partition("/")[2].rstrip("/")


def _temporary(path: str) -> str:
    """Beside the file, in the form that Paimon and we know what a crash leaves by."""
    directory, _, name = path.rpartition("/")
    return f"{directory}/.{name}.{uuid.uuid4()}.tmp"


def _status(path: str, found: Mapping[str, Any]) -> FileStatus:
    tag = f"{found['fileId']:x}-{found['modificationTime']:x}" if "fileId" in found else None
    return FileStatus(path, int(found["length"]), int(found["modificationTime"]), tag)


def _user() -> str:
    """Hadoop's way to name it."""
    try:
        return os.environ.get("HADOOP_USER_NAME") or getpass.getuser()
    except (KeyError, OSError):  # a container's user may have no name
        return "lakescope"
