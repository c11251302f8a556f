"""Jobs whose worker died, or whose table cannot be looked at."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from console.jobs import running, services
from console.jobs.models import Job, JobEvent, Lease
from console.jobs.processes import PROC
from console.jobs.spark import Engine, is_engine_of, kill_group
from console.jobs.states import State
from core import Table
from tests.console.jobs.steps import abandoned, awaiting_verdict

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("how", "end"), [("hang", State.FAILED), ("hang-committed", State.FAILED_COMMITTED)])
def test_a_job_whose_worker_died_ends_as_the_table_shows(
    submit: Callable[..., Job],
    how: str,
    end: State,
    monkeypatch: pytest.MonkeyPatch,
    engines: list[Engine],
) -> None:
    job = abandoned(submit(), how, monkeypatch, engines)
    assert is_engine_of(job)
    assert [found.pk for found in running.reconcile()] == [job.pk]
    ended = Job.objects.get(pk=job.pk)
    assert ended.state == end
    assert bool(ended.result["snapshots"]) is (end is State.FAILED_COMMITTED)
    assert not is_engine_of(ended)
    assert not Lease.objects.exists()


@pytest.mark.skipif(not (PROC / "self" / "stat").exists(), reason="without /proc it takes ps")
def test_an_engine_is_found_and_ended_where_the_machine_has_no_ps(
    submit: Callable[..., Job], monkeypatch: pytest.MonkeyPatch, engines: list[Engine]
) -> None:
    job = abandoned(submit(), "hang", monkeypatch, engines)
    monkeypatch.setenv("PATH", "")
    assert is_engine_of(job)
    running.reconcile()
    assert not is_engine_of(job)
    assert Job.objects.get(pk=job.pk).state == State.FAILED


def test_a_job_of_a_living_worker_is_left_alone(submit: Callable[..., Job]) -> None:
    claimed = running.claim(submit())
    assert claimed is not None
    assert running.reconcile() == []


def test_a_worker_on_another_host_is_believed_until_it_is_silent(submit: Callable[..., Job]) -> None:
    job = submit()
    assert running.claim(job) is not None
    Job.objects.filter(pk=job.pk).update(owner="elsewhere:1")
    assert running.reconcile() == []
    Job.objects.filter(pk=job.pk).update(heartbeat_at=timezone.now() - timedelta(seconds=61))
    assert [found.state for found in running.reconcile()] == [State.FAILED]


def test_a_job_that_had_ended_well_before_its_worker_died_succeeded(
    submit: Callable[..., Job], table: Table, monkeypatch: pytest.MonkeyPatch, engines: list[Engine]
) -> None:
    job = abandoned(submit(), "hang-committed", monkeypatch, engines)
    kill_group(int(job.process_group or 0))
    with (Path(job.folder) / "report.jsonl").open("a") as report:
        report.write('{"type": "result", "snapshots": [], "metrics": {}, "details": {}, "time_millis": 0}\n')
    running.reconcile()
    assert Job.objects.get(pk=job.pk).state == State.SUCCEEDED


def test_a_table_that_cannot_be_looked_at_leaves_the_job_unjudged(
    submit: Callable[..., Job], table: Table, tmp_path: Path
) -> None:
    job = submit()
    warehouse = Path(job.warehouse.location)
    waiting = awaiting_verdict(job)
    warehouse.rename(tmp_path / "away")
    for _ in range(3):
        assert running.conclude(waiting, exit_code=1, report=None).state == State.VERIFYING
    told = [event.data["message"] for event in JobEvent.objects.filter(job=job, type="warning")]
    assert sum("cannot be looked at" in message for message in told) == 1
    (tmp_path / "away").rename(warehouse)
    assert running.conclude(waiting, exit_code=1, report=None).state == State.FAILED


def test_a_table_that_was_dropped_ends_the_job(submit: Callable[..., Job], table: Table) -> None:
    waiting = awaiting_verdict(submit())
    shutil.rmtree(table.location)
    ended = running.conclude(waiting, exit_code=1, report=None)
    assert (ended.state, ended.result["detail"]["code"]) == (State.FAILED, "table-gone")
    assert not Lease.objects.exists()


def test_an_unjudged_job_is_looked_at_again_and_holds_no_slot(
    submit: Callable[..., Job], table: Table, tmp_path: Path, settings: Any
) -> None:
    waiting = awaiting_verdict(submit())
    dead = running.this_process().rpartition(":")[0] + ":999999999"
    Path(waiting.warehouse.location).rename(tmp_path / "away")
    for _ in range(2):
        Job.objects.filter(pk=waiting.pk).update(owner=dead)
        assert [job.state for job in running.reconcile()] == [State.VERIFYING]
    assert len(Job.objects.get(pk=waiting.pk).phases) == len(waiting.phases)
    settings.JOB_SLOTS = 1
    other = services.start_demo(warehouse=waiting.warehouse)
    assert running.claim(other) is not None


def test_one_job_that_resists_keeps_no_other_from_its_end_and_ends_later(
    submit: Callable[..., Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    job = awaiting_verdict(submit())
    resisting = services.start_demo(warehouse=job.warehouse)
    assert running.claim(resisting) is not None
    dead = running.this_process().rpartition(":")[0] + ":999999999"
    Job.objects.update(owner=dead)
    stop = running._stop_engine

    def refuse(lost: Job) -> None:
        if lost.pk == resisting.pk:
            raise OSError("no")
        stop(lost)

    monkeypatch.setattr(running, "_stop_engine", refuse)
    running.reconcile()
    assert Job.objects.get(pk=job.pk).state == State.FAILED
    assert Job.objects.get(pk=resisting.pk).state == State.LOST
    monkeypatch.setattr(running, "_stop_engine", stop)
    Job.objects.update(owner=dead)
    running.reconcile()
    assert Job.objects.get(pk=resisting.pk).state == State.FAILED_COMMITTED  # its warehouse has tables
