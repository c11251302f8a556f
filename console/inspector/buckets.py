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
from console.inspector.cache import in_parallel, loaded
from console.inspector.changes import delta
from console.inspector.labels import HIDDEN
from console.inspector.live import LiveFiles, live_files
from console.inspector.opening import OpenTable
from console.inspector.snapshots import committed_at
from core.binary import BinaryRow, decode_row, decode_rows
from core.compact.plan import Moment
from core.datafile.write import wall_clock_millis
from core.errors import PaimonError
from core.inspect.levels import BucketLevels, LevelFile, LevelSummary, read_levels
from core.inspect.probe import probe_key
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


MOST_CELLS = 20_000  # of a heatmap; a picture shows no more


def heatmap(opened: OpenTable, snapshot: Snapshot | None, prefix: str = "") -> dict[str, Any]:
    """The sums of all buckets in columns, one number a bucket each: the last partition first, by its values.

    Only of partitions that begin with `prefix`. A bucket has the place of its partition among `partitions`.
    Those beyond `MOST_CELLS` are left out.
    """
    table = bucket_table(opened, snapshot)
    if prefix:
        table = table.filter(pc.starts_with(table.column("partition"), prefix))
    ranks = pc.index_in(table.column("partition"), value_set=_last_first(opened, snapshot))
    by_rank = table.append_column("rank", ranks)
    order = pc.sort_indices(by_rank, sort_keys=[("rank", "ascending"), ("bucket", "ascending")])
    shown = table.take(order.slice(0, MOST_CELLS)).combine_chunks()
    partitions: Any = shown.column("partition").combine_chunks().dictionary_encode()
    columns = ("bucket", "files", "bytes", "rows", "deletes", "runs")
    return {
        "as_of": snapshot.reference if snapshot else None,
        "total": len(table),
        "partitions": partitions.dictionary.to_pylist(),
        "partition": partitions.indices.to_pylist(),
        **{name: shown.column(name).to_pylist() for name in columns},
    }


def _last_first(opened: OpenTable, snapshot: Snapshot | None) -> Any:
    """The labels of all partitions by their values, the greatest first and nulls last.

    Of masked ones by what stands in for the values, whose order would tell of them.
    """
    rows = live_files(opened, snapshot).entries.column("partition").unique()
    found: list[Any] = rows.to_pylist()  # one a partition
    labels = pa.array([opened.labels.partition(row) for row in found], pa.string())
    if opened.hides_partitions or not opened.table.schema.partition_keys:
        return labels.take(pc.sort_indices(labels, sort_keys=[("", "descending")]))
    values = decode_rows(opened.table.schema.partition_types, rows)
    names = [str(place) for place in range(len(values))]
    order = pc.sort_indices(pa.table(values, names=names), sort_keys=[(name, "descending") for name in names])
    return labels.take(order)


