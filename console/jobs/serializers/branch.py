"""What is done to branches."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from console.api.fields import choice, strings
from console.jobs.planning.branch import BRANCH_ACTIONS
from console.jobs.serializers.parts import NamedActionSerializer, RemovedSnapshotSerializer, Serializer, Text


class BranchEffectsSerializer(Serializer):
    """What becomes of a branch; of main, where that is fast-forwarded to it."""

    kind = choice("branch")
    action = choice(*BRANCH_ACTIONS)
    name = Text()
    new_name = Text(allow_null=True)
    before = Text(allow_null=True, help_text="Where it (or main) stands now.")
    after = Text(allow_null=True, help_text="Where it (or main) will stand.")
    snapshots_removed = RemovedSnapshotSerializer(many=True)
    snapshots_added = RemovedSnapshotSerializer(many=True)
    tags_removed = strings()
    tags_made = strings()
    consumers_removed = strings()


class BranchStartSerializer(Serializer):
    """At most one of these."""

    snapshot = Text(required=False, help_text="id or id~identity")
    tag = Text(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs) > 1:
            raise serializers.ValidationError("Give at most one of snapshot and tag.")
        return attrs


class BranchParamsSerializer(NamedActionSerializer):
    action = choice(*BRANCH_ACTIONS)
    start = BranchStartSerializer(
        required=False, allow_null=True, help_text="Of a new branch; without it, it is empty."
    )
