"""What a writer hands to the committer: the files it made and replaced in one bucket. Spec: 08, 1."""

from __future__ import annotations

from dataclasses import dataclass

from core.binary.row import BinaryRow
from core.manifest.file_meta import DataFileMeta


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitMessage:
    """The changes of one (partition, bucket), not yet visible to anybody."""

    partition: BinaryRow
    bucket: int
    total_buckets: int
    made_after: str = ""  # reference of the latest snapshot when `new_files` were begun; empty: not known
    new_files: tuple[DataFileMeta, ...] = ()  # ADD in the APPEND (or OVERWRITE) snapshot
    deleted_files: tuple[DataFileMeta, ...] = ()  # DELETE there
    compact_before: tuple[DataFileMeta, ...] = ()  # DELETE in the COMPACT snapshot
    compact_after: tuple[DataFileMeta, ...] = ()  # ADD there

    @property
    def is_empty(self) -> bool:
        return not (self.new_files or self.deleted_files or self.compact_before or self.compact_after)
