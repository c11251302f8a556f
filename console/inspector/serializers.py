"""What the read-only endpoints answer.

Snapshot references are `id~identity`. 64-bit numbers that may pass 2^53 are strings, counts and
bytes are numbers, times are RFC 3339 UTC. A value that needs `data:read` and is withheld is the
text `•••` in lists of keys, and null elsewhere; `redacted` tells which happened.
"""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from console.api.fields import AnyField, CountField, LongField, TimeField, choice, string_map, strings

Serializer = serializers.Serializer[Any]
Text = serializers.CharField
Flag = serializers.BooleanField
Int = serializers.IntegerField
Float = serializers.FloatField

SNAPSHOT_KINDS = ("append", "compact", "overwrite", "analyze", "unknown")
LISTS = ("base", "delta", "changelog", "index")


class FromTo(Serializer):
    """Has a member `from`, which no class attribute can be called: it is declared as `from_`."""

    def get_fields(self) -> dict[str, Any]:
        return {name.rstrip("_"): field for name, field in super().get_fields().items()}


# --- tables ---------------------------------------------------------------------------------------
class UnsupportedSerializer(Serializer):
    """Why rows of the table are not read or written here."""

    feature = Text()
    where = Text(allow_null=True)


class TableSummarySerializer(Serializer):
    """A table in a list: its shape as last measured; null where it never was."""

    warehouse = Text()
    database = Text()
    name = Text()
    kind = choice("primary_key", "append", "other", allow_null=True)
    bucket_mode = Text(allow_null=True, help_text="fixed, dynamic, unaware, postpone or cross_partition")
    buckets = Int(allow_null=True)
    partition_keys = strings(allow_null=True)
    rows = CountField(allow_null=True, help_text="Rows in files, before merging.")
    bytes = CountField(allow_null=True)
    files = CountField(allow_null=True)
    partitions = CountField(allow_null=True)
    snapshot = Text(allow_null=True)
    snapshots = CountField(allow_null=True)
    last_commit_at = TimeField(allow_null=True)
    comment = Text(allow_null=True)
    measured_at = TimeField(allow_null=True)
    error = Text(allow_null=True)
    permissions = strings()


class SnapshotSerializer(Serializer):
    """One commit. The numbers of files and bytes are null where its manifests cannot be read."""

    id = CountField()
    ref = Text()
    uuid = Text(allow_null=True)
    schema_id = CountField(allow_null=True)
    kind = choice(*SNAPSHOT_KINDS)
    operation = Text(allow_null=True)
    committed_at = TimeField(allow_null=True, help_text="Null, as all but id, where the file is damaged.")
    commit_user = Text()
    commit_identifier = LongField()
    total_rows = CountField(allow_null=True, help_text="Rows in files, before merging.")
    delta_rows = CountField(allow_null=True)
    changelog_rows = CountField(allow_null=True)
    files_added = CountField(allow_null=True)
    files_deleted = CountField(allow_null=True)
    bytes_added = CountField(allow_null=True)
    bytes_deleted = CountField(allow_null=True)
    watermark = LongField(allow_null=True)
    tags = strings()
    consumers = strings()
    job = Text(allow_null=True)
    writer_version = Text(allow_null=True)
    is_latest = Flag()
    problem = Text(allow_null=True, help_text="What could not be read of this commit.")


class ManifestListRefSerializer(Serializer):
    kind = choice(*LISTS)
    name = Text()
    bytes = CountField(allow_null=True)


class LevelFlowSerializer(Serializer):
    level = Int()
    files_removed = CountField()
    bytes_removed = CountField()
    files_added = CountField()
    bytes_added = CountField()


class OriginSerializer(Serializer):
    """Who made the commit: a job of this console with exact times, or a writer with a lower bound."""

    job = Text(allow_null=True)
    requested_by = Text(allow_null=True)
    started_at = TimeField(allow_null=True)
    ended_at = TimeField(allow_null=True)
    at_least_millis = CountField(
        allow_null=True, help_text="Commit time less the earliest creation of an added file."
    )


class SnapshotDetailSerializer(SnapshotSerializer):
    """One commit with all that its file says and what follows from it."""

    lists = ManifestListRefSerializer(many=True)
    statistics = Text(allow_null=True)
    next_row_id = LongField(allow_null=True)
    properties = string_map()
    raw = Text(allow_null=True, help_text="The snapshot file as it is.")
    previous = Text(allow_null=True)
    next = Text(allow_null=True)
    partitions_touched = strings(allow_null=True)
    buckets_touched = CountField(allow_null=True)
    levels = LevelFlowSerializer(many=True, allow_null=True)
    origin = OriginSerializer()


