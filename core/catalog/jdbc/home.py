"""What a JDBC catalog does for a table that is open: gives its lock, and writes down its options."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from core.catalog.errors import CatalogError
from core.catalog.jdbc.lock import JdbcLock
from core.catalog.jdbc.names import JdbcNames
from core.commit import CommitLock, TableHome
from core.identifier import Identifier
from core.schema.changes import SchemaChange
from core.schema.merge import MergeRules
from core.schema.table_schema import TableSchema
from core.types import DataField
from core.write.target import WriteTarget

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class JdbcTableHome(TableHome):
    """Of one table, its branches included, which share its lock."""

    names: JdbcNames
    table: Identifier
    lock: JdbcLock | None  # None: the store creates snapshots atomically, and no option asks for locks
    keeps_properties: bool

    def commit_lock(self) -> CommitLock | None:
        return self.lock

    def alter(self, table: WriteTarget, changes: Sequence[SchemaChange]) -> None:
        with self._held():
            super().alter(table, changes)
        self._write_down(table)

    def merge_schema(self, table: WriteTarget, incoming: Sequence[DataField], rules: MergeRules) -> None:
        with self._held():
            super().merge_schema(table, incoming, rules)
        self._write_down(table)

    def _held(self) -> AbstractContextManager[None]:
        return nullcontext() if self.lock is None else self.lock.held()

    def _write_down(self, table: WriteTarget) -> None:
        """The schema is changed, whatever becomes of the copy of its options: `repair_table` mends that."""
        if not self.keeps_properties or table.paths.branch != "main":
            return
        try:
            self.names.replace_properties(self.table, properties_of(table.schemas.latest()))
        except CatalogError as error:
            _log.warning("the options of %s are changed, but not in the catalog: %s", self.table, error)


def properties_of(schema: TableSchema) -> dict[str, str]:
    """What a catalog keeps of a schema: its options and keys. Spec: 04, C2."""
    keys = {
        "primary-key": schema.primary_keys,
        "partition": schema.partition_keys,
        "bucket-key": schema.bucket_keys,
    }
    return {**schema.options, **{name: ",".join(columns) for name, columns in keys.items() if columns}}
