"""Versions, limits and features; operations; the OpenAPI document; whether the console is alive."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import translation
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.views import SpectacularAPIView
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.api import operations
from console.api.fields import CountField, strings
from console.api.listing import DEFAULT_LIMIT, MAX_LIMIT
from console.api.models import Operation
from console.api.permissions import Open
from console.api.views import ApiView

PREVIEW_ROWS = 1000
PREDICATE_DEPTH = 10
FEATURES = ("plans:write", "plans:compact", "plans:rollback", "preview", "export", "events:sse", "operations")


class LimitsSerializer(serializers.Serializer[Any]):
    page_default = CountField()
    page_max = CountField()
    body_bytes = CountField()
    preview_rows = CountField()
    predicate_depth = CountField()
    log_seconds = CountField(help_text="Logs of jobs are kept for so long after their end.")
    requests_per_minute = CountField()


class MetaSerializer(serializers.Serializer[Any]):
    product = serializers.CharField()
    version = serializers.CharField()
    api_version = serializers.CharField()
    features = strings()
    languages = strings()
    limits = LimitsSerializer()


class MetaView(ApiView):
    """What this server is and can do."""

    responses = {"GET": MetaSerializer}

    def get(self, request: Request) -> Response:
        limits = {
            "page_default": DEFAULT_LIMIT,
            "page_max": MAX_LIMIT,
            "body_bytes": settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
            "preview_rows": PREVIEW_ROWS,
            "predicate_depth": PREDICATE_DEPTH,
            "log_seconds": int(settings.JOB_LOGS_KEPT.total_seconds()),
            "requests_per_minute": settings.RATE_LIMIT_PER_MINUTE,
        }
        meta = {
            "product": "Lakescope",
            "version": settings.VERSION,
            "api_version": "v1",
            "features": FEATURES,
            "languages": [code for code, _ in settings.LANGUAGES],
            "limits": limits,
        }
        return Response(MetaSerializer(meta).data)


class OperationView(ApiView):
    """Work that a reply 202 told of."""

    responses = {"GET": operations.OperationSerializer}

    def get(self, request: Request, operation: str) -> Response:
        row = operations.find(request, operation)
        reply = Response(operations.shown(row))
        if row.state == Operation.State.RUNNING:
            reply["Retry-After"] = str(operations.RETRY_AFTER)
        return reply


class OpenApiView(SpectacularAPIView):
    """The OpenAPI document of this API."""

    renderer_classes = [OpenApiJsonRenderer]
    permission_classes = [Open]
    responses = {"GET": OpenApiTypes.OBJECT}
    media_type = OpenApiJsonRenderer.media_type
    throttle_classes: list[Any] = []

    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        return HttpResponse(_document(), content_type=OpenApiJsonRenderer.media_type)


@cache
def _document() -> bytes:
    """The same for everybody, and made once: it takes a third of a second of processor time."""
    with translation.override("en"):
        generator: Any = SchemaGenerator  # has no types
        document = generator().get_schema(public=True)
        rendered: bytes = OpenApiJsonRenderer().render(document, renderer_context={})
    return rendered


def healthz(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """The process can do its work: the database answers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return JsonResponse({"status": "ready"})
