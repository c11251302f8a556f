"""`compact`: merge the files of buckets, one task a bucket, as one COMPACT snapshot."""

from __future__ import annotations

from datetime import datetime

from pyspark.sql import SparkSession

from core import Table
from core.compact import CompactionPlan, Strategy
from core.jobs import CompactJob, JobSpec, Result
from core.maintenance.partitions import chosen_partitions
from core.snapshot import BATCH_COMMIT_IDENTIFIER
from core.write import plan_compaction
from spark_jobs.executors import SparkExecutors
from spark_jobs.jobs.compacting import apply_plan, compacted, tuned, verify
from spark_jobs.jobs.selection import chosen_buckets
from spark_jobs.jobs.steps import Job, Run, perform, result_of
from spark_jobs.report import Reporter


def run(spark: SparkSession, spec: JobSpec, reporter: Reporter) -> Result:
    """Run the job in a session that is open."""
    return perform(COMPACT, Run(spec, reporter, SparkExecutors(lambda: spark, reporter)))


def compact_table(
    spark: SparkSession,
    table: Table,
    work: CompactJob,
    *,
    user: str,
    reporter: Reporter,
    identifier: int = BATCH_COMMIT_IDENTIFIER,
) -> Result:
    """Compact what the job names, and commit it; for those who are no job themselves."""
    table = table.with_options(work.options)
    plan = planned(table, work, int(datetime.now().timestamp() * 1000))
    executors = SparkExecutors(lambda: spark, reporter)
    outcome = compacted(executors, table, plan, user=user, reporter=reporter, identifier=identifier)
    return result_of(table, outcome.snapshots, dict(outcome.metrics))


def planned(table: Table, work: CompactJob, now_millis: int) -> CompactionPlan:
    """What the job would do to the table."""
    partitions = chosen_partitions(
        table, work.partitions, work.where, work.partition_idle_time, now_millis=now_millis
    )
    buckets = chosen_buckets(table, work.buckets)
    return plan_compaction(table, partitions, buckets, strategy=Strategy(work.strategy.value))


COMPACT = Job(plan=lambda run: planned(tuned(run), run.work, run.now_millis), apply=apply_plan, verify=verify)
