"""What a writer hands to the committer: the files it made and replaced in one bucket. Spec: 08, 1."""

from __future__ import annotations

from dataclasses import dataclass

from core.binary.row import BinaryRow
from core.manifest.file_meta import DataFileMeta
from core.manifest.index_manifest import IndexManifestEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitMessage:
    """The changes of one (partition, bucket), not yet visible to anybody.

    Files of a table index (`HASH`, `DELETION_VECTORS`) replace others: what a new one takes the
    place of is named among the deleted, as it stood in the index manifest when the writer read it.
    The commit is refused if it is another by then, as what was written in between would be lost.
    """

    partition: BinaryRow
    bucket: int
    total_buckets: int
    made_after: str = ""  # reference of the latest snapshot when `new_files` were begun; empty: not known
    new_files: tuple[DataFileMeta, ...] = ()  # ADD in the APPEND (or OVERWRITE) snapshot
    deleted_files: tuple[DataFileMeta, ...] = ()  # DELETE there
    compact_before: tuple[DataFileMeta, ...] = ()  # DELETE in the COMPACT snapshot
    compact_after: tuple[DataFileMeta, ...] = ()  # ADD there
    new_changelog: tuple[DataFileMeta, ...] = ()  # in the changelog list of the APPEND snapshot
    compact_changelog: tuple[DataFileMeta, ...] = ()  # in that of the COMPACT snapshot
    new_index_files: tuple[IndexManifestEntry, ...] = ()  # live from the APPEND snapshot on
    deleted_index_files: tuple[IndexManifestEntry, ...] = ()  # no longer live then
    compact_new_index_files: tuple[IndexManifestEntry, ...] = ()  # live from the COMPACT snapshot on
    compact_deleted_index_files: tuple[IndexManifestEntry, ...] = ()  # no longer live then

    @property
    def is_empty(self) -> bool:
        data = (self.new_files, self.deleted_files, self.compact_before, self.compact_after)
        changelog = (self.new_changelog, self.compact_changelog)
        index = (self.new_index_files, self.deleted_index_files)
        compact_index = (self.compact_new_index_files, self.compact_deleted_index_files)
        return not any((*data, *changelog, *index, *compact_index))
