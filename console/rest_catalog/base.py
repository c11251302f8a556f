"""The base of the catalog's views: who asks, for which warehouse and table, in which words.

What names things needs `meta:read`; whatever opens a table needs `data:read`, as its client then reads the
files by itself, past all that the console would leave out. For the same reason whatever is about a table of
which the caller is not told all values needs `data:unmasked`, too: a mask is none for who has the files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, ClassVar, TypeVar
from urllib.parse import unquote, urlsplit

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.authentication import TokenAuthentication
from console.accounts.roles import Permission, Scope
from console.api.permissions import forbidden
from console.api.trace import current_trace_id
from console.api.views import ApiView
from console.inspector.veils import masks_files, veil_for_all
from console.rest_catalog import answers
from console.warehouses.catalogs import catalog_of
from console.warehouses.models import Warehouse
from console.warehouses.services import visible
from core.catalog import Catalog
from core.catalog.names import page_of
from core.catalog.rest.names import decode_name
from core.catalog.rest.objects import decoded
from core.catalog.table_types import check_is_snapshots
from core.errors import InvalidRequestError, PaimonError, UnsupportedError
from core.identifier import Identifier
from core.io.json_object import JsonObject
from core.table import Table

T = TypeVar("T")

BODY_BYTES = 16 * 1024 * 1024  # of a commit's statistics, a hundred bytes and more a partition
MOST_NAMES, MOST_OBJECTS = 1000, 100  # on a page


class WholeBody(BaseParser):
    """The bytes of a body, whatever its type says; each view knows what it wants."""

    media_type = "*/*"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        data: bytes = stream.read(BODY_BYTES + 1)
        if len(data) > BODY_BYTES:
            raise InvalidRequestError("the body is too long", most_bytes=BODY_BYTES)
        return data


class AlwaysJson(BaseContentNegotiation):
    """Clients send Accept headers of every kind, and all of them read JSON."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser:
        return next(iter(parsers))

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, str(first.media_type)


