"""People, what they may do, and their tokens."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AbstractUser
from django.db import models
from knox.models import AbstractAuthToken

from console.accounts.roles import FLAGS, Access, Grant, Permission, Role, Scope


class User(AbstractUser):  # type: ignore[django-manager-missing]  # of knox, which has no types
    """A person, or a service account (one without a usable password)."""

    display_name = models.CharField(max_length=150, blank=True)
    language = models.CharField(max_length=10, blank=True, choices=[("en", "en"), ("zh-hans", "zh-hans")])
    theme = models.CharField(
        max_length=10, default="system", choices=[(t, t) for t in ("light", "dark", "system")]
    )

    def grants(self) -> tuple[Grant, ...]:
        """What the person's bindings give; nothing once the person is deactivated."""
        if not self.is_active:
            return ()
        return tuple(binding.grant() for binding in self.role_bindings.all())

    def access(self) -> Access:
        return Access(self.grants())


SET_UP_LINK = "set-up link"  # in place of a name, which holds no space


class RoleInScope(models.Model):
    """A role in a scope, with the flags that widen it."""

    role = models.CharField(max_length=20, choices=[(r.value, r.value) for r in Role])
    warehouse = models.CharField(max_length=100, null=True, blank=True)
    database = models.CharField(max_length=255, null=True, blank=True)
    table = models.CharField(max_length=255, null=True, blank=True)  # a pattern with * and ?
    data_read = models.BooleanField(default=False)
    data_unmasked = models.BooleanField(default=False)
    table_destroy = models.BooleanField(default=False)

    class Meta:
        abstract = True

    @property
    def scope(self) -> Scope:
        return Scope(self.warehouse, self.database, self.table)

    def terms(self) -> dict[str, Any]:
        """What it says, without whom it is about."""
        return {name: getattr(self, name) for name in ("role", "warehouse", "database", "table", *FLAGS)}

    def described(self) -> str:
        """In one line, for logs and lists."""
        flags = [flag for flag in FLAGS if getattr(self, flag)]
        return " ".join([self.role, str(self.scope), *flags])


class RoleBinding(RoleInScope):
    """A person has a role in a scope."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="role_bindings")
    # The identity provider whose groups gave it, and may take it away again at the next sign-in.
    provider = models.ForeignKey("openid.Provider", on_delete=models.CASCADE, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.CharField(max_length=150, blank=True)

    class Meta:
        ordering = ["id"]

    def grant(self) -> Grant:
        flags = frozenset(flag for flag in FLAGS if getattr(self, flag))
        return Grant(Role(self.role), self.scope, flags)


class ApiToken(AbstractAuthToken):  # type: ignore[misc]  # knox has no types
    """An API token: shown once, kept as a digest, with an end and with scopes that only take away."""

    public_id = models.CharField(max_length=20, unique=True)
    name = models.CharField(max_length=100)
    scopes = models.JSONField(default=list)  # permissions; use is limited to those its owner still has
    networks = models.JSONField(default=list)  # CIDR; empty: from anywhere
    last_used_at = models.DateTimeField(null=True)
    last_used_address = models.GenericIPAddressField(null=True)

    class Meta:
        ordering = ["-created"]

    @property
    def ceiling(self) -> frozenset[Permission]:
        return frozenset(Permission(scope) for scope in self.scopes)


class SetUpLink(models.Model):
    """A one-time link: for the first administrator, or for a person to choose a password."""

    digest = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True)  # None: makes the administrator
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)


class SignInFailure(models.Model):
    """Failed sign-ins of one name from one address since the last success."""

    username = models.CharField(max_length=150)
    address = models.CharField(max_length=45)
    count = models.PositiveIntegerField(default=0)
    locked_until = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["username", "address"], name="one_counter_a_source")]


class SavedView(models.Model):
    """Filters and sort of a list, under a name."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="saved_views")
    page = models.CharField(max_length=20)  # of `saved_views.PAGES`
    name = models.CharField(max_length=100)
    search = models.JSONField(default=dict)  # members of the address's query string
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "page", "name"], name="one_view_a_name_of_a_page")
        ]
