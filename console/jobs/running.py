"""Running a job: start it, watch it, verify what it did. In a Celery worker, never in the web process."""

from __future__ import annotations

import logging
import os
import socket
import time
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from console.api.trace import continue_trace
from console.celery import send
from console.jobs import events, logs, verifying
from console.jobs.models import Job, JobEvent
from console.jobs.processes import lives
from console.jobs.spark import Engine, final_report, is_engine_of, kill_group
from console.jobs.states import ENDED, State, outcome
from console.jobs.transitions import IllegalMoveError, move
from core.jobs import Engine as EngineStarted
from core.jobs import JobReport, Log, Progress, Result

log = logging.getLogger(__name__)

RUN_JOB = "console.jobs.tasks.run_job"
MEASURE_WAREHOUSE = "console.warehouses.tasks.measure_warehouse"
MEASURE_TABLE = "console.warehouses.tasks.measure_table"
POLL = 0.5  # seconds
PROGRESS_EVENTS = 1.0  # seconds at least between two progress events of one phase
DEMO_PHASES = ("start", "demo")
WORKING = (State.STARTING, State.RUNNING, State.CANCELLING)  # with a process of their own
RUNNING = (*WORKING, State.VERIFYING)


def this_process() -> str:
    """`host:pid`: who owns a job."""
    return f"{socket.gethostname()}:{os.getpid()}"


def run(job: Job) -> None:
    """Run a queued job to its end; nothing, if another worker has it or all slots are taken."""
    continue_trace(job.trace_id)
    claimed = claim(job)
    if claimed is None:
        return
    try:
        engine = Engine(claimed)
    except Exception as error:  # whatever kept the process from starting ends this job and no other
        log.exception("job %s cannot be started", job.public_id)
        conclude(move(claimed, State.VERIFYING), exit_code=None, report=None, reason=str(error))
        return
    try:
        exit_code = _watch(claimed, engine)
    finally:
        engine.close()
    try:
        conclude(_verifying(claimed), exit_code=exit_code, report=engine.last_word)
    except IllegalMoveError as error:
        log.warning("somebody else has concluded job %s: %s", job.public_id, error)


def claim(job: Job) -> Job | None:
    """Make this process the job's owner, if it is queued and a slot is free."""
    with transaction.atomic():
        row = Job.objects.select_for_update().get(pk=job.pk)
        busy = Job.objects.filter(state__in=[s.value for s in WORKING]).count()
        if row.state != State.QUEUED or busy >= settings.JOB_SLOTS:
            return None
        return move(
            row, State.STARTING, owner=this_process(), heartbeat_at=timezone.now(), attempt=row.attempt + 1
        )


def _watch(job: Job, engine: Engine) -> int:
    """Follow the process until it has ended; its exit code."""
    Job.objects.filter(pk=job.pk).update(process_group=engine.group)
    follower = Follower(job, engine.log)
    stopping: float | None = None
    while True:
        exit_code = engine.wait(POLL)
        for line in engine.new_lines():
            follower.take(line)
        follower.beat()
        if exit_code is not None:
            return exit_code
        if stopping is None and _is_cancelled(job):
            _begin_cancelling(job)
            engine.ask_to_stop()
            stopping = time.monotonic()
        elif stopping is not None and time.monotonic() - stopping > settings.JOB_KILL_GRACE.total_seconds():
            engine.kill()


def _is_cancelled(job: Job) -> bool:
    return Job.objects.filter(pk=job.pk, cancel_requested_at__isnull=False).exists()


def _begin_cancelling(job: Job) -> None:
    row = Job.objects.get(pk=job.pk)
    if State(row.state) in (State.STARTING, State.RUNNING):
        move(row, State.CANCELLING)


class Follower:
    """Turns report lines into the job's row and events, and shows that its worker lives."""

    def __init__(self, job: Job, log: logs.LogFile) -> None:
        self._job, self._log = job, log
        self._beat = 0.0
        self._told: tuple[str, float] = ("", 0.0)

    def take(self, line: JobReport) -> None:
        """One line of the report."""
        if isinstance(line, EngineStarted):
            self._engine(line)
        elif isinstance(line, Progress):
            self._progress(line)
        elif isinstance(line, Log):
            self._say(line)
        elif isinstance(line, Result):
            events.append(self._job, "metric", dict(line.metrics))

    def _say(self, line: Log) -> None:
        """What our own code tells stands in the log beside what Spark prints."""
        at = datetime.fromtimestamp(line.time_millis / 1000, UTC)
        self._log.write(f"{at:%y/%m/%d %H:%M:%S} {line.level.upper()} {line.message}\n".encode())
        if line.level in ("warning", "error"):
            events.append(self._job, "warning", {"level": line.level, "message": line.message})

    def _engine(self, line: EngineStarted) -> None:
        shown = {name: getattr(line, name) for name in ("name", "version", "application_id", "ui_url")}
        Job.objects.filter(pk=self._job.pk).update(engine=shown)

    def _progress(self, line: Progress) -> None:
        if self._job.kind == "demo" and line.phase not in DEMO_PHASES:
            return  # of one of the demo's many steps
        if State(Job.objects.get(pk=self._job.pk).state) is State.STARTING and line.phase != "start":
            move(self._job, State.RUNNING)
        shown = {"phase": line.phase, "done": line.done, "total": line.total, "unit": line.unit}
        Job.objects.filter(pk=self._job.pk).update(progress=shown)
        phase, at = self._told
        if phase != line.phase or line.done == line.total or time.monotonic() - at > PROGRESS_EVENTS:
            events.append(self._job, "progress", shown)
            self._told = (line.phase, time.monotonic())

    def beat(self) -> None:
        """Write the heartbeat and the log's size, every few seconds."""
        if time.monotonic() - self._beat < settings.JOB_HEARTBEAT.total_seconds():
            return
        self._beat = time.monotonic()
        before = Job.objects.filter(pk=self._job.pk).values_list("log_bytes", flat=True).get()
        size = _log_bytes(self._job)
        Job.objects.filter(pk=self._job.pk).update(heartbeat_at=timezone.now(), log_bytes=size)
        if size != before:
            events.append(self._job, "log", {"size": size})


