"""The caller, users, role bindings and tokens."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from console.accounts import services
from console.accounts.authentication import remote_address
from console.accounts.models import ApiToken, RoleBinding, User
from console.accounts.roles import Permission, Role, Scope
from console.accounts.serializers import (
    MeSerializer,
    MeUpdateSerializer,
    NewTokenSerializer,
    NewUserSerializer,
    PasswordSerializer,
    RoleBindingSerializer,
    TokenSerializer,
    UserSerializer,
)
from console.api.errors import Problem, invalid
from console.api.etags import require_match
from console.api.idempotency import idempotent
from console.api.listing import Field, Kind, Listing, ListQuery, Page
from console.api.permissions import forbidden, require
from console.api.querysets import page_of_queryset
from console.api.views import ApiView, ListView

ADMIN = Permission.ACCESS_MANAGE
SCOPE_PARAMETERS = [OpenApiParameter(name, str) for name in ("warehouse", "database", "table")]


def found(row: Any, kind: str, name: object) -> Any:
    """The row, or a `not-found` problem that names it."""
    if row is None:
        raise Problem("not-found", kind=kind, name=name)
    return row


def person(request: Request) -> User:
    """The caller as a row: every view that asks has let nobody else in."""
    if not isinstance(request.user, User):
        raise Problem("unauthenticated")
    return request.user


class MeView(ApiView):
    """The caller and what the caller may do in a scope."""

    responses = {"GET": MeSerializer, "PATCH": MeSerializer}
    requests = {"PATCH": MeUpdateSerializer}
    parameters = {"GET": SCOPE_PARAMETERS}

    def get(self, request: Request) -> Response:
        return Response(self._me(request))

    def patch(self, request: Request) -> Response:
        require_match(request, self._me(request))
        update = MeUpdateSerializer(data=request.data)
        update.is_valid(raise_exception=True)
        user = UserSerializer().update(person(request), update.validated_data)
        request.user = user
        return Response(self._me(request))

    def _me(self, request: Request) -> Any:
        asked = request.query_params
        scope = Scope(asked.get("warehouse"), asked.get("database"), asked.get("table"))
        user = person(request)
        held = {grant.role for grant in self.access.grants}
        anywhere = sorted(p for p in Permission if self.access.anywhere(p))
        me = {
            **{name: getattr(user, name) for name in ("id", "username", "display_name", "language", "theme")},
            "role": next((r for r in (Role.ADMIN, Role.OPERATOR, Role.VIEWER) if r in held), None),
            "permissions": sorted(self.access.permissions(scope)),
            "permissions_anywhere": anywhere,
            "role_bindings": user.role_bindings.all(),
            "token": request.auth.public_id if isinstance(request.auth, ApiToken) else None,
        }
        return MeSerializer(me).data


class PasswordView(ApiView):
    """Change the caller's password."""

    requests = {"POST": PasswordSerializer}
    responses = {"POST": (204, None)}

    def post(self, request: Request) -> Response:
        given = PasswordSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        user = request.user
        if not isinstance(user, User) or request.auth is not None:
            raise Problem("forbidden/own-only")
        if not _knows_password(user, given.validated_data["current_password"], remote_address(request)):
            raise invalid("/current_password", "This is not the present password.", "wrong-password")
        try:
            validate_password(given.validated_data["new_password"], user)
        except ValidationError as error:
            raise invalid("/new_password", " ".join(error.messages), "weak-password") from None
        user.set_password(given.validated_data["new_password"])
        user.save()
        update_session_auth_hash(request._request, user)
        return Response(status=204)


def _knows_password(user: User, password: str, address: str) -> bool:
    try:
        return services.knows_password(user=user, password=password, address=address)
    except services.LockedOut as locked:
        seconds = int((locked.until - timezone.now()).total_seconds()) + 1
        headers = {"Retry-After": str(seconds)}
        raise Problem("rate-limited", seconds=seconds, headers=headers) from locked


class UserListView(ListView):
    """The people and service accounts."""

    permissions = {"GET": ADMIN, "POST": ADMIN}
    item = UserSerializer
    requests = {"POST": UserSerializer}
    responses = {"POST": (201, NewUserSerializer)}
    listing = Listing(
        key="id",
        fields={
            "id": Field(Kind.NUMBER),
            "username": Field(),
            "display_name": Field(),
            "is_active": Field(Kind.FLAG),
            "last_login_at": Field(Kind.TIME, source="last_login"),
            "created_at": Field(Kind.TIME, source="date_joined"),
        },
        default_sort="username",
    )

    def load(self, query: ListQuery) -> Page:
        return page_of_queryset(User.objects.prefetch_related("role_bindings"), self.listing, query)

    def post(self, request: Request) -> Response:
        form = NewUserSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        user = form.save()
        secret, link = services.make_set_up_link(user=user)
        user.set_up_link = services.set_up_address(secret)
        user.set_up_link_expires_at = link.expires_at
        reply = Response(NewUserSerializer(user).data, 201)
        reply["Location"] = f"{request.path}/{user.pk}"
        return reply


