"""A worker and its engine: however the engine ends, the job ends as the table shows."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from console.audit.models import AuditEvent
from console.jobs import running
from console.jobs.models import Job, JobEvent
from console.jobs.spark import is_engine_of
from console.jobs.states import State
from console.jobs.tasks import forget_logs
from core import Table
from tests.console.conftest import Caller
from tests.console.jobs.steps import failed, run, run_in_thread, wait_for
from tests.tables import put

pytestmark = pytest.mark.django_db


def test_a_failure_without_a_commit_is_failed(submit: Callable[..., Job], table: Table) -> None:
    before = table.snapshots.latest_id()
    job = run(submit(), "fail")
    assert (job.state, job.problem["code"]) == (State.FAILED, "storage")
    assert table.snapshots.latest_id() == before


def test_a_failure_after_a_commit_says_so(submit: Callable[..., Job]) -> None:
    job = run(submit(), "die-committed")
    assert (job.state, job.problem["code"]) == (State.FAILED_COMMITTED, "engine-ended")
    assert job.result["snapshots"]


def test_a_queued_job_is_cancelled_at_once(submit: Callable[..., Job], alice: Caller) -> None:
    job = submit()
    reply = alice.post(f"/jobs/{job.public_id}/cancel")
    assert (reply.status_code, reply.json()["state"]) == (202, "cancelled")
    assert run(job).state == State.CANCELLED
    assert alice.post(f"/jobs/{job.public_id}/cancel").json()["code"] == "job-ended"


@pytest.mark.django_db(transaction=True)  # two threads see the job
@pytest.mark.parametrize(("how", "end"), [("hang", "cancelled"), ("hang-committed", "cancelled_committed")])
def test_a_running_job_is_stopped_and_looked_at(
    submit: Callable[..., Job], alice: Caller, how: str, end: str
) -> None:
    job = submit()
    worker = threading.Thread(target=run_in_thread, args=(job, how))
    worker.start()
    phase = "commit" if how == "hang-committed" else "plan"
    told = JobEvent.objects.filter(job=job, type="progress", data__phase=phase)
    wait_for(told.exists, while_=worker.is_alive)
    assert alice.post(f"/jobs/{job.public_id}/cancel").status_code == 202
    worker.join(timeout=300)
    ended = Job.objects.get(pk=job.pk)
    assert (ended.state, ended.cancelled_by) == (end, "alice")
    assert not is_engine_of(ended)


def test_a_rollback_is_verified_by_the_pointers(submit: Callable[..., Job], table: Table) -> None:
    job = run(submit("rollback", to={"snapshot": "4"}, guard=False))
    assert job.state == State.SUCCEEDED, job.problem
    assert table.snapshots.latest_id() == 4
    assert job.result["latest"] == table.snapshots.get(4).reference


def test_a_rollback_stopped_half_way_says_where_it_stands(
    submit: Callable[..., Job], table: Table, alice: Caller
) -> None:
    job = submit("rollback", to={"snapshot": "3"}, guard=False)
    table.snapshots.write_hint(3)
    table.snapshots.delete(6)
    assert failed(job).state == State.FAILED_COMMITTED
    told = alice.json(f"/jobs/{job.public_id}", **{"Accept-Language": "zh"})["result"]["detail"]
    assert told.startswith(f"当前位于 {table.snapshots.get(5).reference}")


def test_secrets_do_not_reach_problems(submit: Callable[..., Job], alice: Caller) -> None:
    job = submit()
    job.warehouse.credentials = {"s3.secret-key": 'hunter2"hunter2'}
    job.warehouse.save()
    assert run(job, "tell").state == State.FAILED
    shown = alice.json(f"/jobs/{job.public_id}")["problem"]
    assert "[redacted]" in shown["message"]
    assert "hunter2" not in str(shown) + str(list(AuditEvent.objects.values_list("detail", flat=True)))


def test_a_log_that_cannot_be_written_does_not_stop_its_job(
    submit: Callable[..., Job], settings: Any
) -> None:
    job = submit()
    (Path(job.folder) / "log").mkdir(parents=True)  # as a full disk: no line can be written
    assert run(job, "chatter").state == State.SUCCEEDED


def test_a_log_is_kept_to_its_limit(submit: Callable[..., Job], settings: Any) -> None:
    settings.JOB_LOG_BYTES = 100
    job = run(submit(), "chatter")
    text = (Path(job.folder) / "log").read_text()
    assert text.endswith("left out\n")
    assert "y" * 300_000 not in text


def test_a_log_is_forgotten_when_its_time_is_over(
    submit: Callable[..., Job], settings: Any, alice: Caller
) -> None:
    job = run(submit(), "chatter")
    for days, is_kept in ((29, True), (31, False)):
        Job.objects.filter(pk=job.pk).update(ended_at=timezone.now() - timedelta(days=days))
        forget_logs()
        assert Path(job.folder).exists() is is_kept
    assert alice.json(f"/jobs/{job.public_id}/logs")["text"] == ""
    assert alice.json("/meta")["limits"]["log_seconds"] == 30 * 24 * 60 * 60


def test_no_more_jobs_run_than_there_are_slots(submit: Callable[..., Job], settings: Any) -> None:
    settings.JOB_SLOTS = 0
    job = submit()
    assert run(job).state == State.QUEUED
    settings.JOB_SLOTS = 1
    assert running.claim(job) is not None


def test_a_process_that_cannot_be_started_ends_its_job(submit: Callable[..., Job], settings: Any) -> None:
    settings.ROOT = Path("/nowhere/at/all")
    ended = run(submit())
    assert (ended.state, ended.problem["code"]) == (State.FAILED, "engine-unavailable")


def test_a_commit_by_somebody_else_is_not_the_jobs(submit: Callable[..., Job], table: Table) -> None:
    job = submit()
    put(table, ("2026-11-20", 90, 1, "somebody else"))
    assert failed(job).state == State.FAILED
