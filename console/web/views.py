"""Sign-in, sign-out, set-up, and the shell of the single-page application."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from django.contrib.auth import login, logout
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from console.accounts import services
from console.accounts.authentication import remote_address
from console.accounts.models import SetUpLink, User
from console.audit.log import record
from console.web.manifest import assets
from console.web.messages import say


def _words(key: str, **values: object) -> str:
    return say(key, get_language() or "en", **values)


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """The sign-in form; a person who is signed in goes on."""
    target = _next(request)
    if request.user.is_authenticated:
        return HttpResponseRedirect(target)
    problem, status = "", 200
    if request.method == "POST":
        username, password = request.POST.get("username", ""), request.POST.get("password", "")
        try:
            user = services.sign_in(
                request=request, username=username, password=password, address=remote_address(request)
            )
        except services.LockedOut as locked:
            seconds = int((locked.until - timezone.now()).total_seconds()) + 1
            problem, status = _words("sign-in.locked", seconds=seconds), 429
        else:
            if user is not None:
                login(request, user)
                return HttpResponseRedirect(target)
            problem, status = _words("sign-in.wrong"), 400
    context = {"problem": problem, "next": target, "username": request.POST.get("username", "")}
    return _page(request, "sign-in", context, status)


def _next(request: HttpRequest) -> str:
    """Where to go after sign-in: an address of this console, or home."""
    wanted = request.POST.get("next") or request.GET.get("next") or "/"
    safe = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if safe else "/"


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    if request.user.is_authenticated:
        record(action="sign out", actor=request.user.get_username(), address=remote_address(request))
    logout(request)
    return HttpResponseRedirect("/sign-in")


@never_cache
@sensitive_post_parameters("password", "again")
@require_http_methods(["GET", "HEAD", "POST"])
def set_up(request: HttpRequest, secret: str) -> HttpResponse:
    """The one-time link: makes the administrator, or gives a person a password."""
    link = services.find_set_up_link(secret)
    if link is None:
        return _page(request, "gone", {}, 410)
    problem = ""
    if request.method == "POST":
        try:
            user = _use(request, link)
        except ValidationError as error:
            problem = " ".join(error.messages)
        except SetUpLink.DoesNotExist:
            return _page(request, "gone", {}, 410)
        else:
            login(request, user)
            return HttpResponseRedirect("/")
    context = {"problem": problem, "person": link.user, "username": request.POST.get("username", "")}
    return _page(request, "set-up", context, 400 if problem else 200)


def _use(request: HttpRequest, link: SetUpLink) -> User:
    username, password = request.POST.get("username", "").strip(), request.POST.get("password", "")
    if password != request.POST.get("again", ""):
        raise ValidationError(_words("password.differs"))
    if link.user is None:
        _check_username(username)
    return services.use_set_up_link(link=link, username=username, password=password)


def _check_username(username: str) -> None:
    try:
        UnicodeUsernameValidator()(username)
    except ValidationError:
        raise ValidationError(_words("username.bad")) from None
    if len(username) > 150:
        raise ValidationError(_words("username.bad"))
    if User.objects.filter(username__iexact=username).exists():
        raise ValidationError(_words("username.taken"))


@never_cache
@ensure_csrf_cookie
@require_GET
def shell(request: HttpRequest) -> HttpResponse:
    """The one page of the application, at every address that it may have."""
    if not request.user.is_authenticated:
        return HttpResponseRedirect(f"/sign-in?next={quote(request.get_full_path(), safe='/')}")
    built = assets()
    if built is None:
        return _page(request, "unbuilt", {}, 503)
    return render(request, "web/shell.html", {"assets": built, "language": get_language()})


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return _page(request, "csrf", {}, 403)


def _page(request: HttpRequest, name: str, context: dict[str, Any], status: int) -> HttpResponse:
    built = assets()
    context |= {"language": get_language(), "boot": built.boot if built else None}
    return render(request, f"web/{name}.html", context, status=status)
