"""JSON of a catalog, of which the values of options that name secrets are encrypted in the database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import models

from console.api.secrets import decrypt, encrypt
from core.inspect.schema_diff import is_secret_option

_SEALED = "sealed"  # {"sealed": cipher text} stands for a value; others are texts


def sealed(wire: Any) -> Any:
    """What is kept of it: values of options that name secrets as cipher texts."""
    return _with_options(
        wire, lambda key, value: {_SEALED: encrypt(value)} if is_secret_option(key) else value
    )


def opened(kept: Any) -> Any:
    """What `sealed` was given; a row of an older release may hold its values as they are.

    Raises:
        cryptography.fernet.InvalidToken: another key sealed it.
    """
    return _with_options(
        kept, lambda key, value: decrypt(value[_SEALED]) if isinstance(value, dict) else value
    )


def _with_options(wire: Any, each: Any) -> Any:
    options = wire.get("options") if isinstance(wire, dict) else None
    if not isinstance(options, Mapping):
        return wire
    return wire | {"options": {key: each(key, value) for key, value in options.items()}}


class SealedField(models.JSONField):
    """A JSON object, as on the wire wherever it is not in the database."""

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        return super().get_db_prep_value(sealed(value), connection, prepared)

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        return opened(super().from_db_value(value, expression, connection))
