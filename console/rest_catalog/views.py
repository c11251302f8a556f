"""Views and functions of a catalog, which are kept here: a warehouse of directories has no place for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar

from django.db import IntegrityError, models, transaction
from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Permission, Scope
from console.api.permissions import require
from console.rest_catalog.base import MOST_OBJECTS, CatalogView
from console.rest_catalog.models import Named, StoredFunction, StoredView
from core.catalog.errors import (
    FunctionAlreadyExistsError,
    FunctionNotFoundError,
    ViewAlreadyExistsError,
    ViewNotFoundError,
)
from core.catalog.facts import Audit
from core.catalog.functions import Function
from core.catalog.names import fits, main_table
from core.catalog.rest.objects import identifier_from_wire, identifier_to_wire
from core.catalog.rest.requests import Rename
from core.catalog.rest.views import (
    changed_function,
    function_change_from_wire,
    function_from_wire,
    function_to_wire,
    view_change_from_wire,
    view_schema_from_wire,
    view_schema_to_wire,
    view_to_wire,
)
from core.catalog.views import View, changed_view
from core.errors import PaimonError
from core.identifier import Identifier
from core.io.json_object import JsonObject

N = TypeVar("N", bound=Named)

CHANGED: dict[str, Permission | None] = {
    "GET": Permission.META_READ,
    "POST": Permission.TABLE_OPERATE,
    "DELETE": Permission.TABLE_OPERATE,
}


def _audit(row: Named) -> Audit:
    made, changed = (round(at.timestamp() * 1000) for at in (row.created_at, row.updated_at))
    return Audit(row.created_by, made, row.created_by, changed, row.updated_by)


def view_of(row: StoredView) -> View:
    schema = view_schema_from_wire(JsonObject(row.schema))
    return View(Identifier(row.database, row.name), schema, str(row.uuid), _audit(row))


def function_of(row: StoredFunction) -> Function:
    wire = row.definition | {"name": row.name, "uuid": str(row.uuid)}
    function = function_from_wire(row.database, JsonObject(wire))
    return Function(
        function.identifier,
        function.input_params,
        function.return_params,
        function.deterministic,
        function.definitions,
        function.comment,
        function.options,
        str(row.uuid),
        _audit(row),
    )


class StoredThings(CatalogView):
    """What views and functions share: rows of one table of ours."""

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

    def global_page(self, pattern: str) -> Response:
        wanted, like = self.parameter("databaseNamePattern"), self.parameter(pattern)
        names = [
            f"{database}.{name}"
            for database in self.seen_databases()
            if fits(database, wanted)
            for name in self.names(database)
            if fits(name, like)
        ]
        return self.page(self.many, names, show=_identifiers)


def _identifiers(names: Sequence[str]) -> list[Any]:
    return [identifier_to_wire(Identifier(*name.split(".", 1))) for name in names]


class Views(StoredThings):
    model, many = StoredView, "views"

    def find(self) -> StoredView:
        database, name = self.kwargs["database"], self.kwargs["view"]
        found: StoredView | None = self.of_database(database).filter(name=name).first()
        if found is None:
            raise ViewNotFoundError.of(Identifier(database, name))
        return found

    def check_free(self, view: Identifier) -> None:
        """Tables and views share their names."""
        if self.catalog.table_exists(main_table(view)):
            raise ViewAlreadyExistsError("a table has this name", view=str(view))


class ViewListView(Views):
    def get(self, request: Request, **path: str) -> Response:
        return self.page("views", self.names(self.kwargs["database"]), "viewNamePattern")

    def post(self, request: Request, **path: str) -> Response:
        view = self.body(lambda value: identifier_from_wire(value.nested("identifier")))
        schema = self.body(lambda value: view_schema_from_wire(value.nested("schema")))
        require(request, Permission.TABLE_OPERATE, Scope(self.warehouse.name, view.database, view.table))
        self.of_database(view.database)
        self.check_free(view)
        self.add(
            ViewAlreadyExistsError.of(view),
            database=view.database,
            name=view.table,
            schema=view_schema_to_wire(schema),
        )
        return Response({})


class ViewDetailListView(Views):
    def get(self, request: Request, **path: str) -> Response:
        database = self.kwargs["database"]
        rows = {row.name: row for row in self.of_database(database)}
        return self.page(
            "viewDetails",
            self.seen(database, list(rows)),
            "viewNamePattern",
            show=lambda names: [view_to_wire(view_of(rows[name])) for name in names],
            most=MOST_OBJECTS,
        )


class AllViewListView(Views):
    def get(self, request: Request, **path: str) -> Response:
        return self.global_page("viewNamePattern")


class ViewView(Views):
    permissions = CHANGED

    @property
    def scope(self) -> Scope:
        return Scope(self.kwargs["warehouse"], self.kwargs["database"], self.kwargs["view"])

    def get(self, request: Request, **path: str) -> Response:
        return Response(view_to_wire(view_of(self.find())))

    def post(self, request: Request, **path: str) -> Response:
        changes = self.body(_changes(view_change_from_wire))
        with transaction.atomic():
            row = StoredView.objects.select_for_update().get(pk=self.find().pk)
            view = view_of(row)
            schema = changed_view(view.identifier, view.schema, changes)
            row.schema, row.updated_by = view_schema_to_wire(schema), self.actor
            row.save()
        return Response({})

    def delete(self, request: Request, **path: str) -> Response:
        self.find().delete()
        return Response({})


class ViewRenameView(Views):
    def post(self, request: Request, **path: str) -> Response:
        asked = self.body(Rename.from_wire)
        for name in (asked.source, asked.destination):
            scope = Scope(self.warehouse.name, name.database, name.table)
            require(request, Permission.TABLE_OPERATE, scope)
        row = self.of_database(asked.source.database).filter(name=asked.source.table).first()
        if row is None:
            raise ViewNotFoundError.of(asked.source)
        self.of_database(asked.destination.database)
        self.check_free(asked.destination)
        row.database, row.name, row.updated_by = (
            asked.destination.database,
            asked.destination.table,
            self.actor,
        )
        try:
            with transaction.atomic():
                row.save()
        except IntegrityError as taken:
            raise ViewAlreadyExistsError.of(asked.destination) from taken
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
        main_table(function.identifier)
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
        return self.global_page("functionNamePattern")


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
