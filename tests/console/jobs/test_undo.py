"""A guarded rollback is undone by a job of its own, run by the engine that people have."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from console.jobs.models import Job
from console.jobs.spark import spec_of
from console.jobs.states import State
from core import Table
from core.jobs import encode_job_spec, job_spec_from_json
from core.maintenance.rollback import Guard, apply_rollback
from core.maintenance.rollback_plan import plan_rollback
from tests.console.jobs.steps import run
from tests.console.jobs.test_pointers import CASES, NAMES, Act
from tests.tables import put, rows_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("kind", "params", "prepare", "act"), CASES, ids=NAMES)
def test_what_a_plan_asks_of_its_job_is_a_spec(
    kind: str, params: dict[str, Any], prepare: Act, act: Act, submit: Callable[..., Job], table: Table
) -> None:
    prepare(table)
    asked = spec_of(submit(kind, **params))
    told = json.loads(encode_job_spec(job_spec_from_json(asked)))
    assert told[told["kind"]] == asked[told["kind"]]


def test_after_a_rollback_and_two_commits_its_undo_gives_the_rows_of_before(
    submit: Callable[..., Job], table: Table, settings: Any
) -> None:
    settings.JOB_MODULE = "spark_jobs"
    before, base = rows_of(table), table.snapshots.latest_id()
    apply_rollback(table, plan_rollback(table, 3), guard=Guard("guard-j-1"))
    for amount in (1, 2):
        put(table, ("2026-11-21", 500, amount, "since"))
    job = run(submit("restore", to={"branch": "guard-j-1"}))
    assert (base, job.state, job.problem) == (6, State.SUCCEEDED, None)
    latest = table.snapshots.latest()
    assert latest is not None
    assert job.result is not None
    assert (job.result["snapshots"], latest.id) == ([latest.reference], 6)
    assert rows_of(table) == before


def test_what_was_committed_after_the_confirmation_is_not_restored_over(
    submit: Callable[..., Job], table: Table, settings: Any
) -> None:
    settings.JOB_MODULE = "spark_jobs"
    job = submit("restore", to={"snapshot": "3"})
    put(table, ("2026-11-21", 500, 1, "nobody has seen it"))
    before = rows_of(table)
    ended = run(job)
    assert ended.problem is not None
    assert (ended.state, ended.problem["code"]) == (State.FAILED, "conflict")
    assert rows_of(table) == before
