"""A console as `./run` starts it: web server, worker, broker and a data folder of its own."""

from __future__ import annotations

import os
import re
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.ports import free_port

ROOT = Path(__file__).parents[2]
PATIENCE = 300  # seconds, on a machine that is busy with much else
_MARK = "LAKESCOPE_TEST_MARK"  # an environment variable that every child inherits
_LINK = re.compile(r"set up the administrator once: (\S+)")


class RunningConsole:
    """One `manage.py up`, from its start to its stop."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._mark = secrets.token_hex(8)
        self._output = data.with_name(f"{data.name}-{self._mark}.log")
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def warehouse(self) -> Path:
        """The folder of the demo warehouse."""
        return self.data / "warehouses" / "demo"

    @property
    def output(self) -> str:
        return self._output.read_text(encoding="utf-8", errors="replace")

    def start(self) -> None:
        """Start it, and return when it says that pages can be opened."""
        own = ("LAKESCOPE_", "REDIS_URL", "DATABASE_URL", "DJANGO_")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(own)}
        command = [
            sys.executable,
            str(ROOT / "manage.py"),
            "up",
            "--port",
            str(self.port),
            "--data",
            str(self.data),
        ]
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(
                command,
                env=environment | {_MARK: self._mark, "PYTHONUNBUFFERED": "1"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        eventually(
            lambda: f"open {self.url}" in self.output, within=PATIENCE, what="the console's address", of=self
        )

    def set_up_link(self) -> str:
        """The one-time link that was printed for the administrator."""
        eventually(
            lambda: _LINK.search(self.output) is not None, within=PATIENCE, what="the set-up link", of=self
        )
        found = _LINK.search(self.output)
        assert found is not None
        return found[1]

    @contextmanager
    def worker_halted(self) -> Iterator[None]:
        """Meanwhile jobs stay in the queue."""
        workers = [process for process, command in self.children().items() if " celery " in command]
        assert workers
        for process in workers:
            os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in workers:
                os.kill(process, signal.SIGCONT)

    def stop(self) -> int:
        """Press Ctrl-C; the exit code."""
        assert self._process is not None
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            return self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise

    def children(self) -> dict[int, str]:
        """Processes that it or its children started and that still run, by id: their commands."""
        own = self._process.pid if self._process else None
        mark = f"{_MARK}={self._mark}".encode()
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                marked = mark in (folder / "environ").read_bytes().split(b"\0")
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue  # it has ended, or belongs to somebody else
            if marked and command and int(folder.name) != own:
                found[int(folder.name)] = command
        return found

    def has_died(self) -> bool:
        return self._process is not None and self._process.poll() is not None


def eventually(holds: Callable[[], bool], *, within: float, what: str, of: RunningConsole) -> None:
    """Wait until something holds. The limit only guards against hanging."""
    until = time.monotonic() + within
    while not holds():
        if of.has_died() or time.monotonic() > until:
            raise AssertionError(f"the console did not show {what}; it said:\n{of.output[-4000:]}")
        time.sleep(0.1)
