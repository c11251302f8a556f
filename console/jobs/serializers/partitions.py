"""What is done to partitions."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from console.api.fields import CountField, choice, strings
from console.jobs.planning.partitions import MOST_SHOWN, PARTITION_ACTIONS
from console.jobs.serializers.parts import ConcernedSerializer, Serializer, Text
from core.options import PartitionExpireStrategy


class PlannedPartitionSerializer(Serializer):
    partition = Text()
    files = CountField()
    bytes = CountField()
    rows = CountField(help_text="Rows in files, before merging.")
    updated = Text(help_text="When its newest file was made: the wall clock of its writer, without a zone.")


class ExpiryRuleSerializer(Serializer):
    age_seconds = CountField(allow_null=True)
    strategy = choice(*(strategy.value for strategy in PartitionExpireStrategy))


class PartitionsEffectsSerializer(ConcernedSerializer):
    """Which partitions it is about."""

    kind = choice("partitions")
    action = choice(*PARTITION_ACTIONS)
    partitions = PlannedPartitionSerializer(many=True, help_text=f"The first {MOST_SHOWN}, by name.")
    count = CountField()
    files = CountField()
    bytes = CountField()
    rows = CountField(help_text="Rows in files, before merging.")
    others = serializers.IntegerField(help_text="Partitions that it is not about.")
    rule = ExpiryRuleSerializer(allow_null=True, help_text="Of an expiry: what its time is told by.")


class PartitionsParamsSerializer(Serializer):
    action = choice(*PARTITION_ACTIONS)
    partitions = strings(
        required=False,
        allow_null=True,
        help_text="Texts as lists show them; of a drop they may name some keys.",
    )
    age = Text(
        required=False,
        allow_null=True,
        allow_blank=True,
        max_length=40,
        help_text="Of an expiry: in place of partition.expiration-time, as 30 d.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["action"] != "expire" and not attrs.get("partitions"):
            raise serializers.ValidationError({"partitions": "This is needed here."})
        return attrs
