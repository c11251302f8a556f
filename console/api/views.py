"""The base of all API views: permissions, audit, caching, lists.

A view checks its input, calls one thing, and serializes the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from console.accounts.authentication import access_of
from console.accounts.roles import Access, Permission, Scope
from console.api import export, limits, operations, waiting
from console.api.errors import Problem, invalid
from console.api.etags import tagged
from console.api.listing import Listing, ListQuery, Page, parse_query
from console.audit.log import audit_request

UNSAFE = frozenset({"POST", "PUT", "PATCH", "DELETE"})
VARY = "Accept, Accept-Language, Authorization, Cookie"


class ApiView(APIView):
    """One resource. `permissions` names what each method needs in the scope of the path."""

    permissions: ClassVar[Mapping[str, Permission | None]] = {}
    may_go_on: ClassVar[bool] = False  # may answer 202 with an operation
    audits_changes: ClassVar[bool] = True  # whether the audit log has an entry of each request that changes
    weak_tags: ClassVar[bool] = False  # for pointers into a warehouse; our own rows are tagged strongly

    def permission_for(self, method: str | None) -> Permission | None:
        return self.permissions.get("GET" if method in ("HEAD", None) else method)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        waiting.begin(request)
        super().initial(request, *args, **kwargs)

    def handle_exception(self, exc: Exception) -> Any:
        """Work that goes on is no error: 202 says where to look."""
        if isinstance(exc, waiting.StillWorkingError):
            return operations.accepted(self.request, exc)
        return super().handle_exception(exc)

    def check_permissions(self, request: Request) -> None:
        """Count the request first: strangers are limited, too."""
        super().check_throttles(request)
        super().check_permissions(request)

    def check_throttles(self, request: Request) -> None:
        """Counted already."""

    @property
    def scope(self) -> Scope:
        """Where the permission is needed: what the path names."""
        return Scope(self.kwargs.get("warehouse"), self.kwargs.get("database"), self.kwargs.get("table"))

    @property
    def access(self) -> Access:
        return access_of(self.request)

    @property
    def is_immutable(self) -> bool:
        """Whether the reply can never change, because its URL holds an identity."""
        return False

    @property
    def audits_reads(self) -> bool:
        """Whether the audit log has an entry of each read."""
        return False

    def audit_detail(self) -> dict[str, Any]:
        """What the audit entry of this request tells besides who, what and where."""
        return {}

    def cleaned(self, data: Any) -> Any:
        """An answer without what its reader is not told; for views of what policies are about."""
        return data

    def for_the_audit(self, data: Any) -> Any:
        """What the audit log keeps of the address and the request: its readers are told no masked value."""
        return data

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        response["Vary"] = VARY
        limit = getattr(request._request, "rate_limit", None)
        if limit:
            for name, value in limits.headers(*limit).items():
                response[name] = value
        audit_request(request, response, self)
        if (
            request.method in ("GET", "HEAD")
            and response.status_code == 200
            and isinstance(response, Response)
        ):
            finish = tagged(request, immutable=self.is_immutable, weak=self.weak_tags)
            response.add_post_render_callback(finish)
        return response


class ListView(ApiView):
    """A list: pages as JSON, or all of it as NDJSON or CSV."""

    listing: ClassVar[Listing]
    item: ClassVar[type[BaseSerializer[Any]]]
    renderer_classes = [JSONRenderer, export.NdjsonRenderer, export.CsvRenderer]

    def load(self, query: ListQuery) -> Page:
        """The page that the query asks for."""
        raise NotImplementedError

    def serialize(self, page: Page) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.item(page.rows, many=True).data
        return items

    def get(self, request: Request, **path: str) -> HttpResponseBase:
        query = parse_query(self.listing, request.query_params, request.path)
        columns = self._columns(request)
        if request.accepted_renderer.format in export.EXPORTS:
            return self._export(query, columns)
        page = self.load(query)
        items = self._only(self.serialize(page), columns)
        reply = {"items": items, "next": page.next, "total": page.total, "as_of": page.as_of}
        return Response(reply | dict(page.extra))

    def sheet_columns(self, columns: list[str]) -> list[str]:
        """The columns of a sheet, where one of the list is more than a cell."""
        return columns

    def sheet_row(self, item: dict[str, Any]) -> dict[str, Any]:
        """An item by `sheet_columns`."""
        return item

    def _export(self, query: ListQuery, columns: list[str]) -> StreamingHttpResponse:
        renderer = self.request.accepted_renderer
        first = self.load(_with_limit(query, 1000))  # errors here are still a problem, not a cut stream
        rows: Iterable[dict[str, Any]] = self._all(query, first, columns)
        if renderer.format == export.CsvRenderer.format:
            rows, columns = map(self.sheet_row, rows), self.sheet_columns(columns)
        lines = export.stream(rows, columns, renderer.format)
        return StreamingHttpResponse(lines, content_type=f"{renderer.media_type}; charset=utf-8")

    def _all(self, query: ListQuery, page: Page, columns: list[str]) -> Iterator[dict[str, Any]]:
        while True:
            yield from self.cleaned(self._only(self.serialize(page), columns))
            if page.next is None:
                return
            waiting.begin(self.request)  # each page has the time of a request
            parameters = self.request.query_params.copy()
            parameters["cursor"] = page.next
            page = self.load(_with_limit(parse_query(self.listing, parameters, self.request.path), 1000))

    def _columns(self, request: Request) -> list[str]:
        known = list(self.item().fields)  # type: ignore[attr-defined]
        asked = request.query_params.get("fields")
        if not asked:
            return known
        columns = [column.strip() for column in asked.split(",")]
        unknown = [column for column in columns if column not in known]
        if unknown:
            raise invalid("fields", f"{', '.join(unknown)} not among {', '.join(known)}", "unknown-field")
        return columns

    def _only(self, items: list[dict[str, Any]], columns: list[str]) -> list[dict[str, Any]]:
        if "fields" not in self.request.query_params:
            return items
        return [{column: item.get(column) for column in columns} for item in items]


def _with_limit(query: ListQuery, limit: int) -> ListQuery:
    return replace(query, limit=limit)


class NothingHereView(ApiView):
    """Any address that the API does not have."""

    schema = None
    http_method_names = ["get", "post", "put", "patch", "delete", "head"]

    def _nothing(self, request: Request) -> Response:
        raise Problem("not-found/page", path=request.path)

    get = post = put = patch = delete = _nothing
