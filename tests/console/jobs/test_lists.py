"""Who sees which jobs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from console.jobs.models import Job
from tests.console.conftest import Caller, person

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
