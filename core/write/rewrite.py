"""Rewrites the files of one compaction task, and keeps account of what goes and comes. Spec: 07, 4 and 6.

Memory is that of one merge (`core.mergetree.sort_merge`), whatever the size of the bucket: of each
run a buffer, the rows made of one window, and a row group for each open output.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from core.compact.plan import CompactionTask
from core.datafile.write import FileLayout, FileNames, RollingFileWriter, delete_data_file
from core.deletionvectors.write import VectorPlace, change_vectors
from core.manifest.file_meta import DataFileMeta, FileSource
from core.mergetree.keys import comparable_keys
from core.mergetree.sorted_run import Section, SortedRun
from core.options import (
    CHANGELOG_FILE_PREFIX,
    COMPACTION_FORCE_REWRITE,
    COMPACTION_SMALL_FILE_RATIO,
    DATA_FILE_PREFIX,
)
from core.scan.source import bucket_directory
from core.write.expiry import RowExpiry, expired_files
from core.write.keyed_merge import KeyedMerge
from core.write.layout import changelog_layout, rewritten_layout, target_file_size
from core.write.message import CommitMessage
from core.write.target import WriteTarget
from core.write.task_reader import TaskReader


class TaskRewriter:
    """Writes the outputs of one task. A changelog, if there is one, is one for the whole task."""

    def __init__(
        self, table: WriteTarget, task: CompactionTask, merge_bytes: int, now_seconds: int | None
    ) -> None:
        self._table, self._task = table, task
        self._before: list[DataFileMeta] = []
        self._after: list[DataFileMeta] = []
        self._made: list[DataFileMeta] = []
        self._directory = bucket_directory(table, table.schema, task.partition, task.bucket)
        schema, options = table.schema, table.options
        self.small_file_size = target_file_size(schema, options) * options.get(COMPACTION_SMALL_FILE_RATIO)
        self._layout = rewritten_layout(schema, options, level=task.output_level, source=FileSource.COMPACT)
        self._names = FileNames(options.get(DATA_FILE_PREFIX))
        self._merge = KeyedMerge.of(schema, options, task)
        self._is_expired = expired_files(table, now_seconds)
        expiry = RowExpiry.of(table, now_seconds)
        self._reader = TaskReader(table, task, self._merge, merge_bytes, expiry)
        names = FileNames(options.get(CHANGELOG_FILE_PREFIX))
        self._changelog = self._writer(changelog_layout(schema, options, level=task.output_level), names)

    def _writer(self, layout: FileLayout, names: FileNames, first_sequence: int = 0) -> RollingFileWriter:
        return RollingFileWriter(
            self._table.io, self._directory, layout, names, first_sequence=first_sequence
        )

    def rewrite_appended(self) -> None:
        """All files of the task into new ones, their rows in the order of the files."""
        self._replace(self._task.files, self._reader.appended(self._layout.fields))

    def rewrite(self, sections: Sequence[Section]) -> None:
        """Sections into new files, one row a key."""
        files = [file for section in sections for file in section.files]
        if len(files) == 1 and self.may_upgrade(files[0]):
            self.upgrade(files[0])
        elif files:
            self._replace(files, self._merged(sections))

    def rewrite_alone(self, file: DataFileMeta) -> None:
        """A file into new ones, whatever it is."""
        self._replace([file], self._merged([_alone(file)]))

    def _merged(self, sections: Sequence[Section]) -> Iterator[pa.RecordBatch]:
        for section in sections:
            for outcome in self._reader.outcomes(section):
                if outcome.changes is not None:
                    self._changelog.write(outcome.changes)
                yield outcome.rows

    def _replace(self, files: Sequence[DataFileMeta], rows: Iterator[pa.RecordBatch]) -> None:
        first = min((file.min_sequence_number for file in files), default=0)
        writer = self._writer(self._layout, self._names, first)
        try:
            for batch in rows:
                writer.write(batch)
            made = writer.take()
        except BaseException:
            writer.abort()
            raise
        self._made += made
        self._before += files
        self._after += made

    def may_upgrade(self, file: DataFileMeta) -> bool:
        """Whether the file can stand at the output level as it is."""
        if self._table.options.get(COMPACTION_FORCE_REWRITE):
            return False
        if self._is_expired(file):
            return False
        if self._task.drops_deletes and not self._reader.has_no_deletes(file):
            return False
        if file.level > 0:
            return True
        if self._merge.find is not None and not file.file_name.endswith(f".{self._layout.format}"):
            return False
        return self._merge.keeps_level_zero_rows and self._has_distinct_keys(file)

    def _has_distinct_keys(self, file: DataFileMeta) -> bool:
        """Level-0 files of pypaimon may repeat keys; above level 0 nobody expects that."""
        fields = self._table.schema.key_fields()
        last: pa.RecordBatch | None = None
        for batch in self._reader.read(file, fields):
            rows = pa.Table.from_batches([batch] if last is None else [last, batch]).combine_chunks()
            keys = comparable_keys([rows.column(f.name).chunk(0) for f in fields])
            if np.any(keys[1:] <= keys[:-1]):
                return False
            last = batch.slice(batch.num_rows - 1)
        return True

    def upgrade(self, file: DataFileMeta) -> None:
        """Only the level changes; a file that has it already is no part of the result."""
        if file.level == self._task.output_level:
            return
        if self._reader.looks_into(file):
            for _ in self._merged([_alone(file)]):
                pass  # its rows stay where they are; what they change is told and marked on the way
        self._before.append(file)
        self._after.append(file.at_level(self._task.output_level))

    def finish(self) -> CommitMessage:
        """The change; the task's vectors are written last, once all their marks are known."""
        changelog = self._changelog.take()
        self._made += changelog
        gone = {file.file_name for file in self._before} - {file.file_name for file in self._after}
        table, task = self._table, self._task
        keyed = bool(table.schema.primary_keys)
        place = VectorPlace.of(
            table.paths, table.options, task.partition, task.bucket, self._directory, keyed=keyed
        )
        vectors = change_vectors(table.io, place, task.index_files, self._reader.marked(), gone)
        return CommitMessage(
            partition=task.partition,
            bucket=task.bucket,
            total_buckets=task.total_buckets,
            compact_before=tuple(self._before),
            compact_after=tuple(self._after),
            compact_changelog=changelog,
            compact_new_index_files=vectors.new,
            compact_deleted_index_files=vectors.deleted,
        )

    def abort(self) -> None:
        """Delete the files made so far."""
        self._changelog.abort()
        for file in self._made:
            delete_data_file(self._table.io, self._directory, file)


def _alone(file: DataFileMeta) -> Section:
    return Section((SortedRun((file,)),))
