"""System tables as the API shows them."""

from __future__ import annotations

from rest_framework import serializers

from console.api.fields import AnyField, CountField, choice, strings
from console.inspector.serializers.shared import Flag, Int, Serializer, Text


class SystemColumnSerializer(Serializer):
    id = Int(allow_null=True)
    name = Text()
    type = Text()


class SystemTableSerializer(Serializer):
    """A system table and its columns."""

    name = Text()
    shows = choice(
        "table", "schema", "snapshot", "rows", "warehouse", help_text="What it is of; `rows`: as a preview."
    )
    columns = SystemColumnSerializer(many=True)


class SystemRowsSerializer(Serializer):
    """Rows as arrays in the order of columns. 64-bit integers and decimals are strings, bytes hexadecimal."""

    name = Text()
    as_of = Text(
        allow_null=True, help_text="The snapshot; those that show the table are of now all the same."
    )
    columns = SystemColumnSerializer(many=True)
    hidden = strings(help_text="Columns that need data:read.")
    rows = serializers.ListField(child=serializers.ListField(child=AnyField()))
    total = CountField(allow_null=True, help_text="Null: not counted.")
    next = Text(allow_null=True)
    truncated = Flag(help_text="There are more rows than were asked for, and no next page.")
