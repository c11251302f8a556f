"""Materialized tables are refreshed by plans and by schedules, as far as their definitions allow."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from console.accounts.models import ApiToken, RoleBinding
from console.audit.models import AuditEvent
from console.jobs import schedules
from console.jobs.models import Job, RefreshSchedule
from console.jobs.spark import spec_of
from console.jobs.states import State
from console.jobs.transitions import move
from console.rest_catalog.stored import view_store
from console.warehouses.catalogs import catalog_of
from console.warehouses.models import Warehouse
from core import Table, open_catalog
from core.catalog.views import ViewSchema
from core.identifier import Identifier
from core.jobs import Readable, RefreshJob, job_spec_from_json
from core.schema.changes import SetOption
from tests.builders import fields
from tests.console.conftest import Caller, person
from tests.tables import put

M = "/warehouses/lake/databases/db/tables/m"
SCHEDULE = f"{M}/refresh-schedule"


@pytest.fixture(autouse=True)
def _still(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker takes the jobs."""
    settings.DATA_FOLDER = tmp_path / "data"
    monkeypatch.setattr("console.jobs.services.send", lambda *args: True)


def made(lake: Warehouse, **options: str) -> Table:
    given = {
        "definition-query": "SELECT id AS k FROM t",
        "refresh-mode": "FULL",
        "refresh-status": "ACTIVATED",
    }
    given |= {"interval-freshness": "1", "interval-freshness.time-unit": "HOUR"}
    given |= {key.replace("_", "-"): value for key, value in options.items()}
    own = {f"materialized-table.{key}": value for key, value in given.items()}
    return open_catalog(lake.location).create_table(
        "db.m", fields(k="INT"), options={"type": "materialized-table", **own}
    )


def plan_of(caller: Caller, **params: Any) -> dict[str, Any]:
    reply = caller.post(f"{M}/plans", {"kind": "refresh", "params": params})
    assert reply.status_code == 201, reply.content
    found: dict[str, Any] = reply.json()
    return found


def test_a_full_refresh_is_planned_with_what_it_replaces(bob: Caller, lake: Warehouse) -> None:
    put(made(lake), (1,), (2,))
    plan = plan_of(bob)
    assert (plan["level"], plan["effects"]["mode"], plan["effects"]["rows_removed"]) == (1, "full", 2)
    assert (plan["blockers"], plan["undo"]["kind"]) == ([], "restore")
    job = bob.post("/jobs", {"plan_id": plan["id"]}).json()
    work = job_spec_from_json(spec_of(Job.objects.get(public_id=job["id"]))).work
    assert isinstance(work, RefreshJob)
    assert (work.readable, work.checkpoint, work.full) == ((Readable("db"),), None, False)


def test_a_continuous_refresh_keeps_its_place_and_replaces_nothing(bob: Caller, lake: Warehouse) -> None:
    put(made(lake, refresh_mode="CONTINUOUS"), (1,))
    plan = plan_of(bob)
    assert (plan["level"], plan["effects"]["mode"], plan["effects"]["rows_removed"]) == (0, "continuous", 0)
    assert plan_of(bob, full=True)["level"] == 1
    bob.post("/jobs", {"plan_id": plan["id"]})
    place = Job.objects.get().spec["refresh"]["checkpoint"]
    assert place.endswith(f"refreshes/{lake.pk}/db/m")


def test_what_is_not_refreshed_says_why(bob: Caller, alice: Caller, lake: Warehouse) -> None:
    made(lake, refresh_status="SUSPENDED")
    [blocker] = plan_of(bob)["blockers"]
    assert blocker["code"] == "refresh-refused"
    assert "refresh-status = SUSPENDED" in blocker["detail"]
    refused = alice.patch(SCHEDULE, {"enabled": True})
    assert (refused.status_code, refused.json()["code"]) == (422, "unsupported-format-version")
    wrong = bob.post(f"{M[:-1]}t/plans", {"kind": "refresh", "params": {}})
    assert wrong.status_code in (400, 422)


