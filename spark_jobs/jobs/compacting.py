"""What the jobs that compact have in common: their tasks run in the executors, and what is true then."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from core import Table
from core.commit import TableCommit
from core.compact import CompactionPlan, CompactionTask
from core.datafile.system_fields import evolves_data
from core.snapshot import BATCH_COMMIT_IDENTIFIER
from core.write import CommitMessage, decode_messages, encode_message, run_task
from spark_jobs.committing import commit_or_abort
from spark_jobs.executors import Executors
from spark_jobs.jobs.steps import Outcome, Run
from spark_jobs.jobs.verified import Facts, made_snapshots, same_rows
from spark_jobs.report import Reporter


def tuned(run: Run) -> Table:
    """The table with the options that the job is told for its run alone."""
    return run.table.with_options(run.work.options)


def apply_plan(run: Run, plan: CompactionPlan) -> Outcome:
    """The compaction, committed; a table in which nothing is to be merged gets no snapshot."""
    return compacted(run.executors, tuned(run), plan, user=run.user, reporter=run.reporter)


def compacted(
    executors: Executors,
    table: Table,
    plan: CompactionPlan,
    *,
    user: str,
    reporter: Reporter,
    identifier: int = BATCH_COMMIT_IDENTIFIER,
) -> Outcome:
    """As `apply_plan`, of any table."""
    reporter.log(
        f"{len(plan.tasks)} tasks in {plan.buckets_in_scope} buckets: "
        f"{plan.files_before} files, {plan.size_before} bytes"
    )
    if not plan.tasks:
        return Outcome(metrics=metrics_of(plan, []))
    sent = executors.map(TaskOf(table), largest_first(plan), "compact", "buckets")
    return committed(table, plan, decode_messages(sent), user, reporter, identifier)


def committed(
    table: Table,
    plan: CompactionPlan,
    messages: list[CommitMessage],
    user: str,
    reporter: Reporter,
    identifier: int = BATCH_COMMIT_IDENTIFIER,
) -> Outcome:
    """What the executors made, as one snapshot."""
    reporter.progress("commit", 0, 1, "commits")
    commit = TableCommit(table, user)
    snapshots = commit_or_abort(commit, messages, partial(commit.commit, messages, identifier))
    reporter.progress("commit", 1, 1, "commits")
    return Outcome(snapshots=snapshots, metrics=metrics_of(plan, messages))


def largest_first(plan: CompactionPlan) -> list[CompactionTask]:
    """The tasks in the order in which executors had better take them."""
    return sorted(plan.tasks, key=lambda task: -task.size)


@dataclass(frozen=True, slots=True)
class TaskOf:
    """Runs tasks of a table in an executor; the commit message comes back encoded."""

    table: Table

    def __call__(self, task: CompactionTask) -> bytes:
        return encode_message(run_task(self.table, task))


def metrics_of(plan: CompactionPlan, messages: list[CommitMessage]) -> dict[str, int]:
    """Files and bytes before and after; sorted rows are new files in place of deleted ones."""
    before = [file for m in messages for file in (*m.compact_before, *m.deleted_files)]
    after = [file for m in messages for file in (*m.compact_after, *m.new_files)]
    old = {file.file_name for file in before}
    return {
        "buckets": len(messages),
        "files_before": len(before),
        "files_after": len(after),
        "bytes_before": sum(file.file_size for file in before),
        "bytes_after": sum(file.file_size for file in after),
        "files_upgraded": sum(file.file_name in old for file in after),
        "buckets_in_scope": plan.buckets_in_scope,
    }


def verify(run: Run, plan: Any, outcome: Outcome) -> Facts:
    """The snapshot is there with its files, holds those that it should, and as many rows as before."""
    return rows_stand(run.table_now(), outcome)


def rows_stand(table: Table, outcome: Outcome) -> Facts:
    """As `verify`, of any table: read anew."""
    merges = bool(table.schema.primary_keys) or evolves_data(table.schema)
    return {
        **made_snapshots(table, outcome.snapshots),
        **same_rows(table, outcome.snapshots, merges=merges),
    }
