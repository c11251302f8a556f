"""From a plan to a queued job: one a plan, one a table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from console.jobs.models import Job
from core import Table
from tests.console.conftest import TABLE, Caller

pytestmark = pytest.mark.django_db


def test_one_mutating_job_a_table(submit: Callable[..., Job], alice: Caller) -> None:
    first = submit()
    plan = alice.post(f"{TABLE}/plans", {"kind": "compact", "params": {"strategy": "full"}}).json()
    assert [blocker["code"] for blocker in plan["blockers"]] == ["table-busy"]
    assert alice.json(TABLE)["active_job"] == first.public_id


def test_a_race_for_the_table_has_one_winner(alice: Caller, table: Table) -> None:
    plans = [alice.post(f"{TABLE}/plans", {"kind": "compact", "params": {}}).json() for _ in range(2)]
    replies = [alice.post("/jobs", {"plan_id": plan["id"]}) for plan in plans]
    assert [reply.status_code for reply in replies] == [201, 409]
    assert replies[1].json()["code"] == "table-busy"
    assert replies[1].json()["job"] == replies[0].json()["id"]


def test_a_table_has_one_job_by_whatever_name_it_is_reached(
    submit: Callable[..., Job], alice: Caller, table: Table, tmp_path: Path
) -> None:
    job = submit()
    (tmp_path / "link").symlink_to(job.warehouse.location)
    for name, location in (("link", f"{tmp_path}/link"), ("file", f"file://{job.warehouse.location}/")):
        assert alice.post("/warehouses", {"name": name, "location": location}).status_code == 201
        plan = alice.post(
            f"/warehouses/{name}/databases/db/tables/t/plans", {"kind": "compact", "params": {}}
        )
        assert [blocker["code"] for blocker in plan.json()["blockers"]] == ["table-busy"]


def test_a_plan_makes_one_job(submit: Callable[..., Job], alice: Caller) -> None:
    job = submit()
    alice.post(f"/jobs/{job.public_id}/cancel")
    assert job.plan is not None
    assert alice.post("/jobs", {"plan_id": job.plan.public_id}).json()["code"] == "plan-stale"


def test_a_warehouse_under_a_job_neither_goes_nor_moves(
    submit: Callable[..., Job], alice: Caller, tmp_path: Path
) -> None:
    job = submit()
    assert alice.delete("/warehouses/lake").json()["code"] == "table-busy"
    assert alice.patch("/warehouses/lake", {"location": str(tmp_path)}).json()["job"] == job.public_id
    assert alice.patch("/warehouses/lake", {"description": "ours"}).status_code == 200
    alice.post(f"/jobs/{job.public_id}/cancel")
    assert alice.delete("/warehouses/lake").status_code == 204