class CatalogView(ApiView):
    """One resource of the catalog; `permissions` as with every view of ours."""

    schema = None  # the document of /api/v1 says nothing of it: Paimon's own does
    authentication_classes = [TokenAuthentication]
    parser_classes = [WholeBody]
    renderer_classes = [JSONRenderer]
    content_negotiation_class = AlwaysJson

    def get_exception_handler(self) -> Any:
        return answers.handle

    def handle_exception(self, exc: Exception) -> Any:
        return super(ApiView, self).handle_exception(exc)

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        names = {name: _decoded(request, value) for name, value in kwargs.items()}
        return super().dispatch(request, *args, **names)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        response["X-Request-Id"] = current_trace_id()  # clients quote it in what they say of an error
        return response

    @property
    def scope(self) -> Scope:
        """A branch is reached by who reaches its table."""
        table = self.kwargs.get("table")
        main = table.partition("$")[0] if table else None
        return Scope(self.kwargs.get("warehouse"), self.kwargs.get("database"), main)

    @cached_property
    def warehouse(self) -> Warehouse:
        return visible(self.kwargs["warehouse"], self.access)

    @cached_property
    def catalog(self) -> Catalog:
        return catalog_of(self.warehouse)

    @cached_property
    def identifier(self) -> Identifier:
        """The table of the path, or a branch of it."""
        return Identifier.parse(f"{self.kwargs['database']}.{self.kwargs['table']}")

    @cached_property
    def any_table(self) -> Table:
        """The table by name, of whatever type; what is below its directory may be no snapshots.

        Raises `NotFoundError`: database, table or branch; `InvalidRequestError`: a system table.
        """
        return self.catalog.get_data_table(self.identifier)

    @cached_property
    def table(self) -> Table:
        """Raises as `any_table`, and `UnsupportedError` for a type of table that has no snapshots."""
        return check_is_snapshots(self.any_table)

    def body(self, decode: Callable[[JsonObject], T]) -> T:
        """What the request's body says.

        Raises:
            InvalidRequestError: it says nothing of the kind. UnsupportedError: what we do not know, by name.
        """
        given: Any = self.request.data  # bytes; DRF's empty value without a body
        return decoded(given or b"{}", decode)

    def parameter(self, name: str) -> str | None:
        return self.request.query_params.get(name) or None

    def audit_detail(self) -> dict[str, Any]:
        """In place of the body, which may be long; nothing of one that says nothing of the kind."""
        with suppress(PaimonError):
            return {"request": self.audited()} if self.request.method == "POST" else {}
        return {}

    def audited(self) -> dict[str, Any]:
        """What the audit log keeps of a request that changes something, besides its address."""
        return {}

    def page(
        self,
        member: str,
        names: Sequence[str],
        pattern: str | None = None,
        *,
        show: Callable[[tuple[str, ...]], Sequence[Any]] = lambda names: names,
        most: int = MOST_NAMES,
        given: Mapping[str, str] | None = None,
    ) -> Response:
        """The page of names that the query asks for, or a body in its place, each as `show` has it."""
        asked = self.request.query_params if given is None else given
        limit, token = _limit(asked.get("maxResults") or None, most), asked.get("pageToken") or None
        page = page_of(names, limit, token, self.parameter(pattern or ""))
        return Response({member: list(show(page.names)), "nextPageToken": page.next_token})

    def seen_databases(self) -> list[str]:
        """Databases whose names the caller may know."""
        name = self.warehouse.name
        return [d for d in self.catalog.list_databases() if self.access.sees(Scope(name, d))]

    def seen(self, database: str, names: Iterable[str]) -> list[str]:
        """Those of the things of a database that the caller may browse."""
        scopes = ((name, Scope(self.warehouse.name, database, name)) for name in names)
        return [name for name, scope in scopes if self.access.allows(Permission.META_READ, scope)]

    def for_the_audit(self, data: Any) -> Any:
        return veil_for_all(self.scope).clean(data)

    def check_permissions(self, request: Request) -> None:
        super().check_permissions(request)
        if self.kwargs.get("table"):
            self.check_unmasked(Identifier(self.kwargs["database"], self.scope.table or ""))

    def check_unmasked(self, name: Identifier) -> None:
        """Raise `forbidden` for a table of which something is masked for the caller."""
        if self.masks(name):
            raise forbidden(Permission.DATA_UNMASKED, self._scope_of(name))

    def masks(self, name: Identifier) -> bool:
        """Whether something of the table is masked for the caller."""
        return masks_files(self.access, self._scope_of(name))

    def _scope_of(self, name: Identifier) -> Scope:
        return Scope(self.kwargs["warehouse"], name.database, name.table.partition("$")[0])

    @property
    def actor(self) -> str:
        return str(self.request.user.get_username())


def _limit(asked: str | None, most: int) -> int:
    if asked is None:
        return most
    if not asked.isascii() or not asked.isdigit() or len(asked) > 9:
        raise InvalidRequestError("maxResults is a whole number", found=asked)
    return min(int(asked), most) or most


def _decoded(request: HttpRequest, value: str) -> str:
    """A name of the path as its client meant it: `+` is a blank, and `%2B` is `+`.

    What the server took apart is decoded once already and tells the two no longer apart, so the address is
    looked at as it came.
    """
    if "+" not in value:
        return value
    raw = urlsplit(str(request.META.get("RAW_URI", ""))).path.split("/")
    return next((decode_name(step) for step in raw if unquote(step) == value), value.replace("+", " "))


class UnsupportedView(CatalogView):
    """What a client may ask another server for."""

    http_method_names = ["get", "post", "put", "patch", "delete", "head"]
    feature: ClassVar[str] = ""
    what: ClassVar[str] = "this server has no such call"

    def _refuse(self, request: Request, **path: str) -> Response:
        raise UnsupportedError(self.what, feature=self.feature or f"{request.method} {request.path}")

    get = post = put = patch = delete = _refuse
