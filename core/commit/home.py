"""What the catalog of a table does for it beyond keeping its directory. Spec: 04, C; 08, 2.1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.commit.lock import CommitLock
from core.io.file_io import FileIO
from core.io.paths import TablePaths
from core.options import TableOptions
from core.schema.changes import SchemaChange
from core.schema.merge import MergeRules
from core.schema.store import SchemaStore
from core.schema.table_schema import TableSchema
from core.snapshot.snapshot import Snapshot
from core.snapshot.tags import TagWatch
from core.types import DataField
from core.write.target import WriteTarget


class TableHome:
    """Where a table is at home: this one, a directory, leaves all to the table's own files.

    Catalogs that keep more than directories have homes of their own, which give a lock, decide on
    snapshots, or write down what a schema has become. Instances are picklable.
    """

    def schemas(self, io: FileIO, paths: TablePaths) -> SchemaStore:
        """Where the table's schemas are: in its directory, unless the catalog alone keeps them."""
        return SchemaStore(io, paths)

    def commit_lock(self) -> CommitLock | None:
        """The lock under which snapshots are created; None where the store does that atomically."""
        return None

    def unwritten(self, options: TableOptions) -> str | None:
        """What the options ask of the catalog that keeps the table from being written; None if nothing."""
        return None

    def create_snapshot(self, table: WriteTarget, snapshot: Snapshot, base: Snapshot | None) -> None:
        """Make a snapshot visible on top of `base`: this is the commit.

        Raises:
            AlreadyExistsError: another took the id, or `base` is no longer the latest; nothing was done.
            StorageError, NotFoundError: it may be there or not, nobody knows.
        """
        table.snapshots.create(snapshot)

    def committed(self, table: WriteTarget, snapshot: Snapshot) -> None:
        """Told of a snapshot that a commit has made visible. Never raises: the commit is done."""

    def tag_watch(self, schemas: SchemaStore) -> TagWatch | None:
        """Who is told of the tags of main, of which these are the schemas; None where nobody keeps them."""
        return None

    def partitions_done(
        self, schema: TableSchema, specs: Sequence[Mapping[str, str]]
    ) -> Sequence[bool] | None:
        """Which of some partitions of main the catalog was told are done; None where it keeps no such marks.

        Values are as directories are called, not escaped. Raises `PaimonError` where the catalog fails.
        """
        return None

    def alter(self, table: WriteTarget, changes: Sequence[SchemaChange]) -> None:
        """Change the schema, wholly or not at all; raises as `SchemaStore.commit_changes` does."""
        table.schemas.commit_changes(changes, has_snapshots=table.snapshots.latest_id() is not None)

    def merge_schema(self, table: WriteTarget, incoming: Sequence[DataField], rules: MergeRules) -> None:
        """Widen the schema for incoming columns; raises as `SchemaStore.commit_merge` does."""
        table.schemas.commit_merge(incoming, rules)

    def replace(self, table: WriteTarget, new: TableSchema) -> None:
        """Give an empty table another schema; raises as `SchemaStore.commit_replacement` does."""
        table.schemas.commit_replacement(new)


DIRECTORY = TableHome()
