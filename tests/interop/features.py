"""What a writer of Paimon can be asked for, and the tables by which real Paimon reads it back: one table.

`test_features.py` holds that every case named is there and asks for its feature; and none is without one.
Cases are those of `cases.py`, read by `test_write_readback.py`; `changes.` are the tables of
`test_compaction_readback.py`, `maintained.` those of `test_maintenance.py`, where real Paimon reads, writes
to and expires what an action of maintenance left; `migrated.` those of `test_migrate.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Feature:
    """One feature, the options by which a table asks for it, and the cases that show it."""

    name: str
    cases: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)  # that every one of the cases has


def feature(name: str, *cases: str, **options: str) -> Feature:
    """A feature; options are spelled with `_` for `-` and `__` for `.`."""
    return Feature(name, cases, {k.replace("__", ".").replace("_", "-"): v for k, v in options.items()})


WRITERS = (
    feature("append without buckets", "append", "append_packed", "append_types", bucket="-1"),
    feature("append to fixed buckets", "append_buckets", bucket_key="id"),
    feature("append to partitions", "append_parts"),
    feature("primary key, fixed buckets", "pk", "pk_buckets", "pk_keys", "pk_types", "pk_types_merged"),
    feature("bucket function mod", "pk_mod_buckets", "append_mod_buckets", bucket_function__type="mod"),
    feature("dynamic buckets", "pk_dynamic", "pk_dynamic_parts", "pk_dynamic_truncated", bucket="-1"),
    feature(
        "keys that move between partitions",
        "pk_cross_partition",
        "pk_cross_partition_overwritten",
        bucket="-1",
    ),
    feature("row kinds", "pk_row_kinds", "pk_row_kinds_compacted"),
    feature("some columns of a row", "pk_some_columns", "append_some_columns"),
    feature("sort, spill and roll", "pk_rolled", "pk_spilled", "append_spilled"),
    feature("orc", "append_orc", "pk_orc", file__format="orc"),
    feature("avro", "append_avro", file__format="avro"),
    feature("formats and codecs by level", "pk_formats_by_level"),
    feature("codec lz4", "append_lz4", file__compression="lz4"),
    feature("no statistics", "pk_statistics_none", metadata__stats_mode="none"),
    feature("counts alone", "pk_statistics_counts", metadata__stats_mode="counts"),
    feature("full statistics", "pk_statistics_full", metadata__stats_mode="full"),
    feature("truncated statistics", "pk_statistics_truncated", metadata__stats_mode="truncate(3)"),
    feature("statistics of a column", "pk_statistics_of_a_column", fields__b__stats_mode="full"),
    feature(
        "statistics of the first columns",
        "pk_statistics_first_columns",
        metadata__stats_keep_first_n_columns="2",
    ),
    feature("statistics of all columns, none of them known", "pk_statistics_sparse"),
    feature("file indexes", "append_indexed", "pk_indexed"),
    feature("thin files", "pk_thin", "pk_types_thin", data_file__thin_mode="true"),
    feature("row ids", "append_row_ids", row_tracking__enabled="true"),
    feature("manifests merged", "pk_merged_manifests", "pk_many_manifests"),
    feature("overwrite, static and dynamic", "append_overwritten", "pk_overwritten", "pk_overwritten_whole"),
    feature("partitions dropped", "append_dropped", "pk_dropped"),
    feature("copy on write", "changed_append", "changed_append_buckets"),
    feature(
        "rows marked as deleted",
        "changed_append_vectors",
        "changed_append_buckets_vectors",
        deletion_vectors__enabled="true",
    ),
    feature("rows changed by key", "changed_pk", "changed_pk_dynamic"),
    feature("rows with ids changed", "append_ids_changed", "append_ids_marked", row_tracking__enabled="true"),
    feature(
        "some columns of rows with ids changed",
        "columns_changed",
        "columns_marked",
        "columns_joined",
        data_evolution__enabled="true",
    ),
    feature("rows of other merge engines changed", "partial_changed", "first_row_deleted"),
    feature("write-only", "pk_write_only", write_only="true"),
    feature("schema of incoming rows merged", "append_schema_merged", "pk_schema_merged"),
)
MIGRATED = (feature("files of other engines", *(f"migrated.{kind}" for kind in ("parquet", "orc", "avro"))),)
COMPACTION = (
    feature("full", "pk_compacted"),
    feature("minor", "pk_minor"),
    feature("small append files packed", "append_types_packed"),
    feature("rolled back", "pk_rewound"),
    feature("expired rows left out", "pk_rows_expired", record_level__expire_time="1 d"),
    feature("sorted by columns", "append_sorted", "append_sorted_vectors", bucket="-1"),
    feature("sorted along a curve", "append_zordered", "append_hilbert", bucket="-1"),
    feature("rows keep their ids", "append_ids_packed", "append_ids_sorted", row_tracking__enabled="true"),
    feature("files of some columns joined", "columns_joined", data_evolution__enabled="true"),
    feature("clustered a part at a time", "append_clustered", clustering__incremental="true"),
)
REWRITES = (
    feature("sorted by columns", "append_sorted", "append_ids_sorted"),
    feature("sorted along a curve", "append_zordered", "append_hilbert"),
    feature(
        "sorted without the rows that are marked", "append_sorted_vectors", deletion_vectors__enabled="true"
    ),
    feature("row ids kept", "append_ids_packed", "append_ids_sorted", row_tracking__enabled="true"),
    feature("buckets rescaled", "append_rescaled", "pk_rescaled", "pk_rescaled_parts", "pk_rescaled_vectors"),
    feature("file indexes rewritten", "append_indexed_later", "pk_indexed_later"),
)
MERGING = (
    feature("partial-update", "changes.partial", "changes.groups", merge_engine="partial-update"),
    feature("aggregation", "changes.sums", merge_engine="aggregation"),
    feature("first-row", "changes.first", merge_engine="first-row"),
    feature("sequence.field", "changes.ordered", sequence__field="g,w"),
    feature("ignore-delete", "changes.ignoring", ignore_delete="true"),
    feature("changelog of the input", "changes.input", changelog_producer="input"),
    feature(
        "changelog by lookup",
        *(f"changes.lookup{name}" for name in ("", "_equal", "_ordered", "_partial", "_sums", "_first")),
        changelog_producer="lookup",
    ),
    feature(
        "changelog by full compaction",
        "changes.full",
        "changes.full_sums",
        changelog_producer="full-compaction",
    ),
    feature(
        "deletion vectors",
        "changes.marked",
        "changes.marked_lookup",
        "changes.marked_sums",
        deletion_vectors__enabled="true",
    ),
)


def action(name: str, *ways: str) -> Feature:
    """An action of `lakescope maintain`, and the tables of `maintained.py` that have been through it."""
    return Feature(name, tuple(f"maintained.{way}" for way in ways))


MAINTENANCE = (
    action("expire-snapshots", "expired", "expired_with_tags"),
    action("expire-changelogs", "changelogs"),
    action("remove-orphan-files", "cleaned", "branched"),
    *(action(f"{name}-tag", "expired_with_tags") for name in ("create", "replace", "rename")),
    action("delete-tags", "expired_with_tags"),
    action("expire-tags", "tags_of_themselves"),
    action("auto-tags", "tags_of_themselves"),
    action("create-branch", "branched"),
    action("rename-branch", "branched"),
    action("delete-branch", "forwarded"),
    action("fast-forward", "forwarded"),
    *(action(name, "consumed") for name in ("reset-consumer", "clear-consumers", "expire-consumers")),
    action("rollback", "cleaned", "rolled_back_to_a_time"),
    action("restore", "restored"),
    action("drop-partitions", "partitions_gone"),
    action("mark-partitions-done", "partitions_gone"),
    action("expire-partitions", "partitions_expired"),
    action("analyze", "analyzed"),
    action("compact-manifests", "manifests_compacted"),
    action("rescale", "rescaled"),
    action("remove-missing-files", "mended"),
    action("repair-hints", "mended"),
    action("purge", "purged"),
    feature(
        "compact",
        *("pk_compacted", "pk_minor", "append_packed", "append_sorted", "append_clustered", "columns_joined"),
    ),
    feature("rewrite-file-index", "append_indexed_later", "pk_indexed_later"),
)
FEATURES = (*WRITERS, *MIGRATED, *COMPACTION, *REWRITES, *MERGING, *MAINTENANCE)

_NO_THIN_FILES = "Java 0.9.0 knows no thin files"
_NO_EVOLUTION = "Java 0.9.0 knows no files of some columns"
UNREADABLE: Mapping[tuple[str, str], str] = {  # by peer and case: why it cannot be asked
    **{("java", f"columns_{name}"): _NO_EVOLUTION for name in ("changed", "marked", "joined")},
    ("java", "pk_thin"): _NO_THIN_FILES,
    ("java", "pk_types_thin"): _NO_THIN_FILES,
}
_WAITS = "what pypaimon 2.1.0 writes waits on level 0, where nobody sees it"
_NINE_DIGITS = "pypaimon 2.1.0 cuts TIMESTAMP(9) off where it merges"
_KEYS_MOVE = "pypaimon 2.1.0 does not know where keys live"
UNWRITABLE: Mapping[tuple[str, str], str] = {  # and why it reads the case, and cannot go on with it
    ("java", "pk_orc"): "Java writes the last second before 1970 into ORC a second late (docs/spec-notes.md)",
    ("pypaimon", "pk_cross_partition"): _KEYS_MOVE,
    ("pypaimon", "pk_cross_partition_overwritten"): _KEYS_MOVE,
    ("pypaimon", "append_avro"): "pypaimon 2.1.0 writes no maps into Avro",
    **{("pypaimon", name): _NINE_DIGITS for name in ("pk_types", "pk_types_merged", "pk_types_thin")},
    **{("pypaimon", name): _WAITS for name in ("pk_rescaled_vectors", "first_row_deleted")},
}
