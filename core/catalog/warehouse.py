"""What catalogs share whose tables are directories of one warehouse: all that is decided before a name is
looked up, and all errors. Spec: 04, C1 to C3.

A kind of catalog says where names are kept, by the methods that begin with `_`.
"""

from __future__ import annotations

import logging
import time
import uuid
from abc import abstractmethod
from collections.abc import Mapping, Sequence

import pyarrow as pa

from core.arguments import check_argument, is_a, is_texts
from core.arrow import fields_from_arrow
from core.catalog.errors import (
    DatabaseAlreadyExistsError,
    DatabaseNotEmptyError,
    DatabaseNotFoundError,
    TableAlreadyExistsError,
    TableNotFoundError,
)
from core.catalog.facts import Database, Page, Partition, PropertyChanges, PropertyOutcome, TableFacts
from core.catalog.names import (
    TableName,
    check_new_database,
    check_own_database,
    identifier_of,
    main_table,
    new_name,
    page_of,
)
from core.catalog.partitions import partitions_of
from core.catalog.table_types import (
    PlainTable,
    in_letters_of,
    kept_schema,
    opened,
    plain_location,
    plain_partitions,
)
from core.catalog.without_views import WithoutViews
from core.commit import DIRECTORY, TableHome
from core.errors import AlreadyExistsError, InvalidRequestError, PaimonError, UnsupportedError
from core.identifier import SYSTEM_DATABASE, Identifier, check_name
from core.io.file_io import FileIO
from core.io.numbered_files import listed_ids
from core.io.open import file_io_for, renames_directories
from core.maintenance.external_files import external_files
from core.options import LOCK_ENABLED, PATH, TYPE, TableOptions
from core.schema.changes import SchemaChange
from core.schema.create import initial_schema, replacement
from core.schema.table_schema import TableSchema
from core.schema.table_type import NO_SNAPSHOTS, TableType, table_type, table_type_name
from core.schema.validate import validate
from core.system import WAREHOUSE_TABLES, SystemTable, open_system_table, open_warehouse_table
from core.table import Table
from core.types.data_types import DataField

_log = logging.getLogger(__name__)
DATABASE_SUFFIX = ".db"
_TABLE_DEFAULT = "table-default."


