"""Views and functions of a catalog, wherever it keeps them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar

from django.db import IntegrityError, models, transaction
from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Permission, Scope
from console.api.permissions import require
from console.rest_catalog.base import MOST_OBJECTS, CatalogView
from console.rest_catalog.models import Named, StoredFunction
from console.rest_catalog.stored import ViewStore, function_of, view_store
from core.catalog.errors import (
    FunctionAlreadyExistsError,
    FunctionNotFoundError,
)
from core.catalog.names import fits, new_name
from core.catalog.rest.objects import identifier_from_wire, identifier_to_wire
from core.catalog.rest.requests import Rename
from core.catalog.rest.views import (
    changed_function,
    function_change_from_wire,
    function_from_wire,
    function_to_wire,
    view_change_from_wire,
    view_schema_from_wire,
    view_to_wire,
)
from core.errors import PaimonError
from core.identifier import Identifier
from core.io.json_object import JsonObject

N = TypeVar("N", bound=Named)

CHANGED: dict[str, Permission | None] = {
    "GET": Permission.META_READ,
    "POST": Permission.TABLE_OPERATE,
    "DELETE": Permission.TABLE_OPERATE,
}


class StoredThings(CatalogView):
    """Functions: rows of one table of ours."""

    model: ClassVar[type[Named]]
    many: ClassVar[str]  # member of a list

    @property
    def rows(self) -> models.QuerySet[Any]:
        return self.model._default_manager.filter(warehouse=self.warehouse)

    def of_database(self, database: str) -> models.QuerySet[Any]:
        """Raises `DatabaseNotFoundError`."""
        self.catalog.get_database(database)
        return self.rows.filter(database=database)

    def names(self, database: str) -> list[str]:
        return self.seen(database, self.of_database(database).values_list("name", flat=True))

    def add(self, error: PaimonError, **values: Any) -> None:
        """A new row; `error` where the name is taken."""
        by = {"created_by": self.actor, "updated_by": self.actor}
        try:
            with transaction.atomic():
                self.model._default_manager.create(warehouse=self.warehouse, **values, **by)
        except IntegrityError as taken:
            raise error from taken


def global_page(view: CatalogView, names_of: Callable[[str], list[str]], many: str, pattern: str) -> Response:
    """A page of names of all databases; `many` is the member of the answer."""
    wanted, like = view.parameter("databaseNamePattern"), view.parameter(pattern)
    names = [
        f"{database}.{name}"
        for database in view.seen_databases()
        if fits(database, wanted)
        for name in names_of(database)
        if fits(name, like)
    ]
    return view.page(many, names, show=_identifiers)


def _identifiers(names: Sequence[str]) -> list[Any]:
    return [identifier_to_wire(Identifier(*name.split(".", 1))) for name in names]


class Views(CatalogView):
    """Where the warehouse's catalog keeps them."""

    @property
    def store(self) -> ViewStore:
        return view_store(self.warehouse, self.catalog, self.actor)

    @property
    def view(self) -> Identifier:
        return Identifier(self.kwargs["database"], self.kwargs["view"])

    def names(self, database: str) -> list[str]:
        return self.seen(database, self.store.names(database))


class ViewListView(Views):
    def get(self, request: Request, **path: str) -> Response:
        return self.page("views", self.names(self.kwargs["database"]), "viewNamePattern")

    def post(self, request: Request, **path: str) -> Response:
        view = self.body(lambda value: identifier_from_wire(value.nested("identifier")))
        schema = self.body(lambda value: view_schema_from_wire(value.nested("schema")))
        require(request, Permission.TABLE_OPERATE, Scope(self.warehouse.name, view.database, view.table))
        self.store.create(view, schema)
        return Response({})


class ViewDetailListView(Views):
    def get(self, request: Request, **path: str) -> Response:
        database, store = self.kwargs["database"], self.store
        return self.page(
            "viewDetails",
            self.names(database),
            "viewNamePattern",
            show=lambda names: [view_to_wire(store.get(Identifier(database, name))) for name in names],
            most=MOST_OBJECTS,
        )


