"""The processes of the benchmark: object store, PostgreSQL, and a console as `manage.py up` starts it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.console.store import BUCKET

ROOT = Path(__file__).parents[2]
PATIENCE = 300  # seconds until a process has to answer


@dataclass(frozen=True, slots=True)
class Console:
    """A running console."""

    port: int
    tokens: tuple[str, ...]
    pid: int

    def memory_mib(self) -> float:
        """The most resident memory of one of its web processes."""
        sizes = [Path(f"/proc/{pid}/status").read_text() for pid in self._web()]
        return max(int(text.split("VmRSS:")[1].split()[0]) for text in sizes) / 1024

    def restart_web(self) -> None:
        """Kill all processes that answer; the one above them starts others, which know nothing yet."""
        before = self._web()
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        _until(lambda: len(self._web() - before) == len(before), "the processes that answer")

    def _web(self) -> set[int]:
        """The processes that answer: those which the one that gunicorn began with has started."""
        gunicorn = {pid for pid in _children(self.pid) if b"gunicorn" in _command(pid)}
        return {pid for pid in gunicorn if _parent(pid) in gunicorn}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@contextmanager
def object_store(folder: Path) -> Iterator[str]:
    """The endpoint of a store that answers after 20 ms."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.console.store", str(folder), str(port)], cwd=ROOT
    )
    try:
        _until(lambda: _accepts(port), "the object store")
        yield f"http://127.0.0.1:{port}"
    finally:
        _stop(process)


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of an empty database of PostgreSQL, which Debian's package `postgresql` brings.

    Raises:
        FileNotFoundError: it is not installed.
    """
    programs = _postgres_programs()
    with tempfile.TemporaryDirectory(prefix="lakescope-bench-") as name:
        folder, port = Path(name) / "data", free_port()
        owner = []
        if os.geteuid() == 0:  # which PostgreSQL refuses to run as
            shutil.chown(name, "postgres")
            owner = ["runuser", "-u", "postgres", "--"]
        make = [
            str(programs / "initdb"),
            f"--pgdata={folder}",
            "--auth=trust",
            "--username=bench",
            "--no-sync",
        ]
        subprocess.run([*owner, *make], check=True, capture_output=True, cwd=name)
        serve = [str(programs / "postgres"), f"-D{folder}", f"-p{port}", f"-k{name}", "-h127.0.0.1"]
        with (Path(name) / "log").open("wb") as log:
            process = subprocess.Popen([*owner, *serve], cwd=name, stdout=log, stderr=log)
        try:
            _until(lambda: _accepts(port), "PostgreSQL")
            yield f"postgresql://bench@127.0.0.1:{port}/postgres"
        finally:
            _stop(process)


def _postgres_programs() -> Path:
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    if not folders:
        raise FileNotFoundError(
            "PostgreSQL is not here: as root on Debian `make crowd` installs it, elsewhere install it"
            " yourself or measure with --only sqlite"
        )
    return folders[0]


@contextmanager
def console(endpoint: str, database: str | None, *, people: int) -> Iterator[Console]:
    """A console that knows the warehouse and so many people; on SQLite where no database is named."""
    with tempfile.TemporaryDirectory(prefix="lakescope-bench-") as name:
        environment = _environment(Path(name), database)
        tokens = json.loads(
            subprocess.run(
                [sys.executable, "-m", "bench.console.people", f"s3://{BUCKET}", endpoint, str(people)],
                env=environment,
                cwd=ROOT,
                check=True,
                stdout=subprocess.PIPE,
            ).stdout
        )
        port = free_port()
        command = [sys.executable, "manage.py", "up", "--no-demo", "--port", str(port), "--data", name]
        with (Path(name) / "log").open("wb") as log:
            process = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=log, stderr=log)
        try:
            _until(lambda: _accepts(port), "the console")
            yield Console(port, tuple(tokens), process.pid)
        finally:
            _stop(process)


def _environment(data: Path, database: str | None) -> dict[str, str]:
    own = ("LAKESCOPE_", "REDIS_URL", "DATABASE_URL", "DJANGO_")
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(own)}
    chosen = {
        "LAKESCOPE_DATA": str(data),
        "LAKESCOPE_RATE_LIMIT": "1000000",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    return inherited | chosen | ({"DATABASE_URL": database} if database else {})


def _accepts(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def _until(holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError(f"{what} does not answer")
        time.sleep(0.1)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _children(parent: int) -> set[int]:
    """The processes below a process, at any depth."""
    parents = {pid: _parent(pid) for pid in (int(folder.name) for folder in Path("/proc").glob("[0-9]*"))}
    found = {parent}
    while more := {pid for pid, above in parents.items() if above in found} - found:
        found |= more
    return found - {parent}


def _parent(pid: int) -> int | None:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None  # it has ended


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""  # it has ended
