"""`delete`, `update` and `merge-into`: change rows, a part of the table a task, as one commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core import Table
from core.dml import (
    Column,
    Literal,
    Matched,
    MergeClause,
    NotMatched,
    NotMatchedBySource,
    plan_delete,
)
from core.jobs import Clause, MergeAction, MergeWhen, UpdateJob
from core.snapshot import Snapshot
from spark_jobs.dml import Commit, delete, merge_into, plan_of_update, update
from spark_jobs.jobs.sources import read_source
from spark_jobs.jobs.steps import Job, Outcome, Run
from spark_jobs.jobs.verified import Facts, Layout, made_snapshots
from spark_jobs.jobs.write import source_fit
from spark_jobs.queries import check_query
from spark_jobs.sql_values import Sql


@dataclass(frozen=True, slots=True)
class ChangeRowsPlan:
    """What a change would look through."""

    base: Snapshot | None  # the latest
    files_to_read: int | None  # None where the source says it, which Spark has not read yet
    bytes_to_read: int | None
    files_dropped: int | None  # whole partitions, unread
    source: Any = None  # how the columns of a merge's source fit, where a footer tells


def _condition(where: str) -> str | None:
    return None if where.strip().lower() == "true" else where


def _assignments(of: UpdateJob | Clause) -> dict[str, Any]:
    """Of each column an expression, or an `Sql`."""
    return {
        **{name: Literal(value) for name, value in of.set.items()},
        **{name: Column(source) for name, source in of.copy.items()},
        **{name: Sql(text) for name, text in of.sql.items()},
    }


def _planned(run: Run) -> ChangeRowsPlan:
    """Of a delete or an update."""
    where = _condition(run.work.where)
    if isinstance(run.work, UpdateJob):
        plan = plan_of_update(run.table, _assignments(run.work), where)
    else:
        plan = plan_delete(run.table, where)
    return ChangeRowsPlan(plan.snapshot, plan.files_to_read, plan.bytes_to_read, plan.files_dropped)


def _delete(run: Run, plan: ChangeRowsPlan) -> Outcome:
    where = _condition(run.work.where)
    return _outcome(delete(run.executors.spark, run.table, where, commit=Commit(run.user)))


def _update(run: Run, plan: ChangeRowsPlan) -> Outcome:
    work = run.work
    _check_sql(run, work)
    assignments = _assignments(work)
    where = _condition(work.where)
    return _outcome(update(run.executors.spark, run.table, assignments, where, commit=Commit(run.user)))


def _check_sql(run: Run, *parts: UpdateJob | Clause) -> None:
    """`InvalidRequestError` for an expression that would do more than to compute a value."""
    for text in (text for part in parts for text in part.sql.values()):
        check_query(run.executors.spark, f"SELECT {text}")


def _planned_merge(run: Run) -> ChangeRowsPlan:
    fit = source_fit(run.table, run.work.source)
    return ChangeRowsPlan(run.table.snapshots.latest(), None, None, None, fit)


def _merge(run: Run, plan: ChangeRowsPlan) -> Outcome:
    source = read_source(run.executors.spark, run.work.source)
    _check_sql(run, *run.work.clauses)
    clauses = [merge_clause(run.table, clause, source.columns, run.work.on) for clause in run.work.clauses]
    return _outcome(merge_into(run.table, source, run.work.on, clauses, commit=Commit(run.user)))


def merge_clause(table: Table, clause: Clause, source: Sequence[str], on: Sequence[str]) -> MergeClause:
    """A clause as core has it; an update that assigns nothing takes all columns that the source has."""
    assigned = _assignments(clause)
    if clause.when is MergeWhen.NOT_MATCHED:
        return NotMatched(assigned or None, clause.condition)
    if clause.action is MergeAction.UPDATE and not assigned:
        names = [name for name in table.schema.field_names if name in source and name not in on]
        assigned = {name: Column(f"source.{name}") for name in names}
    kind = Matched if clause.when is MergeWhen.MATCHED else NotMatchedBySource
    return kind(assigned if clause.action is MergeAction.UPDATE else None, clause.condition)


def _outcome(made: Sequence[Snapshot]) -> Outcome:
    return Outcome(snapshots=made, metrics={"snapshots": len(made)})


def _verify(run: Run, plan: ChangeRowsPlan, outcome: Outcome) -> Facts:
    """The snapshot is there with its files; how many rows the files hold then."""
    table = run.table_now()
    facts = dict(made_snapshots(table, outcome.snapshots))
    if outcome.snapshots:
        facts["rows_in_files"] = Layout.of(table, outcome.snapshots[-1]).rows
    return facts


DELETE = Job(plan=_planned, apply=_delete, verify=_verify)
UPDATE = Job(plan=_planned, apply=_update, verify=_verify)
MERGE_INTO = Job(plan=_planned_merge, apply=_merge, verify=_verify)
