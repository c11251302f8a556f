"""What catalogs do for a table that is open, which keep a copy of what its schema says."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

from core.commit import CommitLock, TableHome
from core.errors import PaimonError
from core.identifier import Identifier
from core.schema.changes import SchemaChange
from core.schema.merge import MergeRules
from core.schema.table_schema import TableSchema
from core.types import DataField
from core.write.target import WriteTarget

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CopyingHome(TableHome):
    """Of one table, its branches included, which share its lock; `_copy` says what the catalog keeps."""

    table: Identifier
    lock: CommitLock | None  # None: the store creates snapshots atomically, and no option asks for locks
    keeps_properties: bool

    @abstractmethod
    def _copy(self, schema: TableSchema) -> None:
        """Write down what main has become; raises `PaimonError`."""

    def commit_lock(self) -> CommitLock | None:
        return self.lock

    def alter(self, table: WriteTarget, changes: Sequence[SchemaChange]) -> None:
        with self._changing(table):
            super().alter(table, changes)

    def merge_schema(self, table: WriteTarget, incoming: Sequence[DataField], rules: MergeRules) -> None:
        with self._changing(table):
            super().merge_schema(table, incoming, rules)

    def replace(self, table: WriteTarget, new: TableSchema) -> None:
        with self._changing(table):
            super().replace(table, new)

    @contextmanager
    def _changing(self, table: WriteTarget) -> Iterator[None]:
        """The lock; behind it the schema is changed, whatever becomes of its copy, which a repair mends."""
        with nullcontext() if self.lock is None else self.lock.held():
            yield
        if table.paths.branch != "main":
            return
        try:
            self._copy(table.schemas.latest())
        except PaimonError as error:
            _log.warning("the schema of %s is changed, but not in the catalog: %s", self.table, error)


def properties_of(schema: TableSchema) -> dict[str, str]:
    """What a catalog keeps of a schema beside its columns: options and keys. Spec: 04, C2, C3."""
    keys = {
        "primary-key": schema.primary_keys,
        "partition": schema.partition_keys,
        "bucket-key": schema.bucket_keys,
    }
    return {**schema.options, **{name: ",".join(columns) for name, columns in keys.items() if columns}}
