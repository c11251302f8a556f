"""`rewrite-file-index`: give files the indexes that the table asks for by now, a task a file."""

from __future__ import annotations

from dataclasses import dataclass

from core import Table
from core.maintenance.rewrite_file_index import (
    IndexRewrite,
    RewriteFileIndexPlan,
    RewrittenIndex,
    commit_indexes,
    plan_rewrite_file_index,
    rewritten_index,
)
from spark_jobs.jobs.compacting import rows_stand
from spark_jobs.jobs.steps import Job, Outcome, Run
from spark_jobs.jobs.verified import Facts, not_true


@dataclass(frozen=True, slots=True)
class _Rewrite:
    """Makes the indexes of a file in an executor."""

    table: Table

    def __call__(self, rewrite: IndexRewrite) -> RewrittenIndex:
        return rewritten_index(self.table, rewrite)


def _apply(run: Run, plan: RewriteFileIndexPlan) -> Outcome:
    tasks = sorted(plan.files, key=lambda rewrite: -rewrite.entry.file.file_size)
    made = run.executors.map(_Rewrite(run.table), tasks, "index", "files")
    snapshot = commit_indexes(run.table, made, run.user)
    changed = sum(one.file != one.entry.file for one in made)
    return Outcome(
        snapshots=() if snapshot is None else (snapshot,),
        metrics={"files_in_scope": plan.files_in_scope, "files_changed": changed},
        details={"added": dict(plan.added), "dropped": dict(plan.dropped)},
    )


def _verify(run: Run, plan: RewriteFileIndexPlan, outcome: Outcome) -> Facts:
    """No file in scope lacks an index that it should have; the same files with the same rows are live."""
    table = run.table_now()
    if outcome.snapshots:
        latest = table.snapshots.latest()
        mine = outcome.snapshots[-1].identity
        left = plan_rewrite_file_index(table, run.work.partitions).files
        if latest is not None and latest.identity == mine and left:
            not_true("a file has other indexes than the table asks for", file=left[0].entry.file.file_name)
    return {"files_changed": outcome.metrics["files_changed"], **rows_stand(table, outcome)}


REWRITE_FILE_INDEX = Job(
    plan=lambda run: plan_rewrite_file_index(run.table, run.work.partitions), apply=_apply, verify=_verify
)
