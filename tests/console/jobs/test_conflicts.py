"""A job that lost its commit says to whom, over what, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from console.jobs import running
from console.jobs.models import Job
from core import Table
from core.commit import TableCommit
from core.errors import CommitConflictError
from core.jobs import commit_user, failure_of
from core.write import plan_compaction, run_task
from tests.console.conftest import Caller
from tests.console.jobs.steps import awaiting_verdict
from tests.tables import compact

pytestmark = pytest.mark.django_db


def ended_by(job: Job, error: CommitConflictError) -> Job:
    return running.conclude(awaiting_verdict(job), exit_code=1, report=failure_of(error))


@pytest.fixture
def lost(submit: Callable[..., Job], table: Table) -> Job:
    """A compaction whose files another one has compacted before it could commit."""
    job = submit()
    plan = plan_compaction(table)
    messages = [run_task(table, task) for task in plan.tasks]
    compact(table, user="flink-a")
    with pytest.raises(CommitConflictError) as clash:
        TableCommit(table, commit_user(job.public_id)).commit(messages)
    return ended_by(job, clash.value)


def test_a_lost_commit_names_the_winner_and_the_first_file(lost: Job, alice: Caller, table: Table) -> None:
    latest = table.snapshots.latest()
    assert latest is not None
    assert lost.plan is not None
    problem = alice.json(f"/jobs/{lost.public_id}")["problem"]
    conflict = problem["conflict"]
    assert (conflict["kind"], conflict["base"], conflict["winner"]) == (
        "files",
        lost.plan.base,
        latest.reference,
    )
    assert (conflict["winner_user"], conflict["winner_kind"], conflict["winner_job"]) == (
        "flink-a", "compact", None,
    )  # fmt: skip
    assert conflict["file"] == problem["fields"]["file"]
    assert "write-only = true" in conflict["advice"]


def test_the_sentence_is_in_the_readers_language(lost: Job, alice: Caller) -> None:
    shown = [
        alice.json(f"/jobs/{lost.public_id}", **{"Accept-Language": language})["problem"]["conflict"][
            "detail"
        ]
        for language in ("en", "zh")
    ]
    assert shown[0].startswith("Files changed meanwhile: flink-a committed #7")
    assert shown[1].startswith("文件已被更改：flink-a")


def test_a_job_of_ours_that_won_is_named(submit: Callable[..., Job], table: Table) -> None:
    job = submit()
    messages = [run_task(table, task) for task in plan_compaction(table).tasks]
    compact(table, user=commit_user("j-0123456789"))
    with pytest.raises(CommitConflictError) as clash:
        TableCommit(table, commit_user(job.public_id)).commit(messages)
    ended = ended_by(job, clash.value)
    assert ended.problem is not None
    assert ended.problem["conflict"]["winner_job"] == "j-0123456789"


def test_a_taken_id_says_how_often_it_was_tried(submit: Callable[..., Job], alice: Caller) -> None:
    error = CommitConflictError("other commits were faster each time", check="retries", user="u", tries=11)
    job = ended_by(submit(), error)
    conflict: dict[str, Any] = alice.json(f"/jobs/{job.public_id}")["problem"]["conflict"]
    assert (conflict["kind"], conflict["tries"], conflict["winner"]) == ("snapshot_id", 11, None)
    assert "11 times in a row" in conflict["detail"]


def test_another_trouble_is_no_conflict(submit: Callable[..., Job], alice: Caller) -> None:
    error = CommitConflictError(
        "the table has moved since the rollback was planned", base="1~a", winner="2~b"
    )
    job = ended_by(submit(), error)
    assert alice.json(f"/jobs/{job.public_id}")["problem"]["conflict"] is None
