"""A job that has run from its plan to its snapshots: what can be read of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from console.audit.models import AuditEvent
from console.jobs import events
from console.jobs.models import Job, JobEvent, Lease
from console.jobs.states import State
from core import Table
from core.jobs import commit_user
from tests.console.conftest import Caller
from tests.console.jobs.steps import run

pytestmark = pytest.mark.django_db


def test_a_job_ends_with_the_snapshots_that_carry_its_name(submit: Callable[..., Job], table: Table) -> None:
    job = run(submit())
    assert job.state == State.SUCCEEDED, job.problem
    mine = [s for s in table.snapshots.iter_all() if s.commit_user == commit_user(job.public_id)]
    assert mine
    assert job.result["snapshots"] == [s.reference for s in mine]
    assert not Lease.objects.exists()
    audited = set(AuditEvent.objects.filter(job_id=job.public_id).values_list("action", flat=True))
    assert {"job starting", "job succeeded"} <= audited


@pytest.mark.django_db(transaction=True)  # the stream closes its connection
def test_events_tell_the_story_in_order_and_as_a_stream(submit: Callable[..., Job], alice: Caller) -> None:
    job = run(submit())
    address = f"/jobs/{job.public_id}/events"
    events = alice.items(address)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    states = [event["data"]["state"] for event in events if event["type"] == "state"]
    assert states == ["queued", "starting", "running", "verifying", "succeeded"]
    assert {"progress", "warning", "commit", "metric"} <= {event["type"] for event in events}

    streamed = alice.get(address, Accept="text/event-stream").getvalue().decode()
    assert streamed.rstrip().endswith("data: {}")
    assert '"state": "succeeded"' in streamed.rpartition("event: now\n")[2]
    last = JobEvent.objects.filter(job=job).count()
    headers = {"Accept": "text/event-stream", "Last-Event-ID": str(last - 1)}
    resumed = alice.get(f"{address}?after=1", **headers).getvalue().decode()
    assert resumed.count("\nid: ") == 1


@pytest.mark.django_db(transaction=True)
def test_streams_of_one_person_and_of_all_leave_room_for_pages(
    submit: Callable[..., Job], alice: Caller, bob: Caller
) -> None:
    address = f"/jobs/{submit().public_id}/events"
    held = [alice.get(address, Accept="text/event-stream") for _ in range(events.MOST_OF_A_PERSON)]
    refused = alice.get(address, Accept="text/event-stream")
    assert (refused.status_code, refused["Retry-After"]) == (429, "30")
    assert refused.json()["code"] == "rate-limited"
    assert alice.items(address)  # what it would tell can be polled
    others = bob.get(address, Accept="text/event-stream")
    assert others.status_code == 200
    for stream in (*held, others):
        stream.close()
        stream.close()  # as a server may: the place is given back once
    again = alice.get(address, Accept="text/event-stream")
    assert again.status_code == 200
    again.close()


def test_no_more_streams_than_places_are_open_whoever_asks() -> None:
    places = events.Places(3, 2)
    assert [places.take(person) for person in (1, 1, 1, 2, 3)] == [True, True, False, True, False]
    places.leave(1)
    assert places.take(3)


def test_a_log_tells_what_the_job_does_and_no_secret(submit: Callable[..., Job], alice: Caller) -> None:
    job = submit()
    job.warehouse.credentials = {"s3.secret-key": "hunter2hunter2"}
    job.warehouse.save()
    ended = run(job)
    text = (Path(ended.folder) / "log").read_text()
    assert "WARNING nearly done\n" in text
    assert "hunter2" not in text
    assert "[redacted]" in text
    assert not (Path(ended.folder) / "spec.json").exists()

    whole = alice.json(f"/jobs/{job.public_id}/logs")
    assert (whole["text"], whole["end"]) == (text, True)
    assert "running compact" in text
    rest = alice.json(f"/jobs/{job.public_id}/logs?offset=8")
    assert rest["text"] == text.encode()[8:].decode()
    plain = alice.get(f"/jobs/{job.public_id}/logs", Accept="text/plain")
    assert plain.getvalue().decode() == text
