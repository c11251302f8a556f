"""Rollback: a rewind, which removes what is newer."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from console.api.fields import CountField, choice, strings
from console.jobs.serializers.parts import (
    AmountSerializer,
    Flag,
    PartitionDeltaSerializer,
    RemovedSnapshotSerializer,
    Serializer,
    Text,
)


class ReturningSerializer(AmountSerializer):
    missing = CountField()


class RollbackEffectsSerializer(Serializer):
    """What a rewind removes and brings back."""

    kind = choice("rollback")
    to = Text()
    snapshots_removed = RemovedSnapshotSerializer(many=True)
    tags_removed = strings()
    changelogs_removed = serializers.ListField(child=CountField())
    files_leaving = AmountSerializer()
    files_returning = ReturningSerializer()
    rows_delta = CountField(allow_null=True)
    bytes_delta = CountField(allow_null=True)
    partitions = PartitionDeltaSerializer(many=True, help_text="Empty where what changes is not known.")
    consumers_affected = strings()
    branches_affected = strings()
    schema_stays = CountField()
    next_id = CountField(help_text="The id that the next commit will use again.")
    unreferenced_bytes = CountField(allow_null=True)


class RollbackTargetSerializer(Serializer):
    """Exactly one of these."""

    snapshot = Text(required=False, help_text="id or id~identity")
    tag = Text(required=False)
    time = Text(required=False, max_length=40, help_text="The latest snapshot that is not after it.")
    watermark = Text(
        required=False,
        max_length=40,
        help_text="The first snapshot that has reached it: a time, or milliseconds.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs) != 1:
            names = list(self.fields)
            raise serializers.ValidationError(f"Give exactly one of {', '.join(names[:-1])} and {names[-1]}.")
        return attrs


class RollbackParamsSerializer(Serializer):
    to = RollbackTargetSerializer()
    guard = Flag(default=True)
    reset_consumers = Flag(
        default=False,
        help_text="Consumers that are to read on from what is removed read on from the next commit.",
    )
