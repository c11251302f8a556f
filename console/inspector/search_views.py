"""Where a pasted name leads."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.errors import invalid
from console.api.views import ApiView
from console.inspector import locating
from console.inspector.locating import Place
from console.inspector.serializers.locating import ObjectSearchSerializer

LONGEST = 4000  # characters of a pasted path
_NAME = (
    "Of a data or changelog file, manifest, manifest list, index, snapshot or schema; with its path or not."
)


class ObjectSearchView(ApiView):
    """The table and snapshot that name a file of data or of metadata."""

    permissions = {"GET": None}
    weak_tags = True
    responses = {"GET": ObjectSearchSerializer}
    parameters = {
        "GET": [
            OpenApiParameter("name", str, required=True, description=_NAME),
            OpenApiParameter("table", str, description="Looked in first: warehouse/database/table."),
        ]
    }

    def get(self, request: Request) -> Response:
        name = request.query_params.get("name", "").strip()
        if not name:
            raise invalid("name", "This is needed: the name or path of a file.", "required")
        if len(name) > LONGEST:
            raise invalid("name", f"At most {LONGEST} characters.", "max_length")
        found = locating.locate(name, self.access, _table(request.query_params.get("table")))
        return Response(ObjectSearchSerializer(found).data)


def _table(text: str | None) -> Place | None:
    if not text:
        return None
    parts = text.split("/")
    if len(parts) != 3 or not all(parts):
        raise invalid("table", "This has to be warehouse/database/table.")
    return Place(*parts)
