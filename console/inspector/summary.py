"""A table in one view: what it is, where it stands, how fresh it is, what reading it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from console.accounts.roles import Permission
from console.api.damage import Damage, Pointer
from console.inspector import shape
from console.inspector.buckets import bucket_table
from console.inspector.cache import in_parallel, loaded
from console.inspector.damages import explain
from console.inspector.live import live_files
from console.inspector.opening import OpenTable
from console.inspector.pointers import pointer
from console.inspector.snapshots import committed_at, describe
from console.jobs.models import Lease
from core.errors import PaimonError
from core.io.paths import MAIN_BRANCH
from core.options import BUCKET, FILE_FORMAT, MERGE_ENGINE, TableOptions
from core.read.support import unread_features
from core.schema import TableSchema
from core.schema.table_type import table_type_name
from core.snapshot import CommitKind, Snapshot

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

COMPACTIONS_LOOKED_FOR = 200  # snapshots, newest first
_AT_ONCE = 50  # of them
_TIME_SIZE = 100  # bytes, about, of what is kept of them


def table_kind(schema: TableSchema) -> str:
    return "primary_key" if schema.primary_keys else "append"


def bucket_mode(schema: TableSchema) -> str:
    """How rows find their bucket: fixed, unaware, dynamic, cross_partition or postpone."""
    count = TableOptions(schema.options).get(BUCKET)
    if count > 0:
        return "fixed"
    if count == -2:
        return "postpone"
    if not schema.primary_keys:
        return "unaware"
    return "cross_partition" if schema.is_cross_partition else "dynamic"


def describe_table(
    opened: OpenTable, find: Callable[[], Snapshot | None], *, permissions: Iterable[Permission]
) -> dict[str, Any]:
    """The table at the snapshot that `find` gives; parts that cannot be read are null and in `problems`."""
    table, schema = opened.table, opened.table.schema
    parts = _Parts(opened)
    at = parts.read(find)
    latest = parts.read(table.snapshots.latest)
    buckets = parts.read(lambda: bucket_table(opened, at), at) if at else None
    parts.damages += _lost_schemas(opened, at) if buckets is not None else []
    shown = {s.reference: d for s, d in _described(opened, parts, at, latest)}
    ids = table.snapshots.ids()
    return {
        **_identity(opened, schema),
        "permissions": sorted(permissions),
        "latest": shown.get(latest.reference) if latest else None,
        "at": shown.get(at.reference) if at else None,
        "earliest_id": ids[0] if ids else None,
        "snapshots": len(ids),
        "shape": _shape(opened, at, buckets) if buckets is not None else None,
        "freshness": _freshness(opened, latest, at if buckets is not None else None),
        "read_cost": _read_cost(opened, at, buckets) if buckets is not None else None,
        "pointer": pointer(opened),
        "unsupported": unsupported(schema),
        "active_job": active_job(opened),
        "branches": [MAIN_BRANCH, *(parts.read(table.branches.names) or [])],
        "tags": parts.read(table.tags.names) or [],
        "problems": [damage.sentence() for damage in parts.damages],
        "damages": [damage.shown() for damage in parts.damages],
    }


class _Parts:
    """Reads parts of a page; one that fails is noted once, and the page goes on without it."""

    def __init__(self, opened: OpenTable) -> None:
        self._opened = opened
        self.damages: list[Damage] = []

    def read(self, load: Any, at: Snapshot | None = None) -> Any:
        """The part; None where it cannot be read at the snapshot."""
        try:
            return load()
        except PaimonError as error:
            if str(error.fields.get("path")) not in {damage.path for damage in self.damages}:
                self.damages.append(explain(self._opened, error, at))
            return None


def _lost_schemas(opened: OpenTable, at: Snapshot | None) -> list[Damage]:
    """Schemas that live files were written with and that are not there, and an index manifest that is not."""
    live, schemas = live_files(opened, at), opened.table.schemas
    kept = schemas.ids()
    written: list[int] = pc.unique(live.table.column("schema_id")).to_pylist()
    lost = [
        Damage("missing", "schema", str(i), opened.paths.schema_file(i))
        .named(Pointer("data_file", _first_of_schema(live.table, i)))
        for i in sorted(set(written) - set(kept))
    ]  # fmt: skip
    if live.index_error is not None:
        lost.append(explain(opened, live.index_error, at))
    return lost


def _first_of_schema(files: pa.Table, schema_id: int) -> str:
    named: str = files.column("name")[pc.index(files.column("schema_id"), schema_id).as_py()].as_py()
    return named


def _described(
    opened: OpenTable, parts: _Parts, *snapshots: Snapshot | None
) -> list[tuple[Snapshot, dict[str, Any]]]:
    found = list({s.reference: s for s in snapshots if s is not None}.values())
    return list(zip(found, parts.read(lambda: describe(opened, found)) or [], strict=False))


def _identity(opened: OpenTable, schema: TableSchema) -> dict[str, Any]:
    options = opened.table.options
    count = options.get(BUCKET)
    return {
        "warehouse": opened.warehouse.name,
        "database": opened.database,
        "name": opened.name,
        "branch": opened.branch,
        "type": table_type_name(schema),
        "kind": table_kind(schema),
        "bucket_mode": bucket_mode(schema),
        "buckets": count if count > 0 else None,
        "format": options.get(FILE_FORMAT),
        "merge_engine": options.get(MERGE_ENGINE).value if schema.primary_keys else None,
        "partition_keys": schema.partition_keys,
        "primary_keys": schema.primary_keys,
        "bucket_keys": schema.bucket_keys,
        "comment": schema.comment,
        "location": opened.table.location,
        "schema_id": schema.id,
        "field_count": len(schema.fields),
    }


def _shape(opened: OpenTable, at: Snapshot | None, buckets: pa.Table) -> dict[str, int]:
    files = live_files(opened, at).table
    return {
        "files": len(files),
        "bytes": pc.sum(files.column("bytes")).as_py() or 0,
        "rows": pc.sum(files.column("rows")).as_py() or 0,
        "partitions": pc.count_distinct(buckets.column("partition")).as_py(),
        "buckets": len(buckets),
        "levels": pc.count_distinct(files.column("level")).as_py(),
    }


def _freshness(opened: OpenTable, latest: Snapshot | None, at: Snapshot | None) -> dict[str, Any]:
    return {
        "last_commit_at": committed_at(latest) if latest else None,
        "watermark": latest.watermark if latest else None,
        "last_compaction_at": _last_compaction(opened, latest),
        "waiting_rows": _waiting_rows(opened, at),
    }


def _last_compaction(opened: OpenTable, latest: Snapshot | None) -> Any:
    """When the newest COMPACT snapshot was committed; None if none of the newest is one.

    Kept for the latest snapshot: what came before it stays what it was, also once it has expired.
    """
    if latest is None:
        return None
    key = ("last compaction", *opened.cache_key(latest))
    return loaded(key, lambda: _look_for_compaction(opened), size=lambda _: _TIME_SIZE)


def _look_for_compaction(opened: OpenTable) -> Any:
    snapshots = opened.table.snapshots
    newest = snapshots.ids()[: -COMPACTIONS_LOOKED_FOR - 1 : -1]
    for start in range(0, len(newest), _AT_ONCE):
        for snapshot in in_parallel(lambda i: next(snapshots.examine([i])), newest[start : start + _AT_ONCE]):
            if isinstance(snapshot, Snapshot) and snapshot.commit_kind is CommitKind.COMPACT:
                return committed_at(snapshot)
    return None


def _waiting_rows(opened: OpenTable, at: Snapshot | None) -> int | None:
    """Rows that batch readers do not see until a compaction: none where they read level 0 (design 3.6).

    None: the manifests cannot be read.
    """
    if at is None:
        return None
    if not shape.skips_level_0(opened.table.schema, opened.table.options):
        return 0
    files = live_files(opened, at).table
    return pc.sum(files.filter(pc.equal(files.column("level"), 0)).column("rows")).as_py() or 0


def _read_cost(opened: OpenTable, at: Snapshot | None, buckets: pa.Table) -> dict[str, Any]:
    target = shape.target_bytes(opened.table.schema, opened.table.options)
    files = live_files(opened, at).table
    indexed = files.filter(pc.greater(pc.list_value_length(files.column("index")), 0))
    runs = buckets.column("runs")
    return {
        "runs_mean": pc.mean(runs).as_py() or 0.0,
        "runs_max": pc.max(runs).as_py() or 0,
        "avoidable_files": shape.avoidable_files(buckets, target) if len(buckets) else 0,
        "target_bytes": target,
        "indexed_bytes": pc.sum(indexed.column("bytes")).as_py() or 0,
    }


def unsupported(schema: TableSchema) -> dict[str, Any] | None:
    """The first reason why rows of the table are not read here."""
    feature = next(iter(unread_features(schema)), None)
    return {"feature": feature, "where": "table schema"} if feature else None


def active_job(opened: OpenTable) -> str | None:
    """The job that is changing the table now."""
    lease = Lease.objects.filter(location=opened.place, branch=opened.branch)
    return lease.values_list("job__public_id", flat=True).first()