class UserView(ApiView):
    """One person."""

    permissions = dict.fromkeys(("GET", "PATCH", "DELETE"), ADMIN)
    responses = {"GET": UserSerializer, "PATCH": UserSerializer}
    requests = {"PATCH": UserSerializer}

    def get(self, request: Request, user: int) -> Response:
        return Response(UserSerializer(self._user(user)).data)

    def patch(self, request: Request, user: int) -> Response:
        person = self._user(user)
        require_match(request, UserSerializer(person).data)
        form = UserSerializer(person, data=request.data, partial=True)
        form.is_valid(raise_exception=True)
        self._keep_an_administrator(person, form.validated_data.get("is_active", True))
        return Response(UserSerializer(form.save()).data)

    def delete(self, request: Request, user: int) -> Response:
        person = self._user(user)
        require_match(request, UserSerializer(person).data)
        self._keep_an_administrator(person, False)
        person.delete()
        return Response(status=204)

    def _user(self, pk: int) -> User:
        user: User = found(User.objects.filter(pk=pk).first(), "user", pk)
        return user

    def _keep_an_administrator(self, person: User, stays: bool) -> None:
        if not stays and person == self.request.user:
            raise invalid("", "You cannot deactivate or delete yourself.", "self")


class RoleBindingListView(ListView):
    """Who has which role where."""

    permissions = {"GET": ADMIN, "POST": ADMIN}
    item = RoleBindingSerializer
    requests = {"POST": RoleBindingSerializer}
    responses = {"POST": (201, RoleBindingSerializer)}
    listing = Listing(
        key="id",
        fields={
            "id": Field(Kind.NUMBER),
            "user": Field(source="user__username"),
            "role": Field(),
            "warehouse": Field(),
            "database": Field(),
            "table": Field(),
        },
        default_sort="id",
    )

    def load(self, query: ListQuery) -> Page:
        return page_of_queryset(RoleBinding.objects.select_related("user"), self.listing, query)

    def post(self, request: Request) -> Response:
        form = RoleBindingSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        binding = form.save(created_by=request.user.get_username())
        reply = Response(RoleBindingSerializer(binding).data, 201)
        reply["Location"] = f"{request.path}/{binding.pk}"
        return reply


class RoleBindingView(ApiView):
    """One role binding."""

    permissions = dict.fromkeys(("GET", "DELETE"), ADMIN)
    responses = {"GET": RoleBindingSerializer}

    def get(self, request: Request, binding: int) -> Response:
        return Response(RoleBindingSerializer(self._binding(binding)).data)

    def delete(self, request: Request, binding: int) -> Response:
        row = self._binding(binding)
        require_match(request, RoleBindingSerializer(row).data)
        if row.user == request.user and row.role == Role.ADMIN:
            raise invalid("", "You cannot take your own administration away.", "self")
        row.delete()
        return Response(status=204)

    def _binding(self, pk: int) -> RoleBinding:
        row: RoleBinding | None = RoleBinding.objects.filter(pk=pk).select_related("user").first()
        binding: RoleBinding = found(row, "role binding", pk)
        return binding


class TokenListView(ListView):
    """The caller's API tokens; an administrator sees all."""

    permissions = {"GET": None, "POST": None}
    item = TokenSerializer
    requests = {"POST": TokenSerializer}
    responses = {"POST": (201, NewTokenSerializer)}
    listing = Listing(
        key="id",
        fields={
            "id": Field(source="public_id"),
            "name": Field(),
            "owner": Field(source="user__username"),
            "created_at": Field(Kind.TIME, source="created"),
            "expires_at": Field(Kind.TIME, source="expiry"),
            "last_used_at": Field(Kind.TIME),
        },
        default_sort="-created_at",
    )

    def load(self, query: ListQuery) -> Page:
        tokens = ApiToken.objects.select_related("user")
        if not self.access.allows(ADMIN):
            tokens = tokens.filter(user=self.request.user.pk)
        return page_of_queryset(tokens, self.listing, query)

    @idempotent
    def post(self, request: Request) -> Response:
        form = TokenSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        if request.auth is not None:
            raise Problem("forbidden/signed-in-only")  # else a stolen token outlives its revocation
        asked = form.validated_data
        for scope in asked["scopes"]:
            if not self.access.anywhere(Permission(scope)):
                raise forbidden(Permission(scope), Scope())
        token, text = services.create_token(user=person(request), **asked)
        reply = Response(NewTokenSerializer(token).data | {"token": text}, 201)
        reply["Location"] = f"{request.path}/{token.public_id}"
        return reply


class TokenView(ApiView):
    """One API token."""

    responses = {"GET": TokenSerializer}

    def get(self, request: Request, token: str) -> Response:
        return Response(TokenSerializer(self._token(token)).data)

    def delete(self, request: Request, token: str) -> Response:
        row = self._token(token)
        require_match(request, TokenSerializer(row).data)
        row.delete()
        return Response(status=204)

    def _token(self, public_id: str) -> ApiToken:
        row: ApiToken = found(
            ApiToken.objects.filter(public_id=public_id).select_related("user").first(), "token", public_id
        )
        by_another_token = self.request.auth is not None and self.request.auth != row
        if row.user_id != self.request.user.pk or by_another_token:
            require(self.request, ADMIN)
        return row
