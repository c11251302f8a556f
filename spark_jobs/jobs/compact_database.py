"""`compact-database`: compact every table whose names match, the tasks of all of them side by side."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core import Table
from core.catalog.table_types import is_plain
from core.compact import CompactionPlan, CompactionTask
from core.errors import PaimonError
from core.jobs import CompactDatabaseJob, CompactJob
from core.maintenance.facts import facts_of
from core.write import decode_messages, encode_message, run_task
from spark_jobs.jobs.compact import planned
from spark_jobs.jobs.compacting import committed, largest_first, rows_stand
from spark_jobs.jobs.steps import Job, Outcome, Run, committed_before
from spark_jobs.jobs.verified import Facts


@dataclass(frozen=True, slots=True)
class DatabasePlan:
    """The compactions of the tables that match, by name."""

    tables: Mapping[str, Table]
    plans: Mapping[str, CompactionPlan]
    done: tuple[str, ...]  # by an earlier run of the job
    failed: Mapping[str, str]  # tables that cannot be compacted, and why


@dataclass(frozen=True, slots=True)
class _TableTask:
    name: str
    table: Table
    task: CompactionTask

    def run(self) -> tuple[str, bytes | str]:
        """The name of the table, with the message or what went wrong: other tables go on."""
        try:
            return self.name, encode_message(run_task(self.table, self.task))
        except PaimonError as error:
            return self.name, str(error)


def _plan(run: Run) -> DatabasePlan:
    work: CompactDatabaseJob = run.work
    asked = CompactJob(strategy=work.strategy, partition_idle_time=work.partition_idle_time)
    tables: dict[str, Table] = {}
    plans: dict[str, CompactionPlan] = {}
    failed: dict[str, str] = {}
    done: list[str] = []
    for name in _names(run, work):
        try:
            table = run.catalog.get_data_table(name)
            if is_plain(table):
                continue
            tables[name] = table
            if committed_before(tables[name], run.user):
                done.append(name)
            else:
                plans[name] = planned(tables[name], asked, run.now_millis)
        except PaimonError as error:
            failed[name] = str(error)
    return DatabasePlan(tables, plans, tuple(done), failed)


def _names(run: Run, work: CompactDatabaseJob) -> Iterator[str]:
    """Of all tables that match."""
    for database in run.catalog.list_databases():
        if not re.fullmatch(work.including_databases, database):
            continue
        for table in run.catalog.list_tables(database):
            name = f"{database}.{table}"
            excluded = work.excluding_tables is not None and re.fullmatch(work.excluding_tables, name)
            if re.fullmatch(work.including_tables, name) and not excluded:
                yield name


def _apply(run: Run, plan: DatabasePlan) -> Outcome:
    tasks = [_TableTask(n, plan.tables[n], t) for n, p in plan.plans.items() for t in largest_first(p)]
    tasks.sort(key=lambda task: -task.task.size)
    made: dict[str, list[bytes]] = defaultdict(list)
    failed = dict(plan.failed)
    for name, answer in run.executors.map(_TableTask.run, tasks, "compact", "buckets"):
        if isinstance(answer, bytes):
            made[name].append(answer)
        else:
            failed[name] = answer
    outcomes: dict[str, Outcome] = {}
    for name, sent in made.items():
        table, messages = plan.tables[name], decode_messages(sent)
        if name in failed:
            table.new_commit(run.user).abort(messages)
            continue
        try:
            outcomes[name] = committed(table, plan.plans[name], messages, run.user, run.reporter)
        except PaimonError as error:
            failed[name] = str(error)
    for name, why in failed.items():
        run.reporter.log(f"{name} was not compacted: {why}", "error")
    return Outcome(
        snapshots=[snapshot for outcome in outcomes.values() for snapshot in outcome.snapshots],
        metrics={
            "tables": len(plan.plans) + len(plan.failed) + len(plan.done),
            "tables_compacted": len(outcomes),
            "tables_failed": len(failed),
            "files_before": sum(o.metrics["files_before"] for o in outcomes.values()),
            "files_after": sum(o.metrics["files_after"] for o in outcomes.values()),
        },
        details={
            "tables": {name: [s.reference for s in o.snapshots] for name, o in outcomes.items()},
            "failed": failed,
        },
    )


def _verify(run: Run, plan: DatabasePlan, outcome: Outcome) -> Facts:
    """Of each table that was compacted its rows stand; if one was not, the job as a whole has failed."""
    by_reference = {snapshot.reference: snapshot for snapshot in outcome.snapshots}
    facts: dict[str, Any] = {}
    for name, references in outcome.details["tables"].items():
        mine = Outcome(snapshots=[by_reference[reference] for reference in references])
        facts[name] = dict(rows_stand(run.catalog.get_data_table(name), mine))
    failed: Mapping[str, str] = outcome.details["failed"]
    if failed:
        first = min(failed)
        raise PaimonError(
            f"{len(failed)} tables were not compacted, {len(facts)} were", table=first, cause=failed[first]
        )
    return facts


def _tells(run: Run, plan: DatabasePlan) -> dict[str, Any]:
    return {
        "tables": {name: facts_of(one, plan.tables[name]) for name, one in plan.plans.items()},
        "done_before": list(plan.done),
        "failed": dict(plan.failed),
    }


COMPACT_DATABASE = Job(plan=_plan, apply=_apply, verify=_verify, tells=_tells)
