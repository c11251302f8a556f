"""Warehouses that the console knows, and what was last measured of their tables."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models

from console.api.secrets import decrypt, encrypt

NAME = RegexValidator(r"^[A-Za-z0-9][A-Za-z0-9_-]{0,62}\Z", "letters, digits, _ and -; at most 63")


VIEW = "view"  # a type beside those of tables


class Warehouse(models.Model):
    """A registered warehouse: a name for people, and what `core.open_catalog` needs."""

    class State(models.TextChoices):
        UNKNOWN = "unknown"
        UP = "up"
        DOWN = "down"

    name = models.CharField(max_length=63, unique=True, validators=[NAME])
    location = models.CharField(max_length=1000)
    options = models.JSONField(default=dict)  # of the catalog, without secrets
    encrypted_credentials = models.TextField(blank=True)  # options that are secret
    description = models.CharField(max_length=500, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.UNKNOWN)
    error = models.TextField(blank=True)
    error_code = models.CharField(max_length=40, blank=True)  # of words.STEPS; empty: not of a test
    checked_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    daily_bytes = models.JSONField(default=list, editable=False)  # of all tables; see activity.py

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def credentials(self) -> dict[str, str]:
        found: dict[str, str] = decrypt(self.encrypted_credentials) if self.encrypted_credentials else {}
        return found

    @credentials.setter
    def credentials(self, value: dict[str, str]) -> None:
        self.encrypted_credentials = encrypt(value) if value else ""

    def catalog_options(self) -> dict[str, str]:
        """All that `core.open_catalog` takes, secrets included."""
        return {**self.options, **self.credentials, "warehouse": self.location}


class TableStatistics(models.Model):
    """What lists show of a table without touching its warehouse."""

    warehouse = models.ForeignKey(Warehouse, on_delete=models.CASCADE, related_name="tables")
    database = models.CharField(max_length=255)
    name = models.CharField(max_length=255)
    type = models.CharField(
        max_length=30, null=True
    )  # Paimon's option `type`: table, format-table, view, ...
    kind = models.CharField(max_length=20, null=True)
    bucket_mode = models.CharField(max_length=20, null=True)
    buckets = models.IntegerField(null=True)
    partition_keys = models.JSONField(null=True)
    rows = models.BigIntegerField(null=True)
    rows_delta = models.BigIntegerField(null=True)  # of the last commit; null where its snapshot does not say
    bytes = models.BigIntegerField(null=True)
    files = models.BigIntegerField(null=True)
    partitions = models.BigIntegerField(null=True)
    snapshot = models.CharField(max_length=60, null=True)  # the reference that was measured
    snapshots = models.BigIntegerField(null=True)
    last_commit_at = models.DateTimeField(null=True)
    commit_hours = models.JSONField(null=True)  # commits of each of the last hours; see activity.py
    owner = models.CharField(max_length=255, null=True)  # as the catalog says, or the option `owner`
    comment = models.TextField(null=True)
    measured_at = models.DateTimeField(null=True)
    error = models.TextField(null=True)

    class Meta:
        ordering = ["warehouse", "database", "name"]
        constraints = [
            models.UniqueConstraint(fields=["warehouse", "database", "name"], name="one_row_a_table")
        ]

    def values(self) -> dict[str, Any]:
        """The row as lists show it."""
        names = (f.name for f in self._meta.fields if f.name not in ("id", "warehouse"))
        return {"warehouse": self.warehouse.name, **{name: getattr(self, name) for name in names}}


class OpenNodes(models.Model):
    """What of the tree a person has left open: `warehouse` and `warehouse/database`."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="open_nodes"
    )
    nodes = models.JSONField(default=list)


class Watch(models.Model):
    """A table that a person watches, by its name."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="watches")
    warehouse = models.ForeignKey(Warehouse, on_delete=models.CASCADE, related_name="watches")
    database = models.CharField(max_length=255)
    name = models.CharField(max_length=255)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "warehouse", "database", "name"], name="one_watch_a_table"
            )
        ]