def with_key_ranges(
    opened: OpenTable, snapshot: Snapshot | None, rows: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The rows of a page with the smallest and largest key of their buckets."""
    if not opened.table.schema.primary_keys:
        return [{**row, "min_key": None, "max_key": None} for row in rows]
    if not tells_keys(opened):
        return [{**row, "min_key": HIDDEN, "max_key": HIDDEN} for row in rows]
    ranges = _key_ranges(opened, live_files(opened, snapshot), rows)
    return [
        {**row, **dict(zip(("min_key", "max_key"), ranges[row["partition"], row["bucket"]], strict=True))}
        for row in rows
    ]


def tells_keys(opened: OpenTable) -> bool:
    """Whether the caller is told keys of the table."""
    return opened.sight.tells_all(opened.table.schema.primary_keys)


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


def lsm(
    opened: OpenTable,
    snapshot: Snapshot | None,
    partition: str,
    bucket: int,
    since: Snapshot | None = None,
) -> dict[str, Any]:
    """The levels of a bucket over its key space; with `since`, also what came and went from then on.

    Raises:
        Problem: `not-found`, if the bucket holds no file at the snapshot.
        InvalidRequestError: an append table has no levels.
    """
    snapshot, text = _located(opened, snapshot, partition, bucket)
    key = ("lsm", *opened.cache_key(snapshot), since and since.reference, text, bucket, _moment().hour)
    levels = loaded(
        key,
        lambda: read_levels(opened.table, text, bucket, moment=_moment(), snapshot=snapshot, since=since),
        size=lambda found: 500 * (len(found.files) + len(found.removed)),
    )
    return _shown(opened, levels, partition)


def probe(
    opened: OpenTable, snapshot: Snapshot | None, partition: str, bucket: int, key: Mapping[str, str]
) -> dict[str, Any]:
    """The files of a bucket that a reader of the key would have to open, newest run first.

    Raises:
        Problem: `not-found`, as of `lsm`. InvalidRequestError: no key of the table.
    """
    snapshot, text = _located(opened, snapshot, partition, bucket)
    found = probe_key(opened.table, text, bucket, key, snapshot)
    return {
        "as_of": found.snapshot,
        "key": found.key,
        "position": found.position,
        "is_end": found.is_end,
        "belongs_to": found.belongs_to,
        "files": [
            {
                "name": file.name,
                "level": file.level,
                "may_hold": file.may_hold,
                "asked": file.asked,
                "unused": file.unused,
                "left_out": file.is_left_out,
            }
            for file in found.files
        ],
    }


MOST_SCRUBBED = 500  # commits, newest first


def commits(opened: OpenTable, partition: str, bucket: int) -> dict[str, Any]:
    """The commits that added files to a bucket or removed some, oldest first, among the newest ones."""
    ids = opened.table.snapshots.ids()[-MOST_SCRUBBED:]
    found = in_parallel(lambda i: _touching(opened, i, partition, bucket), ids)
    return {"items": [one for one in found if one is not None], "searched_from": ids[0] if ids else None}


def _touching(opened: OpenTable, snapshot_id: int, partition: str, bucket: int) -> dict[str, Any] | None:
    try:
        snapshot = opened.table.snapshots.get(snapshot_id)
        entries = delta(opened, snapshot)
    except PaimonError:
        return None  # what this commit did cannot be read; others may tell
    entries = entries.filter(pc.equal(entries.column("bucket"), bucket))
    if not len(entries):
        return None
    labels = opened.labels.partitions(entries.column("partition"))
    entries = entries.filter(pc.equal(labels, partition))
    if not len(entries):
        return None
    added = entries.adds().column("file_name").combine_chunks()
    removed = entries.deletes().column("file_name").combine_chunks()
    moved = pc.sum(pc.is_in(added, value_set=removed)).as_py() or 0  # to another level, as it is
    return {
        "id": snapshot.id,
        "ref": snapshot.reference,
        "kind": snapshot.commit_kind.value.lower(),
        "committed_at": committed_at(snapshot),
        "added": len(added) - moved,
        "removed": len(removed) - moved,
    }


def _located(
    opened: OpenTable, snapshot: Snapshot | None, partition: str, bucket: int
) -> tuple[Snapshot, str]:
    """The snapshot, and the row form of the partition that lists call `partition`."""
    live = live_files(opened, snapshot)
    buckets = live.table.column("bucket").cast(pa.string())  # a number in an address may be beyond 64 bits
    inside = pc.and_(pc.equal(live.table.column("partition"), partition), pc.equal(buckets, str(bucket)))
    files = live.entries.filter(inside)
    if snapshot is None or not len(files):
        raise Problem("not-found", kind="bucket", name=f"{partition}/{bucket}")
    fields = opened.table.schema.partition_fields
    values = decode_row([f.type for f in fields], BinaryRow.from_bytes(files.column("partition")[0].as_py()))
    return snapshot, partition_text([f.type for f in fields], values)


def _moment() -> Moment:
    now = datetime.now()
    return Moment(wall_clock_millis(now), now.hour)


def _shown(opened: OpenTable, levels: BucketLevels, partition: str) -> dict[str, Any]:
    may, picked = opened.sight.tells_all(levels.key_columns), levels.next_compaction
    return {
        "as_of": levels.snapshot,
        "partition": partition,
        "bucket": levels.bucket,
        "total_buckets": levels.total_buckets,
        "key_columns": levels.key_columns,
        "keys": levels.keys if may else [HIDDEN] * len(levels.keys),
        "places": levels.places if may else None,
        "redacted": not may,
        "levels": [_level(level) for level in levels.levels],
        "files": [_file(file) for file in levels.files],
        "added": levels.added,
        "removed": [_file(file) for file in levels.removed],
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
