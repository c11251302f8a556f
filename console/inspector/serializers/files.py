"""Data files, partitions, buckets, levels and indexes."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from console.api.fields import AnyField, CountField, LongField, TimeField, choice, string_map, strings
from console.inspector.serializers.commits import FileChangeSerializer, IndexFileSerializer, ReachSerializer
from console.inspector.serializers.shared import (
    SNAPSHOT_KINDS,
    DamageSerializer,
    Flag,
    Float,
    Int,
    Serializer,
    Text,
)


class CommitRefSerializer(Serializer):
    id = CountField()
    ref = Text()
    kind = choice(*SNAPSHOT_KINDS)
    committed_at = TimeField()


class FileColumnSerializer(Serializer):
    id = Int(allow_null=True)
    name = Text(help_text="In the schema that the file was written with.")
    name_now = Text(allow_null=True, help_text="In the present schema; null where that has no such field.")
    type = Text()
    null_count = CountField(allow_null=True)
    min = Text(allow_null=True)
    max = Text(allow_null=True)
    truncated = Flag(
        allow_null=True,
        help_text="A bound is as long as bounds get: values may be longer. Null without bounds or data:read.",
    )


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
    dv = Flag(
        allow_null=True, help_text="Has a deletion vector; null where the index manifest is not readable."
    )
    born = CommitRefSerializer(
        allow_null=True,
        help_text="Null: not asked for, or not in the newest 2,000 kept commits.",
    )
    statistics = FileColumnSerializer(
        many=True,
        allow_null=True,
        help_text="Of the columns that `stats` names, those that the file has; null: not asked for.",
    )


class FileDetailSerializer(FileSerializer):
    columns = FileColumnSerializer(many=True)
    extra_files = strings()
    external_path = Text(allow_null=True)
    value_stats_cols = strings(allow_null=True)
    first_row_id = LongField(allow_null=True)
    write_cols = strings(allow_null=True)
    exists = Flag(allow_null=True)
    problem = Text(allow_null=True)
    damage = DamageSerializer(allow_null=True)
    redacted = Flag()


class HeldBySerializer(Serializer):
    tags = strings()
    snapshots = CountField()


class LineageSerializer(Serializer):
    """Where a file comes from and what still needs it, as far as kept snapshots tell."""

    name = Text()
    born = CommitRefSerializer(allow_null=True, help_text="Null: before the earliest kept snapshot.")
    removed = CommitRefSerializer(allow_null=True)
    inputs = FileChangeSerializer(many=True, help_text="Files that the same commit removed from the bucket.")
    held_by = HeldBySerializer(help_text="In this branch.")
    reached_from = ReachSerializer(many=True, help_text="Of every branch; this one first.")
    searched_from = CountField(allow_null=True)
    searched_to = CountField(allow_null=True)


class BitsSerializer(Serializer):
    """How many of the bits of each part of an index are set."""

    of = choice("filter", "positive", "negative", "codes")
    shares = serializers.ListField(
        child=Float(),
        help_text="0 to 1: of parts of a `filter`, one after another, or of slices, the lowest bit first.",
    )


class FileIndexSerializer(Serializer):
    column = Text()
    type = Text()
    bytes = CountField()
    storage = choice("manifest", "file")
    file = Text(allow_null=True)
    offset = CountField(allow_null=True)
    supported = Flag(help_text="False: carried unchanged, not used.")
    details = serializers.DictField(child=AnyField())
    bits = BitsSerializer(many=True, help_text="Empty for a type without bits, and without data:read.")


class FileIndexesSerializer(Serializer):
    name = Text()
    version = Int(allow_null=True)
    indexes = FileIndexSerializer(many=True)
    problem = Text(allow_null=True)
    damage = DamageSerializer(allow_null=True)


class KeptSerializer(Serializer):
    files = CountField()
    bytes = CountField()


class KeptLevelSerializer(KeptSerializer):
    level = Int()


class StorageSerializer(Serializer):
    """Data files by what keeps them, each counted once. Orphans are not among them."""

    live = KeptSerializer(help_text="At the latest snapshot.")
    old_snapshots = KeptSerializer(help_text="Only of older snapshots of this branch.")
    refs = KeptSerializer(help_text="Only of tags and other branches.")
    levels = KeptLevelSerializer(many=True, help_text="The live ones.")
    searched_from = CountField(allow_null=True, help_text="The oldest snapshot that was looked at.")


class RowGroupSerializer(Serializer):
    """A row group of Parquet, a stripe of ORC, a block of Avro."""

    rows = CountField()
    offset = CountField()
    bytes = CountField(help_text="Packed.")
    raw_bytes = CountField(allow_null=True, help_text="Unpacked; null where the format does not say.")


class FooterColumnSerializer(Serializer):
    """A leaf column of Parquet, a column of ORC and Avro; null is what the format does not say."""

    name = Text()
    type = Text()
    codec = Text(allow_null=True)
    encodings = strings()
    bytes = CountField(allow_null=True)
    raw_bytes = CountField(allow_null=True)
    null_count = CountField(allow_null=True)
    min = Text(allow_null=True)
    max = Text(allow_null=True)


class FooterSerializer(Serializer):
    format = Text()
    writer = Text(allow_null=True)
    version = Text(allow_null=True)
    rows = CountField()
    codec = Text()
    footer_bytes = CountField(allow_null=True)
    group_count = CountField()
    groups = RowGroupSerializer(many=True, help_text="The first thousand.")
    columns = FooterColumnSerializer(many=True, help_text="Over all row groups, or of the one asked for.")
    properties = string_map()


class FileFooterSerializer(Serializer):
    """What a data file says of itself."""

    name = Text()
    footer = FooterSerializer(allow_null=True)
    redacted = Flag()
    problem = Text(allow_null=True)
    damage = DamageSerializer(allow_null=True)


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
    done = Flag(
        allow_null=True,
        help_text="Its directory holds a `_SUCCESS` file, or the catalog was told that it is done; null: not "
        "asked for, or neither says.",
    )
    done_at = TimeField(
        allow_null=True, help_text="When the `_SUCCESS` file was last written, if it says so."
    )
    done_by = serializers.ListField(
        child=choice("file", "catalog"), help_text="What says so: the `_SUCCESS` file, the catalog, or both."
    )
    history = serializers.ListField(
        child=CountField(),
        allow_null=True,
        help_text="Its bytes after each of the newest commits, the oldest first; null: not asked for.",
    )


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


def _counts(**options: Any) -> serializers.ListField:
    return serializers.ListField(child=CountField(**options))


class HeatmapSerializer(Serializer):
    """One number a bucket in each list, the last partition first; `partition` is a place in `partitions`."""

    as_of = Text(allow_null=True)
    total = CountField(help_text="Of buckets; lists that are shorter leave the last ones out.")
    partitions = strings(help_text="Each partition once.")
    partition = _counts()
    bucket = serializers.ListField(child=Int())
    files = _counts()
    bytes = _counts()
    rows = _counts()
    deletes = _counts(allow_null=True)
    runs = _counts()


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
    places = serializers.ListField(
        child=Float(),
        allow_null=True,
        help_text="Of each key, by the value of its first column between the least (0) and the greatest (1); "
        "null where that is no number or time, and without data:read.",
    )
    redacted = Flag()
    levels = LsmLevelSerializer(many=True)
    files = LsmFileSerializer(many=True)
    added = strings(help_text="Of the files: those that the bucket did not have at `since`.")
    removed = LsmFileSerializer(many=True, help_text="Files that it had then and has no more.")
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


class KeyProbeQuerySerializer(Serializer):
    """One key of the table, the text of each of its columns but those of the partition."""

    key = string_map()
    at = Text(required=False, allow_null=True, max_length=300)
    branch = Text(default="main", max_length=255)


class ProbedFileSerializer(Serializer):
    """A file whose key range holds the key."""

    name = Text()
    level = Int()
    may_hold = Flag(help_text="False: an index says no, or a batch read leaves the file out.")
    asked = strings(help_text="The indexes that were asked, as `bloom-filter(id)`.")
    unused = strings(help_text="Why others were not.")
    left_out = Flag(help_text="A batch read does not look at level 0 of this table.")


class KeyProbeSerializer(Serializer):
    """Where a key may be, by metadata and file indexes; newest run first, as a reader prefers them."""

    as_of = Text()
    key = Text()
    position = Int(help_text="Index in `keys` of the levels: of the first key that is not smaller.")
    is_end = Flag(help_text="Whether that is the key itself.")
    belongs_to = Int(allow_null=True, help_text="The bucket of the key; null: the table does not hash keys.")
    files = ProbedFileSerializer(many=True)


class BucketCommitSerializer(Serializer):
    id = CountField()
    ref = Text()
    kind = choice(*SNAPSHOT_KINDS)
    committed_at = TimeField()
    added = CountField()
    removed = CountField()


class BucketCommitsSerializer(Serializer):
    """The commits that changed a bucket, oldest first."""

    items = BucketCommitSerializer(many=True)
    searched_from = CountField(allow_null=True, help_text="The oldest snapshot that was looked at.")


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


class GlobalIndexSerializer(Serializer):
    """The columns and the row ids that a global index covers."""

    columns = strings(help_text="Names in the present schema, else `#id`; the indexed one first.")
    first_row_id = LongField()
    last_row_id = LongField(help_text="Included.")


class TableIndexSerializer(IndexFileSerializer):
    """An index file of the table, and what is wrong with it."""

    files = CountField(allow_null=True, help_text="Of deletion vectors: the data files that have one.")
    deleted_rows = CountField(allow_null=True, help_text="Null where the writer did not say.")
    global_index = GlobalIndexSerializer(allow_null=True, help_text="Null: it is no global one.")
    problem = Text(allow_null=True)
    damage = DamageSerializer(allow_null=True)


class VectorBucketSerializer(Serializer):
    """What deletion vectors take from one bucket."""

    partition = Text()
    bucket = Int()
    index_files = CountField()
    index_bytes = CountField()
    files = CountField(help_text="Data files that have a vector.")
    live_files = CountField()
    deleted_rows = CountField(allow_null=True, help_text="Null where the writer did not say.")
    rows = CountField(help_text="Of all live files of the bucket, deleted ones among them.")


class VectorSerializer(Serializer):
    """The deletion vector of one data file, and where it lies in its index file."""

    data_file = Text()
    offset = CountField()
    bytes = CountField()
    bits = Int(allow_null=True, help_text="32 or 64, its form; null where it could not be read.")
    deleted_rows = CountField(allow_null=True)
    rows = CountField(allow_null=True, help_text="Of the data file; null where that is not live.")
    parts = serializers.ListField(
        child=CountField(),
        help_text="Rows that it deletes in each of up to 64 equal parts of the data file; empty "
        "where either is not known.",
    )


class TableIndexDetailSerializer(IndexFileSerializer):
    """An index file, with each deletion vector in it."""

    path = Text()
    vectors = VectorSerializer(many=True)
    problem = Text(allow_null=True)
    damage = DamageSerializer(allow_null=True)


class IndexesSerializer(Serializer):
    """Every index of the table at the snapshot."""

    as_of = Text(allow_null=True)
    file_indexes = FileIndexUseSerializer(many=True)
    coverage = CoverageSerializer(many=True)
    deletion_vectors = TableIndexSerializer(many=True)
    vector_buckets = VectorBucketSerializer(many=True, help_text="The same by bucket; others have none.")
    hash_indexes = TableIndexSerializer(many=True)
    other_indexes = TableIndexSerializer(many=True)
    unread_files = CountField(help_text="Files with an index file that was not opened for this answer.")
    damages = DamageSerializer(many=True, help_text="Indexes that are there and cannot be read.")
