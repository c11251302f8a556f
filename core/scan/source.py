"""What planning and reading need of a table; `core.table.Table` has all of it."""

from __future__ import annotations

from typing import Protocol

from core.binary import BinaryRow, decode_row
from core.io.file_io import FileIO
from core.io.paths import TablePaths
from core.manifest import ManifestStore
from core.options import PARTITION_DEFAULT_NAME, PARTITION_LEGACY_NAME, TableOptions
from core.partition import partition_path
from core.schema import SchemaStore, TableSchema
from core.snapshot.store import ChangelogStore, SnapshotStore
from core.snapshot.tags import TagStore


class TableSource(Protocol):
    """Where a table's files are, and the stores of its metadata, seen from one branch."""

    @property
    def io(self) -> FileIO: ...
    @property
    def paths(self) -> TablePaths: ...
    @property
    def schemas(self) -> SchemaStore: ...
    @property
    def manifests(self) -> ManifestStore: ...


class HistorySource(TableSource, Protocol):
    """What reads need that choose among the snapshots of a table."""

    @property
    def snapshots(self) -> SnapshotStore: ...
    @property
    def changelogs(self) -> ChangelogStore: ...
    @property
    def tags(self) -> TagStore: ...
    @property
    def options(self) -> TableOptions: ...
    @property
    def schema(self) -> TableSchema: ...


def bucket_directory(source: TableSource, schema: TableSchema, partition: BinaryRow, bucket: int) -> str:
    """The directory of a bucket's files, less those with an external path."""
    options = TableOptions(schema.options)
    path = partition_path(
        schema.partition_keys,
        schema.partition_types,
        decode_row(schema.partition_types, partition),
        options.get(PARTITION_DEFAULT_NAME),
        options.get(PARTITION_LEGACY_NAME),
    )
    return source.paths.bucket_dir(path, bucket)
