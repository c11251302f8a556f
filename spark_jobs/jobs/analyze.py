"""`analyze`: compute the statistics of rows and columns, a split a task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core import Table
from core.maintenance.analyze import AnalyzePlan, plan_analyze
from core.maintenance.analyze.plan import RowsSummary, commit_analyzed, plan_of_rows
from core.read import read_split
from core.scan import Split
from core.schema import TableSchema
from spark_jobs.jobs.steps import Job, Outcome, Run
from spark_jobs.jobs.verified import Facts, not_true


@dataclass(frozen=True, slots=True)
class _Summarize:
    """Reads a split in an executor; of its rows a summary of a bounded size comes back."""

    table: Table
    schema: TableSchema
    columns: Sequence[str]

    def __call__(self, split: Split) -> RowsSummary:
        summary = RowsSummary.of(self.schema.fields_of(list(self.columns)))
        for batch in read_split(self.table, self.schema, split, list(self.columns)):
            summary.add(batch)
        return summary


def _apply(run: Run, plan: AnalyzePlan) -> Outcome:
    if plan.base is None:
        return Outcome()
    read = plan_of_rows(run.table, plan)
    summarize = _Summarize(run.table, read.schema, plan.columns)
    whole = RowsSummary.of(read.fields)
    for part in run.executors.map(summarize, list(read.splits), "analyze", "splits"):
        whole.merge(part)
    snapshot = commit_analyzed(run.table, plan, whole.statistics(plan), run.user)
    return Outcome(snapshots=(snapshot,), metrics={"rows": whole.rows, "columns": len(plan.columns)})


def _verify(run: Run, plan: AnalyzePlan, outcome: Outcome) -> Facts:
    """The snapshot names statistics that can be read, and tell of the rows that were read."""
    table = run.table_now()
    for snapshot in outcome.snapshots:
        if not snapshot.statistics or not table.io.exists(table.paths.statistics_file(snapshot.statistics)):
            not_true("the snapshot has no statistics", snapshot=snapshot.reference)
    return {
        "snapshots": [snapshot.reference for snapshot in outcome.snapshots],
        "statistics_of": plan.base.reference if plan.base else None,
        "rows": outcome.metrics.get("rows", 0),
        "columns": list(plan.columns),
    }


ANALYZE = Job(plan=lambda run: plan_analyze(run.table, run.work.columns), apply=_apply, verify=_verify)
