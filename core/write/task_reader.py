"""Reads what a compaction task needs: its files merged, and the older versions of their keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from pyroaring import BitMap

from core.arrow import arrow_schema, arrow_type, to_python
from core.binary import decode_row
from core.compact.plan import Bucket, CompactionTask
from core.datafile.read import BATCH_BYTES, without_deleted
from core.deletionvectors import DeletionVector
from core.manifest.file_meta import DataFileMeta
from core.mergetree.lookup import with_level
from core.mergetree.sort_merge import MergeLimits, Positions, Window, iter_windows
from core.mergetree.sorted_run import Section, SortedRun, rank_key_ranges
from core.options import DELETION_VECTORS_ENABLED
from core.predicate import Comparison, In, Operator, Predicate, bind
from core.read.file_reader import FileReader
from core.scan.deletion_files import index_path
from core.scan.split import DeletionFile, Split
from core.types.data_types import DataField
from core.write.expiry import RowExpiry
from core.write.keyed_merge import KeyedMerge, Outcome
from core.write.target import WriteTarget

_FILE = pa.field("_FILE", pa.int32(), nullable=False)  # number among the task's older files, or -1
_FEW_KEYS = 1024  # so many are asked for one by one
_POSITION = pa.field("_POSITION", pa.int64(), nullable=False)  # of the row in its file


class TaskReader:
    """The files of one task, and those in which older versions are looked up.

    What is looked up are the keys of level 0, read as runs of the same merge: from the files of each level
    above the output, and of them only the row groups that can hold such keys. If there are few of them the
    keys themselves are asked for, else their range. So a lookup costs one sequential pass over those row
    groups, with no index and no cache, and memory as of any run.
    """

    def __init__(
        self,
        table: WriteTarget,
        task: CompactionTask,
        merge: KeyedMerge,
        merge_bytes: int,
        expiry: RowExpiry | None,
    ) -> None:
        self._table, self._task, self._merge, self._merge_bytes = table, task, merge, merge_bytes
        self._expiry = expiry
        self._files = files_of_task(table, task)
        self._key = table.schema.key_fields()
        self._marks = bool(table.options.get(DELETION_VECTORS_ENABLED) and table.schema.primary_keys)
        self._numbers = {file.file_name: i for i, file in enumerate(task.older)}
        self._marked: dict[str, BitMap] = {}

    def read(self, file: DataFileMeta, fields: Sequence[DataField]) -> Iterator[pa.RecordBatch]:
        """Columns of one file, without the rows that are deleted."""
        return self._files.read(file, fields)

    def has_no_deletes(self, file: DataFileMeta) -> bool:
        return self._files.has_no_deletes(file)

    def appended(self, fields: Sequence[DataField]) -> Iterator[pa.RecordBatch]:
        """Some columns of the rows of all files, one file after the other."""
        for file in self._task.files:
            yield from self._files.read(file, fields)

    def looks_into(self, file: DataFileMeta) -> bool:
        """Whether a file that is not rewritten has something to tell or to mark all the same."""
        if self._merge.find is None:
            return False
        return self._merge.tells_changes or (self._marks and file.level == 0 and bool(self._task.older))

    def outcomes(self, section: Section) -> Iterator[Outcome]:
        """What becomes of a section, window by window; rows found outside of it are marked."""
        arrived = [file for file in section.files if file.level == 0]
        older = self._older_runs(arrived)
        runs = len(section.runs) + len(older)
        limits = MergeLimits.for_runs(runs, self._merge_bytes // self._merge.window_copies)
        inputs = [
            map(self._unexpired, self._run(run.files, self._merge.fields, (), limits)) for run in section.runs
        ]
        within = self._sought(arrived) if older else ()
        looked_up = [self._run(run.files, self._merge.looks_at, within, limits) for run in older]
        for window in iter_windows([*looked_up, *inputs], [f.name for f in self._key], limits):
            outcome = self._merge.outcome(window)
            if self._marks and len(outcome.looked_up):
                self._mark(window, outcome.looked_up)
            yield outcome

    def _unexpired(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        return rows if self._expiry is None else self._expiry.kept(rows)

    def marked(self) -> Mapping[str, DeletionVector]:
        """The rows that have been replaced by others, by data file."""
        return {name: DeletionVector.of(positions) for name, positions in self._marked.items()}

    def _mark(self, window: Window, rows: Positions) -> None:
        numbers = window.column(_FILE.name).to_numpy()[rows]
        positions = window.column(_POSITION.name).to_numpy()[rows]
        for number in np.unique(numbers):
            name = self._task.older[number].file_name
            self._marked.setdefault(name, BitMap()).update(positions[numbers == number].astype(np.uint32))

    def _sought(self, arrived: Sequence[DataFileMeta]) -> tuple[Predicate, ...]:
        """What the keys of some files of level 0 satisfy."""
        if sum(file.row_count for file in arrived) > _FEW_KEYS:
            return _key_range(self._key, arrived)
        batches = [batch for file in arrived for batch in self._files.read(file, self._key)]
        keys = pa.Table.from_batches(batches, arrow_schema(self._key))
        asked = [field for field in self._key if not pa.types.is_floating(arrow_type(field.type))]
        return tuple(bind(In(f.name, tuple(_distinct(keys.column(f.name), f))), self._key) for f in asked)

    def _older_runs(self, arrived: Sequence[DataFileMeta]) -> list[SortedRun]:
        """The files above the output that may hold keys of some files of level 0, a run a level."""
        older = self._task.older
        if not older or not arrived:
            return []
        files = (*arrived, *older)
        low, high = rank_key_ranges(
            [field.type for field in self._key],
            pa.array([f.min_key.to_bytes() for f in files], pa.binary()),
            pa.array([f.max_key.to_bytes() for f in files], pa.binary()),
        )
        count = len(arrived)
        first, last = low[:count].min(), high[:count].max()
        order = [i for i in np.argsort(low) if i >= count and low[i] <= last and high[i] >= first]
        levels = sorted({files[i].level for i in order})
        return [SortedRun(tuple(files[i] for i in order if files[i].level == level)) for level in levels]

    def _run(
        self,
        files: Sequence[DataFileMeta],
        fields: Sequence[DataField],
        conjuncts: Sequence[Predicate],
        limits: MergeLimits,
    ) -> Iterator[pa.RecordBatch]:
        max_bytes = min(BATCH_BYTES, limits.bytes_per_run // 2)  # all runs are open at once
        for file in files:
            deleted = self._files.deleted.get(file.file_name)
            numbered = self._files.iter_numbered(file, fields, conjuncts, max_bytes=max_bytes)
            for position, batch in numbered:
                rows = self._tagged(_padded(batch, self._merge.fields), file, position)
                yield rows if deleted is None else without_deleted(rows, position, deleted)

    def _tagged(self, batch: pa.RecordBatch, file: DataFileMeta, position: int) -> pa.RecordBatch:
        """The rows with what a lookup needs to know of each."""
        rows = batch.num_rows
        if self._merge.find is not None:
            batch = with_level(batch, file.level)
        if self._marks:
            number = self._numbers.get(file.file_name, -1)
            batch = batch.append_column(_FILE, pa.array(np.full(rows, number, np.int32)))
            batch = batch.append_column(_POSITION, pa.array(np.arange(position, position + rows)))
        return batch


def files_of_task(table: WriteTarget, task: CompactionTask) -> FileReader:
    """What reads the files of a task without their deleted rows."""
    bucket = Bucket(
        task.partition, task.bucket, task.total_buckets, (*task.files, *task.older), task.index_files
    )
    return FileReader.of(table, table.schema, split_of_bucket(table, bucket))


def split_of_bucket(table: WriteTarget, bucket: Bucket) -> Split:
    """What reads the files of a bucket, merged and without their deleted rows, on whatever level they are."""
    return Split(
        0,
        bucket.partition,
        bucket.bucket,
        bucket.total_buckets,
        bucket.files,
        raw_convertible=False,
        deletion_files=tuple(_deletion_files(table, bucket)),
    )


def _deletion_files(table: WriteTarget, bucket: Bucket) -> Iterator[DeletionFile]:
    names = {file.file_name for file in bucket.files}
    for entry in bucket.index_files:
        path = index_path(table, table.schema, entry)
        for vector in entry.deletion_vector_ranges or ():
            if vector.data_file in names:
                yield DeletionFile(path, vector)


def _padded(batch: pa.RecordBatch, fields: Sequence[DataField]) -> pa.RecordBatch:
    """The batch with nulls in the columns that were not read."""
    if batch.num_columns == len(fields):
        return batch
    schema, there = arrow_schema(fields), set(batch.schema.names)
    columns = [
        batch.column(field.name) if field.name in there else pa.nulls(batch.num_rows, field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _distinct(column: pa.ChunkedArray[Any], field: DataField) -> list[Any]:
    return to_python(column.unique(), field.type)


def _key_range(key: Sequence[DataField], files: Sequence[DataFileMeta]) -> tuple[Predicate, ...]:
    """What the key columns of the files' rows satisfy, for types whose values Python orders alike."""
    return tuple(p for i, field in enumerate(key) for p in _column_range(key, field, i, files))


def _column_range(
    key: Sequence[DataField], field: DataField, place: int, files: Sequence[DataFileMeta]
) -> Iterator[Predicate]:
    types = [each.type for each in key]
    stats = [file.key_stats for file in files]
    if not all(s.min_values.arity == s.max_values.arity == len(key) for s in stats):
        return
    low = [decode_row(types, s.min_values)[place] for s in stats]
    high = [decode_row(types, s.max_values)[place] for s in stats]
    if all(isinstance(value, (int, str, bytes)) for value in (*low, *high)):
        yield Comparison(field.name, Operator.GREATER_OR_EQUAL, min(low), field.type)
        yield Comparison(field.name, Operator.LESS_OR_EQUAL, max(high), field.type)
