"""What a JDBC catalog asks of its database: names of databases, tables and views, and their properties.

Names are compared again after a look, as a database made by others may fold letters or blanks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, func, insert, select, union, update
from sqlalchemy import Table as SqlTable

from core.catalog.errors import AccessDeniedError, CatalogError
from core.catalog.jdbc.client import DuplicateError, JdbcClient
from core.catalog.jdbc.schema import DATABASE_PROPERTIES, NAMES, TABLE_PROPERTIES, TABLES, VIEWS, locks
from core.identifier import Identifier

EXISTS, LOCATION = "exists", "location"  # properties that make a database
_LONGEST_VALUE = 1000


@dataclass(frozen=True)
class JdbcNames:
    """The names of one catalog of a database, which may hold several. Instances are picklable."""

    client: JdbcClient
    catalog_key: str

    def make_tables(self, with_locks: bool, lock_length: int) -> None:
        """Make the tables that are missing. Of two who do that at once one may find them made."""
        wanted = (*NAMES, locks(lock_length)) if with_locks else NAMES
        for table in wanted:
            try:
                with self.client.transaction("make the tables of the catalog") as connection:
                    table.create(connection, checkfirst=True)
            except AccessDeniedError:
                raise
            except (CatalogError, DuplicateError):
                if not self._is_there(table):
                    raise

    def _is_there(self, table: SqlTable) -> bool:
        try:
            with self.client.transaction("look for the tables of the catalog") as connection:
                connection.execute(select(func.count()).select_from(table))
        except CatalogError:
            return False
        return True

    # --- databases

    def databases(self) -> list[str]:
        columns = (t.c.database_name for t in (TABLES, DATABASE_PROPERTIES, VIEWS))
        found = union(*(select(c).where(c.table.c.catalog_key == self.catalog_key) for c in columns))
        with self.client.transaction("list databases") as connection:
            return list(connection.execute(found).scalars())

    def properties(self, database: str) -> dict[str, str]:
        """All of a database, those included that make it one; none if it is known by its tables alone."""
        table = DATABASE_PROPERTIES
        found = select(table.c.database_name, table.c.property_key, table.c.property_value)
        with self.client.transaction("look at a database") as connection:
            rows = connection.execute(found.where(self._of(table, database))).all()
        return {key: value or "" for name, key, value in rows if name == database}

    def insert_properties(self, database: str, properties: Mapping[str, str]) -> None:
        """Raises `DuplicateError` if one is there."""
        with self.client.transaction("create a database") as connection:
            connection.execute(insert(DATABASE_PROPERTIES), self._rows(database, properties))

    def change_properties(self, database: str, set_: Mapping[str, str], removed: Sequence[str]) -> None:
        table = DATABASE_PROPERTIES
        keys = [*set_, *removed]
        with self.client.transaction("change the properties of a database") as connection:
            connection.execute(delete(table).where(self._of(table, database), table.c.property_key.in_(keys)))
            if set_:
                connection.execute(insert(table), self._rows(database, set_))

    def delete_database(self, database: str) -> None:
        with self.client.transaction("drop a database") as connection:
            for table in NAMES:
                connection.execute(delete(table).where(self._of(table, database)))

    # --- tables

    def tables(self, database: str) -> list[str]:
        return self._list(TABLES, TABLES.c.table_name, database)

    def has_table(self, table: Identifier) -> bool:
        return self._has(TABLES, TABLES.c.table_name, table)

    def insert_table(self, table: Identifier, properties: Mapping[str, str] | None) -> None:
        """Raises `DuplicateError`; properties are None where the catalog keeps none."""
        with self.client.transaction("create a table") as connection:
            connection.execute(insert(TABLES).values(self._key(table)))
            if properties:
                connection.execute(insert(TABLE_PROPERTIES), self._property_rows(table, properties))

    def replace_properties(self, table: Identifier, properties: Mapping[str, str]) -> None:
        with self.client.transaction("write down the options of a table") as connection:
            connection.execute(delete(TABLE_PROPERTIES).where(self._of_table(TABLE_PROPERTIES, table)))
            if properties:
                connection.execute(insert(TABLE_PROPERTIES), self._property_rows(table, properties))

    def table_properties(self, table: Identifier) -> dict[str, str]:
        columns = (TABLE_PROPERTIES.c.property_key, TABLE_PROPERTIES.c.property_value)
        with self.client.transaction("look at the options of a table") as connection:
            found = connection.execute(select(*columns).where(self._of_table(TABLE_PROPERTIES, table)))
            return {key: value or "" for key, value in found}

    def rename_table(self, source: Identifier, target: Identifier) -> int:
        """How many tables that were; raises `DuplicateError`."""
        values = {"database_name": target.database, "table_name": target.table}
        with self.client.transaction("rename a table") as connection:
            moved = connection.execute(update(TABLES).where(self._of_table(TABLES, source)).values(values))
            of_table = self._of_table(TABLE_PROPERTIES, source)
            connection.execute(update(TABLE_PROPERTIES).where(of_table).values(values))
            return int(moved.rowcount)

    def delete_table(self, table: Identifier) -> None:
        with self.client.transaction("drop a table") as connection:
            for names in (TABLES, TABLE_PROPERTIES):
                connection.execute(delete(names).where(self._of_table(names, table)))

    # --- views

    def views(self, database: str) -> list[str]:
        return self._list(VIEWS, VIEWS.c.view_name, database)

    def view(self, view: Identifier) -> str | None:
        """What is kept of a view: JSON."""
        found = select(VIEWS.c.view_name, VIEWS.c.view_schema).where(self._of_view(view))
        with self.client.transaction("look at a view") as connection:
            rows = connection.execute(found).all()
        return next((kept for name, kept in rows if name == view.table), None)

    def insert_view(self, view: Identifier, kept: str) -> None:
        """Raises `DuplicateError`."""
        row = {**self._key(view), "view_name": view.table, "view_schema": kept}
        del row["table_name"]
        with self.client.transaction("create a view") as connection:
            connection.execute(insert(VIEWS).values(row))

    def update_view(self, view: Identifier, before: str, kept: str) -> bool:
        """Whether it was still as before."""
        unchanged = and_(self._of_view(view), VIEWS.c.view_schema == before)
        with self.client.transaction("change a view") as connection:
            changed = connection.execute(update(VIEWS).where(unchanged).values(view_schema=kept))
            return int(changed.rowcount) == 1

    def rename_view(self, source: Identifier, target: Identifier) -> int:
        """How many views that were; raises `DuplicateError`."""
        values = {"database_name": target.database, "view_name": target.table}
        with self.client.transaction("rename a view") as connection:
            return int(connection.execute(update(VIEWS).where(self._of_view(source)).values(values)).rowcount)

    def delete_view(self, view: Identifier) -> None:
        with self.client.transaction("drop a view") as connection:
            connection.execute(delete(VIEWS).where(self._of_view(view)))

    # --- rows

    def _of(self, table: SqlTable, database: str) -> ColumnElement[bool]:
        return and_(table.c.catalog_key == self.catalog_key, table.c.database_name == database)

    def _of_table(self, names: SqlTable, table: Identifier) -> ColumnElement[bool]:
        return and_(self._of(names, table.database), names.c.table_name == table.table)

    def _of_view(self, view: Identifier) -> ColumnElement[bool]:
        return and_(self._of(VIEWS, view.database), VIEWS.c.view_name == view.table)

    def _list(self, names: SqlTable, column: ColumnElement[str], database: str) -> list[str]:
        found = select(names.c.database_name, column).where(self._of(names, database))
        with self.client.transaction("list names") as connection:
            return [name for of, name in connection.execute(found) if of == database]

    def _has(self, names: SqlTable, column: ColumnElement[str], wanted: Identifier) -> bool:
        found = select(names.c.database_name, column).where(
            self._of(names, wanted.database), column == wanted.table
        )
        with self.client.transaction("look for a name") as connection:
            return (wanted.database, wanted.table) in {tuple(row) for row in connection.execute(found)}

    def _key(self, table: Identifier) -> dict[str, Any]:
        return {
            "catalog_key": self.catalog_key,
            "database_name": table.database,
            "table_name": table.table,
        }

    def _rows(self, database: str, properties: Mapping[str, str]) -> list[dict[str, Any]]:
        key = {"catalog_key": self.catalog_key, "database_name": database}
        return [{**key, "property_key": name, "property_value": v} for name, v in properties.items()]

    def _property_rows(self, table: Identifier, properties: Mapping[str, str]) -> list[dict[str, Any]]:
        """What is too long for a row is left out: the schema in the file system is what counts."""
        return [
            {**self._key(table), "property_key": name, "property_value": value}
            for name, value in properties.items()
            if len(value) <= _LONGEST_VALUE
        ]
