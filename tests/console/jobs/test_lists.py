"""Who sees which jobs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from console.jobs.models import Job
from tests.console.conftest import TABLE, Caller, person
from tests.console.test_attacks import token_of

pytestmark = pytest.mark.django_db


def test_who_is_granted_everything_sees_every_job(submit: Callable[..., Job], vera: Caller) -> None:
    job = submit()
    reader = Caller(person("rita", "viewer"))  # a grant over everything
    assert [row["id"] for row in reader.items("/jobs")] == [job.public_id]
    assert [row["id"] for row in vera.items("/jobs")] == [job.public_id]


def test_who_is_granted_another_database_sees_none_of_its_jobs(submit: Callable[..., Job]) -> None:
    submit()
    assert Caller(person("otto", "viewer", warehouse="lake", database="other")).items("/jobs") == []


@pytest.mark.parametrize(
    "stored",
    [
        {"result": {}, "problem": {}, "progress": {}, "engine": {}},
        {"result": {"snapshots": ["3"], "detail": "a plain text"}, "problem": {"code": "engine-error"}},
        {"result": {"detail": {"code": "of-another-release"}}, "progress": {"phase": "write"}},
        {"result": {"detail": {"code": "moved-on", "ref": None, "values": {}}}},
        {"result": [], "problem": "text", "progress": 3},
    ],
)
def test_a_job_that_an_older_release_stored_is_shown(
    stored: dict[str, Any], submit: Callable[..., Job], alice: Caller
) -> None:
    job = submit()
    Job.objects.filter(pk=job.pk).update(**stored)
    (row,) = alice.items("/jobs")
    assert row == alice.json(f"/jobs/{job.public_id}")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("duration[ge]=60", ["ended", "running"]), ("duration[lt]=60", ["short"]),
        ("duration=100", ["ended"]), ("duration[in]=10,100", ["ended", "short"]),
        ("duration[null]=true", ["queued"]), ("duration[ge]=99999999999999", []),
        ("scheduled=true", ["short"]), ("scheduled=false&duration[ge]=60", ["ended", "running"]),
    ],
)  # fmt: skip
def test_jobs_are_found_by_how_long_they_ran_and_by_schedule(
    query: str, found: list[str], submit: Callable[..., Job], alice: Caller
) -> None:
    job, now = submit(), timezone.now()
    spans = {"queued": (None, None), "running": (200, None), "short": (10, 0), "ended": (100, 0)}
    for name, (start, end) in spans.items():
        job.pk, job.public_id, job.plan, job.scheduled = None, name, None, name == "short"
        job.started_at = None if start is None else now - timedelta(seconds=start)
        job.ended_at = None if end is None else now
        job.save(force_insert=True)
    ids = "&id[in]=" + ",".join(spans)
    assert sorted(row["id"] for row in alice.items(f"/jobs?{query}{ids}")) == found


def test_a_job_tells_the_token_that_asked_for_it(alice: Caller, submit: Callable[..., Job]) -> None:
    robot = token_of(alice.user, "meta:read", "plan:create", "table:operate")
    plan = robot.post(f"{TABLE}/plans", {"kind": "compact", "params": {}}).json()
    job = robot.post("/jobs", {"plan_id": plan["id"]}).json()
    assert job["token"] != ""
    assert [row["id"] for row in alice.items(f"/jobs?token={job['token']}")] == [job["id"]]
    assert alice.items("/jobs?token=other") == []