def test_a_schedule_is_off_until_an_administrator_switches_it_on(
    alice: Caller, bob: Caller, lake: Warehouse
) -> None:
    put(made(lake), (1,))
    assert bob.json(SCHEDULE)["enabled"] is False
    assert bob.patch(SCHEDULE, {"enabled": True}).status_code == 403
    shown = alice.patch(SCHEDULE, {"enabled": True}).json()
    assert (shown["enabled"], shown["enabled_by"], shown["last_job"]) == (True, "alice", None)
    assert shown["next_due"] > timezone.now().isoformat()
    assert alice.patch(SCHEDULE, {"enabled": False}).json()["enabled"] is False
    assert not RefreshSchedule.objects.exists()


def test_a_token_switches_no_schedule_on_that_does_more_than_it_may(alice: Caller, lake: Warehouse) -> None:
    made(lake)
    held = ["meta:read", "table:operate", "warehouse:manage"]
    terms = {"name": "t", "public_id": "t-1", "expiry": timedelta(days=1), "scopes": held}
    _, text = ApiToken.objects.create(user=alice.user, **terms)
    denied = Caller(None, Authorization=f"Bearer {text}").patch(SCHEDULE, {"enabled": True})
    assert (denied.status_code, denied.json()["permission"]) == (403, "data:read")
    assert not RefreshSchedule.objects.exists()


def due(alice: Caller) -> RefreshSchedule:
    alice.patch(SCHEDULE, {"enabled": True})
    RefreshSchedule.objects.update(next_due=timezone.now() - timedelta(minutes=1))
    return RefreshSchedule.objects.get()


def test_what_is_due_is_started_once_and_told(alice: Caller, lake: Warehouse) -> None:
    made(lake)
    due(alice)
    job = schedules.start_due()
    assert job is not None
    assert (job.kind, job.requested_by, job.scheduled) == ("refresh", alice.user, True)
    assert schedules.start_due() is None
    shown = alice.json(SCHEDULE)
    assert shown["last_job"]["id"] == job.public_id
    assert shown["next_due"] > (timezone.now() + timedelta(minutes=50)).isoformat()
    assert AuditEvent.objects.get(action="scheduled refresh").job_id == job.public_id


def test_fresh_rows_are_left_until_they_are_due(alice: Caller, lake: Warehouse) -> None:
    put(made(lake), (1,))
    due(alice)
    assert schedules.start_due() is None
    assert RefreshSchedule.objects.get().next_due > timezone.now() + timedelta(minutes=50)


def test_who_lost_the_right_refreshes_nothing(alice: Caller, lake: Warehouse) -> None:
    made(lake)
    due(alice)
    RoleBinding.objects.filter(user=alice.user).update(role="viewer")
    assert schedules.start_due() is None
    assert alice.json(SCHEDULE)["problem"]["code"] == "schedule-not-permitted"


def test_a_refresh_reads_what_whoever_starts_it_may_read(alice: Caller, bob: Caller, lake: Warehouse) -> None:
    made(lake)
    plan = plan_of(alice)
    bob.post("/jobs", {"plan_id": plan["id"]})
    work = job_spec_from_json(spec_of(Job.objects.get())).work
    assert isinstance(work, RefreshJob)
    assert (work.readable, work.query) == ((Readable("db"),), "SELECT id AS k FROM t")


def test_no_schedule_refreshes_a_definition_that_somebody_has_changed(alice: Caller, lake: Warehouse) -> None:
    table = made(lake)
    due(alice)
    table.alter([SetOption("materialized-table.definition-query", "SELECT 1 AS k")])
    assert schedules.start_due() is None
    assert alice.json(SCHEDULE)["problem"]["code"] == "schedule-other-definition"
    due(alice)
    assert schedules.start_due() is not None


def view_in(lake: Warehouse, name: str, sql: str) -> None:
    """Made or changed as another engine does."""
    store, view = view_store(lake, catalog_of(lake)), Identifier("db", name)
    if name in store.names("db"):
        store.drop(view)
    store.create(view, ViewSchema(fields(k="INT"), sql))


