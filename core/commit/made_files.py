"""The files that exist because of a commit message, and where they lie. Spec: 08, 5."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from core.errors import NotFoundError
from core.manifest.file_meta import DataFileMeta
from core.manifest.index_manifest import IndexManifestEntry
from core.scan.deletion_files import index_path
from core.write.message import CommitMessage
from core.write.table_write import partition_directory
from core.write.target import WriteTarget

MadeFiles: TypeAlias = dict[str, list[str]]
"""Paths by the name of the file that they belong to."""


def made_files(table: WriteTarget, message: CommitMessage) -> list[MadeFiles]:
    """What the message made for each of its two snapshots; the files of one come and go together.

    A file that only gets another level was there before.
    """
    written = _others((*message.new_files, *message.new_changelog), message.deleted_files)
    compacted = _others((*message.compact_after, *message.compact_changelog), message.compact_before)
    return [
        _paths(table, message, written, message.new_index_files),
        _paths(table, message, compacted, message.compact_new_index_files),
    ]


def _others(made: Iterable[DataFileMeta], old: Iterable[DataFileMeta]) -> list[DataFileMeta]:
    names = {file.file_name for file in old}
    return [file for file in made if file.file_name not in names]


def _paths(
    table: WriteTarget,
    message: CommitMessage,
    files: Iterable[DataFileMeta],
    indexes: Iterable[IndexManifestEntry],
) -> MadeFiles:
    directory = partition_directory(table.schema, table.options, message.partition)
    found: MadeFiles = {}
    for file in files:
        found[file.file_name] = [
            table.paths.data_file(directory, message.bucket, file),
            *(table.paths.extra_file(directory, message.bucket, file, name) for name in file.extra_files),
        ]
    for index in indexes:
        found[index.file_name] = [index_path(table, table.schema, index)]
    return found


def check_files_exist(table: WriteTarget, messages: Iterable[CommitMessage]) -> None:
    """Make sure that what is to be committed late has not been cleaned up meanwhile.

    Raises:
        NotFoundError: a file is gone.
    """
    for message in messages:
        for made in made_files(table, message):
            for path in (path for paths in made.values() for path in paths):
                if not table.io.exists(path):
                    raise NotFoundError("a file that is to be committed has been deleted", path=path)
