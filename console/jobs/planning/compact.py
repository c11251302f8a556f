"""Compaction: which buckets would be rewritten, and what that costs. Design: 7.4."""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import Any

import pyarrow as pa

from console.inspector.buckets import bucket_table
from console.inspector.cache import computed
from console.inspector.opening import OpenTable
from console.jobs.models import Job
from console.jobs.notices import notice
from console.jobs.planning.draft import Asked, Draft, plan_key
from console.jobs.states import State
from core.compact.plan import CompactionPlan, CompactionTask, Strategy
from core.snapshot import Snapshot
from core.write.compaction import plan_compaction

MOST_SHOWN = 200  # buckets
LARGE = 100 * 1024**3  # bytes
ENOUGH_JOBS = 3  # past jobs that an estimate of the time needs


def plan_compact(opened: OpenTable, latest: Snapshot | None, asked: Asked) -> Draft:
    """What a compaction of the scope would rewrite.

    Raises:
        UnsupportedError: the table cannot be compacted by this release.
        InvalidRequestError: a partition that is none.
    """
    params = asked.params
    given = params.get("partitions")
    partitions = None if given is None else [opened.labels.partition_values(label) for label in given]
    strategy = Strategy(params["strategy"])
    found = computed(
        plan_key("compact", opened, latest, params),
        lambda: plan_compaction(opened.table, partitions, params.get("buckets"), strategy=strategy),
    )
    work = {"strategy": strategy.value, "partitions": partitions, "buckets": params.get("buckets")}
    size = found.size_before
    return Draft(
        level=0,
        work={name: value for name, value in work.items() if value is not None},
        effects=_effects(opened, latest, found),
        kept=["rows", "history"],
        warnings=[notice("large-rewrite")] if size > LARGE else [],
        blockers=[] if found.tasks else [notice("nothing-to-compact")],
    )


def _effects(opened: OpenTable, latest: Snapshot | None, found: CompactionPlan) -> dict[str, Any]:
    seconds, reason = estimate(found.size_before)
    rows = sorted(_buckets(opened, latest, found), key=lambda row: -row["bytes"])
    return {
        "kind": "compact",
        "buckets": rows[:MOST_SHOWN],
        "buckets_in_scope": found.buckets_in_scope,
        "files_before": found.files_before,
        "files_after": found.files_after if found.tasks else None,
        "bytes_rewritten": found.size_before,
        "est_seconds": seconds,
        "est_reason": reason,
    }


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


def estimate(size: int) -> tuple[int | None, dict[str, Any] | None]:
    """Seconds by the median throughput of past compactions; None and why, where too few are known."""
    ended = (
        Job.objects.filter(kind="compact", state=State.SUCCEEDED).select_related("plan").order_by("-pk")[:50]
    )
    rates = [rate for job in ended if (rate := _rate(job))]
    if len(rates) < ENOUGH_JOBS:
        return None, notice("few-past-jobs", count=ENOUGH_JOBS)
    return max(1, round(size / median(rates))), None


def _rate(job: Job) -> float | None:
    """Bytes a second of a past compaction."""
    if job.plan is None or job.started_at is None or job.ended_at is None:
        return None
    seconds = (job.ended_at - job.started_at).total_seconds()
    size = job.plan.effects.get("bytes_rewritten", 0)
    return size / seconds if seconds > 0 and size else None
