"""The configuration of a catalog, and its databases."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Permission, Scope
from console.api.permissions import require
from console.rest_catalog.base import CatalogView
from console.rest_catalog.models import ServedTable, StoredFunction, StoredView
from console.rest_catalog.services import refuse_under_a_job
from console.warehouses.services import visible
from core.catalog.errors import DatabaseNotFoundError
from core.catalog.facts import Database, PropertyChanges
from core.catalog.names import check_own_database
from core.catalog.rest.names import decode_name
from core.catalog.rest.objects import database_to_wire
from core.catalog.rest.requests import AlterDatabase, CreateDatabase
from core.errors import InvalidRequestError
from core.identifier import Identifier

# Where the catalog is, and what only we do with it: no client's business.
_OURS = frozenset({"metastore", "uri", "warehouse", "prefix", "catalog-key", "token", "token.provider"})


class ConfigView(CatalogView):
    """Where the resources of a warehouse are; clients ask here first."""

    def get(self, request: Request) -> Response:
        name = self.parameter("warehouse")
        if name is None:
            raise InvalidRequestError("say which registered warehouse: ?warehouse=<its name>")
        warehouse = visible(decode_name(name), self.access)
        options = {k: v for k, v in warehouse.options.items() if k not in _OURS and not k.startswith("jdbc.")}
        return Response({"defaults": options, "overrides": {"prefix": warehouse.name}})


class DatabaseListView(CatalogView):
    def get(self, request: Request, **path: str) -> Response:
        return self.page("databases", self.seen_databases(), "databaseNamePattern")

    def post(self, request: Request, **path: str) -> Response:
        asked = self.body(CreateDatabase.from_wire)
        require(request, Permission.TABLE_OPERATE, Scope(self.warehouse.name, asked.name))
        properties = {key: value for key, value in asked.options.items() if key != "owner"}
        self.catalog.create_database(asked.name, properties=properties)
        return Response({})

    def audited(self) -> dict[str, Any]:
        return {"name": self.body(CreateDatabase.from_wire).name}


class DatabaseView(CatalogView):
    permissions = {"POST": Permission.TABLE_OPERATE, "DELETE": Permission.TABLE_DESTROY}

    @property
    def database(self) -> str:
        return str(self.kwargs["database"])

    def get(self, request: Request, **path: str) -> Response:
        found = self.catalog.get_database(self.database) if self._is_seen() else None
        if found is None:
            raise DatabaseNotFoundError.of(self.database)
        location = found.location or f"{self.catalog.warehouse}/{self.database}.db"
        told = Database(
            found.name, location, found.options, found.comment, found.uuid or self.database, found.audit
        )
        return Response(database_to_wire(told))

    def post(self, request: Request, **path: str) -> Response:
        asked = self.body(AlterDatabase.from_wire)
        changes = PropertyChanges(asked.updates, asked.removals)
        done = self.catalog.alter_database(self.database, changes)
        return Response(
            {"removed": list(done.removed), "updated": list(done.updated), "missing": list(done.missing)}
        )

    def delete(self, request: Request, **path: str) -> Response:
        """With all its tables: clients have asked by themselves whether it holds any."""
        check_own_database(self.database)
        for name in self.catalog.list_tables(self.database):
            refuse_under_a_job(self.catalog.get_data_table(Identifier(self.database, name)))
        self.catalog.drop_database(self.database, cascade=True)
        with transaction.atomic():
            for kept in (ServedTable, StoredView, StoredFunction):
                kept.objects.filter(warehouse=self.warehouse, database=self.database).delete()
        return Response({})

    def _is_seen(self) -> bool:
        return self.access.sees(Scope(self.warehouse.name, self.database))
