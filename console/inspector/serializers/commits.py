"""What hangs below one snapshot: changes, manifests, statistics; and two snapshots compared."""

from __future__ import annotations

from console.api.fields import CountField, LongField, TimeField, choice, strings
from console.inspector.serializers.shared import (
    LISTS,
    SNAPSHOT_KINDS,
    DamageSerializer,
    Flag,
    FromTo,
    Int,
    Serializer,
    Text,
)


class FileChangeSerializer(Serializer):
    """An entry of a manifest."""

    change = choice("added", "deleted", "moved")
    partition = Text(help_text="`dt=2026-11-20,hr=07`; `-` for an unpartitioned table.")
    bucket = Int()
    total_buckets = Int()
    level = Int()
    moved_from_level = Int(allow_null=True)
    file = Text()
    bytes = CountField()
    rows = CountField()
    deletes = CountField(allow_null=True)
    min_key = Text(allow_null=True)
    max_key = Text(allow_null=True)
    source = choice("append", "compact", allow_null=True)  # type: ignore[assignment]  # the reply has a member of this name
    schema_id = CountField()
    created_at = TimeField(allow_null=True)
    index = strings()


class ChangeGroupSerializer(Serializer):
    """What a commit did in one partition or one bucket; a file that only changed its level was moved."""

    id = Text()
    partition = Text()
    bucket = Int(allow_null=True, help_text="Null: of the partition as a whole.")
    files_added = CountField()
    files_deleted = CountField()
    files_moved = CountField()
    bytes_added = CountField()
    bytes_deleted = CountField()
    bytes_moved = CountField()
    rows_added = CountField()
    rows_deleted = CountField()
    rows_moved = CountField()


class ManifestSerializer(Serializer):
    name = Text()
    bytes = CountField()
    added = CountField(allow_null=True)
    deleted = CountField(allow_null=True)
    schema_id = CountField(allow_null=True)
    min_partition = Text(allow_null=True)
    max_partition = Text(allow_null=True)
    min_bucket = Int(allow_null=True)
    max_bucket = Int(allow_null=True)
    min_level = Int(allow_null=True)
    max_level = Int(allow_null=True)
    min_row_id = LongField(allow_null=True)
    max_row_id = LongField(allow_null=True)
    missing = Flag()
    problem = Text(allow_null=True)
    damage = DamageSerializer(allow_null=True)


class IndexFileSerializer(Serializer):
    """An entry of the index manifest: deletion vectors or a hash index."""

    kind = Text()
    partition = Text()
    bucket = Int()
    name = Text()
    bytes = CountField()
    rows = CountField()


class IndexChangeSerializer(IndexFileSerializer):
    """An index file that a commit added or removed."""

    change = choice("added", "deleted")


class ManifestListSerializer(Serializer):
    kind = choice(*LISTS)
    name = Text()
    bytes = CountField(allow_null=True)
    missing = Flag()
    problem = Text(allow_null=True)
    damage = DamageSerializer(allow_null=True)
    manifests = ManifestSerializer(many=True)
    index_files = IndexFileSerializer(many=True)


class ManifestTreeSerializer(Serializer):
    snapshot = Text()
    target_bytes = CountField(
        allow_null=True, help_text="`manifest.target-file-size`; null where no schema can be read."
    )
    lists = ManifestListSerializer(many=True)


class ReachSerializer(Serializer):
    """What of one branch leads to a file: while one does, nothing deletes it."""

    branch = Text()
    snapshots = CountField(help_text="How many kept snapshots.")
    first = CountField(allow_null=True, help_text="The oldest of them.")
    last = CountField(allow_null=True)
    tags = strings()
    changelogs = CountField(help_text="How many long-lived changelogs.")


class ReachedFileSerializer(Serializer):
    name = Text()
    reached_from = ReachSerializer(many=True)


class ManifestReachSerializer(Serializer):
    """From where each manifest and index file of a snapshot is reached."""

    snapshot = Text()
    items = ReachedFileSerializer(many=True)
    unreadable = CountField(help_text="Snapshots, tags, changelogs and lists that cannot be read.")


class StatsColumnSerializer(Serializer):
    name = Text()
    distinct_count = CountField(allow_null=True)
    min = Text(allow_null=True)
    max = Text(allow_null=True)
    null_count = CountField(allow_null=True)
    average_length = CountField(allow_null=True)
    max_length = CountField(allow_null=True)


class SnapshotStatsSerializer(Serializer):
    """What ANALYZE wrote for the snapshot; `analyzed` false if nothing."""

    snapshot = Text()
    analyzed = Flag()
    merged_rows = CountField(allow_null=True)
    merged_bytes = CountField(allow_null=True)
    columns = StatsColumnSerializer(many=True)
    redacted = Flag()


class CountsSerializer(Serializer):
    files = CountField()
    bytes = CountField()
    rows = CountField()


class LevelCountsSerializer(Serializer):
    level = Int()
    before = CountsSerializer()
    after = CountsSerializer()


class CommitsByKindSerializer(Serializer):
    kind = choice(*SNAPSHOT_KINDS)
    commits = CountField()


class OptionChangeSerializer(FromTo):
    key = Text()
    from_ = Text(allow_null=True)
    to = Text(allow_null=True)


class CompareSerializer(Serializer):
    """The net difference of two snapshots. Files made and removed in between are `transient`."""

    base = Text()
    at = Text()
    only_base = CountsSerializer()
    only_at = CountsSerializer()
    both = CountsSerializer()
    transient = CountsSerializer(allow_null=True, help_text="Null where a commit in between is gone.")
    partitions = strings()
    levels = LevelCountsSerializer(many=True)
    commits = CommitsByKindSerializer(many=True)
    missing_snapshots = CountField(help_text="Ids in between that are not kept.")
    base_schema_id = CountField()
    at_schema_id = CountField()
    options = OptionChangeSerializer(many=True)
    problem = Text(allow_null=True, help_text="Why the options are not compared.")
    damage = DamageSerializer(allow_null=True)
