"""Manifest entries: a data file was added to a bucket, or removed from it. Spec: 02, 3 and 4.1."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from core.binary.row import BinaryRow
from core.errors import FormatError
from core.manifest.file_meta import DataFileMeta


class FileKind(IntEnum):
    ADD = 0
    DELETE = 1


class FileIdentifier(NamedTuple):
    """What makes two entries speak of the same data file at the same level."""

    partition: BinaryRow
    bucket: int
    level: int
    file_name: str
    extra_files: tuple[str, ...]
    embedded_index: bytes | None
    external_path: str | None


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    kind: FileKind
    partition: BinaryRow
    bucket: int
    total_buckets: int  # at write time; a rescaled table holds entries that disagree
    file: DataFileMeta

    @property
    def identifier(self) -> FileIdentifier:
        f = self.file
        return FileIdentifier(
            self.partition,
            self.bucket,
            f.level,
            f.file_name,
            f.extra_files,
            f.embedded_index,
            f.external_path,
        )


def merge_entries(entries: Iterable[ManifestEntry]) -> list[ManifestEntry]:
    """Cancel each DELETE against its ADD; return the rest in the order first seen.

    A DELETE without its ADD stays: the ADD is in an older manifest. This is the clear
    form; `columns.py` does the same over columns, and is tested against it.

    Raises:
        FormatError: a file is added while an entry for it is still standing.
    """
    standing: dict[FileIdentifier, ManifestEntry] = {}
    for entry in entries:
        key = entry.identifier
        if entry.kind is FileKind.ADD and key in standing:
            raise FormatError("file added twice", file=entry.file.file_name)
        if entry.kind is FileKind.ADD or standing.pop(key, None) is None:
            standing[key] = entry
    return list(standing.values())
