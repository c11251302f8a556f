"""Writes the manifests of one commit attempt, and takes them back if it fails. Spec: 02, 5; 01, 1."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from core.binary.row import EMPTY_ROW
from core.errors import InvalidRequestError, UnsupportedError
from core.io.file_io import FileIO
from core.io.paths import TablePaths
from core.manifest.columns import ENTRY_SCHEMA, EntryColumns
from core.manifest.encode import encode_manifest
from core.manifest.entry import FileKind, ManifestEntry
from core.manifest.index_manifest import IndexManifestEntry, encode_index_manifest
from core.manifest.manifest_list import ManifestFileMeta, encode_manifest_list
from core.manifest.summary import summarized
from core.options import (
    FILE_COMPRESSION_ZSTD_LEVEL,
    MANIFEST_COMPRESSION,
    MANIFEST_DELETE_DROP_STATS,
    MANIFEST_FORMAT,
    MANIFEST_TARGET_FILE_SIZE,
    TableOptions,
)
from core.types.data_types import DataType

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


@dataclass(frozen=True, slots=True)
class WrittenList:
    name: str
    size: int  # bytes


class ManifestWriter:
    """Names files `manifest-<uuid>-<n>`, `manifest-list-<uuid>-<n>`: one writer an attempt.

    Raises:
        UnsupportedError: the table asks for manifests in another format than Avro, which
        readers of 0.9 would then not find in ours.
    """

    def __init__(
        self, io: FileIO, paths: TablePaths, partition_types: Sequence[DataType], options: TableOptions
    ) -> None:
        manifest_format = options.get(MANIFEST_FORMAT)
        if manifest_format.lower() != "avro":
            raise UnsupportedError(
                "only Avro manifests are written", feature=f"manifest.format={manifest_format}"
            )
        self._io = io
        self._paths = paths
        self._partition_types = tuple(partition_types)
        self._codec = avro_codec(options.get(MANIFEST_COMPRESSION))
        self._level = options.get(FILE_COMPRESSION_ZSTD_LEVEL)
        self._target_size = options.get(MANIFEST_TARGET_FILE_SIZE)
        self._drop_stats = options.get(MANIFEST_DELETE_DROP_STATS)
        self._uuid = str(uuid.uuid4())
        self._numbers = {kind: count() for kind in ("manifest", "manifest-list", "index-manifest")}
        self._written: list[str] = []

    def write_manifests(self, entries: EntryColumns | Iterable[ManifestEntry]) -> list[ManifestFileMeta]:
        """Manifests that together hold `entries` in order, each near the target size; none for none."""
        columns = entries if isinstance(entries, EntryColumns) else EntryColumns.of(entries)
        if self._drop_stats:
            columns = _without_stats_of_deletes(columns)
        return [self._write(part, data) for part, data in self._rolled(columns)]

    def write_list(self, manifests: Iterable[ManifestFileMeta]) -> WrittenList:
        """A manifest list; it is written even when it names nothing."""
        data = encode_manifest_list(manifests, codec=self._codec, level=self._level)
        return WrittenList(self._put("manifest-list", data), len(data))

    def write_index(self, entries: Iterable[IndexManifestEntry]) -> str:
        """An index manifest with all live index files of the snapshot; its name."""
        return self._put(
            "index-manifest", encode_index_manifest(entries, codec=self._codec, level=self._level)
        )

    @property
    def written(self) -> tuple[str, ...]:
        """Paths of all files of this attempt."""
        return tuple(self._written)

    def discard(self) -> None:
        """Delete everything written. Never after a commit whose outcome is unknown."""
        while self._written:
            self._io.delete(self._written.pop())

    def _rolled(self, entries: EntryColumns) -> Iterator[tuple[EntryColumns, bytes]]:
        """Even pieces that are each at most about the target size, with their bytes."""
        if not len(entries):
            return
        data = encode_manifest(entries, codec=self._codec, level=self._level)
        pieces = min(-(-len(data) // self._target_size), len(entries))
        if pieces == 1:
            yield entries, data
            return
        bounds = np.linspace(0, len(entries), pieces + 1).astype(int)
        for start, end in pairwise(bounds):
            piece = EntryColumns(entries.table.slice(start, end - start))
            yield piece, encode_manifest(piece, codec=self._codec, level=self._level)

    def _write(self, entries: EntryColumns, data: bytes) -> ManifestFileMeta:
        return summarized(
            entries,
            file_name=self._put("manifest", data),
            file_size=len(data),
            partition_types=self._partition_types,
        )

    def _put(self, kind: str, data: bytes) -> str:
        name = f"{kind}-{self._uuid}-{next(self._numbers[kind])}"
        path = self._paths.manifest_file(name)
        self._written.append(path)  # before the write: what fails half-way is taken back too
        self._io.write(path, data)
        return name


def avro_codec(compression: str) -> str:
    """Avro's name of the codec that an option names.

    Raises:
        InvalidRequestError: no codec of Avro.
    """
    codec = _CODECS.get(compression.lower())
    if codec is None:
        raise InvalidRequestError("no codec for Avro", found=compression, expected=", ".join(_CODECS))
    return codec


_CODECS = {
    "zstd": "zstandard",
    "zstandard": "zstandard",
    "snappy": "snappy",
    "deflate": "deflate",
    "bzip2": "bzip2",
    "none": "null",
    "null": "null",
    "uncompressed": "null",
}


def _without_stats_of_deletes(entries: EntryColumns) -> EntryColumns:
    """DELETE entries with empty statistics: nobody prunes by them."""
    deletes = pc.equal(entries.column("kind"), int(FileKind.DELETE))
    if not pc.any(deletes).as_py():
        return entries
    table = entries.table
    for name, fill in _EMPTY_STATS.items():
        field = ENTRY_SCHEMA.field(name)
        kept = pc.if_else(deletes, pa.scalar(fill, field.type), table.column(name))
        table = table.set_column(ENTRY_SCHEMA.get_field_index(name), field, kept)
    return EntryColumns(table)


_EMPTY_STATS: dict[str, object] = {
    "key_stats_min": EMPTY_ROW.to_bytes(),
    "key_stats_max": EMPTY_ROW.to_bytes(),
    "key_stats_nulls": [],
    "value_stats_min": EMPTY_ROW.to_bytes(),
    "value_stats_max": EMPTY_ROW.to_bytes(),
    "value_stats_nulls": [],
    "value_stats_cols": [],
}
