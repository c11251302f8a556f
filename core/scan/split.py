"""A split: the unit of work of a read, some files of one bucket. Spec: 09, 8.1."""

from __future__ import annotations

from dataclasses import dataclass

from core.binary.row import BinaryRow
from core.manifest import DeletionVectorRange
from core.manifest.file_meta import DataFileMeta


@dataclass(frozen=True, slots=True)
class DeletionFile:
    """Where the deletion vector of one data file lies."""

    path: str  # of the index file
    vector: DeletionVectorRange  # in it


@dataclass(frozen=True, slots=True)
class Split:
    """Files of one bucket that are read together, in the order of the plan.

    Picklable: splits travel from a driver to executors.
    """

    snapshot_id: int
    partition: BinaryRow
    bucket: int
    total_buckets: int
    files: tuple[DataFileMeta, ...]
    raw_convertible: bool  # the files' rows can be concatenated without merging
    deletion_files: tuple[DeletionFile, ...] = ()  # of those files that have a deletion vector
    is_streaming: bool = False  # rows are changes: as they stand in the files, with their kinds
    before: Split | None = None  # the same bucket as it was: rows are what has changed since
    branch: str | None = None  # that the files belong to, if it is not the branch of the plan

    @property
    def row_count(self) -> int:
        """Physical rows in the files, before merging."""
        return sum(f.row_count for f in self.files)

    @property
    def size(self) -> int:
        """Bytes of the files."""
        return sum(f.file_size for f in self.files)
