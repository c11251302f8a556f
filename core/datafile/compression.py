"""The codecs that each format is written with, under Paimon's names. Spec: 04, A4."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.datafile.file_format import FileFormat
from core.errors import UnsupportedError

_SAME = {"uncompressed": "none", "null": "none", "zstandard": "zstd"}
_CODECS: Mapping[FileFormat, frozenset[str]] = {
    FileFormat.PARQUET: frozenset({"zstd", "snappy", "gzip", "brotli", "lz4", "none"}),
    FileFormat.ORC: frozenset({"zstd", "snappy", "zlib", "lz4", "none"}),
    FileFormat.AVRO: frozenset({"zstd", "snappy", "deflate", "bzip2", "xz", "none"}),
}


@dataclass(frozen=True, slots=True)
class Compression:
    """`file.compression` and `file.compression.zstd-level`."""

    codec: str = "zstd"
    zstd_level: int = 1

    @staticmethod
    def of(name: str, zstd_level: int, file_format: FileFormat) -> Compression:
        """The codec that an option names, for files of one format.

        Raises:
            UnsupportedError: the format is not written with it.
        """
        codec = _SAME.get(name.lower(), name.lower())
        if codec not in _CODECS[file_format]:
            feature = f"file.compression {codec} of {file_format} files"
            raise UnsupportedError("files are not written with this codec", feature=feature)
        return Compression(codec, zstd_level)
