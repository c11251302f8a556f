"""Databases, tables and views whose names stand in a SQL database. Spec: 04, C2."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

from core.catalog.errors import (
    CatalogError,
    CatalogUnknownError,
    DatabaseAlreadyExistsError,
    TableAlreadyExistsError,
    ViewAlreadyExistsError,
    ViewNotFoundError,
)
from core.catalog.facts import Database, PropertyChanges, PropertyOutcome
from core.catalog.home import properties_of
from core.catalog.jdbc.client import DuplicateError, JdbcClient
from core.catalog.jdbc.home import JdbcTableHome
from core.catalog.jdbc.lock import JdbcLock
from core.catalog.jdbc.names import EXISTS, LOCATION, JdbcNames
from core.catalog.names import TableName, main_table, new_name
from core.catalog.options import (
    CATALOG_KEY,
    LOCK_ACQUIRE_TIMEOUT,
    LOCK_CHECK_MAX_SLEEP,
    LOCK_ENABLED,
    LOCK_KEY_MAX_LENGTH,
    SYNC_ALL_PROPERTIES,
    URI,
    catalog_options,
)
from core.catalog.rest.views import view_schema_from_wire, view_schema_to_wire
from core.catalog.table_types import KEPT
from core.catalog.views import View, ViewChange, ViewSchema, changed_view
from core.catalog.warehouse import WarehouseCatalog
from core.errors import FormatError, InvalidRequestError, PaimonError
from core.identifier import Identifier
from core.io.file_io import FileIO
from core.io.json_object import JsonObject
from core.io.open import renames_directories
from core.schema.table_schema import TableSchema


class JdbcCatalog(WarehouseCatalog):
    """Names and properties stand in the database, schemas and data in the directories of the warehouse."""

    kind = "jdbc"
    keeps = KEPT

    def __init__(self, io: FileIO, warehouse: str, options: Mapping[str, str] | None = None) -> None:
        """A catalog whose tables are made in the database where they are missing.

        Raises:
            InvalidRequestError: no `uri`, or none that we understand. CatalogError: the database fails.
        """
        super().__init__(io, warehouse, options)
        given = catalog_options(self._options)
        uri = given.get(URI)
        if not uri:
            raise InvalidRequestError("a JDBC catalog needs the option uri", expected="jdbc:<kind>:<place>")
        secrets = {key: value for key, value in self._options.items() if key.startswith("jdbc.")}
        self._names = JdbcNames(JdbcClient(uri, secrets), given.get(CATALOG_KEY))
        self._keeps_properties = given.get(SYNC_ALL_PROPERTIES)
        locked = given.get(LOCK_ENABLED)
        self._locked = not renames_directories(self._warehouse) if locked is None else locked
        self._patience = given.get(LOCK_ACQUIRE_TIMEOUT).total_seconds()
        self._pause = given.get(LOCK_CHECK_MAX_SLEEP).total_seconds()
        self._names.make_tables(self._locked, given.get(LOCK_KEY_MAX_LENGTH))

    @property
    def case_sensitive(self) -> bool:
        return False  # as Paimon says of it: databases differ

    def close(self) -> None:
        """Close the connections to the database."""
        self._names.client.close()

    # --- databases

    def _databases(self) -> list[str]:
        return self._names.databases()

    def _database(self, name: str) -> Database | None:
        properties = self._names.properties(name)
        if not properties and name not in self._names.databases():
            return None
        location = properties.pop(LOCATION, self._database_path(name))
        properties.pop(EXISTS, None)
        comment = properties.get("comment")
        return Database(name, location, properties, comment)

    def _create_database(self, name: str, properties: Mapping[str, str]) -> None:
        rows = {EXISTS: "true", LOCATION: self._database_path(name), **properties}
        try:
            self._names.insert_properties(name, rows)
        except DuplicateError as error:
            raise DatabaseAlreadyExistsError.of(name) from error

    def _alter_database(self, name: str, changes: PropertyChanges) -> PropertyOutcome:
        """A property that makes the database one, or says where it is, stays as it is."""
        fixed = sorted({EXISTS, LOCATION}.intersection({*changes.updates, *changes.removals}))
        if fixed:
            raise InvalidRequestError("this property is not changed", database=name, property=fixed[0])
        known = self._names.properties(name)
        removed = [key for key in changes.removals if key in known]
        self._names.change_properties(name, changes.updates, removed)
        missing = sorted(set(changes.removals).difference(removed))
        return PropertyOutcome(tuple(sorted(changes.updates)), tuple(sorted(removed)), tuple(missing))

    def _drop_database(self, name: str) -> None:
        """Paimon's own leaves the files of the tables; here they go with their names."""
        for table in self._names.tables(name):
            self._drop_table(Identifier(name, table))
        self._names.delete_database(name)
        self._io.delete_empty_directory(self._database_path(name))

    # --- tables

    def _tables(self, database: str) -> list[str]:
        return self._names.tables(database)

    def _has_table(self, table: Identifier) -> bool:
        return self._names.has_table(table)

    def _is_taken(self, name: Identifier) -> bool:
        return self._names.has_table(name) or self._names.view(name) is not None

    def _home(self, table: Identifier) -> JdbcTableHome:
        return JdbcTableHome(table, self._lock(table), self._keeps_properties, self._names)

    def _create_table(self, table: Identifier, schema: TableSchema) -> None:
        with self._held(table):
            if self._is_taken(table):
                raise TableAlreadyExistsError.of(table)
            if self._has_directory(table):
                raise TableAlreadyExistsError(
                    "the directory of such a table is there, and the catalog does not know it: repair it "
                    "to take it up, or delete the directory",
                    table=str(table),
                    location=self.location(table),
                )
            schemas = self._table(table).schemas
            schemas.create(schema)
            self._register(table, schema)

    def _register(self, table: Identifier, schema: TableSchema) -> None:
        """Write a name down whose schema has just been created; where that fails, no file is left."""
        properties = properties_of(schema) if self._keeps_properties else None
        try:
            self._names.insert_table(table, properties)
        except CatalogUnknownError:
            if not self._is_known_after_all(table):
                raise
        except PaimonError:
            location = self.location(table)
            self._io.delete(f"{location}/schema/schema-{schema.id}")
            for directory in (f"{location}/schema", location):
                self._io.delete_empty_directory(directory)
            raise

    def _is_known_after_all(self, table: Identifier) -> bool:
        try:
            return self._names.has_table(table)
        except CatalogError:
            return False

    def _rename_table(self, source: Identifier, target: Identifier) -> None:
        """The name first, then the directory; if that cannot be renamed, the name goes back."""
        with self._held(source, target):
            try:
                self._names.rename_table(source, target)
            except DuplicateError as error:
                raise TableAlreadyExistsError.of(target) from error
            try:
                if self._has_directory(source):
                    self._io.rename_directory(self.location(source), self.location(target))
            except PaimonError:
                self._names.rename_table(target, source)
                raise

    def _drop_table(self, table: Identifier) -> None:
        """The name first: a directory without a name is of no table, and can be deleted again."""
        with self._held(table):
            self._names.delete_table(table)
            self._io.delete_directory(self.location(table))

    def _repair_table(self, table: Identifier) -> bool:
        schema = self._table(table).schemas.latest()
        properties = properties_of(schema) if self._keeps_properties else None
        with self._held(table):
            if not self._names.properties(table.database):
                self.create_database(table.database, ignore_if_exists=True)
            if not self._names.has_table(table):
                self._names.insert_table(table, properties)
                return True
            if properties is None or self._names.table_properties(table) == properties:
                return False
            self._names.replace_properties(table, properties)
            return True

    # --- views

    def _views(self, database: str) -> list[str]:
        return self._names.views(database)

    def get_view(self, view: TableName) -> View:
        identifier = main_table(view)
        return View(identifier, _decoded(identifier, self._kept(identifier)))

    def create_view(self, view: TableName, schema: ViewSchema, *, ignore_if_exists: bool = False) -> None:
        identifier = new_name(view)
        self.get_database(identifier.database)
        with self._held(identifier):
            try:
                if self._is_taken(identifier):
                    raise ViewAlreadyExistsError.of(identifier)
                self._names.insert_view(identifier, _encoded(schema))
            except (DuplicateError, ViewAlreadyExistsError) as error:
                if not ignore_if_exists:
                    raise ViewAlreadyExistsError.of(identifier) from error

    def alter_view(
        self, view: TableName, changes: Sequence[ViewChange], *, ignore_if_missing: bool = False
    ) -> None:
        identifier = main_table(view)
        if self._is_missing(identifier, ignore_if_missing):
            return
        with self._held(identifier):
            while True:  # until nobody changes it between the look and the change
                before = self._kept(identifier)
                schema = changed_view(identifier, _decoded(identifier, before), changes)
                kept = _encoded(schema)
                if kept == before or self._names.update_view(identifier, before, kept):
                    return

    def rename_view(self, source: TableName, target: TableName, *, ignore_if_missing: bool = False) -> None:
        old, new = main_table(source), new_name(target)
        if self._is_missing(old, ignore_if_missing):
            return
        self.get_database(new.database)
        with self._held(old, new):
            try:
                if self._is_taken(new):
                    raise ViewAlreadyExistsError.of(new)
                self._names.rename_view(old, new)
            except DuplicateError as error:
                raise ViewAlreadyExistsError.of(new) from error

    def drop_view(self, view: TableName, *, ignore_if_missing: bool = False) -> None:
        identifier = main_table(view)
        if not self._is_missing(identifier, ignore_if_missing):
            with self._held(identifier):
                self._names.delete_view(identifier)

    def _kept(self, view: Identifier) -> str:
        kept = self._names.view(view)
        if kept is None:
            self.get_database(view.database)
            raise ViewNotFoundError.of(view)
        return kept

    def _is_missing(self, view: Identifier, ignore: bool) -> bool:
        """Whether there is nothing to do; raises `ViewNotFoundError` if that is not to be passed over."""
        if ignore and self._names.view(view) is None:
            return True
        self._kept(view)
        return False

    # --- locks

    def _lock(self, name: Identifier) -> JdbcLock | None:
        if not self._locked:
            return None
        lock_id = f"{self._names.catalog_key}.{name.database}.{name.table}"
        return JdbcLock(self._names.client, lock_id, self._patience, self._pause)

    @contextmanager
    def _held(self, *names: Identifier) -> Iterator[None]:
        """Their locks, in an order that all take them in."""
        with ExitStack() as stack:
            for name in sorted(set(names), key=str):
                lock = self._lock(name)
                if lock is not None:
                    stack.enter_context(lock.held())
            yield


def _encoded(schema: ViewSchema) -> str:
    members = view_schema_to_wire(schema)
    if schema.comment is None:
        del members["comment"]
    return json.dumps(members, ensure_ascii=False)


def _decoded(view: Identifier, kept: str) -> ViewSchema:
    try:
        return view_schema_from_wire(JsonObject.parse(kept.encode()))
    except FormatError as error:
        raise FormatError(
            "what the catalog keeps of a view is damaged", view=str(view), found=error.what
        ) from error
