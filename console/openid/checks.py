"""`manage.py check --database default`: identity providers that cannot work, and the likely slips."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cryptography.fernet import InvalidToken
from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.core.exceptions import ValidationError
from django.db import connections

from console.openid.models import Provider
from console.warehouses.models import Warehouse


@register(Tags.database)
def providers(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None = None, **options: Any
) -> list[CheckMessage]:
    """What is wrong with the providers that are switched on. Asks the database, and no provider."""
    if "default" not in (databases or ()) or not _are_there_tables():
        return []
    enabled = Provider.objects.filter(is_enabled=True).prefetch_related("group_roles")
    return [message for provider in enabled for message in _messages(provider)]


def _are_there_tables() -> bool:
    """`migrate` checks before it makes them."""
    return Provider._meta.db_table in connections["default"].introspection.table_names()


def _messages(provider: Provider) -> Iterator[CheckMessage]:
    try:
        provider.clean()
    except ValidationError as error:
        for field, texts in error.message_dict.items():
            yield Error(f"{field}: {' '.join(texts)}", obj=provider, id="openid.E001")
    try:
        _ = provider.client_secret
    except InvalidToken:
        yield Error(
            "The client secret was encrypted with another key.",
            hint="Enter it again, or give LAKESCOPE_ENCRYPTION_KEY its old value.",
            obj=provider,
            id="openid.E002",
        )
    roles = list(provider.group_roles.all())
    if not roles:
        yield Warning(
            "No group has a role: who signs in by it can do nothing.",
            hint="Add a role for a group, or for * (everybody).",
            obj=provider,
            id="openid.W001",
        )
    known = set(Warehouse.objects.values_list("name", flat=True))
    for role in roles:
        if role.warehouse is not None and role.warehouse not in known:
            yield Warning(f"{role}: no warehouse is called {role.warehouse}.", obj=provider, id="openid.W002")
