"""Requests a minute, for each token and each person."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.cache import cache
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from console.accounts.authentication import remote_address
from console.accounts.models import ApiToken

if TYPE_CHECKING:
    from rest_framework.views import APIView

WINDOW = 60  # seconds


class RateLimit(BaseThrottle):
    """A fixed window of a minute in each web process; the reply says where its caller stands."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        now = time.time()
        window = int(now // WINDOW)
        key = f"rate:{_caller(request)}:{window}"
        cache.add(key, 0, timeout=WINDOW * 2)
        used = cache.incr(key)
        limit = settings.RATE_LIMIT_PER_MINUTE
        self.reset = max(1, math.ceil((window + 1) * WINDOW - now))
        request._request.rate_limit = (limit, max(0, limit - used), self.reset)  # type: ignore[attr-defined]
        return bool(used <= limit)

    def wait(self) -> float:
        return float(self.reset)


def _caller(request: Request) -> str:
    if isinstance(request.auth, ApiToken):
        return f"token:{request.auth.public_id}"
    if request.user.is_authenticated:
        return f"user:{request.user.pk}"
    return f"address:{remote_address(request)}"


def headers(limit: int, remaining: int, reset: int) -> dict[str, str]:
    """The `RateLimit` header fields of a reply."""
    return {
        "RateLimit-Policy": f'"default";q={limit};w={WINDOW}',
        "RateLimit": f'"default";r={remaining};t={reset}',
    }
