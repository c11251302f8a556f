"""Who calls: a session of the pages, or an API token."""

from __future__ import annotations

from datetime import timedelta
from ipaddress import ip_address, ip_network
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from knox.auth import TokenAuthentication as KnoxAuthentication
from rest_framework import authentication, exceptions
from rest_framework.request import Request

from console.accounts.models import ApiToken, User
from console.accounts.roles import Access

LAST_USED_RESOLUTION = timedelta(minutes=1)


def remote_address(request: HttpRequest | Request) -> str:
    """The caller's address; behind a proxy, gunicorn sets REMOTE_ADDR by its own rules."""
    return str(request.META.get("REMOTE_ADDR") or "0.0.0.0")


def access_of(request: Request) -> Access:
    """What the caller may do, computed once a request."""
    known: Access | None = getattr(request, "_access", None)
    if known is None:
        person = request.user
        grants = person.grants() if isinstance(person, User) else ()
        token = request.auth if isinstance(request.auth, ApiToken) else None
        known = Access(grants, token.ceiling if token else None)
        request._access = known  # type: ignore[attr-defined]
    return known


def token_name(request: Request) -> str:
    """What the API token is called that the caller has used; empty for a session."""
    return request.auth.name if isinstance(request.auth, ApiToken) else ""


class SessionAuthentication(authentication.SessionAuthentication):
    """Django's session with its CSRF check; a 401 asks for a token: no browser has a dialog for sessions."""

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="lakescope"'


class TokenAuthentication(KnoxAuthentication):  # type: ignore[misc]  # knox has no types
    """Knox's check, then the token's networks; remembers the last use."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        found: tuple[User, ApiToken] | None = super().authenticate(request)
        if found is None:
            return None
        _, token = found
        address = remote_address(request)
        if token.networks and not any(ip_address(address) in ip_network(n) for n in token.networks):
            raise exceptions.AuthenticationFailed("this token is not valid from this address")
        self._remember_use(token, address)
        return found

    @staticmethod
    def _remember_use(token: ApiToken, address: str) -> None:
        now = timezone.now()
        if token.last_used_at is None or now - token.last_used_at > LAST_USED_RESOLUTION:
            ApiToken.objects.filter(pk=token.pk).update(last_used_at=now, last_used_address=address)


class _SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "console.accounts.authentication.SessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": "sessionid",
            "description": "The session of the pages; unsafe methods also need the X-CSRFToken header.",
        }


class _TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "console.accounts.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "bearerFormat": "pmc_…"}
