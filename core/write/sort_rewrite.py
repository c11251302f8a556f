"""Carries out a sort compaction: the rows of one partition, sorted, in new files. Spec: 07, 7.4."""

from __future__ import annotations

from core.compact.plan import CompactionTask
from core.compact.sort_order import SortOrder
from core.datafile.write import FileNames, RollingFileWriter
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
    """The change that puts the rows of a task in order.

    Its commit is an OVERWRITE of exactly the files that were read: rows that others append meanwhile stay,
    and if one of the files is replaced meanwhile the commit is refused. On an error no file is left.

    Args:
        table: an append table without buckets.
        task: all files of a partition.
        order: of the rows.
        memory_bytes: that the sort may buffer, see `core.write.external_sort`.
    """
    schema, options = table.schema, table.options
    files = files_of_task(table, task)
    layout = rewritten_layout(schema, options, level=0, source=FileSource.APPEND)
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
    return CommitMessage(
        partition=task.partition,
        bucket=task.bucket,
        total_buckets=task.total_buckets,
        new_files=made,
        deleted_files=task.files,
        deleted_index_files=task.index_files,
    )
