"""Jobs: from a plan to the state that the table shows, whatever the engine does."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from console.audit.models import AuditEvent
from console.jobs import running, services
from console.jobs.models import Job, JobEvent, Lease
from console.jobs.spark import Engine, is_engine_of, kill_group
from console.jobs.states import ENDED, MOVES, State, may_move, outcome
from console.jobs.transitions import IllegalMoveError, move
from core import Table
from core.jobs import Failure, commit_user
from tests.console.conftest import TABLE, Caller, person
from tests.tables import put

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _engine(settings: Any, tmp_path: Path) -> None:
    settings.JOB_MODULE = "tests.console.engine"
    settings.JOBS_FOLDER = tmp_path / "jobs"
    settings.JOB_KILL_GRACE = timedelta(seconds=2)


@pytest.fixture
def submit(alice: Caller, table: Table) -> Callable[..., Job]:
    def _submit(kind: str = "compact", **params: Any) -> Job:
        plan = alice.post(f"{TABLE}/plans", {"kind": kind, "params": params}).json()
        body = {"plan_id": plan["id"], "confirmation": plan["confirmation"] or "", "reason": "test"}
        response = alice.post("/jobs", body)
        assert response.status_code == 201, response.content
        return Job.objects.get(public_id=response.json()["id"])

    return _submit


def run(job: Job, how: str = "well") -> Job:
    os.environ["ENGINE"] = how
    try:
        running.run(job)
    finally:
        del os.environ["ENGINE"]
    return Job.objects.get(pk=job.pk)


def test_a_job_ends_with_the_snapshots_that_carry_its_name(submit: Callable[..., Job], table: Table) -> None:
    job = run(submit())
    assert job.state == State.SUCCEEDED, job.problem
    mine = [s for s in table.snapshots.iter_all() if s.commit_user == commit_user(job.public_id)]
    assert mine
    assert job.result["snapshots"] == [s.reference for s in mine]
    assert not Lease.objects.exists()


def test_events_tell_the_story_in_order(submit: Callable[..., Job], alice: Caller) -> None:
    job = run(submit())
    events = alice.items(f"/jobs/{job.public_id}/events")
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    states = [event["data"]["state"] for event in events if event["type"] == "state"]
    assert states == ["queued", "starting", "running", "verifying", "succeeded"]
    assert {"progress", "warning", "commit", "metric"} <= {event["type"] for event in events}


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


@pytest.mark.parametrize(("how", "end"), [("hang", "cancelled"), ("hang-committed", "cancelled_committed")])
def test_a_running_job_is_stopped_and_looked_at(
    submit: Callable[..., Job], alice: Caller, how: str, end: str
) -> None:
    job = submit()
    worker = threading.Thread(target=_run_in_thread, args=(job, how))
    worker.start()
    _wait(lambda: JobEvent.objects.filter(job=job, type="progress").exists())
    if how == "hang-committed":
        _wait(lambda: JobEvent.objects.filter(job=job, type="progress", data__phase="commit").exists())
    assert alice.post(f"/jobs/{job.public_id}/cancel").status_code == 202
    worker.join(timeout=30)
    ended = Job.objects.get(pk=job.pk)
    assert (ended.state, ended.cancelled_by) == (end, "alice")
    assert not is_engine_of(ended)


def _run_in_thread(job: Job, how: str) -> None:
    try:
        run(job, how)
    finally:
        connections.close_all()


def _wait(condition: Callable[[], Any], seconds: float = 30) -> Any:
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.05)
    return found


def test_one_mutating_job_a_table(submit: Callable[..., Job], alice: Caller) -> None:
    first = submit()
    plan = alice.post(f"{TABLE}/plans", {"kind": "compact", "params": {"strategy": "full"}}).json()
    assert [blocker["code"] for blocker in plan["blockers"]] == ["table-busy"]
    assert alice.json(TABLE)["active_job"] == first.public_id


def test_a_race_for_the_table_has_one_winner(alice: Caller, table: Table) -> None:
    plans = [alice.post(f"{TABLE}/plans", {"kind": "compact", "params": {}}).json() for _ in range(2)]
    replies = [alice.post("/jobs", {"plan_id": plan["id"]}) for plan in plans]
    assert [reply.status_code for reply in replies] == [201, 409]
    assert replies[1].json()["code"] == "table-busy"
    assert replies[1].json()["job"] == replies[0].json()["id"]


def test_a_table_has_one_job_by_whatever_name_it_is_reached(
    submit: Callable[..., Job], alice: Caller, table: Table, tmp_path: Path
) -> None:
    job = submit()
    (tmp_path / "link").symlink_to(job.warehouse.location)
    for name, location in (("link", f"{tmp_path}/link"), ("file", f"file://{job.warehouse.location}/")):
        assert alice.post("/warehouses", {"name": name, "location": location}).status_code == 201
        plan = alice.post(
            f"/warehouses/{name}/databases/db/tables/t/plans", {"kind": "compact", "params": {}}
        )
        assert [blocker["code"] for blocker in plan.json()["blockers"]] == ["table-busy"]


def test_a_plan_makes_one_job(submit: Callable[..., Job], alice: Caller) -> None:
    job = submit()
    alice.post(f"/jobs/{job.public_id}/cancel")
    assert job.plan is not None
    assert alice.post("/jobs", {"plan_id": job.plan.public_id}).json()["code"] == "plan-stale"


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
    ended = run(job, "fail")
    assert ended.state == State.FAILED_COMMITTED
    told = alice.json(f"/jobs/{job.public_id}", **{"Accept-Language": "zh"})["result"]["detail"]
    assert told.startswith(f"当前位于 {table.snapshots.get(5).reference}")


def test_a_retry_is_a_new_job_with_a_new_plan(submit: Callable[..., Job], alice: Caller) -> None:
    first = failed(submit())
    reply = alice.post(f"/jobs/{first.public_id}/retry")
    assert reply.status_code == 201, reply.content
    again = run(Job.objects.get(public_id=reply.json()["id"]))
    assert (again.state, again.retry_of) == (State.SUCCEEDED, first)
    assert again.plan != first.plan


def test_a_running_job_is_not_retried(submit: Callable[..., Job], alice: Caller) -> None:
    job = submit()
    assert alice.post(f"/jobs/{job.public_id}/retry").json()["code"] == "job-not-ended"


def test_secrets_do_not_reach_the_log(submit: Callable[..., Job], table: Table) -> None:
    job = submit()
    job.warehouse.credentials = {"s3.secret-key": "hunter2hunter2"}
    job.warehouse.save()
    ended = run(job)
    text = (Path(ended.folder) / "log").read_text()
    assert "hunter2" not in text
    assert "[redacted]" in text
    assert not (Path(ended.folder) / "spec.json").exists()


def test_secrets_do_not_reach_problems(submit: Callable[..., Job], alice: Caller) -> None:
    job = submit()
    job.warehouse.credentials = {"s3.secret-key": 'hunter2"hunter2'}
    job.warehouse.save()
    assert run(job, "tell").state == State.FAILED
    shown = alice.json(f"/jobs/{job.public_id}")["problem"]
    assert "[redacted]" in shown["message"]
    assert "hunter2" not in str(shown) + str(list(AuditEvent.objects.values_list("detail", flat=True)))


def test_what_the_job_tells_stands_in_its_log(submit: Callable[..., Job]) -> None:
    job = run(submit())
    assert "WARNING nearly done\n" in (Path(job.folder) / "log").read_text()


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


def test_logs_are_read_by_offset(submit: Callable[..., Job], alice: Caller) -> None:
    job = run(submit())
    whole = alice.json(f"/jobs/{job.public_id}/logs")
    assert whole["end"]
    assert "running compact" in whole["text"]
    rest = alice.json(f"/jobs/{job.public_id}/logs?offset=8")
    assert rest["text"] == whole["text"].encode()[8:].decode()
    plain = alice.get(f"/jobs/{job.public_id}/logs", Accept="text/plain")
    assert plain.getvalue().decode() == whole["text"]


def test_an_ended_jobs_stream_ends_and_resumes(submit: Callable[..., Job], alice: Caller) -> None:
    job = run(submit())
    events = alice.get(f"/jobs/{job.public_id}/events", Accept="text/event-stream").getvalue().decode()
    assert events.rstrip().endswith("data: {}")
    last = JobEvent.objects.filter(job=job).count()
    headers = {"Accept": "text/event-stream", "Last-Event-ID": str(last - 1)}
    resumed = alice.get(f"/jobs/{job.public_id}/events", **headers).getvalue().decode()
    assert resumed.count("\nid: ") + resumed.startswith("id: ") == 1


# --- workers that die -----------------------------------------------------------------------------
@pytest.mark.parametrize(("how", "end"), [("hang", State.FAILED), ("hang-committed", State.FAILED_COMMITTED)])
def test_a_job_whose_worker_died_ends_as_the_table_shows(
    submit: Callable[..., Job],
    how: str,
    end: State,
    monkeypatch: pytest.MonkeyPatch,
    engines: list[Engine],
) -> None:
    job = _abandoned(submit(), how, monkeypatch, engines)
    assert is_engine_of(job)
    assert [found.pk for found in running.reconcile()] == [job.pk]
    ended = Job.objects.get(pk=job.pk)
    assert ended.state == end
    assert bool(ended.result["snapshots"]) is (end is State.FAILED_COMMITTED)
    assert not is_engine_of(ended)
    assert not Lease.objects.exists()


@pytest.fixture
def engines() -> Iterator[list[Engine]]:
    """Engines that a test started beside a worker; they are gone after it."""
    started: list[Engine] = []
    yield started
    for engine in started:
        engine.close()


def _abandoned(job: Job, how: str, monkeypatch: pytest.MonkeyPatch, engines: list[Engine]) -> Job:
    """A running job whose worker is no more; its engine still runs."""
    monkeypatch.setenv("ENGINE", how)
    claimed = running.claim(job)
    assert claimed is not None
    engine = Engine(claimed)
    engines.append(engine)
    phase = "commit" if how == "hang-committed" else "plan"
    _wait(lambda: any(getattr(line, "phase", "") == phase for line in engine.new_lines()))
    move(claimed, State.RUNNING)
    dead = running.this_process().rpartition(":")[0] + ":999999999"
    Job.objects.filter(pk=job.pk).update(owner=dead, process_group=engine.group)
    return Job.objects.get(pk=job.pk)


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
    job = _abandoned(submit(), "hang-committed", monkeypatch, engines)
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
    waiting = _waiting(job)
    warehouse.rename(tmp_path / "away")
    for _ in range(3):
        assert running.conclude(waiting, exit_code=1, report=None).state == State.VERIFYING
    told = [event.data["message"] for event in JobEvent.objects.filter(job=job, type="warning")]
    assert sum("cannot be looked at" in message for message in told) == 1
    (tmp_path / "away").rename(warehouse)
    assert running.conclude(waiting, exit_code=1, report=None).state == State.FAILED


def failed(job: Job) -> Job:
    """The job after its engine gave up by a trouble that passes; no process is started for it."""
    trouble = Failure(code="storage", message="the disk is gone", transient=True)
    return running.conclude(_waiting(job), exit_code=1, report=trouble)


def _waiting(job: Job) -> Job:
    """The job once its engine has ended."""
    claimed = running.claim(job)
    assert claimed is not None
    return move(move(claimed, State.RUNNING), State.VERIFYING)


def test_a_table_that_was_dropped_ends_the_job(submit: Callable[..., Job], table: Table) -> None:
    waiting = _waiting(submit())
    shutil.rmtree(table.location)
    ended = running.conclude(waiting, exit_code=1, report=None)
    assert (ended.state, ended.result["detail"]["code"]) == (State.FAILED, "table-gone")
    assert not Lease.objects.exists()


def test_an_unjudged_job_is_looked_at_again_and_holds_no_slot(
    submit: Callable[..., Job], table: Table, tmp_path: Path, settings: Any
) -> None:
    waiting = _waiting(submit())
    dead = running.this_process().rpartition(":")[0] + ":999999999"
    Path(waiting.warehouse.location).rename(tmp_path / "away")
    for _ in range(2):
        Job.objects.filter(pk=waiting.pk).update(owner=dead)
        assert [job.state for job in running.reconcile()] == [State.VERIFYING]
    assert len(Job.objects.get(pk=waiting.pk).phases) == len(waiting.phases)
    settings.JOB_SLOTS = 1
    other = services.start_demo(warehouse=waiting.warehouse)
    assert running.claim(other) is not None


def test_one_job_that_resists_keeps_no_other_from_its_end(
    submit: Callable[..., Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    job = _waiting(submit())
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


def test_a_warehouse_under_a_job_neither_goes_nor_moves(
    submit: Callable[..., Job], alice: Caller, tmp_path: Path
) -> None:
    job = submit()
    assert alice.delete("/warehouses/lake").json()["code"] == "table-busy"
    assert alice.patch("/warehouses/lake", {"location": str(tmp_path)}).json()["job"] == job.public_id
    assert alice.patch("/warehouses/lake", {"description": "ours"}).status_code == 200
    alice.post(f"/jobs/{job.public_id}/cancel")
    assert alice.delete("/warehouses/lake").status_code == 204


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


def test_no_more_jobs_run_than_there_are_slots(submit: Callable[..., Job], settings: Any) -> None:
    settings.JOB_SLOTS = 0
    job = submit()
    assert run(job).state == State.QUEUED
    settings.JOB_SLOTS = 1
    assert run(job).state == State.SUCCEEDED


def test_a_process_that_cannot_be_started_ends_its_job(submit: Callable[..., Job], settings: Any) -> None:
    settings.ROOT = Path("/nowhere/at/all")
    ended = run(submit())
    assert (ended.state, ended.problem["code"]) == (State.FAILED, "engine-unavailable")


# --- states ---------------------------------------------------------------------------------------
def test_an_ended_job_moves_nowhere(submit: Callable[..., Job]) -> None:
    job = failed(submit())
    with pytest.raises(IllegalMoveError):
        move(job, State.RUNNING)


def test_every_state_can_reach_an_end() -> None:
    reaching = set(ENDED)
    while more := {s for s in State if s not in reaching and MOVES[s] & reaching}:
        reaching |= more
    assert reaching == set(State)


def test_nothing_ends_in_a_verdict_without_verifying() -> None:
    verdicts = {State.SUCCEEDED, State.FAILED_COMMITTED, State.CANCELLED_COMMITTED}
    assert {s for s in State if MOVES[s] & verdicts} == {State.VERIFYING}
    assert not may_move(State.RUNNING, State.FAILED)


@pytest.mark.parametrize(
    ("succeeded", "cancelled", "committed", "state"),
    [
        (True, False, True, State.SUCCEEDED),
        (True, True, True, State.SUCCEEDED),
        (False, True, False, State.CANCELLED),
        (False, True, True, State.CANCELLED_COMMITTED),
        (False, False, False, State.FAILED),
        (False, False, True, State.FAILED_COMMITTED),
    ],
)
def test_the_outcome_is_a_table(succeeded: bool, cancelled: bool, committed: bool, state: State) -> None:
    assert outcome(engine_succeeded=succeeded, cancelled=cancelled, committed=committed) is state


def test_each_end_is_in_the_audit_log(submit: Callable[..., Job]) -> None:
    job = run(submit())
    actions = list(AuditEvent.objects.filter(job_id=job.public_id).values_list("action", flat=True))
    assert {"job starting", "job succeeded"} <= set(actions)


def test_a_commit_by_somebody_else_is_not_the_jobs(submit: Callable[..., Job], table: Table) -> None:
    job = submit()
    put(table, ("2026-11-20", 90, 1, "somebody else"))
    assert run(job, "fail").state == State.FAILED


def test_a_passing_trouble_is_tried_again_twice(submit: Callable[..., Job]) -> None:
    first = failed(submit())
    second = services.retry_automatically(first)
    assert second is not None
    assert second.retry_of == first
    third = services.retry_automatically(failed(second))
    assert third is not None
    assert services.retry_automatically(failed(third)) is None


def test_nothing_that_committed_is_tried_again_by_itself(submit: Callable[..., Job]) -> None:
    assert services.retry_automatically(run(submit(), "die-committed")) is None
    assert services.retry_automatically(failed(submit("rollback", to={"snapshot": "4"}))) is None


# --- lists of jobs --------------------------------------------------------------------------------
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
