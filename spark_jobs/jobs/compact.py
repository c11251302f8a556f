"""`compact`: merge the files of buckets, one task a bucket, as one COMPACT snapshot."""

from __future__ import annotations

from functools import partial

from pyspark.sql import SparkSession

from core import Table, open_catalog
from core.commit import TableCommit
from core.compact import CompactionPlan, CompactionTask, Strategy
from core.jobs import CompactJob, JobSpec, Result
from core.snapshot import BATCH_COMMIT_IDENTIFIER
from core.write import CommitMessage, decode_messages, encode_message, plan_compaction, run_task
from spark_jobs.committing import commit_or_abort
from spark_jobs.failures import carrying_errors
from spark_jobs.jobs.write import committed_before, result_of
from spark_jobs.progress import reporting
from spark_jobs.report import Reporter


def run(spark: SparkSession, spec: JobSpec, reporter: Reporter) -> Result:
    """Run the job; a table in which nothing is to be merged gets no snapshot."""
    work = spec.work
    assert isinstance(work, CompactJob)
    table = open_catalog(spec.catalog).get_data_table(spec.table)
    done = committed_before(table, spec.commit_user)
    if done:
        reporter.log("an earlier run of this job has committed already: nothing is compacted again")
        return result_of(table, done)
    return compact_table(spark, table, work, user=spec.commit_user, reporter=reporter)


def compact_table(
    spark: SparkSession,
    table: Table,
    work: CompactJob,
    *,
    user: str,
    reporter: Reporter,
    identifier: int = BATCH_COMMIT_IDENTIFIER,
) -> Result:
    """Compact what the job names, and commit it."""
    reporter.progress("plan", 0, 1, "steps")
    plan = plan_compaction(table, work.partitions, work.buckets, strategy=Strategy(work.strategy.value))
    reporter.progress("plan", 1, 1, "steps")
    reporter.log(
        f"{len(plan.tasks)} tasks in {plan.buckets_in_scope} buckets: "
        f"{plan.files_before} files, {plan.size_before} bytes"
    )
    if not plan.tasks:
        return result_of(table, [], _metrics(plan, []))
    messages = _compacted(spark, table, plan, reporter)
    reporter.progress("commit", 0, 1, "commits")
    commit = TableCommit(table, user)
    snapshots = commit_or_abort(commit, messages, partial(commit.commit, messages, identifier))
    reporter.progress("commit", 1, 1, "commits")
    return result_of(table, snapshots, _metrics(plan, messages))


def _compacted(
    spark: SparkSession, table: Table, plan: CompactionPlan, reporter: Reporter
) -> list[CommitMessage]:
    """Run the tasks in the executors, the largest first."""
    tasks = sorted(plan.tasks, key=lambda task: -task.size)
    with reporting(spark.sparkContext, reporter, "compact", "buckets"):
        sent = (
            spark.sparkContext.parallelize(tasks, len(tasks))
            .map(lambda task: _run_in_task(table, task))
            .collect()
        )
    return decode_messages(sent)


def _run_in_task(table: Table, task: CompactionTask) -> bytes:
    with carrying_errors():
        return encode_message(run_task(table, task))


def _metrics(plan: CompactionPlan, messages: list[CommitMessage]) -> dict[str, int]:
    before = [file for message in messages for file in message.compact_before]
    after = [file for message in messages for file in message.compact_after]
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
