"""New files that stand alone in a bucket need not wait for a compaction. Spec: 08, 4; 07, 4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.compact.plan import num_levels
from core.manifest.file_meta import DataFileMeta
from core.mergetree.sorted_run import interval_partition
from core.options import OVERWRITE_UPGRADE, TableOptions
from core.schema.table_schema import TableSchema
from core.types.data_types import DataType
from core.write.message import CommitMessage


def upgraded_messages(
    schema: TableSchema, options: TableOptions, messages: Sequence[CommitMessage]
) -> list[CommitMessage]:
    """The messages of an overwrite, with the new files of a primary-key table on its top level.

    So readers that pass over level 0 see them at once. A bucket stays as it is if its files
    overlap, hold deletes, or are compacted in the same commit.
    """
    if not schema.primary_keys or not options.get(OVERWRITE_UPGRADE):
        return list(messages)
    if any(message.compact_before or message.compact_after for message in messages):
        return list(messages)
    key_types = [field.type for field in schema.key_fields()]
    top = num_levels(options) - 1
    return [
        replace(message, new_files=tuple(replace(file, level=top) for file in message.new_files))
        if _stands_alone(message, messages, key_types)
        else message
        for message in messages
    ]


def _stands_alone(
    message: CommitMessage, messages: Sequence[CommitMessage], key_types: Sequence[DataType]
) -> bool:
    place = (message.partition, message.bucket)
    files = [f for m in messages if (m.partition, m.bucket) == place for f in m.new_files]
    return (
        message.bucket >= 0
        and all(_is_plain(file) for file in files)
        and all(len(section.runs) == 1 for section in interval_partition(files, key_types))
    )


def _is_plain(file: DataFileMeta) -> bool:
    return file.level == 0 and file.delete_row_count == 0