def _log_bytes(job: Job) -> int:
    path = logs.log_path(job)
    return path.stat().st_size if path.exists() else 0


def _verifying(job: Job) -> Job:
    """The job in state verifying, from wherever its end found it."""
    row = Job.objects.get(pk=job.pk)
    return row if State(row.state) is State.VERIFYING else move(row, State.VERIFYING)


def conclude(job: Job, *, exit_code: int | None, report: JobReport | None, reason: str | None = None) -> Job:
    """Look at the table, and end the job in the state that is true.

    If the table cannot be looked at, the job stays in verifying, and is looked at again.
    """
    Job.objects.filter(pk=job.pk).update(log_bytes=_log_bytes(job), heartbeat_at=timezone.now())
    try:
        seen = verifying.look(job)
    except Exception as error:  # whatever it is, it is no verdict
        _tell_once(job, f"the table cannot be looked at: {error}")
        log.warning("job %s cannot be verified yet", job.public_id, exc_info=error)
        return job
    succeeded = isinstance(report, Result)
    state = outcome(
        engine_succeeded=succeeded, cancelled=job.cancel_requested_at is not None, committed=seen.committed
    )
    problem = verifying.problem_of(report, exit_code)
    if problem and reason:
        problem |= {"code": "engine-unavailable", "message": reason}
    if problem:
        problem["conflict"] = verifying.conflict(job, problem)
    for snapshot in seen.snapshots:
        events.append(job, "commit", {"snapshot": snapshot})
    ended = move(job, state, result=seen.result(report), problem=problem, log_bytes=_log_bytes(job))
    _after(ended)
    return ended


def _tell_once(job: Job, message: str) -> None:
    """A warning, unless it is what was told last: a store may be away for days."""
    last = JobEvent.objects.filter(job=job).order_by("-seq").first()
    told = {"level": "error", "message": message}
    if last is None or last.data != told:
        events.append(job, "warning", told)


def _after(job: Job) -> None:
    """What follows from an ended job: lists measure its table again, and a waiting job gets its slot."""
    if job.kind == "demo":
        send(MEASURE_WAREHOUSE, job.warehouse_id)
    elif job.kind != verifying.VIEW:
        send(MEASURE_TABLE, job.warehouse_id, job.database, job.table)
    dispatch_waiting()


def dispatch_waiting() -> None:
    """Send the queued jobs that found no slot to the workers again."""
    for primary_key in (
        Job.objects.filter(state=State.QUEUED).order_by("pk").values_list("pk", flat=True)[:10]
    ):
        send(RUN_JOB, primary_key)


# --- after a worker died --------------------------------------------------------------------------
def reconcile() -> list[Job]:
    """End the jobs whose worker is gone, by what the table shows; the jobs that were looked at."""
    return [_reconciled(job) for job in abandoned()]


def _reconciled(job: Job) -> Job:
    """One job that resists keeps no other from its end."""
    try:
        return _reconcile(job)
    except Exception:
        log.exception("job %s cannot be reconciled", job.public_id)
        return job


def stop_engines() -> None:
    """Kill the engines that run on this host without their workers; the next worker ends their jobs."""
    for job in abandoned():
        if job.owner.rpartition(":")[0] == socket.gethostname():
            _stop_engine(job)


def abandoned() -> list[Job]:
    """Jobs that somebody owned and nobody runs: on this host by process, on others by heartbeat."""
    running = Job.objects.filter(state__in=[s.value for s in (*RUNNING, State.LOST)]).exclude(owner="")
    return [job for job in running if _is_abandoned(job)]


def _is_abandoned(job: Job) -> bool:
    host, _, pid = job.owner.rpartition(":")
    silent = job.heartbeat_at is None or timezone.now() - job.heartbeat_at > settings.JOB_LOST_AFTER
    if host != socket.gethostname():
        return silent
    # Our own process may be the one that is verifying it; a process of the same id may be another one.
    return not lives(int(pid)) or silent


def _reconcile(job: Job) -> Job:
    continue_trace(job.trace_id)
    try:
        lost = _as_lost(job)
    except IllegalMoveError:
        return job  # its worker lives after all, or another one reconciles it
    _stop_engine(lost)
    found = lost if State(lost.state) is State.VERIFYING else move(lost, State.VERIFYING)
    log.warning("job %s was lost by %s: looking at its table", job.public_id, job.owner)
    return conclude(found, exit_code=None, report=final_report(found))


def _as_lost(job: Job) -> Job:
    """Take the job over: of several workers that try, one succeeds."""
    with transaction.atomic():
        row = Job.objects.select_for_update().get(pk=job.pk)
        if row.owner != job.owner or State(row.state) in ENDED:
            raise IllegalMoveError(f"{job.public_id} has another owner now")
        owner: dict[str, Any] = {"owner": this_process(), "heartbeat_at": timezone.now()}
        if State(row.state) in (State.LOST, State.VERIFYING):
            Job.objects.filter(pk=row.pk).update(**owner)
            return Job.objects.get(pk=row.pk)
        return move(row, State.LOST, **owner)


def _stop_engine(job: Job) -> None:
    """Kill what the dead worker left running, before the table is looked at."""
    if job.process_group and is_engine_of(job):
        kill_group(job.process_group)
        while is_engine_of(job):
            time.sleep(0.1)
