"""Views and functions of a catalog that has none; one that has views says so by methods of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NoReturn

from core.catalog.errors import FunctionNotFoundError, ViewNotFoundError
from core.catalog.facts import Database, Page
from core.catalog.functions import Function
from core.catalog.names import TableName, main_table, page_of
from core.catalog.views import View, ViewChange, ViewSchema
from core.errors import UnsupportedError
from core.identifier import SYSTEM_DATABASE


class WithoutViews(ABC):
    kind: str

    @abstractmethod
    def get_database(self, name: str) -> Database: ...

    def _views(self, database: str) -> list[str]:
        return []

    def list_views(self, database: str) -> list[str]:
        if database == SYSTEM_DATABASE:
            return []
        self.get_database(database)
        return sorted(self._views(database))

    def list_views_page(
        self,
        database: str,
        *,
        limit: int | None = None,
        token: str | None = None,
        pattern: str | None = None,
    ) -> Page:
        return page_of(self.list_views(database), limit, token, pattern)

    def get_view(self, view: TableName) -> View:
        raise ViewNotFoundError.of(main_table(view))

    def create_view(self, view: TableName, schema: ViewSchema, *, ignore_if_exists: bool = False) -> None:
        self.get_database(main_table(view).database)
        self._refuse("views")

    def alter_view(
        self, view: TableName, changes: Sequence[ViewChange], *, ignore_if_missing: bool = False
    ) -> None:
        self._no_view(view, ignore_if_missing)

    def rename_view(self, source: TableName, target: TableName, *, ignore_if_missing: bool = False) -> None:
        self._no_view(source, ignore_if_missing)

    def drop_view(self, view: TableName, *, ignore_if_missing: bool = False) -> None:
        self._no_view(view, ignore_if_missing)

    def list_functions(self, database: str) -> list[str]:
        if database != SYSTEM_DATABASE:
            self.get_database(database)
        return []

    def get_function(self, function: TableName) -> Function:
        raise FunctionNotFoundError.of(main_table(function))

    def _no_view(self, view: TableName, ignore_if_missing: bool) -> None:
        if not ignore_if_missing:
            self.get_view(view)

    def _refuse(self, feature: str) -> NoReturn:
        raise UnsupportedError(
            "this kind of catalog does not have it", feature=feature, where=f"a {self.kind} catalog"
        )
