"""Compaction: which buckets would be rewritten, and what that costs. Design: 7.4."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pyarrow as pa

from console.inspector.buckets import bucket_table
from console.inspector.cache import computed
from console.inspector.opening import OpenTable
from console.jobs.notices import notice
from console.jobs.planning.changes import refused
from console.jobs.planning.draft import Asked, Draft, plan_key
from console.jobs.planning.throughput import estimate, traffic
from core.compact.plan import CompactionPlan, CompactionTask, Strategy
from core.compact.sort_order import SortStrategy
from core.errors import InvalidRequestError
from core.maintenance.partitions.drop import live_partitions
from core.options import parse_duration
from core.snapshot import Snapshot
from core.write.compaction import plan_compaction
from core.write.partition_spec import partition_test
from core.write.sort_compaction import plan_sort_compaction

MOST_SHOWN = 200  # buckets
LARGE = 100 * 1024**3  # bytes


def plan_compact(opened: OpenTable, latest: Snapshot | None, asked: Asked) -> Draft:
    """What a compaction of the scope would rewrite.

    Raises:
        UnsupportedError: the table cannot be compacted by this release.
        InvalidRequestError: a partition that is none.
        Problem: an idle time that is none.
    """
    params = asked.params
    partitions = _scope(opened, params)
    sorts = params["strategy"] in tuple(SortStrategy)
    key = plan_key("compact", opened, latest, params | {"partitions": partitions})
    found = computed(key, lambda: _planned(opened, partitions, params))
    work = {"strategy": params["strategy"], "partitions": partitions}
    work |= {"order_by": params["order_by"]} if sorts else {"buckets": params.get("buckets")}
    others = traffic(opened.table, latest)
    return Draft(
        level=0,
        job="sort-compact" if sorts else None,
        work={name: value for name, value in work.items() if value is not None},
        effects=_effects(opened, latest, found) | others,
        kept=["rows", "history"],
        warnings=[
            *([notice("large-rewrite")] if found.size_before > LARGE else []),
            *(notice("other-compaction", ref=user) for user in others["rivals"]),
        ],
        blockers=[] if found.tasks else [notice("nothing-to-compact")],
    )


def _scope(opened: OpenTable, params: dict[str, Any]) -> list[dict[str, str | None]] | None:
    """The partitions that are asked for and idle for as long as is asked; None: all that there are.

    The job gets those that were seen, so one that somebody has written to since stays in it.
    """
    given, idle = params.get("partitions"), params.get("idle_time")
    named = None if given is None else [opened.labels.partition_values(label) for label in given]
    if not idle:
        return named
    try:
        rest = parse_duration(idle)
    except InvalidRequestError as error:
        raise refused("idle_time", error) from error
    until = _now() - rest
    found = [partition for partition in live_partitions(opened.table) if partition.updated <= until]
    if named is not None:
        is_named = partition_test(opened.table.schema, named)
        found = [partition for partition in found if is_named(partition.row)]
    return [dict(partition.spec) for partition in found]


def _now() -> datetime:
    return datetime.now()  # the wall clock, as that of the files' writers


def _planned(
    opened: OpenTable, partitions: list[dict[str, str | None]] | None, params: dict[str, Any]
) -> CompactionPlan:
    strategy = params["strategy"]
    if strategy not in tuple(SortStrategy):
        return plan_compaction(opened.table, partitions, params.get("buckets"), strategy=Strategy(strategy))
    try:
        return plan_sort_compaction(opened.table, strategy, params.get("order_by") or [], partitions)
    except InvalidRequestError as error:
        raise refused("order_by", error) from error


def _effects(opened: OpenTable, latest: Snapshot | None, found: CompactionPlan) -> dict[str, Any]:
    size = found.size_before
    marked = [marks for task in found.tasks for marks in _marks(task)]
    rows = sorted(_buckets(opened, latest, found), key=lambda row: -row["bytes"])
    return {
        "kind": "compact",
        "buckets": rows[:MOST_SHOWN],
        "buckets_in_scope": found.buckets_in_scope,
        "files_before": found.files_before,
        "files_after": found.files_after if found.tasks else None,
        "bytes_rewritten": size,
        "peak_bytes": size,
        "marked_files": len(marked),
        "marked_rows": sum(marked),
        **estimate(size).shown(),
    }


def _marks(task: CompactionTask) -> Iterator[int]:
    """Of each input with a deletion vector, how many rows it marks, which the output does not have."""
    names = {file.file_name for file in task.files}
    for entry in task.index_files:
        for found in entry.deletion_vector_ranges or ():
            if found.data_file in names:
                yield found.cardinality or 0


def _buckets(opened: OpenTable, latest: Snapshot | None, found: CompactionPlan) -> list[dict[str, Any]]:
    """One row a bucket that has a task."""
    tasks: dict[tuple[str, int], list[CompactionTask]] = defaultdict(list)
    for task in found.tasks:
        tasks[opened.labels.partition(task.partition.to_bytes()), task.bucket].append(task)
    keyed = bool(opened.table.schema.primary_keys)
    runs = _runs(bucket_table(opened, latest)) if keyed else {}
    return [
        {
            "partition": partition,
            "bucket": bucket,
            "runs_before": runs.get((partition, bucket)) if keyed else None,
            "runs_after": _runs_after(runs.get((partition, bucket)), own) if keyed else None,
            "files_before": sum(len(task.files) for task in own),
            "files_after": sum(max(1, -(-task.size // found.target_file_size)) for task in own),
            "bytes": sum(task.size for task in own),
            "reason": ", ".join(sorted({task.reason for task in own})),
        }
        for (partition, bucket), own in tasks.items()
    ]


def _runs(buckets: pa.Table) -> dict[tuple[str, int], int]:
    """The sorted runs of each bucket."""
    columns: list[Any] = [buckets.column(name).to_pylist() for name in ("partition", "bucket", "runs")]
    return {(partition, bucket): runs for partition, bucket, runs in zip(*columns, strict=True)}


def _runs_after(before: int | None, tasks: list[CompactionTask]) -> int | None:
    """The picked runs become one."""
    if before is None:
        return None
    picked = 0
    for task in tasks:
        levels = [file.level for file in task.files]
        picked += sum(1 for level in levels if level == 0) + len({level for level in levels if level > 0})
    return before - picked + len(tasks)
