"""Any Paimon REST catalog as a catalog of ours: names and commits are the server's, files are read by us."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import pyarrow as pa

from core.catalog.errors import (
    DatabaseAlreadyExistsError,
    DatabaseNotFoundError,
    FunctionNotFoundError,
    TableAlreadyExistsError,
    TableNotFoundError,
    ViewAlreadyExistsError,
    ViewNotFoundError,
)
from core.catalog.facts import Database, Page, Partition, PropertyChanges, PropertyOutcome, TableFacts
from core.catalog.functions import Function
from core.catalog.names import TableName, identifier_of, main_table, new_name
from core.catalog.options import CASE_SENSITIVE, URI, WAREHOUSE, catalog_options
from core.catalog.rest.home import RestHome
from core.catalog.rest.http import RestServer, checked_uri, keys_of
from core.catalog.rest.names import CONFIG, ResourcePaths, encode_name
from core.catalog.rest.objects import (
    RestSchema,
    RestTable,
    database_from_wire,
    identifier_to_wire,
    partition_from_wire,
)
from core.catalog.rest.pages import RestPages
from core.catalog.rest.requests import AlterDatabase, CreateDatabase, CreateTable, Rename, ReplaceTable
from core.catalog.rest.views import (
    function_from_wire,
    view_change_to_wire,
    view_from_wire,
    view_schema_to_wire,
)
from core.catalog.table_types import PlainTable, in_letters_of, plain_table
from core.catalog.views import View, ViewChange, ViewSchema
from core.catalog.warehouse import WarehouseCatalog
from core.errors import InvalidRequestError, NotFoundError, UnsupportedError
from core.identifier import SYSTEM_DATABASE, Identifier
from core.io.file_io import FileIO
from core.io.open import file_io_for
from core.schema.table_schema import TableSchema
from core.schema.table_type import NO_SNAPSHOTS, table_type, table_type_name
from core.system import SystemTable
from core.table import Table
from core.types import DataField

T = TypeVar("T")
_HEADER = "header."


def open_rest_catalog(options: Mapping[str, str]) -> RestCatalog:
    """The catalog of the options `uri`, `warehouse` and `token.provider`, as its server configures it.

    Raises:
        InvalidRequestError: an option is missing or wrong. AccessDeniedError: the server does not know us.
        CatalogError: it cannot be reached. UnsupportedError: what we do not do, by the option's name.
    """
    uri, warehouse = options.get(URI.key), options.get(WAREHOUSE.key)
    if not warehouse:
        raise InvalidRequestError("a REST catalog has a warehouse by name", option=WAREHOUSE.key)
    server = RestServer(checked_uri(uri), keys_of(options), _headers(options))
    config = server.get(CONFIG, {WAREHOUSE.key: encode_name(warehouse)})
    merged = config.text_map("defaults") | dict(options) | config.text_map("overrides")
    if merged.get("data-token.enabled", "").lower() == "true":
        raise UnsupportedError(
            "credentials that a catalog hands out table by table are not used yet: give those of the store",
            feature="data-token.enabled",
            where="catalog options",
        )
    return RestCatalog(RestServer(server.uri, server.keys, _headers(merged)), merged)


def _headers(options: Mapping[str, str]) -> dict[str, str]:
    return {key.removeprefix(_HEADER): text for key, text in options.items() if key.startswith(_HEADER)}


class RestCatalog(RestPages, WarehouseCatalog):
    """A catalog that is a server. Its tables lie where it says, and are opened with our own credentials."""

    kind = "rest"

    def __init__(self, server: RestServer, options: Mapping[str, str]) -> None:
        self._server = server
        self._options = dict(options)
        self._warehouse = self._options[WAREHOUSE.key]
        self._at = ResourcePaths(self._options.get("prefix", ""))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._server, self._options)

    @property
    def io(self) -> FileIO:
        """The store of the first database; each table is opened in its own."""
        for name in self._databases():
            location = self.get_database(name).location
            if location is not None:
                return self._store(location)
        raise NotFoundError("the catalog has no database, and so no place", catalog=self._server.uri)

    @property
    def case_sensitive(self) -> bool:
        return catalog_options(self._options).get(CASE_SENSITIVE)

    # --- databases

    def _databases(self) -> list[str]:
        return list(self._names(self._at.all("databases"), "databases"))

    def list_databases_page(
        self, *, limit: int | None = None, token: str | None = None, pattern: str | None = None
    ) -> Page:
        like = {"databaseNamePattern": pattern}
        return self._page(self._at.all("databases"), "databases", limit, token, like)

    def _database(self, name: str) -> Database | None:
        try:
            return database_from_wire(self._server.get(self._at.database(name)))
        except DatabaseNotFoundError:
            return None

    def _create_database(self, name: str, properties: Mapping[str, str]) -> None:
        try:
            self._server.post(self._at.all("databases"), CreateDatabase(name, properties).to_wire())
        except DatabaseAlreadyExistsError as error:
            raise DatabaseAlreadyExistsError.of(name) from error

    def _alter_database(self, name: str, changes: PropertyChanges) -> PropertyOutcome:
        asked = AlterDatabase(changes.removals, changes.updates).to_wire()
        done = self._server.post(self._at.database(name), asked)
        updated, removed, missing = (
            tuple(sorted(done.texts(member))) for member in ("updated", "removed", "missing")
        )
        return PropertyOutcome(updated, removed, missing)

    def _drop_database(self, name: str) -> None:
        self._server.delete(self._at.database(name))

    # --- tables

    def _tables(self, database: str) -> list[str]:
        return list(self._names(self._at.of_database(database, "tables"), "tables"))

    def list_tables_page(
        self,
        database: str,
        *,
        limit: int | None = None,
        token: str | None = None,
        pattern: str | None = None,
        type: str | None = None,
    ) -> Page:
        if database == SYSTEM_DATABASE:
            return super().list_tables_page(database, limit=limit, token=token, pattern=pattern)
        self.get_database(database)
        asked = {"tableNamePattern": pattern, "tableType": type}
        return self._page(self._at.of_database(database, "tables"), "tables", limit, token, asked)

    def _has_table(self, table: Identifier) -> bool:
        try:
            self._describe(table)
        except NotFoundError:
            return False
        return True

    def _describe(self, table: Identifier) -> RestTable:
        """The server's answer; `TableNotFoundError`, `DatabaseNotFoundError`."""
        try:
            return RestTable.from_wire(self._server.get(self._at.table(table)))
        except TableNotFoundError as error:
            raise TableNotFoundError.of(table.base) from error
        except DatabaseNotFoundError as error:
            raise DatabaseNotFoundError.of(table.database) from error

    def location(self, table: TableName) -> str:
        identifier = identifier_of(table).base
        try:
            return self._describe(identifier).path
        except TableNotFoundError:
            return f"{self.get_database(identifier.database).location}/{identifier.table}"

    def get_data_table(self, table: TableName) -> Table:
        identifier = identifier_of(table)
        if identifier.system is not None or identifier.database == SYSTEM_DATABASE:
            raise InvalidRequestError("name a table, not a system table", table=str(identifier))
        found = self._table(identifier.base)
        return found.with_branch(identifier.branch) if identifier.branch else found

    def get_table(self, table: TableName) -> Table | SystemTable | PlainTable:
        """Of tables without snapshots the server alone knows the schema."""
        identifier = identifier_of(table)
        if identifier.branch is None and identifier.database != SYSTEM_DATABASE:
            told = self._describe(identifier.base)
            schema = _schema_of(told)
            if not table_type(schema).has_snapshots:
                found = plain_table(self._store(told.path), told.path, identifier.base, schema)
                found = in_letters_of(found, self._options)
                return found if identifier.system is None else found.refuse_snapshots()
        return super().get_table(table)

    def table_facts(self, table: TableName) -> TableFacts:
        identifier = identifier_of(table)
        told, found = self._describe(identifier), self.get_data_table(identifier)
        kind = table_type_name(_schema_of(told))
        if kind in NO_SNAPSHOTS:
            return TableFacts(
                identifier, told.path, kind, _schema_of(told), told.id, told.is_external, told.audit
            )
        return TableFacts(
            found.identifier, told.path, kind, found.schema, told.id, told.is_external, told.audit
        )

    def _table(self, identifier: Identifier) -> Table:
        told = self._describe(identifier)
        schema = _schema_of(told)
        known = schema if table_type_name(schema) in NO_SNAPSHOTS else None
        home = RestHome(self._server, self._at, identifier.base, told.id, known)
        return Table(self._store(told.path), told.path, identifier, home=home)

    def _store(self, path: str) -> FileIO:
        return file_io_for(path, self._options)

    def _create_table(self, table: Identifier, schema: TableSchema) -> None:
        asked = CreateTable(table, RestSchema.of(schema)).to_wire()
        try:
            self._server.post(self._at.of_database(table.database, "tables"), asked)
        except TableAlreadyExistsError as error:
            raise TableAlreadyExistsError.of(table) from error

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
        identifier = main_table(table)
        self._describe(identifier)
        schema = self._new_schema(fields, partition_keys, primary_keys, options, comment)
        asked = ReplaceTable(RestSchema.of(schema)).to_wire()
        self._server.post(self._at.table(identifier, "replace"), asked)
        return self._table(identifier)

    def _check_takes(self, schema: TableSchema) -> None:
        """The server says what it does not keep."""

    def rename_table(self, source: TableName, target: TableName, *, ignore_if_missing: bool = False) -> None:
        old, new = main_table(source), new_name(target)
        if not self._has_table(old):
            if ignore_if_missing:
                return
            self._describe(old)
        self.get_database(new.database)
        self._check_free(new)
        self._server.post(f"{self._at.all('tables')}/rename", Rename(old, new).to_wire())

    def _check_free(self, table: Identifier) -> None:
        if self._has_table(table):
            raise TableAlreadyExistsError.of(table)

    def _rename_table(self, source: Identifier, target: Identifier) -> None:
        raise AssertionError("renamed by the server")

    def _files_outside(self, table: Identifier) -> list[str]:
        return []  # the server's to delete

    def _drop_table(self, table: Identifier) -> None:
        self._server.delete(self._at.table(table))

    # --- partitions

    def list_partitions(self, table: TableName) -> list[Partition]:
        identifier = identifier_of(table)
        self._describe(identifier)
        path = self._at.table(identifier, "partitions")
        found = [
            partition_from_wire(one) for page in self._pages(path) for one in page.nested_list("partitions")
        ]
        return sorted(found, key=lambda partition: partition.name)

    def mark_partitions_done(self, table: TableName, specs: Sequence[Mapping[str, str]]) -> None:
        identifier = identifier_of(table)
        self._describe(identifier)
        asked = {"specs": [dict(spec) for spec in specs]}
        self._server.post(self._at.table(identifier, "partitions", "mark"), asked)

    # --- views and functions

    def _views(self, database: str) -> list[str]:
        return list(self._names(self._at.of_database(database, "views"), "views"))

    def list_views_page(
        self,
        database: str,
        *,
        limit: int | None = None,
        token: str | None = None,
        pattern: str | None = None,
    ) -> Page:
        if database == SYSTEM_DATABASE:
            return super().list_views_page(database, limit=limit, token=token, pattern=pattern)
        self.get_database(database)
        path = self._at.of_database(database, "views")
        return self._page(path, "views", limit, token, {"viewNamePattern": pattern})

    def get_view(self, view: TableName) -> View:
        identifier = main_table(view)
        try:
            wire = self._server.get(self._at.view(identifier.database, identifier.table))
        except ViewNotFoundError as error:
            raise ViewNotFoundError.of(identifier) from error
        return view_from_wire(identifier.database, wire)

    def create_view(self, view: TableName, schema: ViewSchema, *, ignore_if_exists: bool = False) -> None:
        identifier = new_name(view)
        asked = {"identifier": identifier_to_wire(identifier), "schema": view_schema_to_wire(schema)}
        try:
            self._server.post(self._at.of_database(identifier.database, "views"), asked)
        except DatabaseNotFoundError as error:
            raise DatabaseNotFoundError.of(identifier.database) from error
        except ViewAlreadyExistsError as error:
            if not ignore_if_exists:
                raise ViewAlreadyExistsError.of(identifier) from error

    def alter_view(
        self, view: TableName, changes: Sequence[ViewChange], *, ignore_if_missing: bool = False
    ) -> None:
        identifier = main_table(view)
        asked = {"changes": [view_change_to_wire(change) for change in changes]}
        path = self._at.view(identifier.database, identifier.table)
        self._of_view(identifier, lambda: self._server.post(path, asked), ignore_if_missing)

    def rename_view(self, source: TableName, target: TableName, *, ignore_if_missing: bool = False) -> None:
        old, new = main_table(source), new_name(target)
        asked = Rename(old, new).to_wire()
        path = f"{self._at.all('views')}/rename"
        self._of_view(old, lambda: self._server.post(path, asked), ignore_if_missing)

    def drop_view(self, view: TableName, *, ignore_if_missing: bool = False) -> None:
        identifier = main_table(view)
        path = self._at.view(identifier.database, identifier.table)
        self._of_view(identifier, lambda: self._server.delete(path), ignore_if_missing)

    def _of_view(self, view: Identifier, ask: Callable[[], object], ignore_if_missing: bool) -> None:
        try:
            ask()
        except ViewNotFoundError as error:
            if not ignore_if_missing:
                raise ViewNotFoundError.of(view) from error

    def list_functions(self, database: str) -> list[str]:
        if database == SYSTEM_DATABASE:
            return []
        self.get_database(database)
        return list(self._names(self._at.of_database(database, "functions"), "functions"))

    def get_function(self, function: TableName) -> Function:
        identifier = main_table(function)
        try:
            wire = self._server.get(self._at.function(identifier.database, identifier.table))
        except FunctionNotFoundError as error:
            raise FunctionNotFoundError.of(identifier) from error
        return function_from_wire(identifier.database, wire)


def _schema_of(told: RestTable) -> TableSchema:
    """The schema as the server tells it, which is all there is of a table without snapshots."""
    known, audit = told.schema, told.audit
    return TableSchema(
        id=told.schema_id,
        fields=known.fields,
        highest_field_id=max((field.id for field in known.fields), default=-1),
        partition_keys=known.partition_keys,
        primary_keys=known.primary_keys,
        options=known.options,
        comment=known.comment,
        time_millis=audit.created_at or 0,
    )
