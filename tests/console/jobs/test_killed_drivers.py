"""The driver of a job is killed in each of its states: the job ends in the one that the table shows."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from console.jobs.models import Job, JobEvent, Lease
from console.jobs.spark import final_report, kill_group
from console.jobs.states import State
from tests.console.conftest import Caller
from tests.console.jobs.steps import run_in_thread, wait_for

pytestmark = pytest.mark.django_db(transaction=True)  # two threads see the job


def _told(job: Job, phase: str) -> bool:
    return JobEvent.objects.filter(job=job, type="progress", data__phase=phase).exists()


# how the driver hangs, when it is killed, the state that the job is in then, and where it ends
DEATHS: list[tuple[str, Callable[[Job], bool], State, State]] = [
    ("silent", lambda job: bool(job.process_group), State.STARTING, State.FAILED),
    ("hang", lambda job: _told(job, "plan"), State.RUNNING, State.FAILED),
    ("hang-committed", lambda job: _told(job, "commit"), State.RUNNING, State.FAILED_COMMITTED),
    ("linger", lambda job: final_report(job) is not None, State.RUNNING, State.SUCCEEDED),
    ("stubborn", lambda job: _told(job, "plan"), State.CANCELLING, State.CANCELLED),
]


@pytest.mark.parametrize(("how", "ripe", "state", "end"), DEATHS, ids=[death[0] for death in DEATHS])
def test_a_job_whose_driver_is_killed_ends_as_the_table_shows(
    submit: Callable[..., Job], alice: Caller, settings: Any, how: str, ripe: Callable[[Job], bool],
    state: State, end: State,
) -> None:  # fmt: skip
    settings.JOB_KILL_GRACE = timedelta(minutes=5)  # it is we who kill it
    job = submit()
    worker = threading.Thread(target=run_in_thread, args=(job, how))
    worker.start()
    wait_for(lambda: ripe(Job.objects.get(pk=job.pk)), while_=worker.is_alive)
    if state is State.CANCELLING:
        alice.post(f"/jobs/{job.public_id}/cancel")
    found = wait_for(lambda: Job.objects.filter(pk=job.pk, state=state).first(), while_=worker.is_alive)
    kill_group(found.process_group)
    worker.join(timeout=300)
    ended = Job.objects.get(pk=job.pk)
    assert ended.state == end
    assert bool(ended.result and ended.result["snapshots"]) is (how in ("hang-committed", "linger"))
    assert not Lease.objects.exists()
