"""What a REST catalog has to remember and a directory of tables does not: ids, views, functions."""

from __future__ import annotations

import uuid

from django.db import models

from console.rest_catalog.sealed import SealedField
from console.warehouses.models import Warehouse


class Named(models.Model):
    """A thing of a database, with who made it and changed it last through this catalog."""

    warehouse = models.ForeignKey(Warehouse, on_delete=models.CASCADE)
    database = models.CharField(max_length=255)
    name = models.CharField(max_length=255)
    uuid = models.UUIDField(default=uuid.uuid4, unique=True)
    created_by = models.CharField(max_length=150, blank=True)  # username; empty: not through this catalog
    updated_by = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        abstract = True


class ServedTable(Named):
    """The id of a table, and the row that is locked while something is decided about it."""

    origin = models.CharField(
        max_length=64
    )  # digest of its first schema: another table of the name has another

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["warehouse", "database", "name"], name="one_id_a_table")
        ]


class StoredView(Named):
    """A view, which a warehouse of directories has no place for."""

    schema = SealedField()  # as on the wire

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["warehouse", "database", "name"], name="one_view_a_name")
        ]


class StoredFunction(Named):
    """A function; shown and handed out, never run here."""

    definition = SealedField()  # as on the wire

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["warehouse", "database", "name"], name="one_function_a_name")
        ]
