"""Carries cases out with our own writers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.arrow import arrow_schema
from core.catalog import open_catalog
from core.commit import CommitNotes, TableCommit
from core.compact import Strategy
from core.maintenance.rollback import apply_rollback
from core.maintenance.rollback_plan import plan_rollback
from core.schema.merge import MergeRules
from core.table import Table
from core.write import decode_message, encode_message
from core.write.compaction import plan_compaction, run_task
from tests.interop.case import KINDS, Case, Drop, Expiring, Other, Overwrite, Partly, Statement
from tests.interop.rewrites import REWRITES
from tests.interop.values import arrow_table

WIDENING = MergeRules(type_widening=True)


def make(warehouse: Path, cases: Mapping[str, Case]) -> None:
    catalog = open_catalog(str(warehouse))
    catalog.create_database("ours")
    for name, case in cases.items():
        catalog.create_table(
            f"ours.{name}",
            case.fields,
            primary_keys=case.primary_key,
            partition_keys=case.partition_keys,
            options=case.options,
        )
        for step in case.steps:
            act(catalog.get_table(f"ours.{name}"), case, step)


def act(table: Table, case: Case, step: Any) -> None:
    if isinstance(step, list):
        write(table, case, step)
    elif isinstance(step, Statement):
        TableCommit(table, "lakescope-test").commit(table.apply_changes(step.plan(table)))
    elif isinstance(step, Partly):
        columns = [(name, dict(case.columns)[name]) for name in step.columns]
        write(table, replace(case, columns=columns), step.rows)
    elif isinstance(step, Other):
        other = replace(case, columns=step.columns, created=())
        write(table.merge_schema(arrow_schema(other.fields), WIDENING), other, step.rows)
    elif isinstance(step, Expiring):
        compact(table, Strategy.FULL)
    elif isinstance(step, Overwrite):
        write(table, case, step.rows, over=step)
    elif isinstance(step, Drop):
        TableCommit(table, "lakescope-test").truncate_partitions(step.partitions)
    elif step == "truncate":
        TableCommit(table, "lakescope-test").truncate()
    elif step == "merge manifests":
        TableCommit(table, "lakescope-test").merge_manifests()
    elif step == "nothing but notes":
        notes = CommitNotes(watermark=1_700_000_000_000, properties={"job": "7"}, operation="WRITE")
        TableCommit(table, "lakescope-test").commit([], 5, notes)
    elif step.split()[0] in REWRITES:
        word, *told = step.split()
        REWRITES[word](table, *told)
    elif step.startswith("rollback "):
        apply_rollback(table, plan_rollback(table, int(step.split()[1])))
    else:
        compact(table, Strategy.MINOR if step == "minor" else Strategy.FULL)


def write(table: Table, case: Case, rows: list[list[Any]], over: Overwrite | None = None) -> None:
    batch = arrow_table([row[1:] for row in rows], arrow_schema(case.fields))
    kinds = [KINDS[row[0]] for row in rows] if case.primary_key else None
    with table.new_write(overwrite=over is not None) as writer:
        writer.write(batch, kinds)
        messages = [decode_message(encode_message(m)) for m in writer.prepare_commit()]
    commit = TableCommit(table, "lakescope-test")
    if over is None:
        commit.commit(messages)
    else:
        commit.overwrite(messages, over.partition)


def compact(table: Table, strategy: Strategy) -> None:
    plan = plan_compaction(table, strategy=strategy)
    TableCommit(table, "lakescope-test").commit([run_task(table, task) for task in plan.tasks])
