"""JSON for everybody, unless a list is asked for as lines or as a sheet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

from console.api.errors import MEDIA_TYPE


class JsonUnlessAsked(DefaultContentNegotiation):
    """As DRF does, but a caller who accepts problem+json or nothing we have for an error still gets JSON."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        accept = request.headers.get("Accept", "*/*")
        if accept in ("*/*", "") or MEDIA_TYPE in accept:
            first = next(iter(renderers))
            return first, str(first.media_type)
        chosen: tuple[BaseRenderer, str] = super().select_renderer(request, renderers, format_suffix)
        return chosen


class PassThrough(BaseRenderer):
    """A renderer of what is bytes already; the document of a problem is JSON whatever was asked for."""

    charset = "utf-8"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> Any:
        return JSONRenderer().render(data) if isinstance(data, dict) else data
