"""Read-only endpoints of system tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Permission
from console.api import export
from console.api.listing import Field, Listing, ListQuery, Page, page_of_rows, parse_query
from console.api.meta import PREVIEW_ROWS
from console.api.permissions import require
from console.api.views import ApiView, ListView
from console.inspector import serializers as s
from console.inspector import system
from console.inspector.base import AT, BRANCH, READ, PinnedView, TableListView
from console.warehouses import services as warehouses

EXPORTS = [JSONRenderer, export.NdjsonRenderer, export.CsvRenderer]
_LISTING = Listing(key="name", fields={"name": Field(), "shows": Field()}, default_sort="name")
_ROWS = Listing(key="row", fields={}, default_sort="row", parameters=frozenset({"filter"}))
_PAGING = [
    OpenApiParameter("filter", str, description="As of a row preview: level = 0 AND record_count > 5."),
    OpenApiParameter("limit", {"type": "integer", "minimum": 1, "maximum": 1000, "default": 50}),
    OpenApiParameter("cursor", str, description="`next` of the page before."),
]


class SystemTableListView(TableListView):
    """The system tables of a table."""

    item = s.SystemTableSerializer
    listing = _LISTING

    def load(self, query: ListQuery) -> Page:
        return page_of_rows(system.tables_of(self.opened), self.listing, query)


class WarehouseSystemTableListView(ListView):
    """The tables of database `sys`, which are of the whole warehouse."""

    permissions = READ
    item = s.SystemTableSerializer
    listing = _LISTING

    def load(self, query: ListQuery) -> Page:
        warehouses.visible(self.kwargs["warehouse"], self.access)
        return page_of_rows(system.tables_of_warehouse(), self.listing, query)


class SystemTableView(PinnedView):
    """The rows of a system table, as of a snapshot where it shows one."""

    responses = {"GET": s.SystemRowsSerializer}
    renderer_classes = EXPORTS
    parameters = {"GET": [AT, BRANCH, *_PAGING]}

    @property
    def audits_reads(self) -> bool:
        return system.shows_rows(self.kwargs["system"])  # as previews are

    @property
    def is_immutable(self) -> bool:
        return False  # of another filter or permission it is another reply

    def audit_detail(self) -> dict[str, Any]:
        return {"filter": self.request.query_params.get("filter")}

    def get(self, request: Request, **path: str) -> HttpResponseBase:
        name, at, filter_ = path["system"], self.pinned, request.query_params.get("filter")
        query = _query(request)
        as_of = at.reference if at else None
        if not system.shows_rows(name):
            return _reply(request, query, name, as_of, system.read(self.opened, name, at, filter_))
        require(request, Permission.DATA_READ, self.scope)
        limit = min(query.limit, PREVIEW_ROWS)
        found = system.preview_rows(self.opened, name, at, filter_=filter_, limit=limit)
        if request.accepted_renderer.format in export.EXPORTS:
            return _export(request, [column["name"] for column in found["columns"]], found["rows"])
        told: dict[str, Any] = {"name": name, "as_of": as_of, "hidden": [], "next": None, "total": None}
        return Response(s.SystemRowsSerializer(found | told).data)


class WarehouseSystemTableView(ApiView):
    """The rows of a table of database `sys`."""

    permissions = READ
    responses = {"GET": s.SystemRowsSerializer}
    renderer_classes = EXPORTS
    parameters = {"GET": _PAGING}
    may_go_on = True

    def get(self, request: Request, warehouse: str, **path: str) -> HttpResponseBase:
        name, filter_ = path["system"], request.query_params.get("filter")
        row = warehouses.visible(warehouse, self.access)
        found = system.read_of_warehouse(row, name, filter_, self.access)
        return _reply(request, _query(request), name, None, found)


def _query(request: Request) -> ListQuery:
    """What a page asks for; its cursor is bound to the filter."""
    asked = request.query_params
    return parse_query(_ROWS, asked, f"{request.path}?{asked.get('filter') or ''}")


def _reply(
    request: Request, query: ListQuery, name: str, as_of: str | None, found: system.SystemRows
) -> HttpResponseBase:
    """A page of the rows, or all of them as lines."""
    names = [field.name for field in found.fields]
    if request.accepted_renderer.format in export.EXPORTS:
        return _export(request, names, found.all_rows())
    start = int(query.after[0]) if query.after else 0
    end, total = start + query.limit, found.table.num_rows
    view = {
        "name": name,
        "as_of": as_of,
        "columns": system.columns_of(found.fields),
        "hidden": found.hidden,
        "rows": found.rows(start, query.limit),
        "total": total,
        "next": query.cursor([end], as_of) if end < total else None,
        "truncated": False,
    }
    return Response(s.SystemRowsSerializer(view).data)


def _export(request: Request, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> StreamingHttpResponse:
    renderer = request.accepted_renderer
    lines = export.stream((dict(zip(names, row, strict=True)) for row in rows), list(names), renderer.format)
    return StreamingHttpResponse(lines, content_type=f"{renderer.media_type}; charset=utf-8")
