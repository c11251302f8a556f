"""`rollback`: remove the snapshots after a target. It works on a few small files, so it starts no Spark."""

from __future__ import annotations

from core.cli.targets import epoch_millis
from core.errors import CommitConflictError
from core.jobs import JobSpec, Result
from core.maintenance.rollback import Guard, apply_rollback
from core.maintenance.rollback_plan import RollbackPlan, plan_rollback
from spark_jobs.executors import InProcess
from spark_jobs.jobs.steps import Job, Outcome, Run, check_history, perform
from spark_jobs.jobs.verified import Facts, Layout, not_true
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
    return perform(ROLLBACK, Run(spec, reporter, InProcess(reporter)))


def _plan(run: Run) -> RollbackPlan:
    work = run.work
    plan = plan_rollback(
        run.table,
        work.snapshot,
        work.tag,
        timestamp_millis=epoch_millis(work.at),
        now_millis=run.now_millis,
    )
    check_history(plan.history, work.history)
    _check_not_done(run, plan)
    return plan


def _check_not_done(run: Run, plan: RollbackPlan) -> None:
    """Refuse to remove what came after an earlier run of this job: its branch tells what was the latest then.

    An interrupted run has removed some of the snapshots before that, and is gone on with.
    """
    table, branch = run.table, Guard(f"guard-{run.spec.job_id}").branch
    if not run.work.guard or not table.branches.exists(branch):
        return
    head = table.with_branch(branch).snapshots.latest()
    later = [s for s in plan.removed_snapshots if head is not None and s.time_millis > head.time_millis]
    if later:
        raise CommitConflictError(
            "the table has moved since the job rolled it back", first=later[0].reference, unseen=len(later)
        )


def _apply(run: Run, plan: RollbackPlan) -> Outcome:
    if plan.head_damage is not None:
        run.reporter.log(f"the latest snapshot cannot be read: {plan.head_damage}", "warning")
    guard = Guard(f"guard-{run.spec.job_id}") if run.work.guard else None
    target = apply_rollback(
        run.table,
        plan,
        guard=guard,
        reset_consumers=run.work.reset_consumers,
        progress=run.told("rollback", "snapshots"),
    )
    reset = [consumer.id for consumer in plan.consumers] if run.work.reset_consumers else []
    for consumer in reset:
        run.reporter.log(f"consumer {consumer} reads on from {plan.next_id}")
    for snapshot in reversed(plan.removed_snapshots):
        run.reporter.log(f"removed snapshot {snapshot.reference}")
    made_guard = guard if guard and not plan.changes_nothing else None
    if made_guard:
        run.reporter.log(f"branch {made_guard.branch} keeps what was the latest state")
    run.reporter.log(f"{run.spec.table} stands at {target.reference}")
    return Outcome(
        metrics={
            "snapshots_removed": len(plan.removed_snapshots),
            "tags_removed": len(plan.removed_tags),
            **({"consumers_reset": len(reset)} if reset else {}),
            **_data_metrics(plan),
        },
        details={
            "removed": [snapshot.reference for snapshot in plan.removed_snapshots],
            "guard_branch": made_guard.branch if made_guard else None,
        },
    )


def _verify(run: Run, plan: RollbackPlan, outcome: Outcome) -> Facts:
    """The target is there and can be read, nothing that was to go is, and the guard holds what was."""
    table = run.table_now()
    found = table.snapshots.get(plan.target.id)
    if found.identity != plan.target.identity:
        not_true("another snapshot stands at the target's id", found=found.reference)
    gone = {snapshot.reference for snapshot in plan.removed_snapshots}
    left = gone & {snapshot.reference for snapshot in table.snapshots.iter_all()}
    if left:
        not_true("a snapshot that was to go is there", snapshot=min(left))
    branch = outcome.details["guard_branch"]
    head = table.with_branch(branch).snapshots.latest() if branch else None
    # That of an interrupted run before keeps what was the latest then, of which `base` is what was left.
    if head is not None and head.identity != plan.base.identity and head.id <= plan.base.id:
        not_true("the branch does not hold what was the latest state", branch=branch, found=head.reference)
    if run.work.reset_consumers:
        ahead = [c.id for c in table.consumers.list() if c.id in {p.id for p in plan.consumers}
                 and c.next_snapshot > plan.next_id]  # fmt: skip
        if ahead:
            not_true("a consumer still waits for a snapshot that is gone", consumer=ahead[0])
    state = Layout.of(table, found)
    return {
        "target": found.reference,
        "files": len(state.names),
        "rows_in_files": state.rows,
        "snapshots_gone": len(gone),
        "kept_in_branch": head.reference if head else None,
    }


def _data_metrics(plan: RollbackPlan) -> dict[str, int]:
    """What became of the live files; nothing where the head could not be read."""
    if plan.leaving is None or plan.returning is None or plan.rows_delta is None:
        return {}
    return {
        "rows_delta": plan.rows_delta,
        "files_leaving": plan.leaving.count,
        "files_returning": plan.returning.count,
    }


ROLLBACK = Job(plan=_plan, apply=_apply, verify=_verify, commits=False, words=_WORDS)
