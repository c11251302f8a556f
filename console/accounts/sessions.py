"""Sessions end when idle, and in any case after some days."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.contrib.auth import logout
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

SEEN_RESOLUTION = timedelta(minutes=5)  # how stale the remembered time may be: it saves a write a request


class SessionAgeMiddleware:
    """Signs out a session that was idle for too long."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if settings.SESSION_COOKIE_NAME in request.COOKIES and request.user.is_authenticated:
            self._check(request)
        return self.get_response(request)

    @staticmethod
    def _check(request: HttpRequest) -> None:
        now = timezone.now().timestamp()
        began = request.session.setdefault("began", now)
        idle = now - request.session.setdefault("seen", now)
        if (
            idle > settings.SESSION_IDLE.total_seconds()
            or now - began > settings.SESSION_ABSOLUTE.total_seconds()
        ):
            logout(request)
        elif idle > SEEN_RESOLUTION.total_seconds():
            request.session["seen"] = now
