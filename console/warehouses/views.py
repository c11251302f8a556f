"""Warehouses, their databases and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
from django.utils.timezone import now
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Permission, Scope
from console.api.columns import page_of_changing_columns
from console.api.errors import Problem
from console.api.etags import require_match
from console.api.listing import Field, Kind, Listing, ListQuery, Page, page_of_rows
from console.api.views import ApiView, ListView
from console.inspector.serializers import TableSummarySerializer
from console.warehouses import activity, browsing, services
from console.warehouses.checking import Step
from console.warehouses.kinds import CATALOGS, STORES
from console.warehouses.measured import with_permissions
from console.warehouses.models import VIEW, Warehouse
from console.warehouses.serializers import (
    CheckSerializer,
    CheckTargetSerializer,
    DatabaseSerializer,
    KindsSerializer,
    WarehouseSerializer,
)

MANAGE = Permission.WAREHOUSE_MANAGE
NUMBER, BYTES, TIME = Field(Kind.NUMBER), Field(Kind.BYTES), Field(Kind.TIME)


class WarehouseListView(ListView):
    """The warehouses that the caller sees."""

    permissions = {"GET": None, "POST": MANAGE}
    item = WarehouseSerializer
    requests = {"POST": WarehouseSerializer}
    responses = {"POST": (201, WarehouseSerializer)}
    listing = Listing(
        key="name",
        fields={
            "name": Field(),
            "location": Field(),
            "state": Field(),
            "checked_at": TIME,
            "created_at": TIME,
        },
        default_sort="name",
    )

    def load(self, query: ListQuery) -> Page:
        rows = [
            {"name": w.name, "location": w.location, "state": w.state, "checked_at": w.checked_at,
             "created_at": w.created_at, "row": w}
            for w in services.with_counts(Warehouse.objects.all())
            if self.access.sees(Scope(w.name))
        ]  # fmt: skip
        return page_of_rows(rows, self.listing, query)

    def serialize(self, page: Page) -> list[dict[str, Any]]:
        return [shown(row["row"], self.access) for row in page.rows]

    def post(self, request: Request) -> Response:
        form = WarehouseSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        warehouse = services.register(**form.validated_data)
        reply = Response(shown(services.with_counts([warehouse])[0], self.access), 201)
        reply["Location"] = f"{request.path}/{warehouse.name}"
        return reply


def shown(warehouse: Warehouse, access: Any) -> Any:
    """The warehouse as the API shows it to this caller."""
    warehouse.permissions = sorted(access.permissions(Scope(warehouse.name)))  # type: ignore[attr-defined]
    return dict(WarehouseSerializer(warehouse).data)


class WarehouseView(ApiView):
    """One warehouse."""

    permissions = {"GET": None, "PATCH": MANAGE, "DELETE": MANAGE}
    requests = {"PATCH": WarehouseSerializer}
    responses = {"GET": WarehouseSerializer, "PATCH": WarehouseSerializer}

    def get(self, request: Request, warehouse: str) -> Response:
        return Response(self._shown(services.visible(warehouse, self.access)))

    def patch(self, request: Request, warehouse: str) -> Response:
        row = services.visible(warehouse, self.access)
        require_match(request, self._shown(row))
        form = WarehouseSerializer(row, data=request.data, partial=True)
        form.is_valid(raise_exception=True)
        return Response(self._shown(services.change(row, **form.validated_data)))

    def delete(self, request: Request, warehouse: str) -> Response:
        row = services.visible(warehouse, self.access)
        require_match(request, self._shown(row))
        services.forget(row)
        return Response(status=204)

    def _shown(self, row: Warehouse) -> Any:
        return shown(services.with_counts([row])[0], self.access)


class WarehouseCheckView(ApiView):
    """Test the connection to a registered warehouse."""

    permissions = {"POST": Permission.META_READ}
    may_go_on = True
    responses = {"POST": CheckSerializer}

    def post(self, request: Request, warehouse: str) -> Response:
        return _told(services.check(services.visible(warehouse, self.access)))


class NewWarehouseCheckView(ApiView):
    """Test the connection to a warehouse before it is registered, or changed."""

    permissions = {"POST": MANAGE}
    may_go_on = True
    requests = {"POST": CheckTargetSerializer}
    responses = {"POST": CheckSerializer}

    def post(self, request: Request) -> Response:
        form = CheckTargetSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        name = form.validated_data.pop("warehouse")
        if name is None:
            return _told(services.check_new(**form.validated_data))
        return _told(services.check_changed(services.visible(name, self.access), **form.validated_data))


def _told(steps: Sequence[Step]) -> Response:
    return Response(CheckSerializer({"ok": all(step.ok for step in steps), "steps": steps}).data)


class WarehouseKindsView(ApiView):
    """What each kind of warehouse is asked for."""

    permissions = {"GET": None}
    responses = {"GET": KindsSerializer}

    def get(self, request: Request) -> Response:
        return Response(KindsSerializer({"catalogs": CATALOGS, "stores": STORES}).data)


DATABASES = Listing(
    key="name",
    fields={"name": Field(), "tables": NUMBER, "bytes": BYTES, "rows": NUMBER, "last_commit_at": TIME},
    default_sort="name",
)


class DatabaseListView(ListView):
    """The databases of a warehouse that the caller sees."""

    permissions = {"GET": None}
    may_go_on = True
    weak_tags = True
    item = DatabaseSerializer
    listing = DATABASES

    def load(self, query: ListQuery) -> Page:
        warehouse = services.visible(self.kwargs["warehouse"], self.access)
        return page_of_rows(browsing.databases(warehouse, self.access), self.listing, query)


class DatabaseView(ApiView):
    """One database."""

    permissions = {"GET": None}
    may_go_on = True
    weak_tags = True
    responses = {"GET": DatabaseSerializer}

    def get(self, request: Request, warehouse: str, database: str) -> Response:
        rows = browsing.databases(services.visible(warehouse, self.access), self.access)
        found = next((row for row in rows if row["name"] == database), None)
        if found is None:
            raise Problem("not-found", kind="database", name=f"{warehouse}.{database}")
        return Response(DatabaseSerializer(found).data)


TABLES = Listing(
    key="id",
    fields={
        "warehouse": Field(),
        "database": Field(),
        "name": Field(),
        "type": Field(),
        "kind": Field(),
        "bucket_mode": Field(),
        "rows": NUMBER,
        "bytes": BYTES,
        "files": NUMBER,
        "partitions": NUMBER,
        "last_commit_at": TIME,
        "owner": Field(),
        "measured_at": TIME,
    },
    default_sort="name",
    parameters=frozenset({"q"}),
)


class _MeasuredListView(ListView):
    """A list of tables as they were last measured."""

    permissions = {"GET": None}
    weak_tags = True
    item = TableSummarySerializer
    listing = TABLES

    def _page(self, tables: pa.Table, query: ListQuery) -> Page:
        rows, page = page_of_changing_columns(tables, self.listing, query)
        return replace(page, rows=activity.shown(with_permissions(rows.to_pylist(), self.access), now()))


class DatabaseTableListView(_MeasuredListView):
    """The tables of a database that the caller sees."""

    may_go_on = True

    def load(self, query: ListQuery) -> Page:
        warehouse = services.visible(self.kwargs["warehouse"], self.access)
        database = self.kwargs["database"]
        page = self._page(browsing.tables(warehouse, database, self.access), query)
        names = [row["name"] for row in page.rows if row["measured_at"] is None and row["type"] != VIEW]
        services.measure_seen(warehouse, database, names)
        return page


class TableSearchView(_MeasuredListView):
    """Tables of all warehouses, by a part of their name."""

    parameters = {"GET": [OpenApiParameter("q", str, description="A part of database.table; any case.")]}
    listing = replace(TABLES, fields={**TABLES.fields, "fit": Field(Kind.NUMBER, filter=False)})

    def load(self, query: ListQuery) -> Page:
        return self._page(browsing.search(self.request.query_params.get("q", ""), self.access), query)
