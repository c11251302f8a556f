"""What every catalog can do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

import pyarrow as pa

from core.identifier import Identifier
from core.system import SystemTable
from core.table import Table
from core.types.data_types import DataField

TableName: TypeAlias = Identifier | str
"""`database.table`, as text or parsed; with `$branch_<name>` where a branch is meant."""


class Catalog(Protocol):
    """Databases and tables of one warehouse. Instances are picklable."""

    @property
    def warehouse(self) -> str: ...

    def list_databases(self) -> list[str]:
        """Sorted."""
        ...

    def create_database(self, name: str, *, ignore_if_exists: bool = False) -> None: ...

    def drop_database(self, name: str, *, cascade: bool = False, ignore_if_missing: bool = False) -> None:
        """Drop a database; one with tables only under `cascade`, which drops them too."""
        ...

    def database_exists(self, name: str) -> bool: ...

    def list_tables(self, database: str) -> list[str]:
        """Sorted; `NotFoundError` if there is no such database."""
        ...

    def table_exists(self, table: TableName) -> bool: ...

    def get_table(self, table: TableName) -> Table | SystemTable:
        """What a name stands for: a table, a branch of it, or one of its system tables.

        `db.t` and `db.t$branch_b` give a `Table`, `db.t$snapshots` a `SystemTable`; both have
        `schema`, `to_arrow` and `to_batches`.

        Raises:
            NotFoundError: no such database, table, branch or system table. UnsupportedError: a
            system table of Paimon's that we do not serve.
        """
        ...

    def get_data_table(self, table: TableName) -> Table:
        """The same for a caller who needs a table with files of its own.

        Raises:
            InvalidRequestError: the name is that of a system table.
        """
        ...

    def create_table(
        self,
        table: TableName,
        fields: Sequence[DataField] | pa.Schema,
        *,
        partition_keys: Sequence[str] = (),
        primary_keys: Sequence[str] = (),
        options: Mapping[str, str] | None = None,
        comment: str | None = None,
        ignore_if_exists: bool = False,
    ) -> Table:
        """A new, empty table.

        Raises:
            AlreadyExistsError, NotFoundError (the database), InvalidRequestError (the schema),
            UnsupportedError (legal, and not implemented).
        """
        ...

    def drop_table(self, table: TableName, *, ignore_if_missing: bool = False) -> None:
        """Delete the table with all its files."""
        ...
