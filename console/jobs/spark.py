"""The engine: a job as a child process group. The only module that starts `spark_jobs`.

The child gets a spec file and appends its report, JSON lines, to another file; what it prints is
its log. It leads a session of its own, so that all of it can be stopped, JVM included, and so that
a worker that dies does not take it along half way.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from django.conf import settings

from console.jobs import logs
from console.jobs.models import Job
from console.jobs.processes import command_of
from core.errors import FormatError
from core.identifier import Identifier
from core.jobs import Failure, JobReport, Result, decode_report, encode_job_spec, job_spec_from_json

SPEC, REPORT = "spec.json", "report.jsonl"
LONGEST_LINE = 1024 * 1024  # bytes of output that are taken as one line


def command(job: Job) -> list[str]:
    """How the job's process is started."""
    start = [sys.executable, "-m", settings.JOB_MODULE, asked_of(job)[0]]
    folder = Path(job.folder)
    subject = job.spec["warehouse"] if job.kind == "demo" else str(folder / SPEC)
    master = ["--master", settings.SPARK_MASTER] if settings.SPARK_MASTER else []
    return [*start, subject, "--report", str(folder / REPORT), *master]


def asked_of(job: Job) -> tuple[str, object]:
    """The kind of the job as its process calls it, and what it is asked."""
    if job.kind == "demo":
        return job.kind, None
    [(kind, work)] = job.spec.items()
    return kind, work


def write_spec(job: Job) -> None:
    """Write what the process reads; it holds the warehouse's credentials, so only we may read it."""
    folder = Path(job.folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if job.kind != "demo":
        _write_private(folder / SPEC, encode_job_spec(job_spec_from_json(spec_of(job))))


def spec_of(job: Job) -> dict[str, object]:
    """The job spec with the catalog's options put in."""
    branch = None if job.branch == "main" else job.branch
    kind, work = asked_of(job)
    return {
        "kind": kind,
        "job_id": job.public_id,
        "catalog": job.warehouse.catalog_options(),
        "table": str(Identifier(job.database, job.table, branch)),
        kind: work,
    }


def _write_private(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


class Engine:
    """A running job process, with its log and its report."""

    def __init__(self, job: Job) -> None:
        write_spec(job)
        self._job = job
        self._process = subprocess.Popen(
            command(job),
            cwd=settings.ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        secrets = logs.secrets_of(job.warehouse.credentials)
        self.log = logs.LogFile(job, secrets)
        self._copying = threading.Thread(target=self._store_log, daemon=True)
        self._copying.start()
        self._report = ReportFile(Path(job.folder) / REPORT, secrets)

    @property
    def group(self) -> int:
        """The process group: its leader's id."""
        return self._process.pid

    def wait(self, seconds: float) -> int | None:
        """The exit code, or None if the process still runs after that time."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def new_lines(self) -> Iterator[JobReport]:
        """What was reported since the last call."""
        return self._report.new_lines()

    @property
    def last_word(self) -> JobReport | None:
        """The Result or Failure, once there is one."""
        return self._report.last_word

    def ask_to_stop(self) -> None:
        """Ask the driver to cancel its work and end."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the whole group at once."""
        kill_group(self.group)

    def close(self) -> None:
        """After the end: kill what the driver left behind, store the rest of the log, forget the spec."""
        kill_group(self.group)
        self._process.wait()
        self._copying.join(timeout=5)
        (Path(self._job.folder) / SPEC).unlink(missing_ok=True)

    def _store_log(self) -> None:
        """Copy the output line by line; it is read to its end, or the process would wait for us for ever."""
        assert self._process.stdout is not None
        with self._process.stdout as output:
            while line := output.readline(LONGEST_LINE):
                self.log.write(line)


class ReportFile:
    """Reads a report while it is written: whole lines only, without secrets."""

    def __init__(self, path: Path, secrets: Sequence[bytes]) -> None:
        self._path, self._secrets = path, secrets
        self._offset = 0
        self.last_word: JobReport | None = None

    def new_lines(self) -> Iterator[JobReport]:
        """What was added since the last call; lines that are no report are passed over."""
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._offset)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        for line in whole.splitlines():
            try:
                report = decode_report(logs.redact(line, self._secrets).decode("utf-8", "replace"))
            except FormatError:
                continue  # the process died while it wrote this, and another one went on
            if isinstance(report, (Result, Failure)):
                self.last_word = report
            yield report


def final_report(job: Job) -> JobReport | None:
    """The Result or Failure of a job whose worker is gone, if it got that far."""
    report = ReportFile(Path(job.folder) / REPORT, logs.secrets_of(job.warehouse.credentials))
    for _ in report.new_lines():
        pass
    return report.last_word


def kill_group(group: int) -> None:
    """Kill every process of a group; one that is gone is no error."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return  # all of it has ended (macOS says so by PermissionError)


def is_engine_of(job: Job) -> bool:
    """Whether the job's process group still lives: its leader is a process that names the job's folder.

    Process ids are used again, so the id alone proves nothing.
    """
    if not job.process_group:
        return False
    return re.search(rf"{re.escape(job.folder)}(/|\s|$)", command_of(job.process_group)) is not None
