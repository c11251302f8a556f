"""Tables of a catalog: listed, made, shown, changed, renamed, dropped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Permission, Scope
from console.api.permissions import require
from console.inspector.cache import in_parallel
from console.masking.looking import any_masks
from console.rest_catalog import services
from console.rest_catalog.base import MOST_OBJECTS, CatalogView
from console.rest_catalog.models import ServedTable
from console.warehouses.places import check_files_place
from core.catalog.errors import TableNotFoundError
from core.catalog.names import fits
from core.catalog.rest.objects import identifier_to_wire
from core.catalog.rest.requests import AlterTable, CreateTable, RegisterTable, Rename, ReplaceTable
from core.errors import AlreadyExistsError, InvalidRequestError, NotFoundError, UnsupportedError
from core.identifier import Identifier
from core.maintenance.rollback_schema import apply_rollback_schema, plan_rollback_schema
from core.options import PATH
from core.schema.changes import SetOption
from core.table import Table


class TableListView(CatalogView):
    def get(self, request: Request, **path: str) -> Response:
        return self.page("tables", self.names(), "tableNamePattern")

    def names(self) -> list[str]:
        """Those that the caller may browse, of the type asked for."""
        database, kind = self.kwargs["database"], self.parameter("tableType")
        names = self.catalog.list_tables_page(database, type=kind).names
        return self.seen(database, names)

    def post(self, request: Request, **path: str) -> Response:
        asked = self.body(CreateTable.from_wire)
        self.check_database(asked.identifier)
        scope = Scope(self.warehouse.name, asked.identifier.database, asked.identifier.table)
        require(request, Permission.TABLE_OPERATE, scope)
        self.catalog.get_database(asked.identifier.database)
        services.refuse_a_views_name(self.warehouse, asked.identifier)
        schema = asked.schema
        check_files_place(self.warehouse, schema.options)
        table = self.catalog.create_table(
            asked.identifier,
            schema.fields,
            partition_keys=schema.partition_keys,
            primary_keys=schema.primary_keys,
            options={key: value for key, value in schema.options.items() if key != PATH.key or value},
            comment=schema.comment,
        )
        services.served_table(self.warehouse, table, self.actor)
        return Response({})

    def check_database(self, asked: Identifier) -> None:
        if asked.database != self.kwargs["database"]:
            raise InvalidRequestError(
                "the address names another database than the body",
                address=self.kwargs["database"],
                body=asked.database,
            )

    def audited(self) -> dict[str, Any]:
        return {"table": str(self.body(CreateTable.from_wire).identifier)}


class TableDetailListView(TableListView):
    http_method_names = ["get", "head"]
    permissions = {"GET": Permission.DATA_READ}

    def get(self, request: Request, **path: str) -> Response:
        return self.page(
            "tableDetails", self.names(), "tableNamePattern", show=self._details, most=MOST_OBJECTS
        )

    def names(self) -> list[str]:
        """Those that may be opened: of what is masked for the caller only the names are listed."""
        database, names = self.kwargs["database"], super().names()
        if not any_masks():
            return names
        return [name for name in names if not self.masks(Identifier(database, name))]

    def _details(self, names: Sequence[str]) -> list[Any]:
        database = self.kwargs["database"]
        tables = in_parallel(
            lambda name: self.catalog.get_data_table(Identifier(database, name)), list(names)
        )
        return [_shown(self, table) for table in tables]


class AllTableListView(CatalogView):
    """Tables of all databases."""

    def get(self, request: Request, **path: str) -> Response:
        wanted, like = self.parameter("databaseNamePattern"), self.parameter("tableNamePattern")
        names = [
            f"{database}.{name}"
            for database in self.seen_databases()
            if fits(database, wanted)
            for name in self.seen(database, self.catalog.list_tables(database))
            if fits(name, like)
        ]
        return self.page("tables", names, show=_identifiers)


def _identifiers(names: Sequence[str]) -> list[Any]:
    return [identifier_to_wire(Identifier(*name.split(".", 1))) for name in names]


def _shown(view: CatalogView, table: Table) -> Any:
    facts = view.catalog.table_facts(table.identifier)
    return services.described(view.warehouse, facts, table).to_wire()


class TableByIdView(CatalogView):
    def get(self, request: Request, **path: str) -> Response:
        table = services.find_by_id(self.warehouse, self.catalog, self.kwargs["id"])
        scope = Scope(self.warehouse.name, table.identifier.database, table.identifier.table)
        require(request, Permission.DATA_READ, scope)
        self.check_unmasked(table.identifier)
        return Response(_shown(self, table))


class TableView(CatalogView):
    permissions = {
        "GET": Permission.DATA_READ,
        "POST": Permission.TABLE_OPERATE,
        "DELETE": Permission.TABLE_DESTROY,
    }

    def get(self, request: Request, **path: str) -> Response:
        return Response(_shown(self, self.any_table))

    def post(self, request: Request, **path: str) -> Response:
        """Change the schema: all changes in order, or none."""
        changes = self.body(AlterTable.from_wire).changes
        check_files_place(
            self.warehouse, {change.key: change.value for change in changes if isinstance(change, SetOption)}
        )
        row = services.served_table(self.warehouse, self.any_table)
        with services.locked(row):
            self.catalog.alter_table(self.identifier, changes)
            ServedTable.objects.filter(pk=row.pk).update(updated_by=self.actor)
        return Response({})

    def delete(self, request: Request, **path: str) -> Response:
        if self.identifier.branch:
            raise InvalidRequestError("a branch is dropped as a branch", table=str(self.identifier))
        services.refuse_under_a_job(self.any_table)
        row = services.served_table(self.warehouse, self.any_table)
        with services.locked(row):
            self.catalog.drop_table(self.identifier)
            row.delete()
        return Response({})

    def audited(self) -> dict[str, Any]:
        return {"changes": [type(c).__name__ for c in self.body(AlterTable.from_wire).changes]}


class TableReplaceView(CatalogView):
    """Another schema for a table, without the rows; what its tags, branches and snapshots reach stays."""

    permissions = {"POST": Permission.TABLE_DESTROY}

    def post(self, request: Request, **path: str) -> Response:
        schema = self.body(ReplaceTable.from_wire).schema
        if self.identifier.branch:
            raise InvalidRequestError("a branch is not replaced by itself", table=str(self.identifier))
        check_files_place(self.warehouse, schema.options)
        services.refuse_under_a_job(self.any_table)
        row = services.served_table(self.warehouse, self.any_table)
        with services.locked(row):
            self.catalog.replace_table(
                self.identifier,
                schema.fields,
                partition_keys=schema.partition_keys,
                primary_keys=schema.primary_keys,
                options=schema.options,
                comment=schema.comment,
            )
            ServedTable.objects.filter(pk=row.pk).update(updated_by=self.actor)
        return Response({})

    def audited(self) -> dict[str, Any]:
        return {"columns": [field.name for field in self.body(ReplaceTable.from_wire).schema.fields]}


class SchemaRollbackView(CatalogView):
    """Take the schemas after one back that nothing was written with."""

    permissions = {"POST": Permission.TABLE_DESTROY}

    def post(self, request: Request, **path: str) -> Response:
        services.refuse_under_a_job(self.any_table)
        row = services.served_table(self.warehouse, self.any_table)
        with services.locked(row):
            plan = plan_rollback_schema(self.any_table, self._asked())
            apply_rollback_schema(self.any_table, plan)
            if not self.identifier.branch:
                self.catalog.repair_table(self.identifier)  # what it keeps of the schema
            ServedTable.objects.filter(pk=row.pk).update(updated_by=self.actor)
        return Response({})

    def _asked(self) -> int:
        return self.body(lambda value: value.integer("schemaId"))

    def audited(self) -> dict[str, Any]:
        return {"schema": self._asked()}


class TableRenameView(CatalogView):
    def post(self, request: Request, **path: str) -> Response:
        asked = self.body(Rename.from_wire)
        for name in (asked.source, asked.destination):
            scope = Scope(self.warehouse.name, name.database, name.table)
            require(request, Permission.TABLE_OPERATE, scope)
        self.check_unmasked(asked.source)  # its masks are those of its name
        table = self.catalog.get_data_table(asked.source)
        services.refuse_a_views_name(self.warehouse, asked.destination)
        services.refuse_under_a_job(table)
        row = services.served_table(self.warehouse, table)
        with services.locked(row):
            self.catalog.rename_table(asked.source, asked.destination)
            to = {"database": asked.destination.database, "name": asked.destination.table}
            ServedTable.objects.filter(warehouse=self.warehouse, **to).delete()  # of one that is gone
            ServedTable.objects.filter(pk=row.pk).update(**to, updated_by=self.actor)
        return Response({})

    def audited(self) -> dict[str, Any]:
        asked = self.body(Rename.from_wire)
        return {"source": str(asked.source), "destination": str(asked.destination)}


class TableRegisterView(CatalogView):
    """Take up a table whose directory is there."""

    permissions = {"POST": Permission.TABLE_OPERATE}

    def post(self, request: Request, **path: str) -> Response:
        asked = self.body(RegisterTable.from_wire)
        place = self.catalog.location(asked.identifier)
        if asked.path.rstrip("/") != place:
            raise UnsupportedError(
                "this warehouse keeps its tables in their places: move the directory there",
                feature="register a table at another path",
                found=asked.path,
                place=place,
            )
        try:
            known = not self.catalog.repair_table(asked.identifier)
        except NotFoundError as error:
            raise TableNotFoundError.of(asked.identifier) from error
        if known:
            raise AlreadyExistsError("table exists already", table=str(asked.identifier))
        return Response({})

    def audited(self) -> dict[str, Any]:
        asked = self.body(RegisterTable.from_wire)
        return {"table": str(asked.identifier), "path": asked.path}
