"""What writing and committing need of a table; `core.table.Table` is one."""

from __future__ import annotations

from typing import Protocol

from core.io.file_io import FileIO
from core.io.paths import TablePaths
from core.manifest.store import ManifestStore
from core.options import TableOptions
from core.schema.store import SchemaStore
from core.schema.table_schema import TableSchema
from core.snapshot.store import SnapshotStore


class WriteHome(Protocol):
    """Where a table is at home: what its catalog keeps of it may be what we would not keep up."""

    def unwritten(self, options: TableOptions) -> str | None:
        """What the options ask of the catalog that keeps a table from being written; None if nothing."""


class WriteTarget(Protocol):
    @property
    def home(self) -> WriteHome: ...
    @property
    def io(self) -> FileIO: ...
    @property
    def paths(self) -> TablePaths: ...
    @property
    def schema(self) -> TableSchema: ...
    @property
    def options(self) -> TableOptions: ...
    @property
    def schemas(self) -> SchemaStore: ...
    @property
    def snapshots(self) -> SnapshotStore: ...
    @property
    def manifests(self) -> ManifestStore: ...