class ShapeSerializer(Serializer):
    files = CountField()
    bytes = CountField()
    rows = CountField(help_text="Rows in files, before merging.")
    partitions = CountField()
    buckets = CountField()
    levels = CountField(help_text="Levels that hold a file.")


class FreshnessSerializer(Serializer):
    last_commit_at = TimeField(allow_null=True)
    watermark = LongField(allow_null=True)
    last_compaction_at = TimeField(allow_null=True, help_text="The newest COMPACT commit still kept.")
    waiting_rows = CountField(
        allow_null=True, help_text="Rows in level 0 that batch readers skip; null where they skip none."
    )


class ReadCostSerializer(Serializer):
    runs_mean = Float(help_text="Sorted runs a bucket.")
    runs_max = CountField()
    avoidable_files = CountField(help_text="Files above what buckets need at the target size.")
    target_bytes = CountField()


class PointerSerializer(Serializer):
    """How the latest snapshot was found. `agree` false: hint and listing name different snapshots."""

    hint = CountField(allow_null=True)
    listed = CountField(allow_null=True)
    agree = Flag()
    detail = Text(allow_null=True)


class TableSerializer(Serializer):
    """A table at one snapshot."""

    warehouse = Text()
    database = Text()
    name = Text()
    branch = Text()
    kind = choice("primary_key", "append", "other")
    bucket_mode = Text()
    buckets = Int(allow_null=True)
    format = Text()
    merge_engine = Text(allow_null=True)
    partition_keys = strings()
    primary_keys = strings()
    bucket_keys = strings()
    comment = Text(allow_null=True)
    location = Text()
    schema_id = CountField()
    fields = CountField(source="field_count")  # type: ignore[assignment]  # the reply has a member of this name
    permissions = strings()
    latest = SnapshotSerializer(allow_null=True)
    at = SnapshotSerializer(allow_null=True)
    earliest_id = CountField(allow_null=True)
    snapshots = CountField()
    shape = ShapeSerializer(allow_null=True)
    freshness = FreshnessSerializer()
    read_cost = ReadCostSerializer(allow_null=True)
    pointer = PointerSerializer()
    unsupported = UnsupportedSerializer(allow_null=True)
    active_job = Text(allow_null=True)
    branches = strings()
    tags = strings()
    problems = strings(help_text="Parts that could not be read.")


# --- commits --------------------------------------------------------------------------------------
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
    missing = Flag()


class IndexFileSerializer(Serializer):
    """An entry of the index manifest: deletion vectors or a hash index."""

    kind = Text()
    partition = Text()
    bucket = Int()
    name = Text()
    bytes = CountField()
    rows = CountField()


class ManifestListSerializer(Serializer):
    kind = choice(*LISTS)
    name = Text()
    bytes = CountField(allow_null=True)
    missing = Flag()
    problem = Text(allow_null=True)
    manifests = ManifestSerializer(many=True)
    index_files = IndexFileSerializer(many=True)


class ManifestTreeSerializer(Serializer):
    snapshot = Text()
    lists = ManifestListSerializer(many=True)


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


# --- files ----------------------------------------------------------------------------------------
class FileSerializer(Serializer):
    """A live file at the snapshot."""

    name = Text()
    path = Text()
    partition = Text()
    bucket = Int()
    total_buckets = Int()
    level = Int()
    bytes = CountField()
    rows = CountField()
    deletes = CountField(allow_null=True)
    min_key = Text(allow_null=True)
    max_key = Text(allow_null=True)
    min_sequence_number = LongField()
    max_sequence_number = LongField()
    schema_id = CountField()
    source = choice("append", "compact", allow_null=True)  # type: ignore[assignment]  # the reply has a member of this name
    created_at = TimeField(allow_null=True)
    format = Text()
    index = strings(help_text="`embedded` and the suffixes of its index files.")
    dv = Flag(help_text="Has a deletion vector.")


class FileColumnSerializer(Serializer):
    id = Int(allow_null=True)
    name = Text()
    type = Text()
    null_count = CountField(allow_null=True)
    min = Text(allow_null=True)
    max = Text(allow_null=True)


