"""`alter-options`: set and remove options of the table, by its next schema. The driver alone works."""

from __future__ import annotations

from typing import Any

from core.errors import CommitConflictError
from core.inspect.schema_diff import diff_options
from core.maintenance.alter_options import AlterOptionsPlan, apply_alter_options, plan_alter_options
from spark_jobs.jobs.steps import Job, Outcome, Run
from spark_jobs.jobs.verified import Facts, not_true


def _is_so(run: Run) -> bool:
    found = run.table.schemas.latest().options
    return all(found.get(key) == value for key, value in run.work.set.items()) and not any(
        key in found for key in run.work.remove
    )


def _finished(run: Run) -> str | None:
    return "the options are so already" if _is_so(run) else None


def _plan(run: Run) -> AlterOptionsPlan:
    work = run.work
    plan = plan_alter_options(run.table, work.set, work.remove)
    if work.schema is not None and plan.schema != work.schema:
        raise CommitConflictError(
            "the table has moved since the job was confirmed", base=work.schema, winner=plan.schema
        )
    return plan


def _apply(run: Run, plan: AlterOptionsPlan) -> Outcome:
    made = apply_alter_options(run.table, plan)
    return Outcome(details={"schema": made.id})


def _verify(run: Run, plan: AlterOptionsPlan, outcome: Outcome) -> Facts:
    latest = run.table_now().schemas.latest()
    wrong = [c.key for c in plan.asked if latest.options.get(c.key) != plan.after.get(c.key)]
    if wrong:
        not_true("an option is not as it was asked for", option=wrong[0])
    return {"schema": latest.id, "options_changed": len(diff_options(plan.before, plan.after))}


def _tells(run: Run, plan: AlterOptionsPlan) -> Any:
    changes = diff_options(plan.before, plan.after)
    shown = [{"option": c.key, "before": c.before, "after": c.after} for c in changes]
    return {"schema": plan.schema, "changes": shown}


ALTER_OPTIONS = Job(plan=_plan, apply=_apply, verify=_verify, commits=False, finished=_finished, tells=_tells)
