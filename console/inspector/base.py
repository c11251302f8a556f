"""The base of views below one table: which table, which branch, as of which snapshot."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Permission
from console.api.errors import Problem
from console.api.listing import ListQuery
from console.api.views import ApiView, ListView
from console.inspector.opening import OpenTable, open_table
from console.inspector.pinning import names_identity, parse_reference, resolve_at, resolve_id
from console.inspector.remembering import LATEST
from console.inspector.veils import veil_for_all
from console.masking.looking import sight_by_name
from console.masking.veil import Veil
from core.catalog.table_types import check_is_snapshots
from core.io.paths import MAIN_BRANCH
from core.snapshot import Snapshot

AT = OpenApiParameter(
    "at",
    str,
    description="The snapshot: id, id~identity, tag:name, an RFC 3339 time, or watermark: with a time or "
    "epoch milliseconds, for the first that has reached it. Default: the latest.",
)
BRANCH = OpenApiParameter("branch", str, description="Default: main.")
READ: dict[str, Permission | None] = {"GET": Permission.META_READ}


class TableView(ApiView):
    """A resource of one table, or of one branch of it."""

    permissions = READ
    weak_tags = True
    may_go_on = True
    any_type: ClassVar[bool] = False  # whether tables without snapshots are shown, too
    parameters: ClassVar[dict[str, list[Any]]] = {"GET": [BRANCH]}
    ahead: ClassVar[tuple[str, ...]] = ("schema",)  # what of the table is asked for before it is needed

    @property
    def branch(self) -> str:
        return self.request.query_params.get("branch") or "main"

    @cached_property
    def opened(self) -> OpenTable:
        """The table of the path.

        Raises `UnsupportedError` for one without snapshots, unless this is for every type.
        """
        path = self.kwargs
        found = open_table(
            path["warehouse"],
            path["database"],
            path["table"],
            branch=self.branch,
            access=self.access,
            ahead=self.ahead if self.request.method == "GET" else None,
        )
        if not self.any_type:
            check_is_snapshots(found.table)
        return found

    def cleaned(self, data: Any) -> Any:
        return self._veil.clean(data)

    def for_the_audit(self, data: Any) -> Any:
        opened: OpenTable | None = self.__dict__.get("opened")
        return veil_for_all(self.scope, opened.branch if opened else MAIN_BRANCH).clean(data)

    @property
    def _veil(self) -> Veil:
        """What takes masked values out of answers; of a table that cannot be opened by what policies say."""
        opened: OpenTable | None = self.__dict__.get("opened")
        sight = opened.sight if opened is not None else sight_by_name(self.access, self.scope)
        return Veil(sight)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(response, Response) and response.data is not None and request.user.is_authenticated:
            veil = self._veil
            is_problem = response.status_code >= 400
            response.data = veil.clean_problem(response.data) if is_problem else veil.clean(response.data)
        return super().finalize_response(request, response, *args, **kwargs)


class PinnedView(TableView):
    """As of the snapshot that `at` names."""

    parameters: ClassVar[dict[str, list[Any]]] = {"GET": [AT, BRANCH]}
    ahead: ClassVar[tuple[str, ...]] = ("schema", LATEST)

    @cached_property
    def pinned(self) -> Snapshot | None:
        """The snapshot; None where nothing was ever committed."""
        return resolve_at(self.opened, self.request.query_params.get("at"))

    @property
    def is_immutable(self) -> bool:
        return names_identity(self.request.query_params.get("at"))


class SnapshotView(TableView):
    """What belongs to one snapshot of the path, and never changes where the path says which identity."""

    @cached_property
    def snapshot(self) -> Snapshot:
        return resolve_id(self.opened, self.kwargs["snapshot"])

    @property
    def is_immutable(self) -> bool:
        return "~" in self.kwargs["snapshot"]


class TableListView(TableView, ListView):
    """A list of one table."""


class PinnedListView(PinnedView, ListView):
    """A list as of a snapshot; its cursors carry which."""

    def pin(self, query: ListQuery) -> Snapshot | None:
        """The snapshot of the cursor, else that of `at`."""
        if not query.pinned:
            return self.pinned
        at = self.request.query_params.get("at")
        asked = parse_reference(at or "")  # a tag, a time or the latest may mean another snapshot by now
        if asked is not None:
            pinned = self.pinned
            if pinned is None or pinned.reference != query.pinned:
                raise Problem("cursor-mismatch")
        return resolve_id(self.opened, query.pinned)


class SnapshotListView(SnapshotView, ListView):
    """A list that belongs to one snapshot."""
