"""What a Hive catalog does for a table that is open: gives its lock, and writes down what it has become."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from core.catalog.hive.client import HiveClient
from core.catalog.hive.lock import HiveLock
from core.catalog.hive.objects import write_down
from core.commit import CommitLock, TableHome
from core.errors import PaimonError, UnsupportedError
from core.identifier import Identifier
from core.options import METASTORE_PARTITIONED, METASTORE_TAG_TO_PARTITION, TableOptions
from core.schema.changes import SchemaChange, SetOption
from core.schema.merge import MergeRules
from core.schema.table_schema import TableSchema
from core.types import DataField
from core.write.target import WriteTarget

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HiveTableHome(TableHome):
    """Of one table, its branches included, which share its lock."""

    client: HiveClient
    table: Identifier
    lock: HiveLock | None  # None: the store creates snapshots atomically, and no option asks for locks
    keeps_properties: bool

    def commit_lock(self) -> CommitLock | None:
        return self.lock

    def unwritten(self, options: TableOptions) -> str | None:
        return partitions_kept(options)

    def alter(self, table: WriteTarget, changes: Sequence[SchemaChange]) -> None:
        given = {change.key: change.value for change in changes if isinstance(change, SetOption)}
        check_keeps(TableOptions(given), str(self.table))
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
        """The schema is changed, whatever the metastore makes of it: `repair_table` mends that."""
        if table.paths.branch != "main":
            return
        database, name = self.table.database, self.table.table
        try:
            schema = table.schemas.latest()
            found = self.client.ask("look at a table", lambda hms: hms.get_table(database, name))
            write_down(found, schema, properties_of(schema) if self.keeps_properties else {})
            self.client.change("alter a table", lambda hms: hms.alter_table(database, name, found))
        except PaimonError as error:
            _log.warning("the schema of %s is changed, but not in the metastore: %s", self.table, error)


def properties_of(schema: TableSchema) -> dict[str, str]:
    """What the metastore keeps of a schema besides its columns."""
    keys = {
        "primary-key": schema.primary_keys,
        "partition": schema.partition_keys,
        "bucket-key": schema.bucket_keys,
    }
    return {**schema.options, **{name: ",".join(columns) for name, columns in keys.items() if columns}}


def check_keeps(options: TableOptions, where: str) -> None:
    """Raises `UnsupportedError` if partitions are to be kept in the metastore: we would leave them out."""
    asked = partitions_kept(options)
    if asked is not None:
        raise UnsupportedError("partitions in the metastore are not kept", feature=asked, where=where)


def partitions_kept(options: TableOptions) -> str | None:
    """The option by which partitions are kept in the metastore, if one asks for it."""
    asked = {
        METASTORE_PARTITIONED.key: options.get(METASTORE_PARTITIONED),
        METASTORE_TAG_TO_PARTITION.key: options.get(METASTORE_TAG_TO_PARTITION) is not None,
    }
    return next((f"option {key}" for key, is_on in asked.items() if is_on), None)
