"""Masking policies as the API shows and takes them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from console.accounts.serializers import ScopeSerializer
from console.api.fields import TimeField, choice
from console.masking.models import MaskingPolicy
from console.masking.policies import Kind

MOST_KEPT = 100
Text = serializers.CharField


class MaskingPolicySerializer(serializers.Serializer[Any]):
    """How values of a column are told to who has no `data:unmasked` there; `sensitive`: no `data:read`."""

    id = serializers.IntegerField(read_only=True)
    scope = ScopeSerializer()
    scope_text = Text(source="scope", read_only=True)
    column = Text(max_length=500, help_text="A column, or a member of rows inside it after dots.")
    kind = choice(*(kind.value for kind in Kind))
    keep = serializers.IntegerField(
        default=0, min_value=0, max_value=MOST_KEPT, help_text="Of partial: the last characters that stay."
    )
    created_at = TimeField(read_only=True)
    created_by = Text(read_only=True)

    def validate_column(self, column: str) -> str:
        if any(not step.strip() for step in column.split(".")):
            raise serializers.ValidationError("A name stands before and after each dot.")
        return column

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        is_partial = attrs["kind"] == Kind.PARTIAL
        if is_partial and not attrs["keep"]:
            raise serializers.ValidationError({"keep": "partial keeps one character at least."})
        if not is_partial and attrs["keep"]:
            raise serializers.ValidationError({"keep": "Only partial keeps characters."})
        return attrs

    def create(self, validated_data: dict[str, Any]) -> MaskingPolicy:
        scope = validated_data.pop("scope")
        return MaskingPolicy.objects.create(**scope, **validated_data)
