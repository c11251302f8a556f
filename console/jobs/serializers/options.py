"""Options of a table."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from console.api.fields import CountField, choice
from console.jobs.planning.options import MOST_OPTIONS
from console.jobs.serializers.parts import ConcernedSerializer, Serializer, Text


class PlannedOptionSerializer(Serializer):
    key = Text()
    before = Text(allow_null=True, help_text="Null: not set.")
    after = Text(allow_null=True, help_text="Null: not set, so the default counts.")
    default = Text(allow_null=True)
    description = Text(allow_null=True, help_text="By Accept-Language.")


class OptionsEffectsSerializer(ConcernedSerializer):
    """What the options become."""

    kind = choice("options")
    changes = PlannedOptionSerializer(many=True)
    schema = CountField(help_text="The latest schema.")
    next_schema = CountField(help_text="The one that the job makes, if nobody makes one before.")


class OptionsParamsSerializer(Serializer):
    set = serializers.DictField(
        child=Text(max_length=1000, allow_blank=True),
        required=False,
        allow_null=True,
        help_text="Values by key.",
    )
    remove = serializers.ListField(
        child=Text(max_length=255),
        required=False,
        allow_null=True,
        help_text="Keys that go back to their defaults.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        given, removed = attrs.get("set") or {}, attrs.get("remove") or []
        if not given and not removed:
            raise serializers.ValidationError({"set": "Name an option that is set or removed."})
        if len(given) + len(removed) > MOST_OPTIONS:
            raise serializers.ValidationError({"set": f"At most {MOST_OPTIONS} options at once."})
        return attrs
