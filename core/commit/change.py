"""What a commit is to change, gathered from the messages of writers. Spec: 08, 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.binary import BinaryRow
from core.manifest.entry import FileKind, ManifestEntry
from core.manifest.file_meta import DataFileMeta
from core.snapshot.snapshot import CommitKind
from core.write.message import CommitMessage


@dataclass(frozen=True, slots=True)
class Change:
    """What one snapshot changes."""

    kind: CommitKind
    entries: tuple[ManifestEntry, ...]
    replaces: Callable[[BinaryRow], bool] | None = None  # partitions whose live files all go
    is_retry: bool = False  # after an unknown outcome: its files may be in the table already
    made_after: str = ""  # the new files were begun on this snapshot (a reference); empty: not known

    @property
    def is_empty(self) -> bool:
        """Whether no snapshot is needed: no file comes or goes, and nothing is replaced."""
        return not self.entries and self.replaces is None

    @property
    def replaces_files(self) -> bool:
        """Whether files go; new ones alone clash with no files that are there."""
        return self.kind is not CommitKind.APPEND or any(e.kind is FileKind.DELETE for e in self.entries)

    @property
    def needs_check(self) -> bool:
        """Whether the change can clash with another commit. Rows of a fixed number of buckets do
        with a commit that changed the number; without buckets new files fit in everywhere."""
        return self.replaces_files or self.is_retry or any(e.total_buckets > 0 for e in self.entries)


def written(messages: Sequence[CommitMessage]) -> Change:
    """The new files of writers, and the deletions that they asked for."""
    deleted = [e for m in messages for e in _entries(m, FileKind.DELETE, m.deleted_files)]
    kind = CommitKind.OVERWRITE if deleted else CommitKind.APPEND
    return Change(kind, (*deleted, *added(messages)), made_after=_oldest_base(messages))


def overwritten(messages: Sequence[CommitMessage], replaces: Callable[[BinaryRow], bool]) -> Change:
    """The new files of writers in place of all that is live in some partitions."""
    return Change(CommitKind.OVERWRITE, added(messages), replaces=replaces, made_after=_oldest_base(messages))


def compacted(messages: Iterable[CommitMessage]) -> Change:
    """The results of compactions in place of their inputs."""
    entries: list[ManifestEntry] = []
    for message in messages:
        entries += _entries(message, FileKind.DELETE, message.compact_before)
        entries += _entries(message, FileKind.ADD, message.compact_after)
    return Change(CommitKind.COMPACT, tuple(entries))


def added(messages: Iterable[CommitMessage]) -> tuple[ManifestEntry, ...]:
    """The new files of writers as entries."""
    return tuple(e for m in messages for e in _entries(m, FileKind.ADD, m.new_files))


def _oldest_base(messages: Iterable[CommitMessage]) -> str:
    """The reference of the oldest snapshot that a writer began on; empty if one is not known."""
    found = {message.made_after for message in messages if message.new_files}
    return "" if "" in found else min(found, key=lambda r: int(r.partition("~")[0]), default="")


def _entries(
    message: CommitMessage, kind: FileKind, files: Iterable[DataFileMeta]
) -> Iterator[ManifestEntry]:
    for file in files:
        yield ManifestEntry(kind, message.partition, message.bucket, message.total_buckets, file)
