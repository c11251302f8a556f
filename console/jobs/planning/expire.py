"""Expiration: which snapshots go by which rule, what stays and why, and what that frees. Design: 7.3."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as _pc

from console.api.fields import from_millis, rfc3339
from console.inspector.cache import computed
from console.inspector.opening import OpenTable
from console.jobs.notices import notice
from console.jobs.planning.changes import (
    notices_of,
    partition_label,
    refused,
    shown_files,
    shown_snapshot,
)
from console.jobs.planning.draft import Asked, Draft, plan_key
from core.errors import InvalidRequestError
from core.maintenance.expire import ExpirePlan, plan_expire_snapshots
from core.maintenance.reach import NamedFiles
from core.options import (
    SNAPSHOT_EXPIRE_LIMIT,
    SNAPSHOT_NUM_RETAINED_MAX,
    SNAPSHOT_NUM_RETAINED_MIN,
    SNAPSHOT_TIME_RETAINED,
)
from core.snapshot import Snapshot

pc: Any = _pc  # its stubs have no overloads for columns whose type is found at run time

EXPIRE_LEVEL = 1
MOST_PARTITIONS = 200
_COUNTS = ("retain_min", "retain_max", "max_deletes")


def plan_expiration(opened: OpenTable, latest: Snapshot | None, asked: Asked) -> Draft:
    """What an expiration would let go now; without parameters, by the options of the table.

    Raises:
        Problem: the parameters contradict each other.
    """
    window = _window(asked.params)
    now = int(time.time() * 1000)
    try:
        key = plan_key("expire", opened, latest, window)
        found = computed(key, lambda: plan_expire_snapshots(opened.table, now_millis=now, **window))
    except InvalidRequestError as error:
        raise refused(_to_blame(error), error) from error
    return Draft(
        level=EXPIRE_LEVEL,
        job="expire-snapshots",
        work=_work(window),
        effects=_effects(opened, found, window, now),
        kept=["rows", "tags", "branches"],
        warnings=notices_of(found.warnings),
        blockers=[
            *notices_of(found.blockers),
            *([notice("nothing-to-expire")] if found.changes_nothing else []),
        ],
    )


def _window(params: dict[str, Any]) -> dict[str, int | None]:
    older: str | None = params.get("older_than")
    counts = {name: params.get(name) for name in _COUNTS}
    return {
        **counts,
        "older_than_millis": None
        if older is None
        else round(datetime.fromisoformat(older).timestamp() * 1000),
    }


def _work(window: dict[str, int | None]) -> dict[str, Any]:
    older = window["older_than_millis"]
    given = {name: window[name] for name in _COUNTS if window[name] is not None}
    return given if older is None else {**given, "older_than": str(older)}


def _to_blame(error: InvalidRequestError) -> str:
    """The parameter that the message is about."""
    fields = error.fields
    return "max_deletes" if "limit" in fields else "retain_max" if "maximum" in fields else "retain_min"


def _effects(opened: OpenTable, found: ExpirePlan, window: dict[str, int | None], now: int) -> dict[str, Any]:
    options = opened.table.options
    retained = options.get(SNAPSHOT_TIME_RETAINED).total_seconds() * 1000
    given = window["older_than_millis"]
    older = now - retained if given is None else given
    ids = opened.table.snapshots.ids()
    return {
        "kind": "expire",
        "snapshots_removed": [shown_snapshot(snapshot) for snapshot in found.expired],
        "snapshots_kept": len(ids) - len(found.expired),
        "first_kept": found.first_kept,
        "becomes_changelog": found.becomes_changelog,
        "files_freed": shown_files(found.files),
        "partitions": freed_by_partition(found.files, opened.table.schema.partition_keys),
        "retain_min": window["retain_min"] or options.get(SNAPSHOT_NUM_RETAINED_MIN),
        "retain_max": window["retain_max"] or options.get(SNAPSHOT_NUM_RETAINED_MAX),
        "older_than": rfc3339(from_millis(round(older))),
        "max_deletes": window["max_deletes"] or options.get(SNAPSHOT_EXPIRE_LIMIT),
        "consumers": [
            {"id": consumer.id, "next_snapshot": consumer.next_snapshot}
            for consumer in opened.table.consumers.list()
        ],
    }


def freed_by_partition(files: NamedFiles, keys: Sequence[str]) -> list[dict[str, Any]]:
    """Of the files in partitions, how many go and their bytes, most bytes first; told by their paths."""
    if not keys or not len(files):
        return []
    segments = rf"/(?P<partition>(?:[^/=]+=[^/]*/){{{len(keys)}}})bucket-[^/]+/[^/]+$"
    paths: Any = files.table.column("path").combine_chunks()
    found = pc.struct_field(pc.extract_regex(paths, segments), "partition")
    table = pa.table({"partition": found, "bytes": files.table.column("size").combine_chunks()})
    totals = (
        table.filter(pc.is_valid(table.column("partition")))
        .group_by("partition")
        .aggregate([("bytes", "sum"), ("partition", "count")])
        .sort_by([("bytes_sum", "descending"), ("partition", "ascending")])
    )
    return [
        {
            "partition": partition_label(row["partition"]),
            "files": row["partition_count"],
            "bytes": row["bytes_sum"] or 0,
        }
        for row in totals.slice(0, MOST_PARTITIONS).to_pylist()
    ]
