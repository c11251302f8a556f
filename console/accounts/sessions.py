"""Sessions end when nobody is there for a while, and in any case after some days."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.contrib.auth import logout
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

# How stale the remembered time may be: it saves a write a request.
SEEN_RESOLUTION = timedelta(minutes=5)
HEADER = "Session"


class SessionAgeMiddleware:
    """Signs out a session that was idle for too long.

    A page that nobody is at goes on asking how its jobs stand: such a request says `Unattended: ?1`, a live
    stream is one, and neither keeps the session. Replies of the API say in `Session` in how many seconds it
    ends if nobody is there (`idle`), and in any case (`last`).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        left = None
        if settings.SESSION_COOKIE_NAME in request.COOKIES and request.user.is_authenticated:
            left = self._check(request)
        response = self.get_response(request)
        # A browser gives out what never changes again and again, with what it told of the session then.
        is_kept = "immutable" in response.get("Cache-Control", "")
        if left is not None and request.path.startswith("/api/") and not is_kept:
            idle, last = left
            response[HEADER] = f"idle={int(idle)}, last={int(last)}"
        return response

    @staticmethod
    def _check(request: HttpRequest) -> tuple[float, float] | None:
        """Seconds that are left; None if none are, and nobody is signed in any more."""
        longest_idle, longest = (
            settings.SESSION_IDLE.total_seconds(),
            settings.SESSION_ABSOLUTE.total_seconds(),
        )
        now = timezone.now().timestamp()
        began = request.session.setdefault("began", now)
        idle = now - request.session.setdefault("seen", now)
        if idle > longest_idle or now - began > longest:
            logout(request)
            return None
        if idle > min(SEEN_RESOLUTION.total_seconds(), longest_idle / 10) and _is_attended(request):
            request.session["seen"], idle = now, 0.0
        return longest_idle - idle, longest - (now - began)


def _is_attended(request: HttpRequest) -> bool:
    return request.headers.get("Unattended") != "?1" and request.headers.get("Accept") != "text/event-stream"
