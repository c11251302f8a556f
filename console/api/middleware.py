"""What every reply carries: trace, security headers, language."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import translation

from console.api.trace import begin_trace

Respond = Callable[[HttpRequest], HttpResponseBase]


class TraceMiddleware:
    """Begins or continues the trace of the request."""

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        trace_id = begin_trace(request.headers.get("traceparent"))
        response = self.get_response(request)
        response["Trace-Id"] = trace_id
        return response


class SecurityHeadersMiddleware:
    """A strict content-security policy: nothing inline, nothing from elsewhere, no frame around us."""

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", settings.CONTENT_SECURITY_POLICY)
        response["X-Frame-Options"] = "DENY"
        response["Permissions-Policy"] = "camera=(), microphone=(), geolocation=()"
        return response


class LanguageMiddleware:
    """Activates the reader's language.

    The API goes by `Accept-Language` alone, as its contract says; pages by the person's choice,
    the cookie that the application keeps, and then the browser's preference.
    """

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with translation.override(self._language(request)):
            response = self.get_response(request)
        if isinstance(response, HttpResponse):
            response.headers.setdefault("Content-Language", self._language(request))
        return response

    def _language(self, request: HttpRequest) -> str:
        chosen = ""
        if not request.path.startswith("/api/"):
            person = getattr(request, "user", None)
            chosen = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "") or getattr(person, "language", "")
        return language_of(chosen or request.headers.get("Accept-Language", ""))


def language_of(accept: str) -> str:
    """`en` or `zh-hans`: the first that an Accept-Language value prefers."""
    ranked = []
    for position, part in enumerate(accept.lower().split(",")):
        tag, _, parameter = part.strip().partition(";")
        quality = parameter.strip().removeprefix("q=")
        try:
            weight = float(quality) if quality else 1.0
        except ValueError:
            weight = 0.0
        if tag[:2] in ("en", "zh") and weight > 0:
            ranked.append((-weight, position, "zh-hans" if tag.startswith("zh") else "en"))
    return min(ranked)[2] if ranked else "en"
