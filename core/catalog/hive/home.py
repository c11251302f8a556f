"""What a Hive catalog does for a table that is open: gives its lock, and writes down what it has become."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.catalog.hive.client import HiveClient
from core.catalog.hive.objects import write_down
from core.catalog.hive.partitions import (
    HivePartitions,
    HiveTags,
    check_keeps_keys,
    has_partitions,
    live_partitions,
    live_statistics,
    marks_of,
    partitions_with,
    reports_statistics,
)
from core.catalog.home import CopyingHome, properties_of
from core.errors import PaimonError
from core.options import TableOptions
from core.schema.changes import SchemaChange
from core.schema.store import SchemaStore
from core.schema.table_schema import TableSchema
from core.snapshot.snapshot import CommitKind, Snapshot
from core.snapshot.tags import TagWatch
from core.table import Table
from core.write.target import WriteTarget

_log = logging.getLogger(__name__)
_PREVIEW = "metastore.tag-to-partition.preview"


@dataclass(frozen=True)
class HiveTableHome(CopyingHome):
    client: HiveClient

    def unwritten(self, options: TableOptions) -> str | None:
        """A tag that is not made yet, shown as a partition, is nothing that we keep."""
        preview = options.texts.get(_PREVIEW, "none")
        return None if preview == "none" else f"option {_PREVIEW}={preview}"

    def alter(self, table: WriteTarget, changes: Sequence[SchemaChange]) -> None:
        check_keeps_keys(table.schemas.latest(), changes, str(self.table))
        super().alter(table, changes)

    def committed(self, table: WriteTarget, snapshot: Snapshot) -> None:
        """Partitions with new files come, those without any go; a repair mends what fails here."""
        if not has_partitions(table.schema):
            return
        delta = table.manifests.delta_entries(snapshot)
        try:
            self._partitions.add(partitions_with(table, delta.adds()))
            if reports_statistics(table.schema) and table.paths.branch == "main":
                held = live_statistics(table, snapshot, partitions_with(table, delta))
                self._partitions.report(held, seconds=int(time.time()))
            if snapshot.commit_kind is CommitKind.OVERWRITE:
                emptied = partitions_with(table, delta.deletes())
                kept = live_partitions(Table(table.io, table.paths.root, self.table.base))
                self._partitions.drop([spec for spec in emptied if spec not in kept])
        except PaimonError as error:
            _log.warning(
                "the partitions of %s changed, but not in the metastore: repair it: %s", self.table, error
            )

    def partitions_done(
        self, schema: TableSchema, specs: Sequence[Mapping[str, str]]
    ) -> Sequence[bool] | None:
        """By the event `LOAD_DONE` or by a partition `<value>.done` beside it, as the table asks for."""
        marks = marks_of(schema)
        return self._partitions.done(specs, marks) if marks else None

    def tag_watch(self, schemas: SchemaStore) -> TagWatch | None:
        return HiveTags(self._partitions, schemas)

    @property
    def _partitions(self) -> HivePartitions:
        return HivePartitions(self.client, self.table)

    def _copy(self, schema: TableSchema) -> None:
        database, name = self.table.database, self.table.table
        found = self.client.ask("look at a table", lambda hms: hms.get_table(database, name))
        write_down(found, schema, properties_of(schema) if self.keeps_properties else {})
        self.client.change("alter a table", lambda hms: hms.alter_table(database, name, found))