class FileDetailSerializer(FileSerializer):
    columns = FileColumnSerializer(many=True)
    extra_files = strings()
    external_path = Text(allow_null=True)
    value_stats_cols = strings(allow_null=True)
    first_row_id = LongField(allow_null=True)
    write_cols = strings(allow_null=True)
    exists = Flag(allow_null=True)
    redacted = Flag()


class CommitRefSerializer(Serializer):
    id = CountField()
    ref = Text()
    kind = choice(*SNAPSHOT_KINDS)
    committed_at = TimeField()


class HeldBySerializer(Serializer):
    tags = strings()
    snapshots = CountField()


class LineageSerializer(Serializer):
    """Where a file comes from and what still needs it, as far as kept snapshots tell."""

    name = Text()
    born = CommitRefSerializer(allow_null=True, help_text="Null: before the earliest kept snapshot.")
    removed = CommitRefSerializer(allow_null=True)
    inputs = FileChangeSerializer(many=True, help_text="Files that the same commit removed from the bucket.")
    held_by = HeldBySerializer()
    searched_from = CountField(allow_null=True)
    searched_to = CountField(allow_null=True)


class FileIndexSerializer(Serializer):
    column = Text()
    type = Text()
    bytes = CountField()
    storage = choice("manifest", "file")
    file = Text(allow_null=True)
    offset = CountField(allow_null=True)
    supported = Flag(help_text="False: carried unchanged, not used.")
    details = serializers.DictField(child=AnyField())


class FileIndexesSerializer(Serializer):
    name = Text()
    version = Int(allow_null=True)
    indexes = FileIndexSerializer(many=True)
    problem = Text(allow_null=True)


class PartitionSerializer(Serializer):
    partition = Text()
    rows = CountField()
    bytes = CountField()
    files = CountField()
    buckets = CountField()
    deletes = CountField(allow_null=True)
    runs_max = CountField()
    max_bucket_bytes = CountField()
    median_bucket_bytes = CountField()
    last_update_at = TimeField(allow_null=True)


class BucketSerializer(Serializer):
    partition = Text()
    bucket = Int()
    total_buckets = Int()
    files = CountField()
    bytes = CountField()
    rows = CountField()
    deletes = CountField(allow_null=True)
    runs = CountField()
    levels = CountField()
    l0_files = CountField()
    pressure = Float(help_text="runs / num-sorted-run.compaction-trigger")
    min_key = Text(allow_null=True)
    max_key = Text(allow_null=True)
    last_update_at = TimeField(allow_null=True)


class LsmLevelSerializer(Serializer):
    level = Int()
    runs = CountField()
    files = CountField()
    bytes = CountField()
    rows = CountField()
    deletes = CountField(allow_null=True)
    oldest_at = TimeField(allow_null=True)


class LsmFileSerializer(Serializer):
    name = Text()
    level = Int()
    lane = Int(help_text="Of level 0: 0 is the newest file.")
    lo = CountField(help_text="Index of the smallest key in `keys`.")
    hi = CountField(help_text="Index of the largest key.")
    bytes = CountField()
    rows = CountField()
    deletes = CountField(allow_null=True)
    seq = serializers.ListField(child=LongField(), min_length=2, max_length=2)
    source = choice("append", "compact", allow_null=True)  # type: ignore[assignment]  # the reply has a member of this name
    index = strings()
    dv = Flag()
    schema_id = CountField()
    created_at = TimeField(allow_null=True)


class PickSerializer(Serializer):
    """What the table's own rules would compact now."""

    reason = Text()
    files = strings()
    bytes = CountField()
    output_level = Int()


class CompactionRuleSerializer(Serializer):
    """A rule of universal compaction with what was measured."""

    name = Text()
    measured = Float(allow_null=True)
    threshold = Float()
    met = Flag()


class LsmSerializer(Serializer):
    """One bucket's levels over its key space."""

    as_of = Text()
    partition = Text()
    bucket = Int()
    total_buckets = Int()
    key_columns = strings()
    keys = strings(help_text="All distinct bounds in comparator order; `•••` each without data:read.")
    redacted = Flag()
    levels = LsmLevelSerializer(many=True)
    files = LsmFileSerializer(many=True)
    depth = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2),
        help_text="[key index, files covering from that key on]",
    )
    depth_mean = Float()
    depth_max = CountField()
    runs = CountField()
    trigger = CountField()
    stop = CountField()
    rules = CompactionRuleSerializer(many=True)
    pick = PickSerializer(allow_null=True)


