"""Restore: an older state as a new commit."""

from __future__ import annotations

from console.api.fields import CountField, choice
from console.jobs.serializers.parts import AmountSerializer, PartitionDeltaSerializer, Serializer, Text
from console.jobs.serializers.rollback import ReturningSerializer, RollbackTargetSerializer


class RestoreEffectsSerializer(Serializer):
    """What a restoration takes away and brings back, on top of a history that stays."""

    kind = choice("restore")
    to = Text()
    to_branch = Text(allow_null=True, help_text="The branch whose head is the target, as to undo a rollback.")
    files_leaving = AmountSerializer()
    files_returning = ReturningSerializer()
    rows_delta = CountField(allow_null=True)
    bytes_delta = CountField(allow_null=True)
    partitions = PartitionDeltaSerializer(many=True, help_text="Empty where what changes is not known.")
    tag_made = Text(allow_null=True, help_text="A tag that keeps the files of the target.")
    next_id = CountField(help_text="The id of the new snapshot, if nobody commits before.")


class RestoreTargetSerializer(RollbackTargetSerializer):
    """Exactly one of these."""

    branch = Text(required=False, help_text="The latest snapshot of this branch.")


class RestoreParamsSerializer(Serializer):
    to = RestoreTargetSerializer()
