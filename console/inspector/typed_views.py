"""What a table is by its type, and the content of the objects of an object table."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any, ClassVar
from urllib.parse import quote

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts.roles import Permission
from console.api.errors import Problem
from console.api.negotiation import PassThrough
from console.inspector.base import TableView
from console.inspector.typed import byte_range, describe_type, object_of

MOST_BYTES = 1024**3  # of one answer: larger objects are asked for by ranges
MOST_SECONDS = 300  # that one answer may take


class MaterializedSerializer(serializers.Serializer[Any]):
    """The definition of a materialized table, and how old its rows are."""

    query = serializers.CharField(allow_null=True)
    freshness = serializers.CharField(allow_null=True)
    freshness_seconds = serializers.IntegerField(allow_null=True)
    logical_refresh_mode = serializers.CharField(allow_null=True)
    refresh_mode = serializers.CharField(allow_null=True)
    refresh_status = serializers.CharField(allow_null=True)
    refresh_handler = serializers.CharField(allow_null=True)
    last_commit_age_seconds = serializers.IntegerField(allow_null=True)
    is_stale = serializers.BooleanField(allow_null=True)
    unsupported = serializers.ListField(child=serializers.CharField())


class TableTypeSerializer(serializers.Serializer[Any]):
    """The type of a table, and what only tables of it have."""

    type = serializers.CharField()
    has_snapshots = serializers.BooleanField()
    can_be_read = serializers.BooleanField()
    refused = serializers.CharField(allow_null=True)
    location = serializers.CharField(allow_null=True)
    format = serializers.CharField(allow_null=True)
    partition_keys = serializers.ListField(child=serializers.CharField())
    columns = serializers.ListField(child=serializers.CharField())
    materialized = MaterializedSerializer(allow_null=True)


class TableTypeView(TableView):
    """The type of a table, the place of files without snapshots, the definition of a materialized one."""

    any_type = True
    responses = {"GET": TableTypeSerializer}

    def get(self, request: Request, **path: str) -> Response:
        return Response(TableTypeSerializer(describe_type(self.opened)).data)


class Bytes(PassThrough):
    media_type = "application/octet-stream"
    format = "bin"


class ObjectContentView(TableView):
    """The content of one object of an object table, or a range of it; always to be saved, never shown."""

    any_type = True
    may_go_on = False
    permissions = {"GET": Permission.DATA_READ}
    renderer_classes = [JSONRenderer, Bytes]
    responses = {"GET": OpenApiTypes.BINARY}
    media_type = Bytes.media_type
    parameters: ClassVar[dict[str, list[Any]]] = {
        "GET": [OpenApiParameter("Range", str, OpenApiParameter.HEADER, description="bytes=first-last")]
    }

    @property
    def audits_reads(self) -> bool:
        return True

    def audit_detail(self) -> dict[str, Any]:
        return {"object": self.kwargs["object"]}

    def get(self, request: Request, **path: str) -> HttpResponseBase:
        content = object_of(self.opened, self.kwargs["object"])
        part = byte_range(request.headers.get("Range"), content.size)
        if part.length > MOST_BYTES:
            raise Problem("too-large", limit="1 GiB: ask for ranges")
        changed = datetime.fromtimestamp(content.status.modified_millis / 1000, UTC)
        headers = {
            "Content-Length": str(part.length),
            "Accept-Ranges": "bytes",
            "Last-Modified": format_datetime(changed, usegmt=True),
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(content.name, safe='')}",
            "Content-Security-Policy": "default-src 'none'; sandbox",
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
        }
        if part.is_part:
            headers["Content-Range"] = f"bytes {part.offset}-{part.offset + part.length - 1}/{content.size}"
        return StreamingHttpResponse(
            _until(content.chunks(part.offset, part.length), time.monotonic() + MOST_SECONDS),
            status=206 if part.is_part else 200,
            content_type="application/octet-stream",
            headers=headers,
        )


def _until(chunks: Iterator[bytes], end: float) -> Iterator[bytes]:
    """The chunks as long as there is time: a reader that dawdles does not hold a thread for ever."""
    for chunk in chunks:
        if time.monotonic() > end:
            raise TimeoutError("the object was read too slowly")
        yield chunk
