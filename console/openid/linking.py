"""Who of our people somebody is whom a provider has signed in, and what their groups let them do."""

from __future__ import annotations

from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from console.accounts.models import RoleBinding, User
from console.audit.log import record
from console.openid.client import Claims, SignInError
from console.openid.models import EVERYBODY, GroupRole, Identity, Provider


class AccountExists(Exception):
    """The name belongs to an account that was not linked yet: its password has to be given first."""

    def __init__(self, user: User) -> None:
        super().__init__(user.username)
        self.user = user


def person_of(provider: Provider, claims: Claims) -> User:
    """The person, made if the provider may make people.

    Raises:
        AccountExists: somebody here has the name, and is not yet linked to the provider.
        SignInError: nobody here is this person, or they are deactivated.
    """
    known = Identity.objects.filter(provider=provider, subject=claims.subject).select_related("user").first()
    user = known.user if known else _newcomer(provider, claims)
    if not user.is_active:
        raise SignInError("openid.deactivated", user.username)
    return user


def _newcomer(provider: Provider, claims: Claims) -> User:
    _check_username(provider, claims.username)
    namesake = User.objects.filter(username__iexact=claims.username).first()
    if namesake is not None:
        if not provider.links_by_username:
            raise AccountExists(namesake)
        return link(provider, claims.subject, namesake)
    if not provider.creates_people:
        raise SignInError("openid.unknown", claims.username)
    with transaction.atomic():
        user = User(username=claims.username, display_name=claims.display_name, email=claims.email)
        user.set_unusable_password()
        user.save()
        return link(provider, claims.subject, user)


def _check_username(provider: Provider, username: str) -> None:
    if not username:
        raise SignInError("openid.nameless", provider.username_claim)
    try:
        UnicodeUsernameValidator()(username)
    except ValidationError:
        raise SignInError("openid.bad-name", username) from None
    if len(username) > 150:
        raise SignInError("openid.bad-name", username)


def link(provider: Provider, subject: str, user: User) -> User:
    """Let the provider's `subject` sign in as `user` from now on."""
    with transaction.atomic():
        Identity.objects.create(provider=provider, subject=subject, user=user)
        record(
            action="link account", actor=user.username, target=f"user:{user.username}",
            detail={"provider": provider.name, "subject": subject},
        )  # fmt: skip
    return user


def give_roles(provider: Provider, user: User, groups: frozenset[str]) -> None:
    """Make the person's bindings from this provider those of their groups; others stay as they are."""
    asked = provider.group_roles.filter(group__in=[*groups, EVERYBODY])
    wanted = {_terms(row): row for row in asked}
    with transaction.atomic():
        held = {_terms(row): row for row in RoleBinding.objects.filter(user=user, provider=provider)}
        gone, new = held.keys() - wanted.keys(), wanted.keys() - held.keys()
        RoleBinding.objects.filter(pk__in=[held[terms].pk for terms in gone]).delete()
        for terms in sorted(new, key=str):
            RoleBinding.objects.create(
                user=user, provider=provider, created_by=provider.label, **wanted[terms].terms()
            )
        Identity.objects.filter(provider=provider, user=user).update(last_used_at=timezone.now())
        if gone or new:
            record(
                action="give roles by group", actor=user.username, target=f"user:{user.username}",
                detail={"provider": provider.name, "added": sorted(wanted[t].described() for t in new),
                        "removed": sorted(held[t].described() for t in gone)},
            )  # fmt: skip


def _terms(row: GroupRole | RoleBinding) -> tuple[object, ...]:
    return tuple(row.terms().values())
