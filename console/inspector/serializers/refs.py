"""Tags, branches and consumers."""

from __future__ import annotations

from console.api.fields import CountField, TimeField
from console.inspector.serializers.shared import DamageSerializer, Flag, Serializer, Text


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


class ConsumerSerializer(Serializer):
    id = Text()
    next_snapshot = CountField(allow_null=True)
    lag = CountField(allow_null=True, help_text="Kept snapshots from next_snapshot to the latest.")
    blocks_expiry = Flag()
    problem = Text(allow_null=True)
    damage = DamageSerializer(allow_null=True)
