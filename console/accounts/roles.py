"""Permissions, the roles that bundle them, and the scopes they hold in. Pure: no database here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase


class Permission(StrEnum):
    META_READ = "meta:read"
    DATA_READ = "data:read"
    DATA_UNMASKED = "data:unmasked"  # values that a masking policy hides; see docs/masking.md
    PLAN_CREATE = "plan:create"
    TABLE_OPERATE = "table:operate"
    TABLE_DESTROY = "table:destroy"
    JOB_CANCEL_OWN = "job:cancel-own"
    JOB_CANCEL_ANY = "job:cancel-any"
    WAREHOUSE_MANAGE = "warehouse:manage"
    ACCESS_MANAGE = "access:manage"
    AUDIT_READ = "audit:read"
    SYSTEM_READ = "system:read"


class Role(StrEnum):
    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"


_VIEWER = frozenset({Permission.META_READ, Permission.PLAN_CREATE})
_OPERATOR = _VIEWER | {Permission.DATA_READ, Permission.TABLE_OPERATE, Permission.JOB_CANCEL_OWN}

ROLES: dict[Role, frozenset[Permission]] = {
    Role.VIEWER: _VIEWER,
    Role.OPERATOR: _OPERATOR,
    # Masked values are told by the flag alone, so that seeing them is always somebody's decision.
    Role.ADMIN: frozenset(Permission) - {Permission.DATA_UNMASKED},
}

# What a binding's flag adds, and to which roles.
FLAGS: dict[str, tuple[frozenset[Role], Permission]] = {
    "data_read": (frozenset({Role.VIEWER}), Permission.DATA_READ),
    "data_unmasked": (frozenset(Role), Permission.DATA_UNMASKED),
    "table_destroy": (frozenset({Role.OPERATOR}), Permission.TABLE_DESTROY),
}


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a permission is asked for, or holds: everything, a warehouse, a database, or tables.

    In a binding `table` is a pattern with `*` and `?`. None: all of them.
    """

    warehouse: str | None = None
    database: str | None = None
    table: str | None = None

    def covers(self, other: Scope) -> bool:
        """Whether a binding of this scope holds for all of `other`."""
        return (
            _equal_or_all(self.warehouse, other.warehouse)
            and _equal_or_all(self.database, other.database)
            and (self.table is None or (other.table is not None and _fits(other.table, self.table)))
        )

    def touches(self, other: Scope) -> bool:
        """Whether something below `other` may be covered: what lets a person see its name in a list."""
        return (
            _compatible(self.warehouse, other.warehouse)
            and _compatible(self.database, other.database)
            and (self.table is None or other.table is None or _fits(other.table, self.table))
        )

    def __str__(self) -> str:
        parts = [part for part in (self.warehouse, self.database, self.table) if part is not None]
        return ".".join(parts) or "*"


EVERYTHING = Scope()


def _fits(table: str, pattern: str) -> bool:
    """Whether a pattern means the table; a bracket is only itself."""
    return fnmatchcase(table, pattern.replace("[", "[[]"))


def _equal_or_all(mine: str | None, asked: str | None) -> bool:
    return mine is None or mine == asked


def _compatible(mine: str | None, asked: str | None) -> bool:
    return mine is None or asked is None or mine == asked


@dataclass(frozen=True, slots=True)
class Grant:
    """A binding as values: what one role gives in one scope."""

    role: Role
    scope: Scope
    flags: frozenset[str] = frozenset()

    @property
    def permissions(self) -> frozenset[Permission]:
        added = {FLAGS[flag][1] for flag in self.flags if self.role in FLAGS[flag][0]}
        return ROLES[self.role] | added


@dataclass(frozen=True, slots=True)
class Access:
    """All that a caller may do: the grants of the person, cut down to the scopes of the token."""

    grants: tuple[Grant, ...] = ()
    ceiling: frozenset[Permission] | None = None  # a token's scopes; None: no token

    def permissions(self, scope: Scope = EVERYTHING) -> frozenset[Permission]:
        """What holds for all of `scope`."""
        held = frozenset(p for g in self.grants if g.scope.covers(scope) for p in g.permissions)
        return held if self.ceiling is None else held & self.ceiling

    def allows(self, permission: Permission, scope: Scope = EVERYTHING) -> bool:
        return permission in self.permissions(scope)

    def sees(self, scope: Scope) -> bool:
        """Whether the name of `scope` may be shown: something in it can be browsed."""
        if self.ceiling is not None and Permission.META_READ not in self.ceiling:
            return False
        return any(g.scope.touches(scope) for g in self.grants)

    def anywhere(self, permission: Permission) -> bool:
        """Whether the permission holds in any scope at all."""
        if self.ceiling is not None and permission not in self.ceiling:
            return False
        return any(permission in g.permissions for g in self.grants)
