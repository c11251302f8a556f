"""Job logs: one file a job, read by byte offset; secrets are taken out before they are stored."""

from __future__ import annotations

import json
import logging
import shutil
import threading
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings

from console.jobs.models import Job

MOST_BYTES = 1024 * 1024  # of one read
HIDDEN = b"[redacted]"
SHORTEST_SECRET = 4  # characters: shorter ones would tear ordinary words
CUT = b"... the log is longer than is kept: what follows is left out\n"
_problems = logging.getLogger(__name__)


def log_path(job: Job) -> Path:
    return Path(job.folder) / "log"


def size(job: Job) -> int:
    """Bytes of the log so far."""
    path = log_path(job)
    return path.stat().st_size if path.exists() else 0


class LogFile:
    """Takes lines for a job's log, from several threads; never raises, whatever the disk says.

    A job is not to fail or hang because its log cannot be kept: lines are dropped then, and those
    beyond the size that is kept.
    """

    def __init__(self, job: Job, secrets: Sequence[bytes]) -> None:
        self._path, self._secrets = log_path(job), secrets
        self._lock = threading.Lock()
        self._size = size(job)
        self._fails = False

    def write(self, line: bytes) -> None:
        """Append a line, without the secrets in it."""
        with self._lock:
            if self._size >= settings.JOB_LOG_BYTES:
                return
            shown = redact(line, self._secrets)
            self._size += len(shown)
            self._append(shown + CUT if self._size >= settings.JOB_LOG_BYTES else shown)

    def _append(self, data: bytes) -> None:
        try:
            with self._path.open("ab", buffering=0) as file:
                file.write(data)
        except OSError as error:
            if not self._fails:
                _problems.warning("lines of %s are lost: %s", self._path, error)
            self._fails = True
        else:
            self._fails = False


def read(job: Job, *, offset: int, limit: int) -> dict[str, Any]:
    """Up to `limit` bytes from `offset`, cut after the last whole line where there is one.

    A negative offset counts from the end.
    """
    length = size(job)
    start = min(length, offset if offset >= 0 else max(0, length + offset))
    data = _bytes(log_path(job), start, max(1, min(limit, MOST_BYTES))) if start < length else b""
    if start + len(data) < length or not job.is_ended:
        data = data[: data.rfind(b"\n") + 1] or data
    after = start + len(data)
    return {
        "text": data.decode("utf-8", "replace"),
        "offset": start,
        "next_offset": after,
        "size": length,
        "end": job.is_ended and after == length,
    }


def _bytes(path: Path, start: int, length: int) -> bytes:
    with path.open("rb") as file:
        file.seek(start)
        return file.read(length)


def whole(job: Job) -> Iterator[bytes]:
    """The log from its beginning, in chunks."""
    path = log_path(job)
    if not path.exists():
        return
    with path.open("rb") as file:
        while chunk := file.read(64 * 1024):
            yield chunk


def forget(before: datetime) -> int:
    """Delete what jobs that ended before a moment left on disk, their logs; of how many jobs."""
    forgotten = 0
    for folder in settings.JOBS_FOLDER.glob("j-*"):
        if Job.objects.filter(public_id=folder.name, ended_at__lt=before).exists():
            shutil.rmtree(folder, ignore_errors=True)  # what stays is taken up the next time
            forgotten += 1
    return forgotten


def redact(line: bytes, secrets: Iterable[bytes]) -> bytes:
    """The line without the secrets in it."""
    for secret in secrets:
        line = line.replace(secret, HIDDEN)
    return line


def secrets_of(credentials: dict[str, str]) -> tuple[bytes, ...]:
    """The values to take out of logs and reports, longest first; also as they look inside JSON."""
    long = [value for value in credentials.values() if len(value) >= SHORTEST_SECRET]
    values = {form.encode() for value in long for form in (value, json.dumps(value)[1:-1])}
    return tuple(sorted(values, key=len, reverse=True))
