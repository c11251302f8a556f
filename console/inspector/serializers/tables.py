"""A table in lists and on its own, and its snapshots."""

from __future__ import annotations

from rest_framework import serializers

from console.api.fields import CountField, LongField, TimeField, choice, string_map, strings
from console.inspector.serializers.shared import (
    LISTS,
    SNAPSHOT_KINDS,
    DamageSerializer,
    Flag,
    Float,
    Int,
    Serializer,
    Text,
)


class UnsupportedSerializer(Serializer):
    """Why rows of the table are not read or written here."""

    feature = Text()
    where = Text(allow_null=True)


class TableSummarySerializer(Serializer):
    """A table in a list: its shape as last measured; null where it never was."""

    warehouse = Text()
    database = Text()
    name = Text()
    type = Text(
        allow_null=True,
        help_text="table, materialized-table, format-table, object-table, lance-table, iceberg-table; view.",
    )
    kind = choice("primary_key", "append", "other", allow_null=True)
    bucket_mode = Text(allow_null=True, help_text="fixed, dynamic, unaware, postpone or cross_partition")
    buckets = Int(allow_null=True)
    partition_keys = strings(allow_null=True)
    rows = CountField(allow_null=True, help_text="Rows in files, before merging.")
    rows_delta = Int(allow_null=True, help_text="Of the last commit; null where its snapshot does not say.")
    bytes = CountField(allow_null=True)
    files = CountField(allow_null=True)
    partitions = CountField(allow_null=True)
    snapshot = Text(allow_null=True)
    snapshots = CountField(allow_null=True)
    last_commit_at = TimeField(allow_null=True)
    commits_24h = serializers.ListField(
        child=CountField(),
        allow_null=True,
        help_text="Commits of each of the last 24 hours, the present one last.",
    )
    owner = Text(allow_null=True, help_text="As the catalog says, else the option `owner`.")
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
    partitions = CountField(allow_null=True, help_text="How many it touched.")
    watermark = LongField(allow_null=True)
    tags = strings()
    consumers = strings()
    job = Text(allow_null=True)
    writer_version = Text(allow_null=True)
    is_latest = Flag()
    problem = Text(allow_null=True, help_text="What could not be read of this commit.")
    damage = DamageSerializer(allow_null=True)


class ManifestListRefSerializer(Serializer):
    kind = choice(*LISTS)
    name = Text()
    bytes = CountField(allow_null=True)


class LevelFlowSerializer(Serializer):
    level = Int()
    files_removed = CountField()
    bytes_removed = CountField()
    rows_removed = CountField()
    files_added = CountField()
    bytes_added = CountField()
    rows_added = CountField()


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
    previous_at = TimeField(allow_null=True)
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
        allow_null=True,
        help_text="Rows that batch readers see only after a compaction; 0 where they read level 0; "
        "null where the manifests cannot be read.",
    )


class ReadCostSerializer(Serializer):
    runs_mean = Float(help_text="Sorted runs a bucket.")
    runs_max = CountField()
    avoidable_files = CountField(help_text="Files above what buckets need at the target size.")
    target_bytes = CountField()
    indexed_bytes = CountField(help_text="Bytes of files that have a file index.")


class RetentionSerializer(Serializer):
    """Which snapshots the options of a table keep at this moment; nulls where that is not known."""

    first_kept = CountField(allow_null=True, help_text="All before it may go. Null: there is no snapshot.")
    expirable = CountField(allow_null=True, help_text="How many snapshots that is.")
    held_by = strings(help_text="Consumers without which more could go.")
    retain_min = CountField(allow_null=True)
    retain_max = CountField(allow_null=True)
    retain_millis = CountField(allow_null=True, help_text="snapshot.time-retained")
    at_once = CountField(allow_null=True, help_text="How many one expiration lets go.")
    problem = Text(allow_null=True, help_text="Why it is not known: options, or a damaged snapshot.")


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
    type = Text(help_text="As the option `type`: table, materialized-table, format-table, …")
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
    problems = strings(help_text="Parts that could not be read: the sentences of `damages`.")
    damages = DamageSerializer(many=True)
