"""Tags, branches and consumers."""

from __future__ import annotations

from console.api.fields import CountField, TimeField
from console.inspector.serializers.shared import DamageSerializer, Flag, Int, Serializer, Text


class TagSerializer(Serializer):
    """A tag. One that cannot be read has its name and its damage alone."""

    name = Text()
    snapshot_id = CountField(allow_null=True)
    ref = Text(allow_null=True)
    committed_at = TimeField(allow_null=True)
    created_at = TimeField(allow_null=True)
    retained_until = TimeField(allow_null=True)
    total_rows = CountField(allow_null=True)
    schema_id = CountField(allow_null=True)
    problem = Text(allow_null=True)
    damage = DamageSerializer(allow_null=True)


class BranchSerializer(Serializer):
    name = Text()
    created_at = TimeField(allow_null=True)
    latest = Text(allow_null=True)
    latest_at = TimeField(allow_null=True)
    schema_id = CountField(allow_null=True)
    snapshots = CountField(allow_null=True)
    problem = Text(allow_null=True)
    damage = DamageSerializer(allow_null=True)


class HeldByTagSerializer(Serializer):
    """Data files that no kept snapshot, other tag or branch has."""

    name = Text()
    files = CountField()
    bytes = CountField()


class HeldByBranchSerializer(HeldByTagSerializer):
    """Data files that no other branch has, and where the branch stands; `forked_at` null: not known."""

    forked_at = CountField(allow_null=True, help_text="The newest snapshot that it shares with main.")
    ahead = Int(allow_null=True, help_text="Its own snapshots since.")
    behind = Int(allow_null=True, help_text="Those of main since.")


class HeldSerializer(Serializer):
    """What each tag of the branch, and each branch, keeps alone."""

    tags = HeldByTagSerializer(many=True)
    branches = HeldByBranchSerializer(many=True)


class ConsumerSerializer(Serializer):
    id = Text()
    next_snapshot = CountField(allow_null=True)
    lag = CountField(allow_null=True, help_text="Kept snapshots from next_snapshot to the latest.")
    unread_since = TimeField(
        allow_null=True, help_text="Commit time of the oldest kept snapshot that it has not read."
    )
    blocks_expiry = Flag()
    problem = Text(allow_null=True)
    damage = DamageSerializer(allow_null=True)
