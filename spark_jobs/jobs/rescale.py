"""`rescale`: give partitions another number of buckets, a task and a snapshot a partition."""

from __future__ import annotations

from dataclasses import dataclass

from core import Table
from core.maintenance.rescale import RescaleCommits, RescalePlan, plan_rescale, with_buckets
from core.snapshot import Snapshot
from core.write import decode_messages, encode_message
from core.write.rebucket import RebucketTask, rebucket
from spark_jobs.jobs.steps import Job, Outcome, Run
from spark_jobs.jobs.verified import Facts, made_snapshots, not_true


@dataclass(frozen=True, slots=True)
class _Rebucket:
    """Rewrites a partition in an executor; its messages come back encoded."""

    table: Table

    def __call__(self, task: RebucketTask) -> list[bytes]:
        return [encode_message(message) for message in rebucket(self.table, task)]


def _apply(run: Run, plan: RescalePlan) -> Outcome:
    table = with_buckets(run.table, plan)
    tasks = [partition.task for partition in plan.partitions]
    sent = run.executors.map(_Rebucket(table), tasks, "rescale", "partitions")
    made = [decode_messages(messages) for messages in sent]
    commits = RescaleCommits(table, plan, run.user)
    snapshots: list[Snapshot] = []
    progress = run.told("commit", "partitions")
    for done, partition in enumerate(plan.partitions):
        try:
            snapshots += commits.commit(partition, made[done])
        except BaseException:
            for messages in made[done + 1 :]:
                commits.abort(messages)
            raise
        progress(done + 1, len(made))
    files = [file for messages in made for message in messages for file in message.new_files]
    metrics = {
        "partitions": len(made),
        "files_after": len(files),
        "bytes_after": sum(f.file_size for f in files),
    }
    return Outcome(snapshots=snapshots, metrics=metrics)


def _verify(run: Run, plan: RescalePlan, outcome: Outcome) -> Facts:
    """Every partition of the plan has its new number of buckets, and its files are there."""
    table = run.table_now()
    for partition, snapshot in zip(plan.partitions, outcome.snapshots, strict=False):
        live = table.manifests.live_entries(snapshot)
        row = partition.partition.row
        totals = {e.total_buckets for e in live.entries() if e.partition == row}
        if totals - {plan.buckets}:
            not_true("a partition has another number of buckets", partition=partition.partition.name)
    return {
        "buckets": plan.buckets,
        "partitions": [partition.partition.name for partition in plan.partitions],
        **made_snapshots(table, outcome.snapshots),
    }


# A snapshot a partition: what an earlier run has not got to is found anew.
RESCALE = Job(
    plan=lambda run: plan_rescale(run.table, run.work.buckets, run.work.partitions),
    apply=_apply,
    verify=_verify,
    commits=False,
)
