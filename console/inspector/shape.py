"""What a bucket's files say of the cost of reading it. Pure: columns in, numbers out. Design: 3.5, 11."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from core.options import (
    DELETION_VECTORS_ENABLED,
    DELETION_VECTORS_MERGE_ON_READ,
    MERGE_ENGINE,
    TARGET_FILE_SIZE,
    MergeEngine,
    TableOptions,
)
from core.schema import TableSchema

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

MIB = 1024 * 1024
TARGET_PRIMARY_KEY, TARGET_APPEND = 128 * MIB, 256 * MIB


def target_bytes(schema: TableSchema, options: TableOptions) -> int:
    """The size that data files should have."""
    return options.get(TARGET_FILE_SIZE) or (TARGET_PRIMARY_KEY if schema.primary_keys else TARGET_APPEND)


def skips_level_0(schema: TableSchema, options: TableOptions) -> bool:
    """Whether batch readers do not see what is in level 0."""
    if not schema.primary_keys:
        return False
    vectors = options.get(DELETION_VECTORS_ENABLED) and not options.get(DELETION_VECTORS_MERGE_ON_READ)
    return vectors or options.get(MERGE_ENGINE) is MergeEngine.FIRST_ROW


def sum_buckets(files: pa.Table, *, is_append: bool) -> pa.Table:
    """One row a bucket: files, bytes, rows, deletes, level-0 files, levels, runs, newest creation.

    `files` has the columns of `live.LiveFiles.table`. Every level-0 file is a sorted run, every
    other level that holds files is one. Files of an append table are read one after the other: the
    bucket counts as one run.
    """
    level0 = pc.equal(files.column("level"), 0)
    keyed = files.append_column("l0", pc.cast(level0, pa.int64()))
    sums = keyed.group_by(["partition", "bucket"]).aggregate(
        [("bytes", "count"), ("bytes", "sum"), ("rows", "sum"), ("deletes", "sum"), ("l0", "sum"),
         ("level", "count_distinct"), ("created_at", "max"), ("total_buckets", "max"), ("deletes", "count")]
    )  # fmt: skip
    names = {
        "bytes_count": "files", "bytes_sum": "bytes", "rows_sum": "rows", "deletes_sum": "deletes",
        "l0_sum": "l0_files", "level_count_distinct": "levels", "created_at_max": "last_update_at",
        "total_buckets_max": "total_buckets", "deletes_count": "known_deletes",
    }  # fmt: skip
    table = sums.rename_columns([names.get(name, name) for name in sums.column_names])
    l0, levels = table.column("l0_files").to_numpy(), table.column("levels").to_numpy()
    runs = np.ones(len(table), dtype=np.int64) if is_append else l0 + levels - (l0 > 0)
    # a sum over files of which some do not tell is not known
    known = pc.equal(table.column("known_deletes"), table.column("files"))
    deletes = pc.if_else(known, table.column("deletes"), pa.scalar(None, pa.int64()))
    return (
        table.drop_columns(["known_deletes", "deletes"])
        .append_column("deletes", deletes)
        .append_column("runs", pa.array(runs))
    )


def sum_partitions(buckets: pa.Table) -> pa.Table:
    """One row a partition, of what `sum_buckets` gives; the median is the upper one of an even number."""
    ordered = buckets.sort_by([("partition", "ascending"), ("bytes", "ascending")])
    sums = ordered.group_by("partition", use_threads=False).aggregate(
        [("rows", "sum"), ("bytes", "sum"), ("bytes", "max"), ("files", "sum"), ("bucket", "count"),
         ("deletes", "sum"), ("deletes", "count"), ("runs", "max"), ("last_update_at", "max")]
    )  # fmt: skip
    names = {
        "rows_sum": "rows", "bytes_sum": "bytes", "bytes_max": "max_bucket_bytes", "files_sum": "files",
        "bucket_count": "buckets", "deletes_sum": "deletes", "deletes_count": "known_deletes",
        "runs_max": "runs_max", "last_update_at_max": "last_update_at",
    }  # fmt: skip
    table = sums.rename_columns([names.get(name, name) for name in sums.column_names])
    count = table.column("buckets").to_numpy()
    median = ordered.column("bytes").take(pa.array(np.cumsum(count) - count + count // 2))
    known = pc.equal(table.column("known_deletes"), table.column("buckets"))
    deletes = pc.if_else(known, table.column("deletes"), pa.scalar(None, pa.int64()))
    return (
        table.drop_columns(["known_deletes", "deletes"])
        .append_column("deletes", deletes)
        .append_column("median_bucket_bytes", median)
    )


def avoidable_files(buckets: pa.Table, target: int) -> int:
    """Files above what the buckets would need if every file had the target size."""
    files, size = buckets.column("files").to_numpy(), buckets.column("bytes").to_numpy()
    needed = np.maximum(1, -(-size // target))
    return int(np.maximum(0, files - needed).sum())
