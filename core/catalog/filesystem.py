"""The catalog that is nothing but directories: `<warehouse>/<database>.db/<table>/`. Spec: 04, C1."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor

from core.catalog.facts import Database
from core.catalog.options import CASE_SENSITIVE, catalog_options
from core.catalog.table_types import KEPT
from core.catalog.warehouse import DATABASE_SUFFIX, WarehouseCatalog
from core.errors import InvalidRequestError
from core.identifier import Identifier
from core.schema.table_schema import TableSchema

_LOOKERS = 16  # directories looked into at once
_log = logging.getLogger(__name__)


class FileSystemCatalog(WarehouseCatalog):
    """Databases are directories that end in `.db`; tables are directories with a schema in them.

    So there is no place for properties of a database, for views or functions, and none for tables elsewhere.
    """

    kind = "filesystem"
    keeps = KEPT

    @property
    def case_sensitive(self) -> bool:
        return catalog_options(self._options).get(CASE_SENSITIVE)

    def _databases(self) -> list[str]:
        names = self._io.list_directories(self._warehouse)
        suffix = DATABASE_SUFFIX
        return [name.removesuffix(suffix) for name in names if name.endswith(suffix) and name != suffix]

    def _database(self, name: str) -> Database | None:
        return Database(name, self._database_path(name)) if name in self._databases() else None

    def _create_database(self, name: str, properties: Mapping[str, str]) -> None:
        if "location" in properties:
            raise InvalidRequestError(
                "a database of a filesystem catalog lies in its warehouse: leave out the property location",
                database=name,
                location=properties["location"],
            )
        if properties:
            _log.warning("a filesystem catalog keeps no properties of database %s: they are left out", name)
        self._io.create_directory(self._database_path(name))

    def _drop_database(self, name: str) -> None:
        self._io.delete_directory(self._database_path(name))

    def _tables(self, database: str) -> list[str]:
        return self._tables_knowing(database, ())

    def list_tables_knowing(self, database: str, known: Collection[str]) -> list[str]:
        """As `list_tables`, without a look into directories whose names are known to be those of tables."""
        if not known:
            return self.list_tables(database)
        self.get_database(database)
        return sorted(self._tables_knowing(database, known))

    def _tables_knowing(self, database: str, known: Collection[str]) -> list[str]:
        names = self._io.list_directories(self._database_path(database))
        unknown = [name for name in names if name not in known]
        with ThreadPoolExecutor(_LOOKERS) as pool:
            is_table = pool.map(lambda name: self._has_directory(Identifier(database, name)), unknown)
            others = {name for name, found in zip(unknown, is_table, strict=True) if not found}
        return [name for name in names if name not in others]

    def _has_table(self, table: Identifier) -> bool:
        return self._has_directory(table)

    def _create_table(self, table: Identifier, schema: TableSchema) -> None:
        self._table(table).schemas.create(schema)

    def _rename_table(self, source: Identifier, target: Identifier) -> None:
        self._io.rename_directory(self.location(source), self.location(target))

    def _drop_table(self, table: Identifier) -> None:
        self._io.delete_directory(self.location(table))
