"""Row previews."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Permission
from console.api.errors import invalid
from console.inspector.base import TableView
from console.inspector.pinning import resolve_at
from console.inspector.typed import plain_of
from console.queries.preview import preview
from console.queries.serializers import PreviewQuerySerializer, PreviewSerializer


class PreviewView(TableView):
    """The first rows at a snapshot."""

    permissions = {"POST": Permission.DATA_READ}
    requests = {"POST": PreviewQuerySerializer}
    responses = {"POST": PreviewSerializer}
    parameters = {}
    may_go_on = False
    any_type = True

    @property
    def branch(self) -> str:
        asked = self.request.data
        return str(asked.get("branch") or "main") if isinstance(asked, dict) else "main"

    def post(self, request: Request, **path: str) -> Response:
        form = PreviewQuerySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        files = plain_of(self.opened)
        if files is not None and asked.get("at"):
            files.refuse_snapshots()
        snapshot = None if files is not None else resolve_at(self.opened, asked.get("at"))
        if asked.get("file") and snapshot is None:
            raise invalid("/file", "The table has no snapshot, and so no data files.")
        rows = preview(
            self.opened,
            snapshot,
            columns=asked.get("columns"),
            filter_=asked.get("filter") or None,
            limit=asked["limit"],
            file=asked.get("file") or None,
        )
        return Response(PreviewSerializer(rows).data)