def test_no_schedule_refreshes_over_a_view_that_somebody_has_changed(alice: Caller, lake: Warehouse) -> None:
    view_in(lake, "outer_one", "SELECT * FROM inner_one")
    view_in(lake, "inner_one", "SELECT id AS k FROM t")
    made(lake, definition_query="SELECT k FROM outer_one")
    due(alice)
    view_in(lake, "inner_one", "SELECT k FROM other.secret")
    assert schedules.start_due() is None
    problem = alice.json(SCHEDULE)["problem"]
    assert (problem["code"], problem["values"]["views"]) == ("schedule-other-views", "db.inner_one")
    assert not Job.objects.exists()
    due(alice)
    job = schedules.start_due()
    assert job is not None
    work = job_spec_from_json(spec_of(job)).work
    assert isinstance(work, RefreshJob)
    assert set(work.looked_at or {}) == set(work.views) == {"db.outer_one", "db.inner_one"}


def test_the_views_of_a_refresh_are_told_to_who_may_browse_them(alice: Caller, lake: Warehouse) -> None:
    view_in(lake, "outer_one", "SELECT * FROM inner_one")
    view_in(lake, "inner_one", "SELECT id AS k FROM t")
    made(lake, definition_query="SELECT k FROM outer_one")
    plan = plan_of(alice)
    assert [tuple(view.values()) for view in plan["effects"]["views"]] == [
        ("db.inner_one", "SELECT id AS k FROM t"),
        ("db.outer_one", "SELECT * FROM inner_one"),
    ]
    due(alice)
    assert alice.json(SCHEDULE)["views"] == ["db.inner_one", "db.outer_one"]
    narrow = Caller(person("nora", "viewer", warehouse="lake", database="db", table="?"))
    assert narrow.json(f"/plans/{plan['id']}")["effects"]["views"] == []
    assert narrow.json(SCHEDULE)["views"] == []


def test_a_retry_runs_nothing_that_nobody_has_looked_at(bob: Caller, vera: Caller, lake: Warehouse) -> None:
    view_in(lake, "seen", "SELECT id AS k FROM t")
    made(lake, definition_query="SELECT k FROM seen")
    job = Job.objects.get(public_id=bob.post("/jobs", {"plan_id": plan_of(bob)["id"]}).json()["id"])
    assert vera.get(f"/jobs/{job.public_id}/logs").status_code == 403
    move(move(move(job, State.STARTING), State.VERIFYING), State.FAILED)
    view_in(lake, "seen", "SELECT k FROM other.secret")
    refused = bob.post(f"/jobs/{job.public_id}/retry")
    assert (refused.status_code, refused.json()["code"]) == (409, "plan-stale")
    view_in(lake, "seen", "SELECT id AS k FROM t")
    assert bob.post(f"/jobs/{job.public_id}/retry").status_code == 201


def test_a_refresh_that_failed_is_not_started_each_minute(alice: Caller, lake: Warehouse) -> None:
    made(lake, **{"interval-freshness.time-unit": "MINUTE"})
    due(alice)
    first = schedules.start_due()
    assert first is not None
    move(move(move(first, State.STARTING), State.VERIFYING), State.FAILED)
    RefreshSchedule.objects.update(next_due=timezone.now())
    assert schedules.start_due() is not None
    assert RefreshSchedule.objects.get().next_due > timezone.now() + timedelta(minutes=10)


def test_a_table_that_is_gone_stops_no_other_schedule(alice: Caller, lake: Warehouse) -> None:
    made(lake)
    due(alice)
    open_catalog(lake.location).drop_table("db.m")
    assert schedules.start_due() is None
    assert RefreshSchedule.objects.get().problem["code"] == "schedule-failed"


def test_a_format_table_gets_rows_by_a_plan_and_loses_files_only_by_name(
    bob: Caller, lake: Warehouse
) -> None:
    files = {"type": "format-table", "file.format": "csv"}
    open_catalog(lake.location).create_table("db.m", fields(k="INT"), options=files)
    source = {"kind": "query", "query": "SELECT 1 AS k"}
    for mode, level in (("append", 0), ("overwrite", 2)):
        asked = {"kind": "write", "params": {"source": source, "mode": mode}}
        plan = bob.post(f"{M}/plans", asked).json()
        assert (plan["level"], plan["undo"], plan["blockers"]) == (level, None, [])
    merged = {"kind": "write", "params": {"source": source, "merge_schema": True}}
    assert "merge_schema" in bob.post(f"{M}/plans", merged).json()["detail"]
    assert bob.post(f"{M}/plans", {"kind": "compact", "params": {}}).status_code == 422