class AllViewListView(Views):
    def get(self, request: Request, **path: str) -> Response:
        return global_page(self, self.names, "views", "viewNamePattern")


class ViewView(Views):
    permissions = CHANGED

    @property
    def scope(self) -> Scope:
        return Scope(self.kwargs["warehouse"], self.kwargs["database"], self.kwargs["view"])

    def get(self, request: Request, **path: str) -> Response:
        return Response(view_to_wire(self.store.get(self.view)))

    def post(self, request: Request, **path: str) -> Response:
        self.store.alter(self.view, self.body(_changes(view_change_from_wire)))
        return Response({})

    def delete(self, request: Request, **path: str) -> Response:
        self.store.drop(self.view)
        return Response({})


class ViewRenameView(Views):
    def post(self, request: Request, **path: str) -> Response:
        asked = self.body(Rename.from_wire)
        for name in (asked.source, asked.destination):
            scope = Scope(self.warehouse.name, name.database, name.table)
            require(request, Permission.TABLE_OPERATE, scope)
        self.store.rename(asked.source, asked.destination)
        return Response({})

    def audited(self) -> dict[str, Any]:
        asked = self.body(Rename.from_wire)
        return {"source": str(asked.source), "destination": str(asked.destination)}


class Functions(StoredThings):
    model, many = StoredFunction, "functions"

    def find(self) -> StoredFunction:
        database, name = self.kwargs["database"], self.kwargs["function"]
        found: StoredFunction | None = self.of_database(database).filter(name=name).first()
        if found is None:
            raise FunctionNotFoundError.of(Identifier(database, name))
        return found


class FunctionListView(Functions):
    permissions = {"POST": Permission.TABLE_OPERATE}

    def get(self, request: Request, **path: str) -> Response:
        return self.page("functions", self.names(self.kwargs["database"]), "functionNamePattern")

    def post(self, request: Request, **path: str) -> Response:
        database = self.kwargs["database"]
        function = self.body(lambda value: function_from_wire(database, value))
        new_name(function.identifier)
        self.of_database(database)
        taken = FunctionAlreadyExistsError("function exists already", function=str(function.identifier))
        self.add(
            taken, database=database, name=function.identifier.table, definition=function_to_wire(function)
        )
        return Response({})


class FunctionDetailListView(Functions):
    def get(self, request: Request, **path: str) -> Response:
        database = self.kwargs["database"]
        rows = {row.name: row for row in self.of_database(database)}
        return self.page(
            "functionDetails",
            self.seen(database, list(rows)),
            "functionNamePattern",
            show=lambda names: [function_to_wire(function_of(rows[name])) for name in names],
            most=MOST_OBJECTS,
        )


class AllFunctionListView(Functions):
    def get(self, request: Request, **path: str) -> Response:
        return global_page(self, self.names, "functions", "functionNamePattern")


class FunctionView(Functions):
    permissions = CHANGED

    @property
    def scope(self) -> Scope:
        return Scope(self.kwargs["warehouse"], self.kwargs["database"], self.kwargs["function"])

    def get(self, request: Request, **path: str) -> Response:
        return Response(function_to_wire(function_of(self.find())))

    def post(self, request: Request, **path: str) -> Response:
        changes = self.body(_changes(function_change_from_wire))
        with transaction.atomic():
            row = StoredFunction.objects.select_for_update().get(pk=self.find().pk)
            row.definition = function_to_wire(changed_function(function_of(row), changes))
            row.updated_by = self.actor
            row.save()
        return Response({})

    def delete(self, request: Request, **path: str) -> Response:
        self.find().delete()
        return Response({})


C = TypeVar("C")


def _changes(decode: Callable[[JsonObject], C]) -> Callable[[JsonObject], list[C]]:
    return lambda value: [decode(change) for change in value.nested_list("changes")]
