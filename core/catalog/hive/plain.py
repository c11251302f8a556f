"""Tables without snapshots in a Hive metastore: format tables, which are Hive's own, and object tables.

Spec: 04, C3, C5.

Both are as Paimon's catalog has them. A format table is a table of Hive's, whose columns the metastore alone
keeps. An object table is one of Paimon's, with a schema file in the very directory that it lists.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from core.catalog.errors import CatalogUnknownError, TableAlreadyExistsError
from core.catalog.facts import Partition
from core.catalog.hive.format_home import HiveFormatHome
from core.catalog.hive.format_tables import format_schema, is_format_table, new_format_table
from core.catalog.hive.objects import is_paimon_table, is_view, new_table
from core.catalog.hive.views import HiveViews, check_lower, user
from core.catalog.home import properties_of
from core.catalog.names import TableName, identifier_of, main_table
from core.catalog.table_types import PlainTable, plain_partitions
from core.catalog.told import ToldHome
from core.errors import PaimonError
from core.format_table import FormatTable
from core.format_table.options import values_only
from core.format_table.partitions import PartitionNames, find_partitions
from core.identifier import Identifier
from core.io.file_io import FileIO
from core.io.open import absolute_path, file_io_for
from core.object_table import ObjectTable
from core.options import PATH
from core.schema.table_schema import TableSchema
from core.schema.table_type import TableType, table_type
from core.system import SystemTable
from core.table import Table

_CSV_DELIMITER = "csv.field-delimiter"


class HivePlainTables(HiveViews):
    """What a Hive catalog has beside tables with snapshots."""

    keeps = frozenset({TableType.FORMAT, TableType.OBJECT})
    _in_properties: bool  # places stand in parameters
    _keeps_properties: bool

    @abstractmethod
    def _place(self, database: str) -> str:
        """Where the tables of a database lie."""

    @abstractmethod
    def _held(self, *names: Identifier) -> AbstractContextManager[None]:
        """The locks of some tables."""

    @abstractmethod
    def _announce(self, table: Identifier, made: Any) -> None:
        """Have the metastore know a new table."""

    # --- which they are

    def _is_table(self, found: Any) -> bool:
        return is_paimon_table(found) or is_format_table(found)

    def _told(self, table: Identifier) -> TableSchema | None:
        """The schema of a format table, as the metastore tells it; None if the name is none of one."""
        found = self._object(table.base)
        return format_schema(found) if found is not None and is_format_table(found) else None

    def _require_table(self, identifier: Identifier) -> None:
        found = self._object(identifier.base)
        if found is not None and not is_paimon_table(found) and not is_view(found):
            format_schema(found)  # or it says what the table is
        super()._require_table(identifier)

    def _table(self, identifier: Identifier) -> Table:
        told = self._told(identifier)
        if told is None:
            return super()._table(identifier)
        location = told.options[PATH.key].rstrip("/")
        return Table(self._store(location), location, identifier, home=ToldHome(told))

    def get_table(self, table: TableName) -> Table | SystemTable | PlainTable:
        found = super().get_table(table)
        if isinstance(found, FormatTable):
            return found.with_home(self._format_home(found))
        if isinstance(found, ObjectTable):  # where the metastore says, as with Paimon
            location = self.location(found.identifier)
            return ObjectTable(self._store(location), location, found.identifier, found.stored_schema)
        return found

    def _format_home(self, table: FormatTable) -> HiveFormatHome:
        schema = table.schema
        return HiveFormatHome(
            self._client,
            table.identifier.base,
            table.location,
            schema.partition_keys,
            values_only(schema.options),
        )

    def _store(self, location: str) -> FileIO:
        return file_io_for(location, self._options)

    # --- making and changing them

    def _check_takes(self, schema: TableSchema) -> None:
        super()._check_takes(schema)
        if self._in_properties and table_type(schema) is TableType.FORMAT:
            # Paimon reads such tables where the metastore says, which then says a place of its own.
            self._refuse("type=format-table with location-in-properties")

    def _create_plain(self, table: Identifier, schema: TableSchema) -> None:
        check_lower("table", table.table)
        given = schema.options.get(PATH.key)
        location = (
            absolute_path(given).rstrip("/") if given else f"{self._place(table.database)}/{table.table}"
        )
        is_format = table_type(schema) is TableType.FORMAT
        create = self._create_format_table if is_format else self._create_object_table
        with self._held(table):
            if self._is_taken(table):
                raise TableAlreadyExistsError.of(table)
            create(table, location, schema, is_external=given is not None)

    def _create_format_table(
        self, table: Identifier, location: str, schema: TableSchema, *, is_external: bool
    ) -> None:
        made = new_format_table(
            table,
            location,
            schema,
            owner=user(),
            seconds=int(time.time()),
            is_external=is_external,
            delimiter=self._options.get(_CSV_DELIMITER, ","),
        )
        if not is_external and next(self._store(location).iter_tree(location), None) is not None:
            raise TableAlreadyExistsError(
                "the directory of such a table holds files, which would be its rows: delete them, or name "
                "the directory by the option path to take them up",
                table=str(table),
                location=location,
            )
        self._announce(table, made)

    def _create_object_table(
        self, table: Identifier, location: str, schema: TableSchema, *, is_external: bool
    ) -> None:
        kept = replace(schema, options={**schema.options, PATH.key: location})
        made = new_table(
            table,
            location,
            kept,
            properties_of(kept) if self._keeps_properties else {},
            owner=user(),
            seconds=int(time.time()),
            location_in_properties=self._in_properties,
            is_external=is_external,
        )
        schemas = Table(self._store(location), location, table).schemas
        if schemas.ids():
            raise TableAlreadyExistsError(
                "the directory of such a table is there, and the catalog does not know it",
                table=str(table),
                location=location,
            )
        schemas.create(kept)
        try:
            self._announce(table, made)
        except CatalogUnknownError:
            raise
        except PaimonError:
            self._store(location).delete(f"{location}/schema/schema-{kept.id}")
            raise

    def _rename_format_table(self, source: Identifier, target: Identifier) -> None:
        """The metastore itself moves a managed table's directory, and tells its partitions."""
        found = self._client.ask("look at a table", lambda hms: hms.get_table(source.database, source.table))
        found.dbName, found.tableName = target.database, target.table
        self._client.change(
            "rename a table", lambda hms: hms.alter_table(source.database, source.table, found)
        )

    def repair_table(self, table: TableName) -> bool:
        """Of a format table: have the metastore know the partitions that its directories tell, and where."""
        identifier = main_table(table)
        if self._told(identifier) is None:
            return super().repair_table(table)
        found = self.get_table(identifier)
        if not isinstance(found, FormatTable) or not found.schema.partition_keys:
            return False
        home, names = self._format_home(found), PartitionNames.of(found.schema)
        directories, _ = find_partitions(found.io, found.location, names, ())
        specs = [names.spec(one.directory.removeprefix(f"{found.location}/")) for one in directories]
        settled, missing = home.settle(found.io), home.missing(specs)
        home.partitions_come(missing)
        return bool(settled or missing)

    def list_partitions(self, table: TableName) -> list[Partition]:
        found = self.get_table(identifier_of(table).with_system(None))
        if not isinstance(found, FormatTable) or not found.schema.partition_keys:
            return super().list_partitions(table)
        return self._format_home(found).with_records(found, plain_partitions(found))
