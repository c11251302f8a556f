"""Joins files of neighbouring row ids into one, all their columns side by side. Spec: 04, A6; 07, 7.

The rows keep their ids, which the new file counts from its first one on, so rows that are marked as
deleted are copied, too, and their marks move with them. The sequence number of all rows is the largest
of the files, as in Paimon. Memory: a batch of each file of the same rows, and a row group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyroaring import BitMap

from core.compact.plan import CompactionTask
from core.datafile.write import FileNames, RollingFileWriter, delete_data_file
from core.deletionvectors import DeletionVector, VectorPlace, change_vectors
from core.errors import FormatError
from core.manifest.file_meta import DataFileMeta, FileSource
from core.manifest.row_ranges import RowRange, group_by_row_range, row_range_of
from core.options import DATA_FILE_PREFIX
from core.read.file_reader import FileReader
from core.read.row_ranges import iter_row_ranges
from core.scan.source import bucket_directory
from core.write.layout import joined_layout
from core.write.message import CommitMessage
from core.write.target import WriteTarget
from core.write.task_reader import files_of_task


def join_row_ranges(table: WriteTarget, task: CompactionTask) -> CommitMessage:
    """The change that puts one file in the place of a task's. On an error no file is left.

    Raises:
        FormatError: the files do not hold each of the rows between their first and their last.
    """
    ranges = [row_range_of(group) for group in group_by_row_range(task.files)]
    reader = files_of_task(table, task)
    made = _joined(table, task, replace(reader, deleted={}), ranges)
    directory = bucket_directory(table, table.schema, task.partition, task.bucket)
    place = VectorPlace.of(table.paths, table.options, task.partition, task.bucket, directory)
    moved = {made.file_name: _moved(reader, ranges)}
    try:
        vectors = change_vectors(
            table.io, place, task.index_files, moved, [file.file_name for file in task.files]
        )
    except BaseException:
        delete_data_file(table.io, directory, made)
        raise
    return CommitMessage(
        partition=task.partition,
        bucket=task.bucket,
        total_buckets=task.total_buckets,
        compact_before=task.files,
        compact_after=(made,),
        compact_new_index_files=vectors.new,
        compact_deleted_index_files=vectors.deleted,
    )


def _joined(
    table: WriteTarget, task: CompactionTask, reader: FileReader, ranges: Sequence[RowRange]
) -> DataFileMeta:
    schema, options = table.schema, table.options
    layout = joined_layout(schema, options, source=FileSource.COMPACT)
    directory = bucket_directory(table, schema, task.partition, task.bucket)
    writer = RollingFileWriter(table.io, directory, layout, FileNames(options.get(DATA_FILE_PREFIX)))
    try:
        for batch in iter_row_ranges(reader, task.files, layout.fields):
            writer.write(batch)
        (made,) = writer.take()
    except BaseException:
        writer.abort()
        raise
    first, end = ranges[0].first, ranges[-1].end
    if made.row_count != end - first:
        delete_data_file(table.io, directory, made)
        raise FormatError("rows between the files are missing", expected=end - first, found=made.row_count)
    return replace(
        made,
        first_row_id=first,
        min_sequence_number=min(file.min_sequence_number for file in task.files),
        max_sequence_number=max(file.max_sequence_number for file in task.files),
    )


def _moved(reader: FileReader, ranges: Sequence[RowRange]) -> DeletionVector:
    """The deleted rows of all files, counted from the first row."""
    marked = BitMap()
    for rows in ranges:
        for file in rows.plain:
            vector = reader.deleted.get(file.file_name)
            if vector is not None:
                marked |= BitMap(vector.within(0, rows.count) + (rows.first - ranges[0].first))
    return DeletionVector(marked)
