"""Views are run by jobs: who may, what the job is told to read, and who gets the rows."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from console.accounts.models import RoleBinding
from console.audit.models import AuditEvent
from console.jobs import view_runs
from console.jobs.models import Job
from console.jobs.spark import REPORT, spec_of
from console.jobs.states import ACTIVE
from console.warehouses.models import Warehouse
from core.catalog.views import ViewSchema
from core.identifier import Identifier
from core.jobs import Result, encode_report, job_spec_from_json
from tests.builders import fields
from tests.console.conftest import Caller

RUNS = "/warehouses/lake/databases/db/views/big/runs"


@pytest.fixture(autouse=True)
def _view(lake: Warehouse, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.JOBS_FOLDER = tmp_path / "jobs"
    monkeypatch.setattr("console.jobs.services.send", lambda *args: True)
    store = view_runs.view_store(lake, view_runs.catalog_of(lake))
    store.create(
        Identifier("db", "big"), ViewSchema(fields(k="INT"), "x", {"spark": "SELECT k FROM inner_one"})
    )
    store.create(Identifier("db", "inner_one"), ViewSchema(fields(k="INT"), "SELECT id FROM t"))
    store.create(Identifier("db", "another"), ViewSchema(fields(k="INT"), "SELECT 1"))


def ended(job: Job, tables: list[str]) -> None:
    """As the engine leaves it."""
    rows = {"columns": [{"name": "k", "type": "INT"}], "rows": [[1]], "truncated": False}
    Path(job.folder).mkdir(parents=True)
    line = encode_report(Result(details={"rows": rows, "tables": tables}))
    (Path(job.folder) / REPORT).write_text(line + "\n")
    Job.objects.filter(pk=job.pk).update(state="succeeded", ended_at=timezone.now())


def run_of(caller: Caller) -> Job:
    reply = caller.post(RUNS, {"limit": 5})
    assert reply.status_code == 201, reply.content
    return Job.objects.get(public_id=reply.json()["id"])


def test_a_run_is_told_the_views_of_rows_of_ours_and_what_its_person_may_read(
    bob: Caller, lake: Warehouse
) -> None:
    job = run_of(bob)
    [(kind, work)] = job.spec.items()
    assert (job.kind, kind, work["limit"]) == ("view", "read-view", 5)
    assert work["readable"] == [{"database": "db"}]
    assert work["files_within"] == str(Path(lake.location).resolve())
    assert work["views"] == {
        "db.big": {"sql": "SELECT k FROM inner_one", "columns": ["k"]},
        "db.inner_one": {"sql": "SELECT id FROM t", "columns": ["k"]},
    }
    assert job_spec_from_json(spec_of(job)).kind == kind


def test_who_may_read_no_rows_runs_no_view_and_sees_no_run(bob: Caller, vera: Caller) -> None:
    job = run_of(bob)
    assert vera.post(RUNS).status_code == 403
    assert vera.get(f"/jobs/{job.public_id}").status_code == 403
    assert vera.items("/jobs") == []
    assert [row["id"] for row in bob.items("/jobs")] == [job.public_id]


def test_a_run_is_not_told_to_who_may_not_read_what_it_may_have_read(
    alice: Caller, bob: Caller, carol: Caller
) -> None:
    RoleBinding.objects.create(user=carol.user, role="operator", warehouse="lake", database="db")
    job = run_of(alice)
    for address in ("", "/logs", "/events"):
        assert carol.get(f"/jobs/{job.public_id}{address}").status_code == 403
    assert carol.items("/jobs") == bob.items("/jobs") == []
    assert [row["id"] for row in alice.items("/jobs")] == [job.public_id]


def test_a_second_run_waits_for_the_first(bob: Caller) -> None:
    first = run_of(bob)
    again = bob.post(RUNS)
    assert (again.status_code, again.json()["code"]) == (409, "table-busy")
    assert bob.post(f"/jobs/{first.public_id}/cancel").json()["state"] == "cancelled"
    assert run_of(bob).pk != first.pk


def test_the_database_keeps_a_person_from_two_runs_at_once(bob: Caller, alice: Caller) -> None:
    first = run_of(bob)
    second = Job(public_id="j-2", kind="view", warehouse=first.warehouse, requested_by=bob.user, spec={})
    for state in ACTIVE:
        Job.objects.filter(pk=first.pk).update(state=state)
        with pytest.raises(IntegrityError), transaction.atomic():
            second.save()
    assert run_of(alice).pk != first.pk


def test_rows_are_for_who_asked_and_are_audited(bob: Caller, alice: Caller) -> None:
    job = run_of(bob)
    address = f"{RUNS}/{job.public_id}"
    assert bob.get(address).json()["code"] == "job-not-ended"
    ended(job, ["db.big", "db.t"])
    assert bob.json(address)["rows"] == [[1]]
    assert bob.json(RUNS)["run"]["id"] == job.public_id
    assert alice.get(address).status_code == 404
    assert (
        AuditEvent.objects.filter(actor="bob", action="get_view_rows", target__endswith=address).count() == 1
    )


def test_who_lost_a_table_since_gets_no_rows_of_it(bob: Caller) -> None:
    job = run_of(bob)
    ended(job, ["db.big", "db.t"])
    RoleBinding.objects.filter(user=bob.user).update(table="big")
    denied = bob.get(f"{RUNS}/{job.public_id}")
    assert (denied.status_code, denied.json()["scope"]) == (403, "lake.db.t")


def test_rows_are_forgotten_after_an_hour(bob: Caller) -> None:
    job = run_of(bob)
    ended(job, ["db.t"])
    Job.objects.filter(pk=job.pk).update(ended_at=timezone.now() - timedelta(hours=2))
    assert bob.json(RUNS)["run"] is None
    view_runs.forget_rows()
    assert not (Path(job.folder) / REPORT).exists()
    assert bob.get(f"{RUNS}/{job.public_id}").status_code == 404


def test_rows_go_with_their_warehouse(bob: Caller, alice: Caller) -> None:
    job = run_of(bob)
    ended(job, ["db.t"])
    assert alice.delete("/warehouses/lake").status_code == 204
    assert not (Path(job.folder) / REPORT).exists()


def test_there_is_no_run_of_no_view(bob: Caller) -> None:
    assert bob.post("/warehouses/lake/databases/db/views/gone/runs").status_code == 404
    assert bob.post(RUNS, {"limit": 100_000}).status_code == 400
