"""Commit messages <-> bytes, as they travel from executors to the driver.

A message is a few numbers and a manifest of its files, so whatever a data file can have
(statistics, keys, indexes) survives by the manifest's own codec:

    magic "PCM" | version, 1 byte | bucket, total buckets: int32 | counts of new, deleted,
    compact-before and compact-after files: 4 x uint32 | lengths of the next two: 2 x uint32 |
    partition, serialized | reference of the snapshot before, UTF-8 | manifest with the files in that order

All numbers are big endian. This is ours, not Paimon's: both ends are always of one release.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import islice

from core.binary import BinaryRow
from core.errors import FormatError, UnsupportedError
from core.manifest.columns import decode_manifests
from core.manifest.encode import encode_manifest
from core.manifest.entry import FileKind, ManifestEntry
from core.manifest.file_meta import DataFileMeta
from core.write.message import CommitMessage

_MAGIC = b"PCM"
_VERSION = 2
_HEAD = struct.Struct(">3sBii4I2I")


def encode_message(message: CommitMessage) -> bytes:
    """The bytes of a message; `decode_message` turns them back."""
    groups = (message.new_files, message.deleted_files, message.compact_before, message.compact_after)
    partition = message.partition.to_bytes()
    after = message.made_after.encode()
    lengths = (*map(len, groups), len(partition), len(after))
    head = _HEAD.pack(_MAGIC, _VERSION, message.bucket, message.total_buckets, *lengths)
    entries = [_entry(message, file) for group in groups for file in group]
    return head + partition + after + encode_manifest(entries)


def decode_message(data: bytes) -> CommitMessage:
    """The message of some bytes.

    Raises:
        FormatError: not a message. UnsupportedError: of another version.
    """
    try:
        magic, version, bucket, total_buckets, *counts, length, after_length = _HEAD.unpack_from(data)
    except struct.error as error:
        raise FormatError("not a commit message", found=len(data), expected=_HEAD.size) from error
    if magic != _MAGIC:
        raise FormatError("not a commit message", found=magic, expected=_MAGIC)
    if version != _VERSION:
        raise UnsupportedError("commit message of another version", feature=f"version {version}")
    middle = _HEAD.size + length
    end = middle + after_length
    files = [entry.file for entry in decode_manifests([data[end:]]).entries()]
    if len(files) != sum(counts):
        raise FormatError("a commit message lacks files", found=len(files), expected=sum(counts))
    new, deleted, before, after = _split(files, counts)
    return CommitMessage(
        partition=BinaryRow.from_bytes(data[_HEAD.size : middle]),
        bucket=bucket,
        total_buckets=total_buckets,
        made_after=_text(data[middle:end]),
        new_files=new,
        deleted_files=deleted,
        compact_before=before,
        compact_after=after,
    )


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise FormatError("not a commit message", found=data) from error


def _entry(message: CommitMessage, file: DataFileMeta) -> ManifestEntry:
    return ManifestEntry(FileKind.ADD, message.partition, message.bucket, message.total_buckets, file)


def _split(files: Sequence[DataFileMeta], counts: Sequence[int]) -> list[tuple[DataFileMeta, ...]]:
    rest = iter(files)
    return [tuple(islice(rest, count)) for count in counts]
