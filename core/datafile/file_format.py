"""The format of a data file, told by its name. Spec: 01, 1.1; 04, A3."""

from __future__ import annotations

from enum import StrEnum

from core.errors import UnsupportedError


class FileFormat(StrEnum):
    """The formats that we read."""

    PARQUET = "parquet"
    ORC = "orc"
    AVRO = "avro"
    BLOB = "blob"


_VECTOR_STORE = "vector"  # `data-<uuid>-0.vector.<format>`
# What text formats put behind theirs: `data-<uuid>-0.json.gz`. Others put the codec before:
# `data-<uuid>-0.zstd.parquet` (`file.suffix.include.compression`).
_CODEC_SUFFIXES = frozenset({"gz", "gzip", "zst", "zstd", "bz2", "lz4", "snappy", "deflate", "xz"})


def format_of(file_name: str) -> FileFormat:
    """The format that the extensions of a name, or of a path, say.

    Raises:
        UnsupportedError: a format of Paimon that we do not read, such as `lance`, or a vector store.
    """
    _, *extensions = file_name.rpartition("/")[2].lower().split(".")
    if len(extensions) > 1 and extensions[-1] in _CODEC_SUFFIXES:
        extensions.pop()
    if _VECTOR_STORE in extensions[-2:-1]:
        raise _unread("vector-store file", file_name)
    extension = extensions[-1] if extensions else ""
    try:
        return FileFormat(extension)
    except ValueError:
        raise _unread(f"file format {extension or 'without a name'}", file_name) from None


def _unread(feature: str, file_name: str) -> UnsupportedError:
    return UnsupportedError("data files of this format are not read", feature=feature, where=file_name)
