"""Views and functions of a database as the API shows them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from console.api.fields import TimeField, choice, string_map, strings
from console.inspector.serializers.shared import Flag, Int, Text

Serializer = serializers.Serializer[Any]


class ColumnSerializer(Serializer):
    id = Int()
    name = Text()
    type = Text()
    comment = Text(allow_null=True)


class AuditSerializer(Serializer):
    """Who made it and who changed it last; null where the catalog does not keep it."""

    owner = Text(allow_null=True)
    created_at = TimeField(allow_null=True)
    created_by = Text(allow_null=True)
    updated_at = TimeField(allow_null=True)
    updated_by = Text(allow_null=True)


class NameSerializer(Serializer):
    name = Text()


class ViewSerializer(Serializer):
    """A view: a query under a name."""

    warehouse = Text()
    database = Text()
    name = Text()
    kept_by = choice("catalog", "console", help_text="Who keeps it: files alone have no place for views.")
    query = Text(help_text="For engines without a dialect of their own.")
    dialects = string_map(help_text="The query in the SQL of an engine, by its name.")
    columns = ColumnSerializer(many=True)
    comment = Text(allow_null=True)
    options = string_map(help_text="Secrets are masked.")
    audit = AuditSerializer()
    permissions = strings()


class DefinitionSerializer(Serializer):
    engine = Text()
    kind = choice("sql", "lambda", "file")
    language = Text(allow_null=True)
    definition = Text(allow_null=True)
    class_name = Text(allow_null=True)
    function_name = Text(allow_null=True)
    resources = strings(help_text="Addresses of its files.")


class FunctionSerializer(Serializer):
    """A function; shown, never run here."""

    warehouse = Text()
    database = Text()
    name = Text()
    parameters = ColumnSerializer(many=True)
    returns = ColumnSerializer(many=True)
    deterministic = Flag()
    definitions = DefinitionSerializer(many=True)
    comment = Text(allow_null=True)
    options = string_map(help_text="Secrets are masked.")
    audit = AuditSerializer()
    permissions = strings()
