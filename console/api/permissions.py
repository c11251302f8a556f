"""May the caller do this here? Each view names one permission for each method; the path names the scope."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from console.accounts.authentication import access_of
from console.accounts.models import RoleBinding
from console.accounts.roles import EVERYTHING, Permission, Role, Scope
from console.api.errors import Problem

if TYPE_CHECKING:
    from rest_framework.views import APIView

WHO_GRANTS = "admin"
MOST_NAMED = 5  # people who can grant what is missing


def require(request: Request, permission: Permission, scope: Scope = EVERYTHING) -> None:
    """Nothing, if the caller has `permission` for all of `scope`.

    Raises:
        Problem: `forbidden`, which names the permission, the scope and who can grant it.
    """
    if not access_of(request).allows(permission, scope):
        raise forbidden(permission, scope)


def forbidden(permission: Permission, scope: Scope) -> Problem:
    named = {
        "permission": permission.value,
        "scope": str(scope),
        "granted_by": WHO_GRANTS,
        "grantors": _grantors(scope),
    }
    return Problem("forbidden", permission=permission.value, scope=scope, extension=named)


def _grantors(scope: Scope) -> list[str]:
    """The names of some who manage access there; who is locked out or gone is none."""
    bindings = RoleBinding.objects.filter(role=Role.ADMIN, user__is_active=True)
    people = bindings.select_related("user").order_by("user__username")
    return list(dict.fromkeys(b.user.username for b in people if b.scope.covers(scope)))[:MOST_NAMED]


def scope_of_path(
    warehouse: str | None = None, database: str | None = None, table: str | None = None
) -> Scope:
    return Scope(warehouse, database, table)


class Granted(BasePermission):
    """Checks the view's `permissions[method]` in the scope of the view."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not request.user.is_authenticated:
            raise NotAuthenticated
        needed: Permission | None = view.permission_for(request.method)  # type: ignore[attr-defined]
        scope: Scope = view.scope  # type: ignore[attr-defined]
        if needed is not None:
            require(request, needed, scope)
        return True


class Open(BasePermission):
    """For what everybody may ask, signed in or not."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        return True
