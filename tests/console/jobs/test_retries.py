"""Jobs that are tried again, by people and by themselves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from console.jobs import services
from console.jobs.models import Job
from console.jobs.states import State
from core import Table
from core.jobs import commit_user
from tests.console.conftest import Caller
from tests.console.jobs.steps import failed
from tests.tables import put

pytestmark = pytest.mark.django_db


def test_a_retry_is_a_new_job_with_a_new_plan(submit: Callable[..., Job], alice: Caller) -> None:
    first = failed(submit())
    reply = alice.post(f"/jobs/{first.public_id}/retry")
    assert reply.status_code == 201, reply.content
    again = Job.objects.get(public_id=reply.json()["id"])
    assert (again.state, again.retry_of) == (State.QUEUED, first)
    assert again.plan != first.plan


def test_a_running_job_is_not_retried(submit: Callable[..., Job], alice: Caller) -> None:
    job = submit()
    assert alice.post(f"/jobs/{job.public_id}/retry").json()["code"] == "job-not-ended"


def test_a_retry_by_itself_needs_a_person_who_still_may(submit: Callable[..., Job]) -> None:
    job = failed(submit())
    assert job.requested_by is not None
    job.requested_by.is_active = False
    job.requested_by.save()
    assert services.retry_automatically(Job.objects.get(pk=job.pk)) is None


def test_a_retry_of_level_2_is_confirmed_anew(submit: Callable[..., Job], alice: Caller) -> None:
    job = failed(submit("rollback", to={"snapshot": "3"}, guard=False))
    address = f"/jobs/{job.public_id}/retry"
    assert alice.post(address).json()["code"] == "confirmation-mismatch"
    assert alice.post(address, {"confirmation": "lake.db.t"}).json()["code"] == "validation-failed"
    assert alice.post(address, {"confirmation": "lake.db.t", "reason": "again"}).status_code == 201


def test_a_passing_trouble_is_tried_again_twice(submit: Callable[..., Job]) -> None:
    first = failed(submit())
    second = services.retry_automatically(first)
    assert second is not None
    assert second.retry_of == first
    third = services.retry_automatically(failed(second))
    assert third is not None
    assert services.retry_automatically(failed(third)) is None


def test_nothing_that_committed_is_tried_again_by_itself(submit: Callable[..., Job], table: Table) -> None:
    job = submit()
    put(table, ("2026-11-20", 90, 1, "the job's"), user=commit_user(job.public_id))
    assert (ended := failed(job)).state == State.FAILED_COMMITTED
    assert services.retry_automatically(ended) is None
    assert services.retry_automatically(failed(submit("rollback", to={"snapshot": "4"}))) is None
