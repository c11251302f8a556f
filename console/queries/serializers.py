"""A row preview as the API takes and shows it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from console.api.fields import AnyField, CountField, choice, strings
from console.api.meta import PREVIEW_ROWS
from console.masking.policies import Kind

Text = serializers.CharField


class PreviewQuerySerializer(serializers.Serializer[Any]):
    columns = strings(required=False, allow_null=True, help_text="Default: all.")
    filter = Text(
        required=False,
        allow_null=True,
        allow_blank=True,
        max_length=10_000,
        help_text="dt = '2026-11-20' AND amount > 5",
    )
    limit = serializers.IntegerField(default=100, min_value=1, max_value=PREVIEW_ROWS)
    at = Text(required=False, allow_null=True, max_length=300)
    branch = Text(required=False, default="main", max_length=255)
    file = Text(
        required=False,
        allow_null=True,
        max_length=1000,
        help_text="Of this live data file alone, as its rows stand in it: not merged, all columns.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs.get("file") and (attrs.get("filter") or attrs.get("columns")):
            raise serializers.ValidationError({"file": "A file is shown with all columns and no filter."})
        return attrs


class PreviewColumnSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(allow_null=True)
    name = Text()
    type = Text()
    masked = choice(*(k.value for k in Kind), allow_null=True, help_text="How its values are masked.")


class PreviewSerializer(serializers.Serializer[Any]):
    """Rows as arrays in the order of columns. 64-bit integers and decimals are strings, bytes hexadecimal."""

    as_of = Text(allow_null=True)
    columns = PreviewColumnSerializer(many=True)
    rows = serializers.ListField(child=serializers.ListField(child=AnyField()))
    truncated = serializers.BooleanField(help_text="There are more rows than were asked for.")
    millis = CountField()
