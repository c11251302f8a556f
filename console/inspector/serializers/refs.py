"""Tags, branches and consumers."""

from __future__ import annotations

from console.api.fields import CountField, TimeField
from console.inspector.serializers.shared import Flag, Serializer, Text


class TagSerializer(Serializer):
    name = Text()
    snapshot_id = CountField()
    ref = Text()
    committed_at = TimeField()
    created_at = TimeField(allow_null=True)
    retained_until = TimeField(allow_null=True)
    total_rows = CountField(allow_null=True)
    schema_id = CountField()


class BranchSerializer(Serializer):
    name = Text()
    created_at = TimeField(allow_null=True)
    latest = Text(allow_null=True)
    latest_at = TimeField(allow_null=True)
    schema_id = CountField(allow_null=True)
    snapshots = CountField(allow_null=True)
    problem = Text(allow_null=True)


class ConsumerSerializer(Serializer):
    id = Text()
    next_snapshot = CountField(allow_null=True)
    lag = CountField(allow_null=True, help_text="Kept snapshots from next_snapshot to the latest.")
    blocks_expiry = Flag()
    problem = Text(allow_null=True)
