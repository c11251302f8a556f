"""What planning and reading need of a table; `core.table.Table` has all of it."""

from __future__ import annotations

from typing import Protocol

from core.io.file_io import FileIO
from core.io.paths import TablePaths
from core.manifest import ManifestStore
from core.schema import SchemaStore


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
