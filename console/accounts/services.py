"""What changes people, bindings and tokens."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import authenticate
from django.contrib.auth.password_validation import validate_password
from django.db import transaction
from django.db.models import F
from django.http import HttpRequest
from django.utils import timezone

from console.accounts.models import SET_UP_LINK, ApiToken, RoleBinding, SetUpLink, SignInFailure, User
from console.accounts.roles import Role
from console.audit.log import record

LONGEST_LOCK = timedelta(minutes=15)


class LockedOut(Exception):
    """Too many failures: nobody looks at the password until `until`."""

    def __init__(self, until: Any) -> None:
        super().__init__(until)
        self.until = until


def has_administrator() -> bool:
    """Whether anybody can administer the console: if not, a set-up link makes somebody."""
    return RoleBinding.objects.filter(role=Role.ADMIN, warehouse=None, user__is_active=True).exists()


def make_set_up_link(*, user: User | None = None) -> tuple[str, SetUpLink]:
    """A one-time secret for `/setup/<secret>`, in place of any unused one for the same person."""
    secret = secrets.token_urlsafe(24)
    with transaction.atomic():
        SetUpLink.objects.filter(user=user, used_at=None).delete()
        link = SetUpLink.objects.create(
            digest=_digest(secret), user=user, expires_at=timezone.now() + settings.SET_UP_LINK_LIFETIME
        )
    return secret, link


def set_up_address(secret: str) -> str:
    return f"{settings.PUBLIC_URL}/setup/{secret}"


def find_set_up_link(secret: str) -> SetUpLink | None:
    """The link, if it can still be used. One for the administrator ends once there is one."""
    link = (
        SetUpLink.objects.filter(digest=_digest(secret), used_at=None, expires_at__gt=timezone.now())
        .select_related("user")
        .first()
    )
    if link is not None and link.user is None and has_administrator():
        return None
    return link


def use_set_up_link(*, link: SetUpLink, username: str, password: str) -> User:
    """Give the link's person the password, or make the administrator; the link is spent.

    Raises:
        django.core.exceptions.ValidationError: the password is too weak.
        SetUpLink.DoesNotExist: somebody else used the link meanwhile.
    """
    with transaction.atomic():
        link = SetUpLink.objects.select_for_update().get(pk=link.pk, used_at=None)
        user = link.user or User(username=username)
        validate_password(password, user)
        user.set_password(password)
        user.save()
        if link.user is None:
            RoleBinding.objects.create(user=user, role=Role.ADMIN, created_by=SET_UP_LINK)
        link.used_at = timezone.now()
        link.save()
        record(action="set up account", actor=user.username, target=f"user:{user.username}")
    return user


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def sign_in(*, request: HttpRequest, username: str, password: str, address: str) -> User | None:
    """The person, or None where name and password do not fit.

    Raises:
        LockedOut: after some failures of this name from this address, for longer with each.
    """
    target = f"user:{username[:150]}"
    try:
        failure = _failures(username, address)
    except LockedOut:
        record(action="sign in", outcome="denied", target=target, address=address, detail={"locked": True})
        raise
    user = authenticate(request, username=username, password=password)
    if not isinstance(user, User):
        _count_failure(username, address)
        record(action="sign in", outcome="denied", target=target, address=address)
        return None
    if failure:
        failure.delete()
    record(action="sign in", actor=user.username, target=f"user:{user.username}", address=address)
    return user


def knows_password(*, user: User, password: str, address: str) -> bool:
    """Whether who is signed in knows the password; guesses count as those of a sign-in do.

    Raises:
        LockedOut: after some failures, as of `sign_in`.
    """
    failure = _failures(user.username, address)
    if not user.check_password(password):
        _count_failure(user.username, address)
        return False
    if failure:
        failure.delete()
    return True


def _failures(username: str, address: str) -> SignInFailure | None:
    """Those of a name from an address so far; raises `LockedOut` where they are too many."""
    failure = SignInFailure.objects.filter(username=username.lower(), address=address).first()
    if failure and failure.locked_until and failure.locked_until > timezone.now():
        raise LockedOut(failure.locked_until)
    return failure


def _count_failure(username: str, address: str) -> None:
    with transaction.atomic():
        failure, _ = SignInFailure.objects.select_for_update().get_or_create(
            username=username.lower()[:150], address=address
        )
        failure.count = F("count") + 1
        failure.save()
        failure.refresh_from_db()
        failure.locked_until = lock_end(failure.count)
        failure.save()


def lock_end(failures: int) -> Any:
    """Until when an account is locked after so many failures in a row; None for the free ones."""
    beyond = failures - settings.SIGN_IN_FREE_FAILURES
    if beyond < 0:
        return None
    return timezone.now() + min(LONGEST_LOCK, timedelta(seconds=30) * 2 ** min(beyond, 10))


def create_token(
    *, user: User, name: str, scopes: list[str], expiry: Any, networks: list[str]
) -> tuple[ApiToken, str]:
    """A new token of `user`, and its text, which is kept nowhere."""
    token, text = ApiToken.objects.create(
        user=user,
        expiry=expiry - timezone.now(),
        public_id=f"t-{secrets.token_hex(6)}",
        name=name,
        scopes=sorted(set(scopes)),
        networks=networks,
    )
    return token, text
