"""Warehouses and databases as the API shows and takes them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from console.api.codes import Words
from console.api.errors import say
from console.api.fields import CountField, TimeField, choice, string_map, strings
from console.warehouses.checking import Step
from console.warehouses.kinds import kind_of, store_of
from console.warehouses.models import NAME, Warehouse
from console.warehouses.words import STEPS, detail_of
from core.inspect.schema_diff import mask_option

Serializer = serializers.Serializer[Any]
Text = serializers.CharField

NO_SECRETS = frozenset({"token.provider", "data-token.enabled", "gs.auth.type"})  # though named like one


@extend_schema_field(str)
class SaidField(serializers.Field[Any, Any, str, Any]):
    """Words, in the reader's language."""

    def to_representation(self, value: Words) -> str:
        return say(value, {})


class WarehouseSerializer(Serializer):
    """Credentials are written and never read."""

    name = Text(max_length=63, validators=[NAME])
    location = Text(max_length=1000)
    options = string_map(default=dict, help_text="Catalog options that are no secrets.")
    credentials = string_map(
        write_only=True,
        required=False,
        help_text="Catalog options that are secrets; in a change null keeps one as it is.",
    )
    credential_keys = serializers.SerializerMethodField()
    description = Text(max_length=500, allow_blank=True, default="")
    kind = serializers.SerializerMethodField(help_text="Which of /warehouse-kinds; null for none.")
    store = serializers.SerializerMethodField(help_text="Which of its stores; null for none.")
    state = choice(*Warehouse.State.values, read_only=True)
    error = serializers.SerializerMethodField()
    error_code = serializers.SerializerMethodField(help_text="As the codes of a test's steps.")
    databases = CountField(read_only=True, source="database_count")
    tables = CountField(read_only=True, source="table_count")
    bytes = CountField(read_only=True, source="byte_count", allow_null=True)
    growth_bytes = serializers.IntegerField(
        read_only=True,
        allow_null=True,
        help_text="Bytes more than seven days ago, or than when it was first measured; null: unknown.",
    )
    growth_since = TimeField(read_only=True, allow_null=True, help_text="The day that this is held against.")
    checked_at = TimeField(read_only=True, allow_null=True)
    created_at = TimeField(read_only=True)
    permissions = strings(read_only=True)

    def validate_location(self, location: str) -> str:
        if urlsplit(location).username is not None or "?" in location:
            raise serializers.ValidationError("An address holds no secrets: give them as credentials.")
        return location

    def validate_options(self, options: dict[str, str]) -> dict[str, str]:
        secret = sorted(key for key in options if key not in NO_SECRETS and mask_option(key, "") != "")
        if secret:
            raise serializers.ValidationError(
                f"These are secrets: give them as credentials: {', '.join(secret)}"
            )
        return options

    def get_kind(self, warehouse: Warehouse) -> str | None:
        return kind_of(warehouse.options)

    def get_store(self, warehouse: Warehouse) -> str | None:
        return store_of(warehouse.location, warehouse.catalog_options())

    def get_error(self, warehouse: Warehouse) -> str | None:
        """What is wrong, in the reader's language where it is known what that is, and what core said."""
        if not warehouse.error_code:
            return warehouse.error or None
        values = {"place": warehouse.location, "what": warehouse.error}
        said = detail_of(warehouse.error_code, values)
        return (
            said
            if warehouse.error in ("", warehouse.error_code) or warehouse.error in said
            else f"{said} ({warehouse.error})"
        )

    def get_error_code(self, warehouse: Warehouse) -> str | None:
        return warehouse.error_code or None

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
    """What to test: a warehouse before it is registered, or before it is changed."""

    location = Text(max_length=1000)
    options = string_map(default=dict)
    credentials = string_map(default=dict, help_text="Null stands for what the warehouse has.")
    warehouse = Text(
        required=False, allow_null=True, default=None, help_text="The registered one that is to be changed."
    )


class CheckStepSerializer(Serializer):
    """How a step went, in the reader's language."""

    name = choice(
        "options", "reach", "reach_store", "store", "connect", "list_databases", "list_tables", "read_table"
    )
    ok = serializers.BooleanField()
    code = choice(*STEPS)
    is_odd = serializers.BooleanField(help_text="It went well, and may not be what was meant.")
    detail = serializers.SerializerMethodField()
    cause = Text(allow_null=True, help_text="What was said of a failure, in English.")
    millis = CountField()

    def get_detail(self, step: Step) -> str:
        return detail_of(step.code, step.values)


class CheckSerializer(Serializer):
    ok = serializers.BooleanField()
    steps = CheckStepSerializer(many=True)


class KindFieldSerializer(Serializer):
    """A field of a form: an option of the catalog; `warehouse` is the location."""

    key = Text()
    label = SaidField()  # type: ignore[assignment]  # the reply has a member of this name
    hint = SaidField(allow_null=True)
    example = Text()
    required = serializers.BooleanField()  # type: ignore[assignment]  # the reply has a member of this name
    choices = strings(help_text="The first where nothing is said; empty for any text.")
    secret = serializers.BooleanField()


class KindFormSerializer(Serializer):
    name = Text()
    label = SaidField()  # type: ignore[assignment]  # the reply has a member of this name
    note = SaidField(allow_null=True)
    fields = KindFieldSerializer(many=True)  # type: ignore[assignment]  # the reply has a member of this name
    fixed = string_map(help_text="Options that make it this kind.")
    stores = strings(help_text="Of a catalog: where its tables may lie.")
    tested = serializers.BooleanField(help_text="A real server was seen with it.")
    supported = serializers.BooleanField()


class KindsSerializer(Serializer):
    """The forms by which warehouses are registered."""

    catalogs = KindFormSerializer(many=True)
    stores = KindFormSerializer(many=True)


class DatabaseSerializer(Serializer):
    warehouse = Text()
    name = Text()
    tables = CountField(allow_null=True)
    bytes = CountField(allow_null=True)
    rows = CountField(allow_null=True)
    files = CountField(allow_null=True)
    last_commit_at = TimeField(allow_null=True)
    permissions = strings()
