"""Masking policies as rows."""

from __future__ import annotations

import secrets
from dataclasses import replace

from django.db import models

from console.accounts.roles import Scope
from console.api.secrets import decrypt, encrypt
from console.masking.policies import Kind, Policy

_KEY_BYTES = 32


def new_key() -> str:
    """A key of its own for each policy, encrypted with the key of the installation."""
    return encrypt(secrets.token_hex(_KEY_BYTES))


class MaskingPolicy(models.Model):
    """A column of some tables whose values are told in a certain way.

    By the warehouse's name and not by its row: taking a warehouse out and registering it again opens nothing.
    """

    warehouse = models.CharField(max_length=100, null=True, blank=True)  # null: every one
    database = models.CharField(max_length=255, null=True, blank=True)
    table = models.CharField(max_length=255, null=True, blank=True)  # a pattern with * and ?
    column = models.CharField(max_length=500)  # with members of rows after dots
    kind = models.CharField(max_length=20, choices=[(k.value, k.value) for k in Kind])
    keep = models.PositiveSmallIntegerField(default=0)
    encrypted_key = models.TextField(default=new_key)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.CharField(max_length=150, blank=True)

    class Meta:
        ordering = ["id"]
        verbose_name = "masking policy"
        verbose_name_plural = "masking policies"

    def __str__(self) -> str:
        return f"{self.kind} {self.scope} {self.column}"

    @property
    def scope(self) -> Scope:
        return Scope(self.warehouse, self.database, self.table)

    def terms(self) -> Policy:
        """What it says, without the key: enough to know whom it is about."""
        path = tuple(part.lower() for part in self.column.split("."))
        return Policy(self.scope, path, Kind(self.kind), self.keep)

    def policy(self) -> Policy:
        """The row as a value.

        Raises:
            cryptography.fernet.InvalidToken: its key was encrypted with another installation's.
        """
        return replace(self.terms(), key=bytes.fromhex(decrypt(self.encrypted_key)))