class WarehouseCatalog(WithoutViews):
    """A catalog of directories `<warehouse>/<database>.db/<table>/`."""

    kind: str
    keeps: frozenset[TableType] = frozenset()  # types of tables without snapshots

    def __init__(self, io: FileIO, warehouse: str, options: Mapping[str, str] | None = None) -> None:
        self._io = io
        self._warehouse = warehouse.rstrip("/")
        self._options = dict(options or {})

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._warehouse})"  # options hold secrets

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

    @property
    @abstractmethod
    def case_sensitive(self) -> bool: ...

    # --- databases

    @abstractmethod
    def _databases(self) -> list[str]: ...

    @abstractmethod
    def _database(self, name: str) -> Database | None: ...

    @abstractmethod
    def _create_database(self, name: str, properties: Mapping[str, str]) -> None: ...

    @abstractmethod
    def _drop_database(self, name: str) -> None: ...

    def _alter_database(self, name: str, changes: PropertyChanges) -> PropertyOutcome:
        self._refuse("properties of databases")

    def list_databases(self) -> list[str]:
        return sorted(self._databases())

    def list_databases_page(
        self, *, limit: int | None = None, token: str | None = None, pattern: str | None = None
    ) -> Page:
        return page_of(self._databases(), limit, token, pattern)

    def database_exists(self, name: str) -> bool:
        return self._find_database(name) is not None

    def get_database(self, name: str) -> Database:
        found = self._find_database(name)
        if found is None:
            raise DatabaseNotFoundError.of(name)
        return found

    def create_database(
        self, name: str, *, properties: Mapping[str, str] | None = None, ignore_if_exists: bool = False
    ) -> None:
        check_new_database(name)
        check_argument(properties is None or is_texts(properties), "properties are texts", properties)
        if not self.database_exists(name):
            try:
                return self._create_database(name, properties or {})
            except DatabaseAlreadyExistsError:  # another was first
                if not ignore_if_exists:
                    raise
        if not ignore_if_exists:
            raise DatabaseAlreadyExistsError.of(name)

    def alter_database(
        self, name: str, changes: PropertyChanges, *, ignore_if_missing: bool = False
    ) -> PropertyOutcome:
        check_own_database(name)
        check_argument(is_a(changes, PropertyChanges), "give PropertyChanges", changes)
        twice = sorted(set(changes.updates).intersection(changes.removals))
        if twice:
            raise InvalidRequestError("properties are set and removed at once", properties=", ".join(twice))
        if not self.database_exists(name):
            if ignore_if_missing:
                return PropertyOutcome(missing=tuple(sorted(changes.removals)))
            raise DatabaseNotFoundError.of(name)
        return self._alter_database(name, changes)

    def drop_database(self, name: str, *, cascade: bool = False, ignore_if_missing: bool = False) -> None:
        check_own_database(name)
        if not self.database_exists(name):
            if ignore_if_missing:
                return
            raise DatabaseNotFoundError.of(name)
        tables, views = self.list_tables(name), self.list_views(name)
        if (tables or views) and not cascade:
            raise DatabaseNotEmptyError.of(name, len(tables), len(views))
        outside = [path for table in tables for path in self._files_outside(Identifier(name, table))]
        self._drop_database(name)
        self._delete_outside(outside)

    # --- tables

    @abstractmethod
    def _tables(self, database: str) -> list[str]:
        """Names of the tables of a database that is there."""

    @abstractmethod
    def _has_table(self, table: Identifier) -> bool: ...

    @abstractmethod
    def _create_table(self, table: Identifier, schema: TableSchema) -> None:
        """Raises `AlreadyExistsError` if another was first."""

    @abstractmethod
    def _rename_table(self, source: Identifier, target: Identifier) -> None: ...

    @abstractmethod
    def _drop_table(self, table: Identifier) -> None: ...

    def _is_taken(self, name: Identifier) -> bool:
        """Whether a table or a view has the name."""
        return self._has_table(name)

    def _home(self, table: Identifier) -> TableHome:
        """What the catalog does for a table beyond its directory."""
        return DIRECTORY

    def list_tables(self, database: str) -> list[str]:
        if database == SYSTEM_DATABASE:
            return sorted(WAREHOUSE_TABLES)
        self.get_database(database)
        return sorted(self._tables(database))

    def list_tables_page(
        self,
        database: str,
        *,
        limit: int | None = None,
        token: str | None = None,
        pattern: str | None = None,
        type: str | None = None,
    ) -> Page:
        names = self.list_tables(database)
        if type is not None and database != SYSTEM_DATABASE:
            names = [n for n in names if table_type_name(self._table(Identifier(database, n)).schema) == type]
        return page_of(names, limit, token, pattern)

    def table_exists(self, table: TableName) -> bool:
        identifier = identifier_of(table)
        if identifier.database == SYSTEM_DATABASE:
            return identifier.table.lower() in WAREHOUSE_TABLES
        return self._has_table(identifier.base)

    def table_facts(self, table: TableName) -> TableFacts:
        found = self.get_data_table(table)
        schema = found.schema
        place, is_external = found.location, False
        if table_type_name(schema) in NO_SNAPSHOTS:
            place, is_external = plain_location(place, schema.options), PATH.key in schema.options
        # As Paimon has it for catalogs that give none: the name and the time of the first schema.
        created = found.schemas.get(found.schemas.ids()[0]).time_millis
        uuid = f"{found.identifier}.{created}"
        return TableFacts(found.identifier, place, table_type_name(schema), schema, uuid, is_external)

    def get_table(self, table: TableName) -> Table | SystemTable | PlainTable:
        identifier = identifier_of(table)
        if identifier.database == SYSTEM_DATABASE:
            return open_warehouse_table(self, identifier.table)
        base = self.get_data_table(identifier.with_system(None))
        found = opened(base, lambda path: file_io_for(path, self._options))
        if not isinstance(found, Table):
            found = in_letters_of(found, self._options)
        if identifier.system is None:
            return found
        if not isinstance(found, Table):
            found.refuse_snapshots()
        return open_system_table(found, identifier.system)

    def get_data_table(self, table: TableName) -> Table:
        identifier = identifier_of(table)
        if identifier.system is not None or identifier.database == SYSTEM_DATABASE:
            raise InvalidRequestError("name a table, not a system table", table=str(identifier))
        self._require_table(identifier)
        found = self._table(identifier.base)
        return found.with_branch(identifier.branch) if identifier.branch else found

    def location(self, table: TableName) -> str:
        """The directory of a table, whether it exists or not."""
        identifier = identifier_of(table)
        return f"{self._database_path(identifier.database)}/{identifier.table}"

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
        identifier = new_name(table)
        self.get_database(identifier.database)
        schema = self._new_schema(fields, partition_keys, primary_keys, options, comment)
        self._check_takes(schema)
        schema = kept_schema(schema)
        try:
            if self._is_taken(identifier):
                raise TableAlreadyExistsError.of(identifier)
            self._create_table(identifier, schema)
        except AlreadyExistsError as error:
            if not ignore_if_exists or not self._has_table(identifier):
                if isinstance(error, TableAlreadyExistsError):
                    raise
                raise TableAlreadyExistsError.of(identifier) from error
        return self._table(identifier)

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
        """Two steps, each whole: all rows go in a snapshot, then the schema is the new one."""
        identifier = main_table(table)
        found = self.get_data_table(identifier)
        schema = self._new_schema(fields, partition_keys, primary_keys, options, comment)
        self._check_takes(schema)
        for what, old, new in (
            ("partition keys", found.schema.partition_keys, schema.partition_keys),
            ("type", table_type_name(found.schema), table_type_name(schema)),
        ):
            if old != new:
                raise UnsupportedError(
                    f"a table keeps its {what} when it is replaced: drop it and make it anew",
                    feature=f"replace a table by one of another {what}",
                    where=str(identifier),
                )
        validate(replacement(found.schema, schema))
        latest = found.snapshots.latest()
        if latest is not None and latest.total_record_count != 0:
            found.new_commit(f"replace-table-{uuid.uuid4()}").truncate()
        found.home.replace(found, schema)
        return self._table(identifier)

    def alter_table(
        self, table: TableName, changes: Sequence[SchemaChange], *, ignore_if_missing: bool = False
    ) -> Table | None:
        identifier = identifier_of(table)
        main_table(identifier.with_branch(None))
        if ignore_if_missing and not self._has_table(identifier.base):
            return None
        return self.get_data_table(identifier).alter(changes)

    def rename_table(self, source: TableName, target: TableName, *, ignore_if_missing: bool = False) -> None:
        old, new = main_table(source), new_name(target)
        if not self._has_table(old):
            if ignore_if_missing:
                return
            self._require_table(old)
        self.get_database(new.database)
        if self._is_taken(new):
            raise TableAlreadyExistsError.of(new)
        if not renames_directories(self._warehouse):
            raise UnsupportedError(
                "a table cannot be renamed on an object store: it would be copied file by file, and whoever "
                "reads or writes meanwhile would see parts of it; clone it, then drop the old one",
                feature="rename a table",
                where=self._warehouse,
            )
        self._rename_table(old, new)

    def drop_table(self, table: TableName, *, ignore_if_missing: bool = False) -> None:
        identifier = main_table(table)
        if not self._has_table(identifier):
            if ignore_if_missing:
                return
            raise TableNotFoundError.of(identifier)
        outside = self._files_outside(identifier)
        self._drop_table(identifier)
        self._delete_outside(outside)

    def _files_outside(self, table: Identifier) -> list[str]:
        """Those of its files that do not go with its directory; none that cannot be told, which are left."""
        try:
            return external_files(self._table(table))
        except PaimonError as error:
            _log.warning("files of %s outside of its directory are left: %s", table, error)
            return []

    def _delete_outside(self, paths: Sequence[str]) -> None:
        for path in paths:
            self._io.delete(path)

    def repair_table(self, table: TableName) -> bool:
        identifier = main_table(table)
        if not self._has_directory(identifier):
            raise TableNotFoundError.of(identifier)
        return self._repair_table(identifier)

    def _repair_table(self, table: Identifier) -> bool:
        return False

    # --- partitions

    def list_partitions(self, table: TableName) -> list[Partition]:
        found = self.get_table(identifier_of(table).with_system(None))
        return partitions_of(found) if isinstance(found, Table) else plain_partitions(found)

    def mark_partitions_done(self, table: TableName, specs: Sequence[Mapping[str, str]]) -> None:
        self.get_data_table(table)
        self._refuse("partitions marked as done")

    # --- shared

    def _find_database(self, name: str) -> Database | None:
        return Database(SYSTEM_DATABASE) if name == SYSTEM_DATABASE else self._database(name)

    def _database_path(self, name: str) -> str:
        return f"{self._warehouse}/{check_name('database', name)}{DATABASE_SUFFIX}"

    def _table(self, identifier: Identifier) -> Table:
        """The table with what the catalog asks of its writers."""
        locked = TableOptions(self._options).get(LOCK_ENABLED)
        options = {LOCK_ENABLED.key: "true"} if locked else {}
        return Table(self._io, self.location(identifier), identifier, options, self._home(identifier))

    def _require_table(self, identifier: Identifier) -> None:
        if not self._has_table(identifier.base):
            self.get_database(identifier.database)
            raise TableNotFoundError.of(identifier.base)

    def _has_directory(self, table: Identifier) -> bool:
        """Whether there is a directory with a schema in it."""
        return bool(listed_ids(self._io, f"{self.location(table)}/schema", "schema-"))

    def _new_schema(
        self,
        fields: Sequence[DataField] | pa.Schema,
        partition_keys: Sequence[str],
        primary_keys: Sequence[str],
        options: Mapping[str, str] | None,
        comment: str | None,
    ) -> TableSchema:
        return initial_schema(
            fields_from_arrow(fields) if isinstance(fields, pa.Schema) else fields,
            partition_keys=partition_keys,
            primary_keys=primary_keys,
            options=self._with_defaults(options),
            comment=comment,
            time_millis=time.time_ns() // 1_000_000,
        )

    def _with_defaults(self, options: Mapping[str, str] | None) -> Mapping[str, str] | None:
        prefix = _TABLE_DEFAULT
        defaults = {k.removeprefix(prefix): v for k, v in self._options.items() if k.startswith(prefix)}
        return {**defaults, **(options or {})} if defaults and is_a(options, Mapping | None) else options

    def _check_takes(self, schema: TableSchema) -> None:
        """Raises `UnsupportedError` for tables that this kind of catalog does not keep. Spec: 04, C1, C5."""
        kind = table_type(schema)
        if not kind.has_snapshots and kind not in self.keeps:
            self._refuse(f"{TYPE.key}={kind}")
        if PATH.key in schema.options and kind.has_snapshots:
            self._refuse(f"option {PATH.key}: tables at a place of their own")
