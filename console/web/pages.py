"""What the pages that Django renders share: their frame, their words, and where they lead."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language

from console.web.manifest import assets
from console.web.messages import say


def words(key: str, **values: object) -> str:
    """The words of `key` in the reader's language."""
    return say(key, get_language() or "en", **values)


def page(request: HttpRequest, name: str, context: dict[str, Any], status: int) -> HttpResponse:
    """The page of a template in `web/`."""
    built = assets()
    context |= {"language": get_language(), "boot": built.boot if built else None}
    return render(request, f"web/{name}.html", context, status=status)


def next_of(request: HttpRequest) -> str:
    """Where to go after sign-in: an address of this console, or home."""
    wanted = request.POST.get("next") or request.GET.get("next") or "/"
    safe = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if safe else "/"
