"""The catalog that is nothing but directories: `<warehouse>/<database>.db/<table>/`. Spec: 04, C1."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import pyarrow as pa

from core.arrow import fields_from_arrow
from core.catalog.catalog import TableName
from core.errors import AlreadyExistsError, InvalidRequestError, NotFoundError
from core.identifier import SYSTEM_DATABASE, Identifier, check_name
from core.io.file_io import FileIO
from core.io.numbered_files import listed_ids
from core.options import LOCK_ENABLED, TableOptions
from core.schema.create import initial_schema
from core.system import WAREHOUSE_TABLES, SystemTable, open_system_table, open_warehouse_table
from core.table import Table
from core.types.data_types import DataField

_SUFFIX = ".db"


class FileSystemCatalog:
    """Databases are directories that end in `.db`; tables are directories with a schema in them."""

    def __init__(self, io: FileIO, warehouse: str, options: Mapping[str, str] | None = None) -> None:
        self._io = io
        self._warehouse = warehouse.rstrip("/")
        self._options = dict(options or {})

    @property
    def warehouse(self) -> str:
        return self._warehouse

    @property
    def io(self) -> FileIO:
        return self._io

    @property
    def options(self) -> Mapping[str, str]:
        """Those that the catalog was opened with; the warehouse is always among them."""
        return {"warehouse": self._warehouse, **self._options}

    def list_databases(self) -> list[str]:
        names = self._io.list_directories(self._warehouse)
        return [name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX) and name != _SUFFIX]

    def database_exists(self, name: str) -> bool:
        return name in self.list_databases()

    def create_database(self, name: str, *, ignore_if_exists: bool = False) -> None:
        check_name("database", name)
        _check_own(name)
        if self.database_exists(name):
            if ignore_if_exists:
                return
            raise AlreadyExistsError("database exists already", database=name)
        self._io.create_directory(self._database_path(name))

    def drop_database(self, name: str, *, cascade: bool = False, ignore_if_missing: bool = False) -> None:
        _check_own(name)
        if not self.database_exists(name):
            if ignore_if_missing:
                return
            raise NotFoundError("database not found", database=name)
        tables = self.list_tables(name)
        if tables and not cascade:
            raise InvalidRequestError("database is not empty", database=name, tables=len(tables))
        self._io.delete_directory(self._database_path(name))

    def list_tables(self, database: str) -> list[str]:
        if database == SYSTEM_DATABASE:
            return sorted(WAREHOUSE_TABLES)
        self._require_database(database)
        path = self._database_path(database)
        return [name for name in self._io.list_directories(path) if self._is_table(f"{path}/{name}")]

    def table_exists(self, table: TableName) -> bool:
        return self._is_table(self.location(table))

    def get_table(self, table: TableName) -> Table | SystemTable:
        identifier = _identifier(table)
        if identifier.database == SYSTEM_DATABASE:
            return open_warehouse_table(self, identifier.table)
        base = self.get_data_table(identifier.with_system(None))
        return base if identifier.system is None else open_system_table(base, identifier.system)

    def get_data_table(self, table: TableName) -> Table:
        identifier = _identifier(table)
        if identifier.system is not None:
            raise InvalidRequestError("name a table, not a system table", table=str(identifier))
        location = self.location(identifier)
        if not self._is_table(location):
            self._require_database(identifier.database)
            raise NotFoundError("table not found", table=str(identifier.base))
        found = self._table(location, identifier.base)
        return found.with_branch(identifier.branch) if identifier.branch else found

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
        identifier = _main(table)
        self._require_database(identifier.database)
        schema = initial_schema(
            fields_from_arrow(fields) if isinstance(fields, pa.Schema) else fields,
            partition_keys=partition_keys,
            primary_keys=primary_keys,
            options=options,
            comment=comment,
            time_millis=time.time_ns() // 1_000_000,
        )
        created = self._table(self.location(identifier), identifier)
        try:
            if self.table_exists(identifier):
                raise AlreadyExistsError("table exists already", table=str(identifier))
            created.schemas.create(schema)
        except AlreadyExistsError as error:
            if not ignore_if_exists:
                raise AlreadyExistsError("table exists already", table=str(identifier)) from error
        return created

    def drop_table(self, table: TableName, *, ignore_if_missing: bool = False) -> None:
        identifier = _main(table)
        if not self.table_exists(identifier):
            if ignore_if_missing:
                return
            raise NotFoundError("table not found", table=str(identifier))
        self._io.delete_directory(self.location(identifier))

    def location(self, table: TableName) -> str:
        """The directory of a table, whether it exists or not."""
        identifier = _identifier(table)
        return f"{self._database_path(identifier.database)}/{check_name('table', identifier.table)}"

    def _table(self, location: str, identifier: Identifier) -> Table:
        """The table with what the catalog asks of its writers."""
        locked = TableOptions(self._options).get(LOCK_ENABLED)
        return Table(self._io, location, identifier, {LOCK_ENABLED.key: "true"} if locked else {})

    def _database_path(self, name: str) -> str:
        return f"{self._warehouse}/{check_name('database', name)}{_SUFFIX}"

    def _require_database(self, name: str) -> None:
        if not self.database_exists(name):
            raise NotFoundError("database not found", database=name)

    def _is_table(self, location: str) -> bool:
        return bool(listed_ids(self._io, f"{location}/schema", "schema-"))


def _check_own(database: str) -> None:
    """`sys` is the warehouse's own. Spec: 04, B2."""
    if database == SYSTEM_DATABASE:
        raise InvalidRequestError("the database of system tables is not made or dropped", database=database)


def _identifier(table: TableName) -> Identifier:
    if isinstance(table, Identifier):
        return table
    if not isinstance(table, str):
        raise InvalidRequestError("a table is named by a text or an Identifier", found=repr(table))
    return Identifier.parse(table)


def _main(table: TableName) -> Identifier:
    """The identifier of a table itself, where branches and system tables make no sense."""
    identifier = _identifier(table)
    if identifier.branch or identifier.system:
        raise InvalidRequestError("name the table itself", table=str(identifier))
    return identifier
