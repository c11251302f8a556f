"""Databases, tables and views whose names stand in a Hive metastore. Spec: 04, C3."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import Any

from core.arguments import check_argument, is_a, is_texts
from core.catalog.errors import (
    CatalogError,
    CatalogUnknownError,
    DatabaseAlreadyExistsError,
    TableAlreadyExistsError,
)
from core.catalog.facts import Database, Partition, PropertyChanges, PropertyOutcome, TableFacts
from core.catalog.hive.client import HiveClient
from core.catalog.hive.home import HiveTableHome
from core.catalog.hive.lock import HiveLock
from core.catalog.hive.objects import (
    LOCATION,
    audit_of,
    database_of,
    is_external,
    is_paimon_table,
    is_view,
    location_of,
    move,
    new_database,
    new_table,
    write_down,
)
from core.catalog.hive.partitions import HivePartitions, check_takes, expected, has_partitions, marks_of
from core.catalog.hive.plain import HivePlainTables
from core.catalog.hive.views import check_lower, user
from core.catalog.home import properties_of
from core.catalog.names import TableName, identifier_of
from core.catalog.options import (
    LOCK_ACQUIRE_TIMEOUT,
    LOCK_CHECK_MAX_SLEEP,
    LOCK_ENABLED,
    SYNC_ALL_PROPERTIES,
    URI,
    catalog_options,
)
from core.errors import AlreadyExistsError, InvalidRequestError, NotFoundError, PaimonError
from core.identifier import Identifier
from core.io.file_io import FileIO
from core.io.open import renames_directories
from core.options import Option, parse_boolean
from core.schema.table_schema import TableSchema
from core.schema.table_type import NO_SNAPSHOTS, table_type

_SHOWN = 20  # names that an error tells
_log = logging.getLogger(__name__)
LOCATION_IN_PROPERTIES: Option[bool] = Option(
    "location-in-properties",
    parse_boolean,
    "false",
    "places stand in parameters, as the metastore has no such store",
)


class HiveCatalog(HivePlainTables):
    """Names, columns and options stand in the metastore; the schema that counts is the table's own."""

    kind = "hive"

    def __init__(self, io: FileIO, warehouse: str, options: Mapping[str, str] | None = None) -> None:
        """Raises `InvalidRequestError`: no `uri`, or none that we understand. Nothing is asked yet."""
        super().__init__(io, warehouse, options)
        given = catalog_options(self._options)
        uri = given.get(URI)
        if not uri:
            raise InvalidRequestError(
                "a Hive catalog needs the option uri", expected="thrift://<host>:<port>"
            )
        self._client = HiveClient.at(uri)
        self._keeps_properties = given.get(SYNC_ALL_PROPERTIES)
        self._in_properties = given.get(LOCATION_IN_PROPERTIES)
        locked = given.get(LOCK_ENABLED)
        self._locked = not renames_directories(self._warehouse) if locked is None else locked
        self._patience = given.get(LOCK_ACQUIRE_TIMEOUT).total_seconds()
        self._pause = given.get(LOCK_CHECK_MAX_SLEEP).total_seconds()

    @property
    def case_sensitive(self) -> bool:
        return False  # the metastore folds letters

    # --- databases

    def _databases(self) -> list[str]:
        return list(self._client.ask("list databases", lambda hms: hms.get_all_databases()))

    def _database(self, name: str) -> Database | None:
        try:
            found = self._client.ask("look at a database", lambda hms: hms.get_database(name))
        except NotFoundError:
            return None
        return database_of(found) if found.name == name else None

    def _create_database(self, name: str, properties: Mapping[str, str]) -> None:
        check_lower("database", name)
        location = properties.get("location") or self._database_path(name)
        made = new_database(name, location, properties, location_in_properties=self._in_properties)
        try:
            self._client.change("create a database", lambda hms: hms.create_database(made))
        except AlreadyExistsError as error:
            raise DatabaseAlreadyExistsError.of(name) from error

    def _alter_database(self, name: str, changes: PropertyChanges) -> PropertyOutcome:
        fixed = sorted({"location", LOCATION}.intersection({*changes.updates, *changes.removals}))
        if fixed:
            raise InvalidRequestError("this property is not changed", database=name, property=fixed[0])
        found = self._client.ask("look at a database", lambda hms: hms.get_database(name))
        known = {**(found.parameters or {})}
        if found.description:
            known["comment"] = found.description
        removed = [key for key in changes.removals if key in known]
        known = {k: v for k, v in {**known, **changes.updates}.items() if k not in removed}
        found.description, owner = known.pop("comment", None), known.pop("owner", None)
        found.ownerName = owner or found.ownerName
        found.parameters = known
        self._client.change("alter a database", lambda hms: hms.alter_database(name, found))
        missing = sorted(set(changes.removals).difference(removed))
        return PropertyOutcome(tuple(sorted(changes.updates)), tuple(sorted(removed)), tuple(missing))

    def _drop_database(self, name: str) -> None:
        """Raises `InvalidRequestError`, with nothing dropped, where there are tables of other kinds."""
        others = [o.tableName for o in self._objects(name) if not is_view(o) and not self._is_table(o)]
        if others:
            raise InvalidRequestError(
                "the database has tables of other kinds, which this catalog does not drop: drop them where "
                "they were made; nothing was dropped",
                database=name,
                tables=", ".join(sorted(others)[:_SHOWN]),
                count=len(others),
            )
        location = self._place(name)
        for table in self._tables(name):
            self._drop_table(Identifier(name, table))
        for view in self._views(name):
            self.drop_view(Identifier(name, view), ignore_if_missing=True)
        self._client.change("drop a database", lambda hms: hms.drop_database(name, False, False))
        self._io.delete_empty_directory(location)

    # --- tables

    def location(self, table: TableName) -> str:
        identifier = identifier_of(table)
        found = self._object(identifier)
        kept = None if found is None else location_of(found)
        return kept or f"{self._place(identifier.database)}/{identifier.table}"

    def table_facts(self, table: TableName) -> TableFacts:
        facts = super().table_facts(table)
        found = self._object(facts.identifier.base)
        if found is None:
            return facts
        if facts.type in NO_SNAPSHOTS:
            facts = replace(facts, location=location_of(found) or facts.location)
        return replace(facts, is_external=is_external(found), audit=audit_of(found))

    def _tables(self, database: str) -> list[str]:
        return [found.tableName for found in self._objects(database) if self._is_table(found)]

    def _has_table(self, table: Identifier) -> bool:
        found = self._object(table)
        return found is not None and self._is_table(found)

    def _is_taken(self, name: Identifier) -> bool:
        return self._object(name) is not None

    def _home(self, table: Identifier) -> HiveTableHome:
        return HiveTableHome(table, self._lock(table), self._keeps_properties, self._client)

    def _check_takes(self, schema: TableSchema) -> None:
        super()._check_takes(schema)
        check_takes(schema, "a hive catalog")

    def _create_table(self, table: Identifier, schema: TableSchema) -> None:
        if not table_type(schema).has_snapshots:
            return self._create_plain(table, schema)
        check_lower("table", table.table)
        made = self._new_table(table, schema)  # also says what Hive has no type for, before anything is made
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
            self._table(table).schemas.create(schema)
            self._register(table, schema, made)

    def _new_table(self, table: Identifier, schema: TableSchema) -> Any:
        return new_table(
            table,
            self.location(table),
            schema,
            properties_of(schema) if self._keeps_properties else {},
            owner=user(),
            seconds=int(time.time()),
            location_in_properties=self._in_properties,
        )

    def _register(self, table: Identifier, schema: TableSchema, made: Any) -> None:
        """Write a name down whose schema has just been created; where that fails, no file is left."""
        location = self.location(table)
        try:
            self._announce(table, made)
        except CatalogUnknownError:
            raise
        except PaimonError:
            self._io.delete(f"{location}/schema/schema-{schema.id}")
            for directory in (f"{location}/schema", location):
                self._io.delete_empty_directory(directory)
            raise

    def _announce(self, table: Identifier, made: Any) -> None:
        try:
            self._client.change("create a table", lambda hms: hms.create_table(made))
        except CatalogUnknownError:
            if not self._is_known_after_all(table):
                raise

    def _is_known_after_all(self, table: Identifier) -> bool:
        with suppress(CatalogError):
            return self._has_table(table)
        return False

    def _rename_table(self, source: Identifier, target: Identifier) -> None:
        """The name first, then the directory; if that cannot be renamed, the name goes back.

        The metastore moves no directory whose place is changed with its name, and then leaves its partitions
        where they were, which are told their places last. An external table stays.
        """
        check_lower("table", target.table)
        with self._held(source, target):
            if self._told(source) is not None:
                return self._rename_format_table(source, target)
            old = self.location(source)
            was = (source.database, source.table)
            found = self._client.ask("look at a table", lambda hms: hms.get_table(*was))
            new = old if is_external(found) else f"{self._place(target.database)}/{target.table}"
            move(found, target, new)
            change = "rename a table"
            self._client.change(change, lambda hms: hms.alter_table(*was, found))
            try:
                if new != old:
                    self._io.rename_directory(old, new)
            except PaimonError:
                move(found, source, old)
                self._client.change(change, lambda hms: hms.alter_table(target.database, target.table, found))
                raise
            self._settle_partitions(target)

    def _settle_partitions(self, table: Identifier) -> None:
        """Of a table that has just moved, which it has whatever comes of this."""
        try:
            HivePartitions(self._client, table).settle()
        except PaimonError as error:
            _log.warning(
                "the metastore has partitions of %s at their old places: repair it: %s", table, error
            )

    def _drop_table(self, table: Identifier) -> None:
        """The name first: a directory without a name is of no table, and can be deleted again."""
        with self._held(table):
            found = self._object(table)
            location = self.location(table)
            if found is not None and not is_external(found):
                self._check_is_alone(table, location)
            with suppress(NotFoundError):
                self._client.change(
                    "drop a table", lambda hms: hms.drop_table(table.database, table.table, False)
                )
            if found is not None and not is_external(found):
                self._store(location).delete_directory(location)

    def _check_is_alone(self, table: Identifier, location: str) -> None:
        """Raises `InvalidRequestError` for a directory that goes with its table and that others lie in."""
        place = f"{location.rstrip('/')}/"
        for what, other in (("warehouse", self._warehouse), ("database", self._place(table.database))):
            if f"{other}/".startswith(place):
                raise InvalidRequestError(
                    f"the directory of the table is that of the {what} or above it, and goes with the table: "
                    "set the table's parameter EXTERNAL to TRUE to keep its files; nothing was dropped",
                    table=str(table),
                    location=location,
                )

    def _files_outside(self, table: Identifier) -> list[str]:
        found = self._object(table)
        has_none = found is not None and (is_external(found) or not is_paimon_table(found))
        return [] if has_none else super()._files_outside(table)

    def _repair_table(self, table: Identifier) -> bool:
        schema = self._table(table).schemas.latest()
        with self._held(table):
            found = self._object(table)
            if found is None:
                if not self.database_exists(table.database):
                    self.create_database(table.database, ignore_if_exists=True)
                made = self._new_table(table, schema)
                self._client.change("create a table", lambda hms: hms.create_table(made))
                self._repair_partitions(table)
                return True
            before = (found.parameters, found.sd.cols)
            write_down(found, schema, properties_of(schema) if self._keeps_properties else {})
            is_same = before == (found.parameters, found.sd.cols)
            if not is_same:
                self._client.change(
                    "alter a table", lambda hms: hms.alter_table(table.database, table.table, found)
                )
            return self._repair_partitions(table) or not is_same

    def _repair_partitions(self, table: Identifier) -> bool:
        """Add those that the metastore should have, and say where all are; whether that changed anything."""
        kept = HivePartitions(self._client, table)
        wanted = expected(self._table(table))
        missing = kept.missing(wanted) if wanted else []
        kept.add(missing)
        return bool(kept.settle()) or bool(missing)

    # --- partitions

    def list_partitions(self, table: TableName) -> list[Partition]:
        """Those with files; which of them are done is what the metastore was told."""
        found = super().list_partitions(table)
        identifier = identifier_of(table)
        if not found or identifier.branch:
            return found
        marks = marks_of(self._table(identifier.base).schemas.latest())
        if not marks:
            return found
        kept = HivePartitions(self._client, identifier.base)
        done = kept.done([partition.spec for partition in found], marks)
        return [replace(partition, done=is_done) for partition, is_done in zip(found, done, strict=True)]

    def mark_partitions_done(self, table: TableName, specs: Sequence[Mapping[str, str]]) -> None:
        """As an event of the metastore, which Hive's own readers wait for."""
        schema = self.get_data_table(table).schema
        check_argument(is_a(specs, Sequence) and all(is_texts(s) for s in specs), "give partitions", specs)
        for spec in specs:
            if not schema.partition_keys or set(spec) != set(schema.partition_keys):
                raise InvalidRequestError(
                    "a partition has a value for each partition key",
                    found=", ".join(spec) or "none",
                    partition_keys=", ".join(schema.partition_keys) or "none",
                )
        if not has_partitions(schema):
            self._refuse("partitions marked as done, without metastore.partitioned-table,")
        HivePartitions(self._client, identifier_of(table).base).mark_done([dict(spec) for spec in specs])

    def _place(self, database: str) -> str:
        """Where the tables of a database lie, whether it exists or not."""
        found = self._find_database(database)
        location = None if found is None else found.location
        return (location or self._database_path(database)).rstrip("/")

    # --- locks

    def _lock(self, name: Identifier) -> HiveLock | None:
        return HiveLock(self._client, name, self._patience, self._pause) if self._locked else None

    @contextmanager
    def _held(self, *names: Identifier) -> Iterator[None]:
        """Their locks, in an order that all take them in."""
        with ExitStack() as stack:
            for name in sorted(set(names), key=str):
                lock = self._lock(name)
                if lock is not None:
                    stack.enter_context(lock.held())
            yield
