"""What tests do with jobs: run them, wait for them, leave them to others."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connections

from console.jobs import running
from console.jobs.models import Job
from console.jobs.spark import Engine
from console.jobs.states import State
from console.jobs.transitions import move
from core.jobs import Failure
from tests.console.conftest import TABLE, Caller


def submitted(caller: Caller, kind: str = "compact", **params: Any) -> Job:
    """A queued job, from a plan of the table."""
    plan = caller.post(f"{TABLE}/plans", {"kind": kind, "params": params}).json()
    body = {"plan_id": plan["id"], "confirmation": plan["confirmation"] or "", "reason": "test"}
    response = caller.post("/jobs", body)
    assert response.status_code == 201, response.content
    return Job.objects.get(public_id=response.json()["id"])


def run(job: Job, how: str = "well") -> Job:
    os.environ["ENGINE"] = how
    try:
        running.run(job)
    finally:
        del os.environ["ENGINE"]
    return Job.objects.get(pk=job.pk)


def run_in_thread(job: Job, how: str) -> None:
    try:
        run(job, how)
    finally:
        connections.close_all()


def wait_for(condition: Callable[[], Any], while_: Callable[[], bool] = lambda: True) -> Any:
    """What the condition gives once it holds; fails when what could bring that about has ended."""
    until = time.monotonic() + 300
    while True:
        goes_on = while_()
        if found := condition():
            return found
        assert goes_on, "it ended before that happened"
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.05)


def abandoned(job: Job, how: str, monkeypatch: pytest.MonkeyPatch, engines: list[Engine]) -> Job:
    """A running job whose worker is no more; its engine still runs."""
    monkeypatch.setenv("ENGINE", how)
    claimed = running.claim(job)
    assert claimed is not None
    engine = Engine(claimed)
    engines.append(engine)
    phase = "commit" if how == "hang-committed" else "plan"
    wait_for(
        lambda: any(getattr(line, "phase", "") == phase for line in engine.new_lines()),
        while_=lambda: engine.wait(0) is None,
    )
    move(claimed, State.RUNNING)
    dead = running.this_process().rpartition(":")[0] + ":999999999"
    Job.objects.filter(pk=job.pk).update(owner=dead, process_group=engine.group)
    return Job.objects.get(pk=job.pk)


def failed(job: Job) -> Job:
    """The job after its engine gave up by a trouble that passes; no process is started for it."""
    trouble = Failure(code="storage", message="the disk is gone", transient=True)
    return running.conclude(awaiting_verdict(job), exit_code=1, report=trouble)


def awaiting_verdict(job: Job) -> Job:
    """The job once its engine has ended."""
    claimed = running.claim(job)
    assert claimed is not None
    return move(move(claimed, State.RUNNING), State.VERIFYING)
