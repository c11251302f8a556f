"""`sort-compact`: put the rows of an append table in order, one task a partition."""

from __future__ import annotations

from core.compact import CompactionPlan, Strategy
from core.errors import InvalidRequestError
from core.jobs import SortStrategy
from core.maintenance.partitions import chosen_partitions
from core.options import CLUSTERING_INCREMENTAL
from core.write import plan_compaction
from core.write.sort_compaction import plan_sort_compaction
from spark_jobs.jobs.compacting import apply_plan, tuned, verify
from spark_jobs.jobs.steps import Job, Run


def _plan(run: Run) -> CompactionPlan:
    table, work = tuned(run), run.work
    partitions = chosen_partitions(table, work.partitions, work.where, now_millis=run.now_millis)
    if work.strategy is not SortStrategy.INCREMENTAL:
        return plan_sort_compaction(table, work.strategy.value, work.order_by, partitions)
    if table.schema.primary_keys or not table.options.get(CLUSTERING_INCREMENTAL):
        raise InvalidRequestError(
            "the table is not clustered a part at a time",
            field="sort-compact.strategy",
            option=CLUSTERING_INCREMENTAL.key,
        )
    return plan_compaction(table, partitions, strategy=Strategy.MINOR)


SORT_COMPACT = Job(plan=_plan, apply=apply_plan, verify=verify)
