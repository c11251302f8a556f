"""The store that a path lives in."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from core.errors import InvalidRequestError, UnsupportedError
from core.io.clouds import (
    AZURE_SCHEMES,
    GCS_SCHEMES,
    OSS_SCHEMES,
    azure_settings,
    gcs_settings,
    oss_settings,
)
from core.io.file_io import FileIO
from core.io.local import LocalFileIO
from core.io.obstore_io import AzureFileIO, GcsFileIO, MemoryFileIO, ObstoreFileIO, OssFileIO
from core.io.webhdfs import HDFS_SCHEMES, HdfsFileIO, hdfs_namenode

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")

# Paimon's options of S3 (with Hadoop's `fs.s3a.` spelling) and the settings of obstore.
_S3_OPTIONS = {
    "access-key": "access_key_id",
    "access.key": "access_key_id",
    "secret-key": "secret_access_key",
    "secret.key": "secret_access_key",
    "session.token": "session_token",
    "session-token": "session_token",
    "endpoint": "endpoint",
    "endpoint.region": "region",
    "region": "region",
}
_S3_PREFIXES = ("s3.", "s3a.", "fs.s3a.")
_S3_PATH_STYLE = ("path.style.access", "path-style-access")


def file_io_for(path: str, options: Mapping[str, str] | None = None) -> FileIO:
    """The FileIO that serves `path`, set up by a catalog's or table's options.

    Raises:
        UnsupportedError: no store of that scheme is implemented.
    """
    scheme = scheme_of(path)
    if scheme == "file":
        return LocalFileIO()
    if scheme in ("s3", "s3a", "s3n"):
        return ObstoreFileIO(s3_settings(options or {}))
    if scheme in GCS_SCHEMES:
        return GcsFileIO(gcs_settings(options or {}))
    if scheme in OSS_SCHEMES:
        return OssFileIO(oss_settings(options or {}))
    if scheme in AZURE_SCHEMES:
        return AzureFileIO(azure_settings(options or {}))
    if scheme in HDFS_SCHEMES:
        return HdfsFileIO(hdfs_namenode(path, options or {}))
    if scheme == "memory":
        return MemoryFileIO()
    raise UnsupportedError("no store for this scheme", feature=f"{scheme}://", where=path)


def scheme_of(path: str) -> str:
    """What stands before the first colon, unless a slash comes first; `file` where nothing does."""
    match = _SCHEME.match(path)
    return match.group(1) if match else "file"


def renames_directories(path: str) -> bool:
    """Whether a directory gets another name at once, as on disks and in HDFS; others copy and delete."""
    return scheme_of(path) in ("file", *HDFS_SCHEMES)


def absolute_path(path: str) -> str:
    """`path` in a form that means the same in every process.

    Raises:
        InvalidRequestError: a path that names no place. UnsupportedError: a file on another host.
    """
    if scheme_of(path) != "file":
        bucket = path.partition("://")[2].partition("/")[0]
        if not bucket:
            raise InvalidRequestError("an address in a store is scheme://bucket/path", path=path)
        return path
    if not path.startswith("file:"):
        return path if path.startswith("/") else os.path.abspath(path)
    place = path.removeprefix("file:")
    host, _, rest = place[2:].partition("/") if place.startswith("//") else ("", "", place)
    if not place.startswith("/"):
        raise InvalidRequestError("a file: address holds an absolute path", path=path)
    if host not in ("", "localhost"):
        raise UnsupportedError("files of another host", feature=f"file://{host}", where=path)
    return f"file:///{rest}" if host else path


def s3_settings(options: Mapping[str, str]) -> dict[str, str]:
    """obstore's settings for Paimon's `s3.*` options; unknown ones are left to others."""
    settings: dict[str, str] = {}
    for key, value in options.items():
        name = next((key.removeprefix(p) for p in _S3_PREFIXES if key.startswith(p)), "")
        if name in _S3_OPTIONS:
            settings[_S3_OPTIONS[name]] = value
        elif name in _S3_PATH_STYLE:
            settings["virtual_hosted_style_request"] = str(value.lower() != "true").lower()
    return settings
