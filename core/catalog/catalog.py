"""What every catalog can do. One suite of tests runs against all of them: tests/core/catalog/contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import pyarrow as pa

from core.catalog.facts import Database, Page, Partition, PropertyChanges, PropertyOutcome, TableFacts
from core.catalog.functions import Function
from core.catalog.names import TableName
from core.catalog.table_types import PlainTable
from core.catalog.views import View, ViewChange, ViewSchema
from core.io.file_io import FileIO
from core.schema.changes import SchemaChange
from core.system import SystemTable
from core.table import Table
from core.types.data_types import DataField


class Catalog(Protocol):
    """Databases, tables and views of one warehouse. Instances are picklable.

    Errors are those of `core.catalog.errors`, alike for equal mistakes: a name that is none is an
    `InvalidRequestError`, as is a change of database `sys`; what a kind of catalog cannot do is an
    `UnsupportedError` with the fields `feature` and `where`. A catalog on a server raises `CatalogError`,
    `AccessDeniedError` and `CatalogUnknownError` besides, from any call.
    """

    @property
    def kind(self) -> str:
        """As option `metastore` names it: filesystem, jdbc, hive, rest."""
        ...

    @property
    def warehouse(self) -> str: ...

    @property
    def io(self) -> FileIO:
        """The store of the warehouse."""
        ...

    @property
    def options(self) -> Mapping[str, str]:
        """Those that the catalog was opened with, secrets included: never print them."""
        ...

    @property
    def case_sensitive(self) -> bool:
        """Whether names that differ in the case of letters alone may stand side by side."""
        ...

    # --- databases

    def list_databases(self) -> list[str]:
        """Sorted; without `sys`, which every catalog has."""
        ...

    def list_databases_page(
        self, *, limit: int | None = None, token: str | None = None, pattern: str | None = None
    ) -> Page:
        """Up to `limit` names like a pattern of SQL, from where the page before said."""
        ...

    def database_exists(self, name: str) -> bool: ...

    def get_database(self, name: str) -> Database:
        """Raises `DatabaseNotFoundError`."""
        ...

    def create_database(
        self, name: str, *, properties: Mapping[str, str] | None = None, ignore_if_exists: bool = False
    ) -> None:
        """Raises `DatabaseAlreadyExistsError`."""
        ...

    def alter_database(
        self, name: str, changes: PropertyChanges, *, ignore_if_missing: bool = False
    ) -> PropertyOutcome:
        """Set and remove properties; raises `DatabaseNotFoundError`."""
        ...

    def drop_database(self, name: str, *, cascade: bool = False, ignore_if_missing: bool = False) -> None:
        """Drop a database; one with tables or views only under `cascade`, which drops them too.

        Raises:
            DatabaseNotFoundError, DatabaseNotEmptyError.
        """
        ...

    # --- tables

    def list_tables(self, database: str) -> list[str]:
        """Sorted; raises `DatabaseNotFoundError`."""
        ...

    def list_tables_page(
        self,
        database: str,
        *,
        limit: int | None = None,
        token: str | None = None,
        pattern: str | None = None,
        type: str | None = None,
    ) -> Page:
        """Up to `limit` names like a pattern of SQL, of one type if that is given."""
        ...

    def table_exists(self, table: TableName) -> bool: ...

    def table_facts(self, table: TableName) -> TableFacts:
        """What the catalog knows of a table; raises `TableNotFoundError`, `DatabaseNotFoundError`."""
        ...

    def get_table(self, table: TableName) -> Table | SystemTable | PlainTable:
        """What a name stands for: a table, a branch of it, or one of its system tables.

        `db.t` and `db.t$branch_b` give a `Table`, `db.t$snapshots` a `SystemTable`, and tables without
        snapshots a `FormatTable` or an `ObjectTable`; all have `schema`, `to_arrow` and `to_batches`.

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

    def location(self, table: TableName) -> str:
        """The directory of a table, whether it exists or not."""
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
        """A new, empty table. Options of the catalog `table-default.*` stand where none is given.

        Raises:
            TableAlreadyExistsError, DatabaseNotFoundError, InvalidRequestError (the schema),
            UnsupportedError (legal, and not implemented, or not in this kind of catalog).
        """
        ...

    def replace_table(
        self,
        table: TableName,
        fields: Sequence[DataField] | pa.Schema,
        *,
        partition_keys: Sequence[str] = (),
        primary_keys: Sequence[str] = (),
        options: Mapping[str, str] | None = None,
        comment: str | None = None,
    ) -> Table:
        """The table without rows and with another schema; its snapshots, tags and branches stay.

        Raises:
            TableNotFoundError, InvalidRequestError (the schema); UnsupportedError: other partition keys, or
            another type of table. CommitConflictError, CommitUnknownError: as `TableCommit.commit`.
        """
        ...

    def alter_table(
        self, table: TableName, changes: Sequence[SchemaChange], *, ignore_if_missing: bool = False
    ) -> Table | None:
        """The table, or branch, with its schema changed by all changes in order, or none; None if missing.

        Raises:
            TableNotFoundError, and as `Table.alter`.
        """
        ...

    def rename_table(self, source: TableName, target: TableName, *, ignore_if_missing: bool = False) -> None:
        """Give a table another name, in this database or another one.

        Raises:
            TableNotFoundError, TableAlreadyExistsError, DatabaseNotFoundError (of the target).
            UnsupportedError: on an object store, where a directory cannot be renamed at once.
        """
        ...

    def drop_table(self, table: TableName, *, ignore_if_missing: bool = False) -> None:
        """Take the table out of the catalog and delete its files, unless it is external.

        Raises:
            TableNotFoundError.
        """
        ...

    def repair_table(self, table: TableName) -> bool:
        """Take up a table whose directory is there and that the catalog does not know, or knows an older
        schema of; whether there was anything to do.

        Raises:
            TableNotFoundError: there is no such directory.
        """
        ...

    # --- partitions

    def list_partitions(self, table: TableName) -> list[Partition]:
        """By name; none of a table without partition keys. Raises `TableNotFoundError`."""
        ...

    def mark_partitions_done(self, table: TableName, specs: Sequence[Mapping[str, str]]) -> None:
        """Have the catalog remember that partitions are complete.

        Raises:
            TableNotFoundError. UnsupportedError: the catalog keeps no partitions.
        """
        ...

    # --- views and functions

    def list_views(self, database: str) -> list[str]:
        """Sorted; none where a kind of catalog has no views. Raises `DatabaseNotFoundError`."""
        ...

    def list_views_page(
        self,
        database: str,
        *,
        limit: int | None = None,
        token: str | None = None,
        pattern: str | None = None,
    ) -> Page: ...

    def get_view(self, view: TableName) -> View:
        """Raises `ViewNotFoundError`."""
        ...

    def create_view(self, view: TableName, schema: ViewSchema, *, ignore_if_exists: bool = False) -> None:
        """Raises `ViewAlreadyExistsError`, also where a table has that name, and `DatabaseNotFoundError`."""
        ...

    def alter_view(
        self, view: TableName, changes: Sequence[ViewChange], *, ignore_if_missing: bool = False
    ) -> None:
        """Raises `ViewNotFoundError`, `DialectNotFoundError`, `DialectAlreadyExistsError`."""
        ...

    def rename_view(self, source: TableName, target: TableName, *, ignore_if_missing: bool = False) -> None:
        """Raises `ViewNotFoundError`, `ViewAlreadyExistsError`, `DatabaseNotFoundError` (of the target)."""
        ...

    def drop_view(self, view: TableName, *, ignore_if_missing: bool = False) -> None:
        """Raises `ViewNotFoundError`."""
        ...

    def list_functions(self, database: str) -> list[str]:
        """Sorted; none where a kind of catalog has no functions. Raises `DatabaseNotFoundError`."""
        ...

    def get_function(self, function: TableName) -> Function:
        """Raises `FunctionNotFoundError`."""
        ...
