"""What a commit is to change, gathered from the messages of writers. Spec: 08, 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.binary import BinaryRow
from core.commit.indexes import NO_INDEX_CHANGE, IndexChange
from core.commit.notes import NO_NOTES, CommitNotes
from core.manifest.entry import FileKind, ManifestEntry
from core.manifest.file_meta import DataFileMeta
from core.snapshot.snapshot import CommitKind
from core.write.message import CommitMessage


@dataclass(frozen=True, slots=True)
class Change:
    """What one snapshot changes."""

    kind: CommitKind
    entries: tuple[ManifestEntry, ...] = ()
    replaces: Callable[[BinaryRow], bool] | None = None  # partitions whose live files all go
    is_retry: bool = False  # after an unknown outcome: its files may be in the table already
    made_after: str = ""  # the new files were begun on this snapshot (a reference); empty: not known
    read_at: str = ""  # the rows are those of this snapshot (a reference), which has to be there yet
    changelog: tuple[ManifestEntry, ...] = ()
    indexes: IndexChange = NO_INDEX_CHANGE
    statistics: str | None = None  # a file in statistics/ that describes the table as it is
    merges_manifests: bool = False  # all of them, however few; alone, no snapshot where nothing is won
    notes: CommitNotes = NO_NOTES

    @property
    def is_empty(self) -> bool:
        """Whether no snapshot is needed: no file comes or goes, and nothing is replaced."""
        files = self.entries or self.changelog or self.indexes or self.statistics
        return not files and self.replaces is None and not self.merges_manifests

    @property
    def only_merges_manifests(self) -> bool:
        return self.merges_manifests and replace(self, merges_manifests=False).is_empty

    @property
    def only_adds_to_level_0(self) -> bool:
        """Whether new files are all there is, of rows that nothing is known of and no order is kept of."""
        plain = (
            e.kind is FileKind.ADD and e.file.level == 0 and e.file.first_row_id is None for e in self.entries
        )
        return self.kind is CommitKind.APPEND and not self.is_retry and all(plain)

    @property
    def only_adds(self) -> bool:
        """Whether no data file goes."""
        return all(entry.kind is FileKind.ADD for entry in self.entries)

    @property
    def partitions(self) -> set[BinaryRow]:
        """Those in which data or index files come or go."""
        of_indexes = {index.partition for index in (*self.indexes.added, *self.indexes.removed)}
        return of_indexes.union(entry.partition for entry in self.entries)

    @property
    def made_names(self) -> set[str]:
        """Names of all files that the snapshot is to bring in."""
        added = [entry for entry in self.entries if entry.kind is FileKind.ADD]
        names = {entry.file.file_name for entry in (*added, *self.changelog)}
        return names | {entry.file_name for entry in self.indexes.added}

    @property
    def replaces_files(self) -> bool:
        """Whether files go; new ones alone clash with no files that are there."""
        return self.kind is not CommitKind.APPEND

    @property
    def needs_check(self) -> bool:
        """Whether the change can clash with another commit. Rows of a fixed number of buckets do
        with a commit that changed the number, rows that have ids with one that moved them;
        without either new files fit in everywhere."""
        clashes = (e.total_buckets > 0 or e.file.first_row_id is not None for e in self.entries)
        return self.replaces_files or self.is_retry or any(clashes)


def written(messages: Sequence[CommitMessage]) -> Change:
    """The new files of writers, and the deletions that they asked for."""
    deleted = [e for m in messages for e in _entries(m, FileKind.DELETE, m.deleted_files)]
    indexes = IndexChange(
        tuple(index for m in messages for index in m.new_index_files),
        tuple(index for m in messages for index in m.deleted_index_files),
    )
    return Change(
        CommitKind.OVERWRITE if deleted or indexes.has_vectors else CommitKind.APPEND,
        (*deleted, *added(messages)),
        made_after=_oldest_base(messages),
        changelog=tuple(e for m in messages for e in _entries(m, FileKind.ADD, m.new_changelog)),
        indexes=indexes,
    )


def overwritten(messages: Sequence[CommitMessage], replaces: Callable[[BinaryRow], bool]) -> Change:
    """The new files of writers in place of all that is live in some partitions.

    Such a snapshot has no changelog.
    """
    return Change(
        CommitKind.OVERWRITE,
        added(messages),
        replaces=replaces,
        made_after=_oldest_base(messages),
        indexes=IndexChange(tuple(index for m in messages for index in m.new_index_files)),
    )


def compacted(messages: Sequence[CommitMessage]) -> Change:
    """The results of compactions in place of their inputs."""
    entries: list[ManifestEntry] = []
    for message in messages:
        entries += _entries(message, FileKind.DELETE, message.compact_before)
        entries += _entries(message, FileKind.ADD, message.compact_after)
    return Change(
        CommitKind.COMPACT,
        tuple(entries),
        changelog=tuple(e for m in messages for e in _entries(m, FileKind.ADD, m.compact_changelog)),
        indexes=IndexChange(
            tuple(index for m in messages for index in m.compact_new_index_files),
            tuple(index for m in messages for index in m.compact_deleted_index_files),
        ),
    )


def added(messages: Iterable[CommitMessage]) -> tuple[ManifestEntry, ...]:
    """The new files of writers as entries."""
    return tuple(e for m in messages for e in _entries(m, FileKind.ADD, m.new_files))


def _oldest_base(messages: Iterable[CommitMessage]) -> str:
    """The reference of the oldest snapshot that a writer began on; empty if one is not known."""
    found = {message.made_after for message in messages if message.new_files or message.made_after}
    return "" if "" in found else min(found, key=lambda r: int(r.partition("~")[0]), default="")


def _entries(
    message: CommitMessage, kind: FileKind, files: Iterable[DataFileMeta]
) -> Iterator[ManifestEntry]:
    for file in files:
        yield ManifestEntry(kind, message.partition, message.bucket, message.total_buckets, file)
