"""What is done to consumers."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from console.api.fields import CountField, choice
from console.jobs.planning.consumer import CONSUMER_ACTIONS
from console.jobs.serializers.parts import Serializer, Text


class ConsumerEffectsSerializer(Serializer):
    """From where to where a consumer goes, and what that lets expire."""

    kind = choice("consumer")
    action = choice(*CONSUMER_ACTIONS)
    name = Text()
    before = CountField(allow_null=True, help_text="What it reads next; null: it is damaged.")
    after = CountField(allow_null=True, help_text="What it will read next; null: it is forgotten.")
    skipped = CountField(help_text="Kept snapshots that it will not read.")
    repeated = CountField(help_text="Kept snapshots that it will read once more.")
    held_before = CountField(
        allow_null=True, help_text="The first snapshot that a consumer keeps from expiring."
    )
    held_after = CountField(allow_null=True, help_text="The same afterwards; null: no consumer keeps any.")
    released = serializers.IntegerField(
        help_text="Kept snapshots that no consumer keeps any more; below 0: more."
    )


class ConsumerParamsSerializer(Serializer):
    action = choice(*CONSUMER_ACTIONS)
    name = Text(max_length=255, help_text="The id of the consumer.")
    snapshot = Text(
        required=False, allow_null=True, help_text="Of a reset: what it reads next, id or id~identity."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["action"] == "reset" and not attrs.get("snapshot"):
            raise serializers.ValidationError({"snapshot": "This is needed here."})
        return attrs
