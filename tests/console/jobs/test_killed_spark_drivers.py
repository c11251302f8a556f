"""A real Spark driver is killed in each state of its job; `make soak` takes all of them, `./test` one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from console.jobs.models import Job, Lease
from console.jobs.spark import final_report, kill_group
from console.jobs.states import State
from core import Table
from core.jobs import Result
from tests.console.conftest import Caller
from tests.console.jobs.steps import run_in_thread, wait_for
from tests.crashes import THOROUGH
from tests.tables import put, rows_of

pytestmark = [pytest.mark.spark, pytest.mark.django_db(transaction=True)]  # two threads see the job

# a moment, and the state of the job then
MOMENTS = {
    "started": State.STARTING,
    "at work": State.RUNNING,
    "committed": State.RUNNING,
    "asked to stop": State.CANCELLING,
}


@pytest.mark.parametrize("moment", MOMENTS if THOROUGH else ["committed"])
def test_a_job_whose_spark_driver_is_killed_ends_as_the_table_shows(
    submit: Callable[..., Job], alice: Caller, table: Table, settings: Any, moment: str
) -> None:
    settings.JOB_MODULE, settings.JOB_KILL_GRACE = "spark_jobs", timedelta(minutes=5)
    put(table, ("2026-11-20", 1, 1, "a"))
    rows, base = rows_of(table), table.snapshots.latest_id() or 0
    job = submit()
    worker = threading.Thread(target=run_in_thread, args=(job, "well"))
    worker.start()
    until = State.RUNNING if moment == "asked to stop" else MOMENTS[moment]
    wait_for(lambda: Job.objects.filter(pk=job.pk, state=until, process_group__isnull=False).exists())
    if moment == "committed":
        wait_for(lambda: (table.snapshots.latest_id() or 0) > base)
    elif moment == "asked to stop":
        alice.post(f"/jobs/{job.public_id}/cancel")
    kill_group(int(Job.objects.get(pk=job.pk).process_group or 0))
    worker.join(timeout=300)
    ended = Job.objects.get(pk=job.pk)
    committed = (table.snapshots.latest_id() or 0) > base
    told = isinstance(final_report(ended), Result)  # it was quicker than we
    cancelled = State.CANCELLED_COMMITTED if committed else State.CANCELLED
    failed = State.FAILED_COMMITTED if committed else State.FAILED
    wanted = cancelled if moment == "asked to stop" else failed
    assert ended.state == (State.SUCCEEDED if told else wanted)
    assert ended.result is not None
    assert bool(ended.result["snapshots"]) is committed
    assert (rows_of(table), Lease.objects.exists()) == (rows, False)
