"""Job logs: one file a job, read by byte offset; secrets are taken out before they are stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from console.jobs.models import Job

MOST_BYTES = 1024 * 1024  # of one read
HIDDEN = b"[redacted]"
SHORTEST_SECRET = 4  # characters: shorter ones would tear ordinary words


def log_path(job: Job) -> Path:
    return Path(job.folder) / "log"


def read(job: Job, *, offset: int, limit: int) -> dict[str, Any]:
    """Up to `limit` bytes from `offset`, cut after the last whole line where there is one.

    A negative offset counts from the end.
    """
    path = log_path(job)
    size = path.stat().st_size if path.exists() else 0
    start = min(size, offset if offset >= 0 else max(0, size + offset))
    data = _bytes(path, start, max(1, min(limit, MOST_BYTES))) if start < size else b""
    if start + len(data) < size or not job.is_ended:
        data = data[: data.rfind(b"\n") + 1] or data
    after = start + len(data)
    return {
        "text": data.decode("utf-8", "replace"),
        "offset": start,
        "next_offset": after,
        "size": size,
        "end": job.is_ended and after == size,
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


def redact(line: bytes, secrets: Iterable[bytes]) -> bytes:
    """The line without the secrets in it."""
    for secret in secrets:
        line = line.replace(secret, HIDDEN)
    return line


def secrets_of(credentials: dict[str, str]) -> tuple[bytes, ...]:
    """The values to take out of logs, longest first."""
    values = {value.encode() for value in credentials.values() if len(value) >= SHORTEST_SECRET}
    return tuple(sorted(values, key=len, reverse=True))
