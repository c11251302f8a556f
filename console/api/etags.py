"""Entity tags: what a reply is a version of, and whether the caller has it already."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from django.http import HttpResponseNotModified
from django.http.response import HttpResponseBase
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.errors import Problem

IMMUTABLE = "private, max-age=31536000, immutable"
POINTER = "private, no-cache"


def strong_tag(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'


def tagged(request: Request, *, immutable: bool, weak: bool) -> Callable[[Any], HttpResponseBase | None]:
    """What to do with a reply once it is rendered: give it its tag, or send 304 in its place.

    The tag is made of the rendered bytes, so replies that differ by language, by permission or by
    representation have different tags without anybody listing what they depend on.
    """

    def finish(response: Response) -> HttpResponseBase | None:
        tag = strong_tag(response.rendered_content if not response.is_rendered else response.content)
        response["ETag"] = f"W/{tag}" if weak else tag
        response["Cache-Control"] = IMMUTABLE if immutable else POINTER
        if not _has(request.headers.get("If-None-Match"), tag):
            return None
        unchanged = HttpResponseNotModified()
        for name in ("ETag", "Cache-Control", "Vary", "RateLimit", "RateLimit-Policy"):
            if name in response:
                unchanged[name] = response[name]
        return unchanged

    return finish


def require_match(request: Request, data: Any) -> None:
    """Nothing, if If-Match names the version that `data` is.

    Raises:
        Problem: `precondition-required` without the header, `precondition-failed` on another version.
    """
    request._request.matched_version = data  # type: ignore[attr-defined]
    given = request.headers.get("If-Match")
    if given is None:
        raise Problem("precondition-required")
    if given.strip() != "*" and not _has(given, strong_tag(JSONRenderer().render(data))):
        raise Problem("precondition-failed")


def matched_version(request: Request) -> Any:
    """What `require_match` was given of this request: what was there before; None if it was not called."""
    return getattr(request._request, "matched_version", None)


def _has(header: str | None, tag: str) -> bool:
    if header is None:
        return False
    return header.strip() == "*" or tag in [part.strip().removeprefix("W/") for part in header.split(",")]
