"""Partitions, buckets, and the levels of one bucket over its key space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from console.api.errors import Problem
from console.inspector import shape
from console.inspector.cache import loaded
from console.inspector.labels import HIDDEN
from console.inspector.live import LiveFiles, live_files
from console.inspector.opening import OpenTable
from core.binary import BinaryRow, decode_row
from core.compact.plan import Moment
from core.datafile.write import wall_clock_millis
from core.inspect.levels import BucketLevels, LevelFile, LevelSummary, read_levels
from core.options import NUM_SORTED_RUN_TRIGGER
from core.partition import partition_text
from core.snapshot import Snapshot
from core.types import DataField

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time


def bucket_table(opened: OpenTable, snapshot: Snapshot | None) -> pa.Table:
    """The sums of each bucket at the snapshot."""
    files = live_files(opened, snapshot).table
    return shape.sum_buckets(files, is_append=not opened.table.schema.primary_keys)


def partitions(opened: OpenTable, snapshot: Snapshot | None) -> pa.Table:
    """The sums of each partition."""
    return shape.sum_partitions(bucket_table(opened, snapshot))


def buckets(opened: OpenTable, snapshot: Snapshot | None) -> pa.Table:
    """The sums of each bucket, with its pressure and an id that orders as partition and bucket do."""
    table = bucket_table(opened, snapshot)
    start = opened.table.options.get(NUM_SORTED_RUN_TRIGGER) if opened.table.schema.primary_keys else None
    runs = table.column("runs").to_numpy()
    pressure = np.zeros(len(table)) if start is None else runs / start
    digits = pc.utf8_lpad(pc.cast(table.column("bucket"), pa.string()), 10, "0")
    ids = pc.binary_join_element_wise(table.column("partition"), digits, "/")
    return table.append_column("id", ids).append_column("pressure", pa.array(pressure))


def with_key_ranges(
    opened: OpenTable, snapshot: Snapshot | None, rows: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The rows of a page with the smallest and largest key of their buckets."""
    if not opened.table.schema.primary_keys:
        return [{**row, "min_key": None, "max_key": None} for row in rows]
    if not opened.may_read_data:
        return [{**row, "min_key": HIDDEN, "max_key": HIDDEN} for row in rows]
    ranges = _key_ranges(opened, live_files(opened, snapshot), rows)
    return [
        {**row, **dict(zip(("min_key", "max_key"), ranges[row["partition"], row["bucket"]], strict=True))}
        for row in rows
    ]


def _key_ranges(
    opened: OpenTable, live: LiveFiles, rows: Sequence[Mapping[str, Any]]
) -> dict[tuple[str, int], tuple[str, str]]:
    """The range of each of the rows' buckets, as texts."""
    wanted = pa.array([f"{row['partition']}/{row['bucket']}" for row in rows], pa.string())
    places = pc.binary_join_element_wise(
        live.table.column("partition"), live.table.column("bucket").cast(pa.string()), "/"
    )
    inside = pc.is_in(places, value_set=wanted)
    files = live.table.filter(inside)
    keys = live.entries.table.select(["min_key", "max_key"]).filter(inside).to_pylist()
    found: dict[tuple[str, int], list[Any]] = {}
    for file, key in zip(files.select(["partition", "bucket", "schema_id"]).to_pylist(), keys, strict=True):
        fields = opened.labels.key_fields(file["schema_id"])
        low, high = _decoded(fields, key["min_key"]), _decoded(fields, key["max_key"])
        kept = found.setdefault((file["partition"], file["bucket"]), [low, high, fields])
        kept[0], kept[1] = min(kept[0], low), max(kept[1], high)
    text = opened.labels.values_text
    return {place: (text(fields, a), text(fields, b)) for place, (a, b, fields) in found.items()}


def _decoded(fields: tuple[DataField, ...], serialized: bytes) -> tuple[Any, ...]:
    return decode_row([field.type for field in fields], BinaryRow.from_bytes(serialized))


def lsm(opened: OpenTable, snapshot: Snapshot | None, partition: str, bucket: int) -> dict[str, Any]:
    """The levels of a bucket over its key space.

    Raises:
        Problem: `not-found`, if the bucket holds no file at the snapshot.
        InvalidRequestError: an append table has no levels.
    """
    live = live_files(opened, snapshot)
    buckets = live.table.column("bucket").cast(pa.string())  # a number in an address may be beyond 64 bits
    inside = pc.and_(pc.equal(live.table.column("partition"), partition), pc.equal(buckets, str(bucket)))
    files = live.entries.filter(inside)
    if snapshot is None or not len(files):
        raise Problem("not-found", kind="bucket", name=f"{partition}/{bucket}")
    fields = opened.table.schema.partition_fields
    values = decode_row([f.type for f in fields], BinaryRow.from_bytes(files.column("partition")[0].as_py()))
    text = partition_text([f.type for f in fields], values)
    key = ("lsm", *opened.cache_key(snapshot), text, bucket, _moment().hour)
    levels = loaded(
        key,
        lambda: read_levels(opened.table, text, bucket, moment=_moment(), snapshot=snapshot),
        size=lambda found: 500 * len(found.files),
    )
    return _shown(opened, levels, partition)


def _moment() -> Moment:
    now = datetime.now()
    return Moment(wall_clock_millis(now), now.hour)


def _shown(opened: OpenTable, levels: BucketLevels, partition: str) -> dict[str, Any]:
    may, picked = opened.may_read_data, levels.next_compaction
    return {
        "as_of": levels.snapshot,
        "partition": partition,
        "bucket": levels.bucket,
        "total_buckets": levels.total_buckets,
        "key_columns": levels.key_columns,
        "keys": levels.keys if may else [HIDDEN] * len(levels.keys),
        "redacted": not may,
        "levels": [_level(level) for level in levels.levels],
        "files": [_file(file) for file in levels.files],
        "depth": levels.depth,
        "depth_mean": levels.mean_depth,
        "depth_max": levels.max_depth,
        "runs": levels.runs,
        "trigger": levels.trigger,
        "stop": levels.stop,
        "rules": [
            {"name": r.name, "measured": r.measured, "threshold": r.threshold, "met": r.is_met}
            for r in levels.rules
        ],
        "pick": None
        if picked is None
        else {
            "reason": picked.reason,
            "files": picked.files,
            "bytes": picked.size,
            "output_level": picked.output_level,
        },
    }


def _level(level: LevelSummary) -> dict[str, Any]:
    return {
        "level": level.level,
        "runs": level.runs,
        "files": level.files,
        "bytes": level.size,
        "rows": level.rows,
        "deletes": level.deletes,
        "oldest_at": level.oldest_creation_millis,
    }


def _file(file: LevelFile) -> dict[str, Any]:
    return {
        "name": file.name,
        "level": file.level,
        "lane": file.lane,
        "lo": file.lo,
        "hi": file.hi,
        "bytes": file.size,
        "rows": file.rows,
        "deletes": file.deletes,
        "seq": [file.min_sequence_number, file.max_sequence_number],
        "source": file.source,
        "index": file.indexes,
        "dv": file.has_deletion_vector,
        "schema_id": file.schema_id,
        "created_at": file.creation_time_millis,
    }
