"""Carries out a sort compaction: the rows of one partition, sorted, in new files. Spec: 07, 7.4."""

from __future__ import annotations

from dataclasses import replace

from core.compact.plan import CompactionTask
from core.compact.sort_order import SortOrder
from core.datafile.write import FileNames, RollingFileWriter, delete_data_file
from core.deletionvectors import VectorPlace, change_vectors
from core.manifest.file_meta import FileSource
from core.options import DATA_FILE_PREFIX
from core.scan.source import bucket_directory
from core.write.external_sort import sort_of
from core.write.layout import rewritten_layout
from core.write.message import CommitMessage
from core.write.target import WriteTarget
from core.write.task_reader import files_of_task


def sort_files(
    table: WriteTarget, task: CompactionTask, order: SortOrder, memory_bytes: int
) -> CommitMessage:
    """The change that puts the rows of a task in order. On an error no file is left.

    That of a table that is clustered a part at a time is a compaction into the task's level. Any other
    commit is an OVERWRITE of exactly the files that were read: rows that others append meanwhile stay,
    and if one of the files is replaced meanwhile the commit is refused.

    Args:
        table: an append table without buckets.
        task: all files of a partition.
        order: of the rows.
        memory_bytes: that the sort may buffer, see `core.write.external_sort`.
    """
    schema, options = table.schema, table.options
    files = files_of_task(table, task)
    clusters = task.output_level > 0
    source = FileSource.COMPACT if clusters else FileSource.APPEND
    layout = rewritten_layout(schema, options, level=task.output_level, source=source)
    directory = bucket_directory(table, schema, task.partition, task.bucket)
    writer = RollingFileWriter(table.io, directory, layout, FileNames(options.get(DATA_FILE_PREFIX)))
    with sort_of(options, order.key, memory_bytes) as sort:
        for file in task.files:
            for rows in files.read(file, layout.fields):
                sort.add(order.keyed(rows))
        try:
            for rows in sort.rows():
                writer.write(rows.select([field.name for field in layout.fields]))
            made = writer.take()
        except BaseException:
            writer.abort()
            raise
    message = CommitMessage(partition=task.partition, bucket=task.bucket, total_buckets=task.total_buckets)
    if not clusters:
        return replace(
            message, new_files=made, deleted_files=task.files, deleted_index_files=task.index_files
        )
    place = VectorPlace.of(table.paths, options, task.partition, task.bucket, directory)
    try:
        vectors = change_vectors(table.io, place, task.index_files, {}, [f.file_name for f in task.files])
    except BaseException:
        for file in made:
            delete_data_file(table.io, directory, file)
        raise
    return replace(
        message,
        compact_before=task.files,
        compact_after=made,
        compact_new_index_files=vectors.new,
        compact_deleted_index_files=vectors.deleted,
    )
