"""Views of a Hive metastore, and how its tables and views are looked up. Spec: 04, C3."""

from __future__ import annotations

import getpass
import time
from collections.abc import Iterator, Sequence
from typing import Any

from core.catalog.errors import ViewAlreadyExistsError, ViewNotFoundError
from core.catalog.hive.client import HiveClient
from core.catalog.hive.objects import is_view, new_view, view_of
from core.catalog.names import TableName, main_table, new_name
from core.catalog.views import (
    AddDialect,
    DropDialect,
    UpdateDialect,
    View,
    ViewChange,
    ViewSchema,
    changed_view,
)
from core.catalog.warehouse import WarehouseCatalog
from core.errors import AlreadyExistsError, InvalidRequestError, NotFoundError
from core.identifier import Identifier

_AT_ONCE = 200  # tables that one call asks for


class HiveViews(WarehouseCatalog):
    """What a Hive catalog has beside tables."""

    _client: HiveClient

    def _views(self, database: str) -> list[str]:
        return [found.tableName for found in self._objects(database) if is_view(found)]

    def get_view(self, view: TableName) -> View:
        identifier = main_table(view)
        return view_of(identifier, self._view(identifier))

    def create_view(self, view: TableName, schema: ViewSchema, *, ignore_if_exists: bool = False) -> None:
        identifier = new_name(view)
        self.get_database(identifier.database)
        check_lower("view", identifier.table)
        if schema.dialects:
            self._refuse("views with a text for each dialect")
        made = new_view(identifier, schema, owner=user(), seconds=int(time.time()))
        try:
            if self._is_taken(identifier):
                raise ViewAlreadyExistsError.of(identifier)
            self._client.change("create a view", lambda hms: hms.create_table(made))
        except AlreadyExistsError as error:
            if not ignore_if_exists:
                raise ViewAlreadyExistsError.of(identifier) from error

    def alter_view(
        self, view: TableName, changes: Sequence[ViewChange], *, ignore_if_missing: bool = False
    ) -> None:
        identifier = main_table(view)
        if ignore_if_missing and identifier.table not in self._views_if_any(identifier.database):
            return
        if any(isinstance(change, AddDialect | UpdateDialect | DropDialect) for change in changes):
            self._refuse("views with a text for each dialect")
        found = self._view(identifier)
        schema = changed_view(identifier, view_of(identifier, found).schema, changes)
        comment = {} if schema.comment is None else {"comment": schema.comment}
        found.parameters = {**schema.options, **comment}
        self._client.change(
            "alter a view", lambda hms: hms.alter_table(identifier.database, identifier.table, found)
        )

    def rename_view(self, source: TableName, target: TableName, *, ignore_if_missing: bool = False) -> None:
        old, new = main_table(source), new_name(target)
        if ignore_if_missing and old.table not in self._views_if_any(old.database):
            return
        found = self._view(old)
        self.get_database(new.database)
        check_lower("view", new.table)
        if self._is_taken(new):
            raise ViewAlreadyExistsError.of(new)
        found.dbName, found.tableName = new.database, new.table
        self._client.change("rename a view", lambda hms: hms.alter_table(old.database, old.table, found))

    def drop_view(self, view: TableName, *, ignore_if_missing: bool = False) -> None:
        identifier = main_table(view)
        if ignore_if_missing and identifier.table not in self._views_if_any(identifier.database):
            return
        self._view(identifier)
        self._client.change(
            "drop a view", lambda hms: hms.drop_table(identifier.database, identifier.table, False)
        )

    def _view(self, view: Identifier) -> Any:
        found = self._object(view)
        if found is None or not is_view(found):
            self.get_database(view.database)
            raise ViewNotFoundError.of(view)
        return found

    def _views_if_any(self, database: str) -> list[str]:
        return self._views(database) if self.database_exists(database) else []

    # --- what the metastore keeps

    def _object(self, name: Identifier) -> Any:
        """The table or view of exactly that name; None if there is none."""
        try:
            found = self._client.ask("look at a table", lambda hms: hms.get_table(name.database, name.table))
        except NotFoundError:
            return None
        return found if (found.dbName, found.tableName) == (name.database, name.table) else None

    def _objects(self, database: str) -> Iterator[Any]:
        names = self._client.ask("list tables", lambda hms: hms.get_all_tables(database))
        for start in range(0, len(names), _AT_ONCE):
            some = names[start : start + _AT_ONCE]
            yield from self._client.ask(
                "look at tables",
                lambda hms, some=some: hms.get_table_objects_by_name(database, some),  # type: ignore[misc]
            )


def check_lower(what: str, name: str) -> None:
    """Raises `InvalidRequestError` for a name that the metastore would write in small letters."""
    if name != name.lower():
        raise InvalidRequestError(f"a Hive metastore keeps the name of a {what} in small letters", name=name)


def user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user may have no name
        return "lakescope"
