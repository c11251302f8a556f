"""The pages of signing in by an identity provider: there, back, and the password that links an account."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods

from console.accounts import services
from console.accounts.authentication import remote_address
from console.accounts.models import User
from console.api.secrets import decrypt, encrypt
from console.audit.log import record
from console.openid import client, linking
from console.openid.client import Claims, SignInError
from console.openid.models import Provider
from console.web.pages import next_of, page, words

TARGET, PENDING, SIGN_OUT = "openid.next", "openid.pending", "openid.sign_out"  # in the session
PENDING_FOR = timedelta(minutes=10)  # how long somebody may take to remember the password


@never_cache
@require_GET
def begin(request: HttpRequest, provider: str) -> HttpResponse:
    """Off to the provider's own sign-in."""
    row, target = _enabled(provider), next_of(request)
    if request.user.is_authenticated:
        return HttpResponseRedirect(target)
    request.session[TARGET] = target
    try:
        return client.begin(request, row)
    except SignInError as error:
        return _refused(request, row, error)


@never_cache
@require_GET
def callback(request: HttpRequest, provider: str) -> HttpResponse:
    """Back from the provider: signed in, or asked to link an account, or told what is wrong."""
    row = _enabled(provider)
    if request.user.is_authenticated:  # a second tab was quicker
        return HttpResponseRedirect(request.session.pop(TARGET, "/"))
    try:
        claims = client.finish(request, row)
        user = linking.person_of(row, claims)
    except linking.AccountExists as exists:
        _keep(request, row, claims)
        return _ask_for_password(request, row, exists.user.username)
    except SignInError as error:
        return _refused(request, row, error)
    return _sign_in(request, row, user, claims)


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["POST"])
def link(request: HttpRequest, provider: str) -> HttpResponse:
    """The password of the account that is to be linked: counted and locked as at any sign-in."""
    row = _enabled(provider)
    claims = _kept(request, row)
    if claims is None:
        return _refused(request, row, SignInError("openid.state", "too late to link"))
    name = claims.username
    try:
        user = services.sign_in(
            request=request,
            username=name,
            password=request.POST.get("password", ""),
            address=remote_address(request),
        )
    except services.LockedOut as locked:
        seconds = int((locked.until - timezone.now()).total_seconds()) + 1
        return _ask_for_password(request, row, name, words("sign-in.locked", seconds=seconds), 429)
    if user is None:
        return _ask_for_password(request, row, name, words("sign-in.wrong"), 400)
    del request.session[PENDING]
    linking.link(row, claims.subject, user)
    return _sign_in(request, row, user, claims)


def sign_out_address(request: HttpRequest) -> str | None:
    """Where a person who came by a provider signs out of that, too; asked before the session ends."""
    kept = request.session.get(SIGN_OUT)
    return str(decrypt(kept)) if kept else None


def _enabled(name: str) -> Provider:
    row = Provider.objects.filter(name=name, is_enabled=True).first()
    if row is None:
        raise Http404
    return row


def _sign_in(request: HttpRequest, provider: Provider, user: User, claims: Claims) -> HttpResponse:
    linking.give_roles(provider, user, claims.groups)
    target = request.session.pop(TARGET, "/")
    login(request, user)
    if claims.sign_out_address:
        request.session[SIGN_OUT] = encrypt(claims.sign_out_address)  # it holds the person's id_token
    _audit(request, provider, "ok", user.username)
    return HttpResponseRedirect(target)


def _keep(request: HttpRequest, provider: Provider, claims: Claims) -> None:
    fields = {name: getattr(claims, name) for name in Claims.__dataclass_fields__}
    fields["groups"] = sorted(claims.groups)
    request.session[PENDING] = encrypt({"provider": provider.pk, "until": _until(), "claims": fields})


def _until() -> float:
    return time.time() + PENDING_FOR.total_seconds()


def _kept(request: HttpRequest, provider: Provider) -> Claims | None:
    """Who the provider said this is, some minutes ago in this browser."""
    kept: dict[str, Any] = decrypt(request.session[PENDING]) if PENDING in request.session else {}
    if kept.get("provider") != provider.pk or kept["until"] < time.time():
        return None
    return Claims(**kept["claims"] | {"groups": frozenset(kept["claims"]["groups"])})


def _ask_for_password(
    request: HttpRequest, provider: Provider, username: str, problem: str = "", status: int = 200
) -> HttpResponse:
    context = {"provider": provider, "username": username, "problem": problem}
    return page(request, "link", context, status)


def _refused(request: HttpRequest, provider: Provider, error: SignInError) -> HttpResponse:
    _audit(request, provider, "denied", "", problem=error.code, found=error.found)
    status = 502 if error.code in ("openid.unreachable", "openid.document", "openid.secret") else 403
    problem = words(error.code, provider=provider.label, found=error.found)
    return page(request, "refused", {"problem": problem, "found": error.found}, status)


def _audit(request: HttpRequest, provider: Provider, outcome: str, username: str, **detail: str) -> None:
    record(
        action="sign in",
        outcome=outcome,
        actor=username,
        target=f"user:{username}" if username else f"provider:{provider.name}",
        address=remote_address(request),
        detail={"provider": provider.name, **detail},
    )
