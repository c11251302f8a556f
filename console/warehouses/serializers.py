"""Warehouses and databases as the API shows and takes them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from rest_framework import serializers

from console.api.fields import CountField, TimeField, choice, string_map, strings
from console.warehouses.models import NAME, Warehouse
from core.inspect.schema_diff import mask_option

Serializer = serializers.Serializer[Any]
Text = serializers.CharField


class WarehouseSerializer(Serializer):
    """Credentials are written and never read."""

    name = Text(max_length=63, validators=[NAME])
    location = Text(max_length=1000)
    options = string_map(default=dict, help_text="Catalog options that are no secrets.")
    credentials = string_map(write_only=True, required=False, help_text="Catalog options that are secrets.")
    credential_keys = serializers.SerializerMethodField()
    description = Text(max_length=500, allow_blank=True, default="")
    state = choice(*Warehouse.State.values, read_only=True)
    error = Text(read_only=True, allow_null=True)
    databases = CountField(read_only=True, source="database_count")
    tables = CountField(read_only=True, source="table_count")
    bytes = CountField(read_only=True, source="byte_count", allow_null=True)
    checked_at = TimeField(read_only=True, allow_null=True)
    created_at = TimeField(read_only=True)
    permissions = strings(read_only=True)

    def validate_location(self, location: str) -> str:
        if urlsplit(location).username is not None or "?" in location:
            raise serializers.ValidationError("An address holds no secrets: give them as credentials.")
        return location

    def validate_options(self, options: dict[str, str]) -> dict[str, str]:
        secret = sorted(key for key in options if mask_option(key, "") != "")
        if secret:
            raise serializers.ValidationError(
                f"These are secrets: give them as credentials: {', '.join(secret)}"
            )
        return options

    def get_credential_keys(self, warehouse: Warehouse) -> list[str]:
        return sorted(warehouse.credentials)

    def validate_name(self, name: str) -> str:
        taken = Warehouse.objects.filter(name=name)
        if self.instance is not None:
            taken = taken.exclude(pk=self.instance.pk)
        if taken.exists():
            raise serializers.ValidationError("There is already a warehouse of this name.")
        return name


class CheckTargetSerializer(Serializer):
    """What to test: a warehouse before it is registered."""

    location = Text(max_length=1000)
    options = string_map(default=dict)
    credentials = string_map(default=dict)


class CheckStepSerializer(Serializer):
    name = choice("location", "connect", "list_databases", "list_tables", "read_table")
    ok = serializers.BooleanField()
    detail = Text()
    millis = CountField()


class CheckSerializer(Serializer):
    ok = serializers.BooleanField()
    steps = CheckStepSerializer(many=True)


class DatabaseSerializer(Serializer):
    warehouse = Text()
    name = Text()
    tables = CountField(allow_null=True)
    bytes = CountField(allow_null=True)
    rows = CountField(allow_null=True)
    files = CountField(allow_null=True)
    last_commit_at = TimeField(allow_null=True)
    permissions = strings()
