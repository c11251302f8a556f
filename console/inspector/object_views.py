"""Views and functions of a database, as the warehouse's catalog keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Access, Permission, Scope
from console.api.errors import Problem
from console.api.listing import Field, Listing, ListQuery, Page, page_of_rows
from console.api.views import ApiView, ListView
from console.inspector.serializers.objects import FunctionSerializer, NameSerializer, ViewSerializer
from console.rest_catalog.stored import KEEP_VIEWS, function_named, function_names, view_store
from console.warehouses.catalogs import catalog_of, storage_problems
from console.warehouses.models import Warehouse
from console.warehouses.services import visible
from core.catalog.facts import Audit
from core.catalog.functions import Definition, FileDefinition, LambdaDefinition, SqlDefinition
from core.errors import NotFoundError
from core.identifier import Identifier
from core.inspect.schema_diff import mask_option
from core.types import DataField
from core.types.sql import type_to_text

NAMES = Listing(key="name", fields={"name": Field()}, default_sort="name")


class _NameListView(ListView):
    """Names of a database that the caller may browse."""

    permissions = {"GET": None}
    weak_tags = True
    item = NameSerializer
    listing = NAMES

    def names(self, warehouse: Warehouse, database: str) -> list[str]:
        raise NotImplementedError

    def load(self, query: ListQuery) -> Page:
        warehouse, database = visible(self.kwargs["warehouse"], self.access), self.kwargs["database"]
        with storage_problems():
            try:
                names = self.names(warehouse, database)
            except NotFoundError as error:
                raise Problem("not-found", kind="database", name=f"{warehouse.name}.{database}") from error
        seen = [n for n in names if _may_browse(self.access, warehouse, database, n)]
        return page_of_rows([{"name": name} for name in seen], self.listing, query)


class ViewListView(_NameListView):
    """The views of a database."""

    def names(self, warehouse: Warehouse, database: str) -> list[str]:
        return view_store(warehouse, catalog_of(warehouse)).names(database)


class FunctionListView(_NameListView):
    """The functions of a database."""

    def names(self, warehouse: Warehouse, database: str) -> list[str]:
        return function_names(warehouse, catalog_of(warehouse), database)


class ViewView(ApiView):
    """One view: its query, dialects and columns."""

    permissions = {"GET": Permission.META_READ}
    weak_tags = True
    responses = {"GET": ViewSerializer}

    @property
    def scope(self) -> Scope:
        return Scope(self.kwargs["warehouse"], self.kwargs["database"], self.kwargs["view"])

    def get(self, request: Request, warehouse: str, database: str, view: str) -> Response:
        row = visible(warehouse, self.access)
        catalog = catalog_of(row)
        with storage_problems():
            try:
                found = view_store(row, catalog).get(Identifier(database, view))
            except NotFoundError as error:
                raise Problem("not-found", kind="view", name=f"{warehouse}.{database}.{view}") from error
        schema = found.schema
        shown = {
            "warehouse": warehouse, "database": database, "name": view,
            "kept_by": "catalog" if catalog.kind in KEEP_VIEWS else "console",
            "query": schema.query, "dialects": dict(schema.dialects), "columns": _columns(schema.fields),
            "comment": schema.comment, "options": _options(schema.options), "audit": _audit(found.audit),
            "permissions": sorted(self.access.permissions(self.scope)),
        }  # fmt: skip
        return Response(ViewSerializer(shown).data)


class FunctionView(ApiView):
    """One function: its parameters and definitions."""

    permissions = {"GET": Permission.META_READ}
    weak_tags = True
    responses = {"GET": FunctionSerializer}

    @property
    def scope(self) -> Scope:
        return Scope(self.kwargs["warehouse"], self.kwargs["database"], self.kwargs["function"])

    def get(self, request: Request, warehouse: str, database: str, function: str) -> Response:
        row = visible(warehouse, self.access)
        with storage_problems():
            try:
                found = function_named(row, catalog_of(row), Identifier(database, function))
            except NotFoundError as error:
                name = f"{warehouse}.{database}.{function}"
                raise Problem("not-found", kind="function", name=name) from error
        shown = {
            "warehouse": warehouse, "database": database, "name": function,
            "parameters": _columns(found.input_params or ()), "returns": _columns(found.return_params or ()),
            "deterministic": found.deterministic,
            "definitions": [_definition(engine, d) for engine, d in sorted(found.definitions.items())],
            "comment": found.comment, "options": _options(found.options), "audit": _audit(found.audit),
            "permissions": sorted(self.access.permissions(self.scope)),
        }  # fmt: skip
        return Response(FunctionSerializer(shown).data)


def _may_browse(access: Access, warehouse: Warehouse, database: str, name: str) -> bool:
    return access.allows(Permission.META_READ, Scope(warehouse.name, database, name))


def _columns(fields: Iterable[DataField]) -> list[dict[str, Any]]:
    return [
        {"id": f.id, "name": f.name, "type": type_to_text(f.type), "comment": f.description} for f in fields
    ]


def _options(options: Mapping[str, str]) -> dict[str, str | None]:
    return {key: mask_option(key, value) for key, value in sorted(options.items())}


def _audit(audit: Audit) -> dict[str, Any]:
    names = ("owner", "created_at", "created_by", "updated_at", "updated_by")
    return {name: getattr(audit, name) or None for name in names}


def _definition(engine: str, found: Definition) -> dict[str, Any]:
    blank: dict[str, Any] = {
        "engine": engine, "language": None, "definition": None, "class_name": None, "function_name": None,
        "resources": [],
    }  # fmt: skip
    match found:
        case SqlDefinition():
            return blank | {"kind": "sql", "definition": found.definition}
        case LambdaDefinition():
            return blank | {"kind": "lambda", "language": found.language, "definition": found.definition}
        case FileDefinition():
            return blank | {
                "kind": "file",
                "language": found.language,
                "class_name": found.class_name,
                "function_name": found.function_name,
                "resources": [resource.uri for resource in found.resources],
            }
