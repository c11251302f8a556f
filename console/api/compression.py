"""Replies that are packed for the way: the levels of a bucket are half a megabyte of numbers."""

from __future__ import annotations

import gzip
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers

SHORTEST = 1500  # bytes: what fits one packet is sent as it is
LEVEL = 1  # the quickest
_JSON = ("application/json", "application/vnd.oai.openapi+json")


class CompressionMiddleware:
    """Packs what the API tells of tables.

    A reply with a strong tag is left alone, as the tag stands for its very bytes; so is all that is not about
    tables, as the length of what is packed tells of a secret in it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not isinstance(response, HttpResponse) or not _may_be_packed(request, response):
            return response
        patch_vary_headers(response, ("Accept-Encoding",))
        if "gzip" in request.headers.get("Accept-Encoding", ""):
            response.content = gzip.compress(response.content, LEVEL, mtime=0)
            response["Content-Length"] = str(len(response.content))
            response["Content-Encoding"] = "gzip"
        return response


def _may_be_packed(request: HttpRequest, response: HttpResponse) -> bool:
    return (
        request.method == "GET"
        and request.path.startswith("/api/")
        and response.status_code == 200
        and response.get("Content-Type", "").partition(";")[0] in _JSON
        and response.get("ETag", "W/").startswith("W/")
        and len(response.content) >= SHORTEST
        and "Content-Encoding" not in response
    )
