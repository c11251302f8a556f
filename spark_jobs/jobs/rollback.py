"""`rollback`: remove the snapshots after a target. It works on a few small files, so it starts no Spark."""

from __future__ import annotations

import time

from core import Table, open_catalog
from core.errors import CommitConflictError
from core.jobs import JobSpec, Result, RollbackJob
from core.maintenance.rollback import Guard, apply_rollback
from core.maintenance.rollback_plan import RollbackPlan, plan_rollback
from spark_jobs.report import Reporter

# What to look at, for people who read the log; the plan names the cases.
_WORDS = {
    "head-damaged": "what leaves and what returns is unknown",
    "consumer-ahead": "a consumer is to read on from a snapshot that is removed",
    "recent-writer": "somebody has committed in the last ten minutes",
    "tags-removed": "tags of removed snapshots go with them",
    "branch-after-target": "a branch was forked from a removed snapshot",
}


def run(spec: JobSpec, reporter: Reporter) -> Result:
    """Run the job; after an interrupted run it goes on where that stopped."""
    work = spec.work
    assert isinstance(work, RollbackJob)
    table = open_catalog(spec.catalog).get_data_table(spec.table)
    reporter.progress("plan", 0, 1, "steps")
    plan = plan_rollback(table, work.snapshot, work.tag, now_millis=int(time.time() * 1000))
    _check_history(plan, work)
    reporter.progress("plan", 1, 1, "steps")
    for warning in plan.warnings:
        reporter.log(_WORDS[warning], "warning")
    if plan.head_damage is not None:
        reporter.log(f"the latest snapshot cannot be read: {plan.head_damage}", "warning")
    guard = Guard(f"guard-{spec.job_id}") if work.guard else None
    target = apply_rollback(
        table,
        plan,
        guard=guard,
        progress=lambda done, total: reporter.progress("rollback", done, total, "snapshots"),
    )
    for snapshot in reversed(plan.removed_snapshots):
        reporter.log(f"removed snapshot {snapshot.reference}")
    if guard and not plan.changes_nothing:
        reporter.log(f"branch {guard.branch} keeps what was the latest state")
    reporter.log(f"{spec.table} stands at {target.reference}")
    return Result(
        latest=target.reference,
        metrics={
            "snapshots_removed": len(plan.removed_snapshots),
            "tags_removed": len(plan.removed_tags),
            **_data_metrics(plan),
        },
        details={
            "removed": [snapshot.reference for snapshot in plan.removed_snapshots],
            "guard_branch": guard.branch if guard and not plan.changes_nothing else None,
        },
    )


def _check_history(plan: RollbackPlan, work: RollbackJob) -> None:
    """Refuse to remove what the person who confirmed did not see: commits made since."""
    if work.history is None:
        return
    unseen = [reference for reference in plan.history if reference not in work.history]
    if unseen:
        raise CommitConflictError(
            "the table has moved since the rollback was confirmed", first=unseen[0], unseen=len(unseen)
        )


def _data_metrics(plan: RollbackPlan) -> dict[str, int]:
    """What became of the live files; nothing where the head could not be read."""
    if plan.leaving is None or plan.returning is None or plan.rows_delta is None:
        return {}
    return {
        "rows_delta": plan.rows_delta,
        "files_leaving": plan.leaving.count,
        "files_returning": plan.returning.count,
    }


def standing(table: Table) -> str | None:
    """The reference of the snapshot at which the table stands."""
    latest = table.snapshots.latest()
    return latest.reference if latest else None
