"""Puts the rows of a partition into another number of buckets. Spec: 08, 15; 10, 4.2.

All buckets are read merged, whatever level their files are on, so that rows of level 0 that nobody sees
yet come along; the rows are sorted by their new bucket and their key on disk
(`core.write.external_sort`), and each bucket is written once, in order. So the files of a primary-key
table do not overlap and stand on the top level at once. Rows of append tables keep their order within
an old bucket.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from core.binary import BinaryRow
from core.bucket import assign_buckets
from core.compact.plan import Bucket, num_levels
from core.datafile.system_fields import SEQUENCE_NUMBER, VALUE_KIND
from core.datafile.write import FileNames, RollingFileWriter, delete_data_file
from core.manifest.file_meta import DataFileMeta, FileSource
from core.options import BUCKET_FUNCTION, DATA_FILE_PREFIX, WRITE_BUFFER_SIZE
from core.read.reader import read_split
from core.scan.source import bucket_directory
from core.write.external_sort import sort_of
from core.write.layout import file_layout
from core.write.message import CommitMessage
from core.write.target import WriteTarget
from core.write.task_reader import split_of_bucket

_BUCKET = pa.field("_KEY_BUCKET", pa.int32(), nullable=False)  # no column of a table has such a name


@dataclass(frozen=True, slots=True)
class RebucketTask:
    """One partition. Picklable: executors run tasks."""

    partition: BinaryRow
    buckets: tuple[Bucket, ...]  # as they are
    total_buckets: int  # that there are to be

    @property
    def files(self) -> tuple[DataFileMeta, ...]:
        return tuple(file for bucket in self.buckets for file in bucket.files)


def rebucket(
    table: WriteTarget, task: RebucketTask, *, merge_bytes: int | None = None
) -> list[CommitMessage]:
    """The new files of a partition, to replace all that it holds; none if no row is left.

    On an error no file is left. `merge_bytes` is what a merge and the sort may buffer together, in Arrow
    memory; by default `write-buffer-size`.
    """
    memory = table.options.get(WRITE_BUFFER_SIZE) if merge_bytes is None else merge_bytes
    names = FileNames(table.options.get(DATA_FILE_PREFIX))
    key = (_BUCKET.name, *(field.name for field in table.schema.key_fields()))
    made: list[CommitMessage] = []
    with sort_of(table.options, key, memory // 2) as sort:
        for bucket in task.buckets:
            split = split_of_bucket(table, _in_order(table, bucket))
            for rows in read_split(table, table.schema, split, merge_bytes=memory // 2):
                sort.add(rows.append_column(_BUCKET, _buckets_of(table, rows, task.total_buckets)))
        open_bucket: _OpenBucket | None = None
        try:
            for number, rows in _by_bucket(sort.rows()):
                if open_bucket is None or open_bucket.bucket != number:
                    made += [] if open_bucket is None else [open_bucket.finish()]
                    open_bucket = _OpenBucket.of(table, task, number, names)
                open_bucket.write(rows)
            made += [] if open_bucket is None else [open_bucket.finish()]
        except BaseException:
            if open_bucket is not None:
                open_bucket.files.abort()
            for message in made:
                directory = bucket_directory(table, table.schema, message.partition, message.bucket)
                for file in message.new_files:
                    delete_data_file(table.io, directory, file)
            raise
    return made


def _in_order(table: WriteTarget, bucket: Bucket) -> Bucket:
    """The files of an append table in the order in which they were written."""
    if table.schema.primary_keys:
        return bucket
    files = sorted(bucket.files, key=lambda f: (f.min_sequence_number, f.max_sequence_number, f.file_name))
    return Bucket(bucket.partition, bucket.bucket, bucket.total_buckets, tuple(files), bucket.index_files)


def _buckets_of(table: WriteTarget, rows: pa.RecordBatch, count: int) -> pa.Array[Any]:
    schema = table.schema
    fields = schema.fields_of(schema.bucket_keys or schema.field_names)
    columns = [rows.column(field.name) for field in fields]
    function = table.options.get(BUCKET_FUNCTION)
    return pa.array(assign_buckets([field.type for field in fields], columns, count, function), pa.int32())


def _by_bucket(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The rows in pieces of one bucket, without the column that says which."""
    for batch in batches:
        buckets = batch.column(_BUCKET.name).to_numpy()
        starts = np.flatnonzero(np.diff(buckets, prepend=-1)).tolist()
        rows = batch.drop_columns([_BUCKET.name])
        for start, end in zip(starts, [*starts[1:], batch.num_rows], strict=True):
            yield int(buckets[start]), rows.slice(start, end - start)


@dataclass(slots=True)
class _OpenBucket:
    """A bucket that is being written; its rows come in the order in which they are stored."""

    task: RebucketTask
    bucket: int
    files: RollingFileWriter
    columns: Sequence[str]
    keyed: bool
    _rows: int = 0

    @staticmethod
    def of(table: WriteTarget, task: RebucketTask, bucket: int, names: FileNames) -> _OpenBucket:
        schema, keyed = table.schema, bool(table.schema.primary_keys)
        level = num_levels(table.options) - 1 if keyed else 0
        layout = file_layout(schema, table.options, level=level, source=FileSource.APPEND)
        directory = bucket_directory(table, schema, task.partition, bucket)
        files = RollingFileWriter(table.io, directory, layout, names)
        return _OpenBucket(task, bucket, files, schema.field_names, keyed)

    def write(self, rows: pa.RecordBatch) -> None:
        rows = rows.select(self.columns)
        if self.keyed:
            numbers = np.arange(self._rows, self._rows + rows.num_rows, dtype=np.int64)
            rows = rows.append_column(SEQUENCE_NUMBER.name, pa.array(numbers))
            rows = rows.append_column(VALUE_KIND.name, pa.array(np.zeros(rows.num_rows, np.int8)))
        self._rows += rows.num_rows
        self.files.write(rows)

    def finish(self) -> CommitMessage:
        return CommitMessage(
            partition=self.task.partition,
            bucket=self.bucket,
            total_buckets=self.task.total_buckets,
            new_files=self.files.take(),
        )
