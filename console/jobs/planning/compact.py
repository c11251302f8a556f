"""Compaction: which buckets would be rewritten, and what that costs. Design: 7.4, 7.6."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from console.inspector.buckets import bucket_table
from console.inspector.cache import computed
from console.inspector.opening import OpenTable
from console.jobs.notices import notice
from console.jobs.planning.changes import refused
from console.jobs.planning.draft import Asked, Draft, plan_key
from console.jobs.planning.throughput import estimate, traffic
from core.binary import BinaryRow
from core.compact.plan import CompactionPlan, CompactionTask, Strategy
from core.compact.sort_order import SortStrategy
from core.errors import InvalidRequestError
from core.maintenance.partitions import Chosen, chosen_partitions
from core.maintenance.partitions.drop import live_partitions
from core.options import parse_duration
from core.snapshot import Snapshot
from core.write.compaction import plan_compaction
from core.write.sort_compaction import plan_sort_compaction

MOST_SHOWN = 200  # buckets
LARGE = 100 * 1024**3  # bytes


def plan_compact(opened: OpenTable, latest: Snapshot | None, asked: Asked) -> Draft:
    """What a compaction of the scope would rewrite.

    Raises:
        UnsupportedError: the table cannot be compacted by this release.
        InvalidRequestError: a partition that is none.
        Problem: a condition, an idle time or an option that is none.
    """
    return _draft(opened, latest, "compact", asked.params["strategy"], asked.params)


def plan_vectors(opened: OpenTable, latest: Snapshot | None, asked: Asked) -> Draft:
    """What has to be rewritten so that no file of the scope has a deletion vector.

    Raises:
        UnsupportedError, InvalidRequestError, Problem: as of a compaction.
    """
    return _draft(opened, latest, "vectors", Strategy.DELETION_VECTORS.value, asked.params)


def _draft(
    opened: OpenTable, latest: Snapshot | None, kind: str, strategy: str, params: dict[str, Any]
) -> Draft:
    scope = _scope(opened, params)
    sorts = strategy in tuple(SortStrategy)
    key = plan_key(kind, opened, latest, params | {"scope": scope.work, "rows": scope.rows})
    found = computed(key, lambda: _planned(opened, scope.partitions, strategy, params))
    work = {"strategy": strategy, **scope.work, "options": params.get("options") or None}
    work |= {"order_by": params["order_by"]} if sorts else {"buckets": params.get("buckets")}
    others = traffic(opened.table, latest)
    return Draft(
        level=0,
        job="sort-compact" if sorts else "compact",
        work={name: value for name, value in work.items() if value is not None},
        effects={"kind": kind} | _effects(opened, latest, found) | others,
        kept=["rows", "history", "tags", "options"],
        warnings=[
            *([notice("large-rewrite")] if found.size_before > LARGE else []),
            *(notice("other-compaction", ref=user) for user in others["rivals"]),
        ],
        blockers=[] if found.tasks else [notice(_NOTHING[kind])],
    )


_NOTHING = {"compact": "nothing-to-compact", "vectors": "no-vectors"}


@dataclass(frozen=True, slots=True)
class _Scope:
    """The partitions that a plan is about, and how its job is told of them."""

    partitions: Chosen
    work: dict[str, Any]

    @property
    def rows(self) -> list[str]:
        """The partitions that are known by their rows."""
        return [one.to_bytes().hex() for one in self.partitions or () if isinstance(one, BinaryRow)]


def _scope(opened: OpenTable, params: dict[str, Any]) -> _Scope:
    """The partitions for which all holds that is asked.

    The job gets those that were seen, so that one that somebody has written to since stays in it; a
    condition alone it gets as it is.
    """
    given, where = params.get("partitions"), params.get("where") or None
    idle = params.get("idle_time") or None
    named = None if given is None else [opened.labels.partition_values(label) for label in given]
    if where is None and idle is None:
        return _Scope(named, {"partitions": named})
    _check_duration(idle)
    try:
        found = chosen_partitions(opened.table, named, where, idle, now_millis=_now_millis())
    except InvalidRequestError as error:
        raise refused("where", error) from error
    if idle is None and named is None:
        return _Scope(found, {"where": where})
    specs = [dict(live.spec) for live in live_partitions(opened.table) if live.row in set(found or ())]
    return _Scope(found, {"partitions": specs})


def _check_duration(text: str | None) -> None:
    try:
        parse_duration(text or "0 s")
    except InvalidRequestError as error:
        raise refused("idle_time", error) from error


def _now_millis() -> int:
    return time.time_ns() // 1_000_000


def _planned(opened: OpenTable, partitions: Chosen, strategy: str, params: dict[str, Any]) -> CompactionPlan:
    try:
        table = opened.table.with_options(params.get("options") or {})
        _ = table.schema  # which checks the values
    except InvalidRequestError as error:
        raise refused("options", error) from error
    if strategy not in tuple(SortStrategy):
        return plan_compaction(table, partitions, params.get("buckets"), strategy=Strategy(strategy))
    try:
        return plan_sort_compaction(table, strategy, params.get("order_by") or [], partitions)
    except InvalidRequestError as error:
        raise refused("order_by", error) from error


def _effects(opened: OpenTable, latest: Snapshot | None, found: CompactionPlan) -> dict[str, Any]:
    size = found.size_before
    marked = [marks for task in found.tasks for marks in _marks(task)]
    rows = sorted(_buckets(opened, latest, found), key=lambda row: -row["bytes"])
    return {
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