class FileIndexUseSerializer(Serializer):
    column = Text()
    type = Text()
    files = CountField()
    bytes_covered = CountField()
    index_bytes = CountField(allow_null=True)
    storage = choice("manifest", "file", "both")


class CoverageSerializer(Serializer):
    column = Text()
    type = Text()
    level = Int()
    share = Float(help_text="Bytes of the level's files that have the index, 0 to 1.")


class IndexesSerializer(Serializer):
    """Every index of the table at the snapshot."""

    as_of = Text(allow_null=True)
    file_indexes = FileIndexUseSerializer(many=True)
    coverage = CoverageSerializer(many=True)
    deletion_vectors = IndexFileSerializer(many=True)
    hash_indexes = IndexFileSerializer(many=True)
    other_indexes = IndexFileSerializer(many=True)
    unread_files = CountField(help_text="Files with an index file that was not opened for this answer.")


# --- schemas --------------------------------------------------------------------------------------
class SchemaSummarySerializer(Serializer):
    id = CountField()
    created_at = TimeField()
    fields = CountField(source="field_count")  # type: ignore[assignment]  # the reply has a member of this name
    primary_keys = strings()
    partition_keys = strings()
    options_changed = strings(help_text="Option keys that differ from the schema before.")
    live_files = CountField(allow_null=True)
    live_bytes = CountField(allow_null=True)
    comment = Text(allow_null=True)
    is_latest = Flag()


class SchemaFieldSerializer(Serializer):
    """A column, or a member of one; nested ones follow their parent with a greater depth."""

    id = Int(allow_null=True)
    name = Text()
    path = Text()
    depth = Int()
    position = Int()
    type = Text()
    nullable = Flag()
    comment = Text(allow_null=True)
    default = Text(allow_null=True)
    key = Flag()
    partition = Flag()


class SchemaSerializer(Serializer):
    id = CountField()
    created_at = TimeField()
    highest_field_id = CountField()
    fields = SchemaFieldSerializer(many=True, source="field_rows")  # type: ignore[assignment]  # the reply has a member of this name
    primary_keys = strings()
    partition_keys = strings()
    bucket_keys = strings()
    options = string_map()
    comment = Text(allow_null=True)
    raw = Text(allow_null=True)


class DiffSideSerializer(Serializer):
    name = Text()
    path = Text()
    type = Text()
    nullable = Flag()
    comment = Text(allow_null=True)
    default = Text(allow_null=True)
    position = Int()
    key = Flag()


class DiffMarkSerializer(Serializer):
    kind = choice(
        "added", "dropped", "renamed", "retyped", "moved", "recreated", "nullability", "comment", "default"
    )
    detail = Text(allow_null=True, help_text="widening, narrowing or other; from → to; the other id.")


class DiffRowSerializer(FromTo):
    id = Int(allow_null=True)
    depth = Int()
    from_ = DiffSideSerializer(allow_null=True)
    to = DiffSideSerializer(allow_null=True)
    changes = DiffMarkSerializer(many=True)


class DiffSummarySerializer(Serializer):
    added = Int()
    dropped = Int()
    renamed = Int()
    retyped = Int()
    moved = Int()
    recreated = Int()


class KeysChangeSerializer(FromTo):
    from_ = strings()
    to = strings()


class TextChangeSerializer(FromTo):
    from_ = Text(allow_null=True)
    to = Text(allow_null=True)


class DiffKeysSerializer(Serializer):
    primary = KeysChangeSerializer()
    partition = KeysChangeSerializer()
    bucket = KeysChangeSerializer()


class SchemaEffectSerializer(Serializer):
    schema_id = CountField()
    live_files = CountField()
    live_bytes = CountField()
    share = Float(help_text="Of the table's live bytes, 0 to 1.")


class SchemaDiffSerializer(FromTo):
    from_ = CountField()
    to = CountField()
    summary = DiffSummarySerializer()
    rows = DiffRowSerializer(many=True)
    keys = DiffKeysSerializer()
    options = OptionChangeSerializer(many=True)
    comment = TextChangeSerializer()
    effects = SchemaEffectSerializer(many=True)


class OptionSerializer(Serializer):
    key = Text()
    value = Text(allow_null=True)
    default = Text(allow_null=True)
    is_default = Flag()
    schema_id = CountField(allow_null=True, help_text="The schema that set the present value.")
    description = Text(allow_null=True)
    type = Text(allow_null=True)
    group = Text()


# --- refs -----------------------------------------------------------------------------------------
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
