"""Sign-in, sign-out, set-up, and the shell of the single-page application."""

from __future__ import annotations

import re
from urllib.parse import quote

from django.contrib.auth import login, logout
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from console.accounts import services
from console.accounts.authentication import remote_address
from console.accounts.models import SetUpLink, User
from console.api.codes import CODES
from console.api.language import said
from console.audit.log import record
from console.openid.models import Provider
from console.openid.views import sign_out_address
from console.web.manifest import assets
from console.web.pages import next_of, page, words

_BLANK = re.compile(r"\{\w+\}")  # of a detail: what differs from case to case


@require_GET
def problems(request: HttpRequest) -> HttpResponse:
    """Every code that an answer of the API may have: what it means and what to do. For anybody."""
    codes = [
        {
            "code": code,
            "status": of.status,
            "title": said(*of.title),
            "detail": _BLANK.sub("…", said(*of.detail)),
        }
        for code, of in sorted(CODES.items())
    ]
    return page(request, "problems", {"codes": codes}, 200)


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """The sign-in form; a person who is signed in goes on."""
    target = next_of(request)
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
            problem, status = words("sign-in.locked", seconds=seconds), 429
        else:
            if user is not None:
                login(request, user)
                return HttpResponseRedirect(target)
            problem, status = words("sign-in.wrong"), 400
    context = {
        "problem": problem,
        "next": target,
        "username": request.POST.get("username", ""),
        "providers": Provider.objects.filter(is_enabled=True),
    }
    return page(request, "sign-in", context, status)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """Ends the session; whoever came by a provider is shown how to sign out of that."""
    if request.user.is_authenticated:
        record(action="sign out", actor=request.user.get_username(), address=remote_address(request))
    elsewhere = sign_out_address(request)
    logout(request)
    if elsewhere is not None:
        return page(request, "signed-out", {"elsewhere": elsewhere}, 200)
    return HttpResponseRedirect("/sign-in")


@never_cache
@sensitive_post_parameters("password", "again")
@require_http_methods(["GET", "HEAD", "POST"])
def set_up(request: HttpRequest, secret: str) -> HttpResponse:
    """The one-time link: makes the administrator, or gives a person a password."""
    link = services.find_set_up_link(secret)
    if link is None:
        return page(request, "gone", {}, 410)
    problem = ""
    if request.method == "POST":
        try:
            user = _use(request, link)
        except ValidationError as error:
            problem = " ".join(error.messages)
        except SetUpLink.DoesNotExist:
            return page(request, "gone", {}, 410)
        else:
            login(request, user)
            return HttpResponseRedirect("/")
    context = {"problem": problem, "person": link.user, "username": request.POST.get("username", "")}
    return page(request, "set-up", context, 400 if problem else 200)


def _use(request: HttpRequest, link: SetUpLink) -> User:
    username, password = request.POST.get("username", "").strip(), request.POST.get("password", "")
    if password != request.POST.get("again", ""):
        raise ValidationError(words("password.differs"))
    if link.user is None:
        _check_username(username)
    return services.use_set_up_link(link=link, username=username, password=password)


def _check_username(username: str) -> None:
    try:
        UnicodeUsernameValidator()(username)
    except ValidationError:
        raise ValidationError(words("username.bad")) from None
    if len(username) > 150:
        raise ValidationError(words("username.bad"))
    if User.objects.filter(username__iexact=username).exists():
        raise ValidationError(words("username.taken"))


@never_cache
@ensure_csrf_cookie
@require_GET
def shell(request: HttpRequest) -> HttpResponse:
    """The one page of the application, at every address that it may have."""
    if not request.user.is_authenticated:
        return HttpResponseRedirect(f"/sign-in?next={quote(request.get_full_path(), safe='/')}")
    built = assets()
    if built is None:
        return page(request, "unbuilt", {}, 503)
    return render(request, "web/shell.html", {"assets": built, "language": get_language()})


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return page(request, "csrf", {}, 403)
