"""Table: one table, seen from one branch; doors to the packages that do the work."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import pyarrow as pa

from core.arrow import arrow_schema
from core.errors import NotFoundError
from core.identifier import Identifier
from core.io.file_io import FileIO
from core.io.paths import MAIN_BRANCH, TablePaths
from core.manifest.store import ManifestStore
from core.options import DATA_FILE_PATH_DIRECTORY, TableOptions
from core.schema.store import SchemaStore
from core.schema.table_schema import TableSchema
from core.snapshot.branches import BranchStore
from core.snapshot.consumers import ConsumerStore
from core.snapshot.snapshot import Snapshot
from core.snapshot.store import ChangelogStore, SnapshotStore
from core.snapshot.tags import TagStore
from core.snapshot.time_travel import resolve


class Table:
    """A table of a catalog. Opening it reads nothing; the schema is read when it is first asked for.

    So the snapshots of a table whose schema is damaged can still be listed.
    """

    def __init__(self, io: FileIO, location: str, identifier: Identifier) -> None:
        self.io = io
        self.location = location.rstrip("/")
        self.identifier = identifier
        self.branch = identifier.branch or MAIN_BRANCH
        paths = TablePaths(self.location, self.branch)
        self.schemas = SchemaStore(io, paths)
        self.snapshots = SnapshotStore(io, paths)
        self.changelogs = ChangelogStore(io, paths)
        self.tags = TagStore(io, paths)
        self.branches = BranchStore(io, paths)
        self.consumers = ConsumerStore(io, paths)
        self.manifests = ManifestStore(io, paths)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.io, self.location, self.identifier)

    def __repr__(self) -> str:
        return f"Table({self.identifier}, {self.location})"

    @cached_property
    def schema(self) -> TableSchema:
        """The latest schema of the branch as of the first time it is asked for."""
        return self.schemas.latest()

    @cached_property
    def options(self) -> TableOptions:
        return TableOptions(self.schema.options)

    @cached_property
    def paths(self) -> TablePaths:
        directory = self.options.get(DATA_FILE_PATH_DIRECTORY) or ""
        return replace(TablePaths(self.location, self.branch), data_directory=directory.strip("/"))

    @property
    def arrow_schema(self) -> pa.Schema:
        """What `to_arrow` gives of all columns."""
        return arrow_schema(self.schema.fields)

    def with_branch(self, name: str) -> Table:
        """The same table seen from another branch; `NotFoundError` if there is none."""
        if name != MAIN_BRANCH and not self.branches.exists(name):
            raise NotFoundError("branch not found", table=str(self.identifier.base), branch=name)
        return Table(self.io, self.location, self.identifier.with_branch(name))

    def refreshed(self) -> Table:
        """The same table with its schema read anew."""
        return Table(self.io, self.location, self.identifier)

    def snapshot_at(
        self,
        *,
        snapshot_id: int | None = None,
        tag: str | None = None,
        timestamp_millis: int | None = None,
    ) -> Snapshot | None:
        """The snapshot asked for by at most one of the three, else the latest; None if there is none.

        Raises:
            NotFoundError, InvalidRequestError: see `core.snapshot.time_travel`.
        """
        return resolve(
            self.snapshots, self.tags, snapshot_id=snapshot_id, tag=tag, timestamp_millis=timestamp_millis
        )
