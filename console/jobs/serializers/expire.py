"""Expiry of snapshots."""

from __future__ import annotations

from datetime import datetime

from rest_framework import serializers

from console.api.fields import CountField, TimeField, choice, rfc3339
from console.jobs.serializers.parts import Flag, FreedSerializer, RemovedSnapshotSerializer, Serializer, Text


class ConsumerAtSerializer(Serializer):
    id = Text()
    next_snapshot = CountField()


class FreedPartitionSerializer(Serializer):
    partition = Text()
    files = CountField()
    bytes = CountField()


class ExpireEffectsSerializer(Serializer):
    """Which snapshots go, by which rules, and what that frees."""

    kind = choice("expire")
    snapshots_removed = RemovedSnapshotSerializer(many=True)
    snapshots_kept = CountField()
    first_kept = CountField(allow_null=True)
    becomes_changelog = Flag(help_text="What goes is kept as long-lived changelogs.")
    files_freed = FreedSerializer()
    partitions = FreedPartitionSerializer(many=True, help_text="The first 200, most bytes first.")
    retain_min = CountField(help_text="So many stay whatever their age.")
    retain_max = CountField(help_text="What is above goes whatever its age.")
    older_than = TimeField(help_text="In between, what is older goes.")
    max_deletes = CountField(help_text="So many go at once.")
    consumers = ConsumerAtSerializer(many=True, help_text="What they still have to read stays.")


def _count() -> serializers.IntegerField:
    return serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=2**31 - 1)


class ExpireParamsSerializer(Serializer):
    """In place of what the table's options say; null: as they say."""

    retain_min = _count()
    retain_max = _count()
    older_than = serializers.DateTimeField(required=False, allow_null=True)
    max_deletes = _count()

    def validate_older_than(self, value: datetime | None) -> str | None:
        """As a plan keeps it."""
        return rfc3339(value)
