"""Commit messages <-> bytes, as they travel from executors to the driver.

A message is a few numbers, a manifest of its data files and an index manifest of its index
files, so whatever a file can have (statistics, keys, ranges) survives by their own codecs:

    magic "PCM" | version, 1 byte | bucket, total buckets: int32 | counts of files, of each group
    in turn: 10 x uint32 | lengths of the next three: 3 x uint32 | partition, serialized |
    reference of the snapshot before, UTF-8 | manifest with the data files in the order of their
    groups | index manifest with the index files in theirs, nothing if there are none

All numbers are big endian. Version 2, of releases before index files were written, has the
first four counts and the first two lengths. This is ours, not Paimon's.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from core.binary import BinaryRow
from core.errors import FormatError, UnsupportedError
from core.manifest.columns import decode_manifests
from core.manifest.encode import encode_manifest
from core.manifest.entry import FileKind, ManifestEntry
from core.manifest.file_meta import DataFileMeta
from core.manifest.index_manifest import IndexManifestEntry, decode_index_manifest, encode_index_manifest
from core.write.message import CommitMessage

_T = TypeVar("_T")

_MAGIC = b"PCM"
_VERSION = 3
_START = struct.Struct(">3sB")
_HEADS = {2: struct.Struct(">ii4I2I"), 3: struct.Struct(">ii10I3I")}

# In the order of the bytes.
_DATA = (
    "new_files",
    "deleted_files",
    "compact_before",
    "compact_after",
    "new_changelog",
    "compact_changelog",
)
_INDEX = (
    "new_index_files",
    "deleted_index_files",
    "compact_new_index_files",
    "compact_deleted_index_files",
)


def encode_message(message: CommitMessage) -> bytes:
    """The bytes of a message; `decode_message` turns them back."""
    data: list[tuple[DataFileMeta, ...]] = [getattr(message, name) for name in _DATA]
    index: list[tuple[IndexManifestEntry, ...]] = [getattr(message, name) for name in _INDEX]
    manifest = encode_manifest([_entry(message, file) for group in data for file in group])
    parts = [message.partition.to_bytes(), message.made_after.encode(), manifest]
    counts = (*map(len, data), *map(len, index))
    head = _HEADS[_VERSION].pack(message.bucket, message.total_buckets, *counts, *map(len, parts))
    if any(index):
        parts.append(encode_index_manifest([file for group in index for file in group]))
    return b"".join([_START.pack(_MAGIC, _VERSION), head, *parts])


def decode_message(data: bytes) -> CommitMessage:
    """The message of some bytes.

    Raises:
        FormatError: not a message. UnsupportedError: of another version.
    """
    (message,) = decode_messages([data])
    return message


def decode_messages(sources: Sequence[bytes]) -> list[CommitMessage]:
    """The messages of many tasks, in their order: a twentieth of what one after the other costs.

    Raises: as `decode_message`.
    """
    heads = [_read_head(data) for data in sources]
    parts = [head.parts_of(data) for head, data in zip(heads, sources, strict=True)]
    if not parts:
        return []
    manifests = [part[2] for part in parts]
    counts = [sum(head.data_counts) for head in heads]
    files = _split([entry.file for entry in decode_manifests(manifests).entries()], counts)
    return [_message(*of_one) for of_one in zip(heads, parts, files, strict=True)]


def _message(
    head: _Head, parts: tuple[bytes, bytes, bytes, bytes], files: Sequence[DataFileMeta]
) -> CommitMessage:
    partition, after, _, index_manifest = parts
    indexes = decode_index_manifest(index_manifest) if any(head.index_counts) else []
    groups: dict[str, Any] = dict(zip(_DATA, _split(files, head.data_counts), strict=False))
    groups |= dict(zip(_INDEX, _split(indexes, head.index_counts), strict=False))
    return CommitMessage(
        partition=BinaryRow.from_bytes(partition),
        bucket=head.bucket,
        total_buckets=head.total_buckets,
        made_after=_text(after),
        **groups,
    )


@dataclass(frozen=True, slots=True)
class _Head:
    size: int  # bytes before the parts
    bucket: int
    total_buckets: int
    data_counts: tuple[int, ...]
    index_counts: tuple[int, ...]
    lengths: tuple[int, ...]  # bytes of each part but the last

    def parts_of(self, data: bytes) -> tuple[bytes, bytes, bytes, bytes]:
        """Partition, reference, manifest and index manifest."""
        rest, parts = data[self.size :], []
        for length in self.lengths:
            parts.append(rest[:length])
            rest = rest[length:]
        parts.append(rest)
        return parts[0], parts[1], parts[2], parts[3] if len(parts) > 3 else b""


def _read_head(data: bytes) -> _Head:
    if data[:3] != _MAGIC or len(data) < _START.size:
        raise FormatError("not a commit message", found=data[:3], expected=_MAGIC)
    head = _HEADS.get(data[3])
    if head is None:
        raise UnsupportedError("commit message of another version", feature=f"version {data[3]}")
    size = _START.size + head.size
    if len(data) < size:
        raise FormatError("not a commit message", found=len(data), expected=size)
    bucket, total_buckets, *numbers = head.unpack_from(data, _START.size)
    data_groups, index_groups = (4, 0) if data[3] == 2 else (6, 4)
    counts, lengths = numbers[: data_groups + index_groups], numbers[data_groups + index_groups :]
    return _Head(
        size, bucket, total_buckets, tuple(counts[:data_groups]), tuple(counts[data_groups:]), tuple(lengths)
    )


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise FormatError("not a commit message", found=data) from error


def _entry(message: CommitMessage, file: DataFileMeta) -> ManifestEntry:
    return ManifestEntry(FileKind.ADD, message.partition, message.bucket, message.total_buckets, file)


def _split(files: Sequence[_T], counts: Sequence[int]) -> list[tuple[_T, ...]]:
    if len(files) != sum(counts):
        raise FormatError("a commit message lacks files", found=len(files), expected=sum(counts))
    rest = iter(files)
    return [tuple(islice(rest, count)) for count in counts]
