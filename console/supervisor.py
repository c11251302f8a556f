"""`manage.py up`: starts the console's processes, waits until they are ready, restarts what dies,
and stops everything in reverse order.

Each process leads a session of its own, so that Ctrl-C reaches the supervisor alone and the order
of stopping is ours.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FrameType

STOP_GRACE = 15.0  # seconds
READY_WITHIN = 60.0  # seconds
QUICK_DEATH = 10.0  # seconds: a process that lives shorter is waited for before it is started again
MOST_QUICK_DEATHS = 5


@dataclass
class Service:
    """A process that has to be there."""

    name: str
    command: Sequence[str]
    is_ready: Callable[[], bool]
    environment: dict[str, str] = field(default_factory=dict)
    stop_signal: signal.Signals = signal.SIGTERM
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    quick_deaths: int = 0

    def start(self) -> None:
        self.started_at = time.monotonic()
        self.process = subprocess.Popen(
            self.command,
            env={**os.environ, **self.environment},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )

    @property
    def has_ended(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def stop(self, grace: float = STOP_GRACE) -> None:
        """Ask the process to end; kill its group if it does not, or leaves children behind."""
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(self.stop_signal)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(grace)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class StartError(Exception):
    """A service did not become ready; the message says which."""


class Supervisor:
    """Runs services until it is told to stop."""

    def __init__(self, services: Sequence[Service], say: Callable[[str], None]) -> None:
        self._services = services
        self._say = say
        self._stopping = False

    def run(self, when_ready: Callable[[], None]) -> None:
        """Start all, call `when_ready`, and watch until SIGINT or SIGTERM; then stop all.

        Raises:
            StartError: a service does not become ready, or dies again and again.
        """
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask_to_stop)
        try:
            for service in self._services:
                if self._stopping:
                    return
                service.start()
                self._wait_for(service)
            if not self._stopping:
                when_ready()
            while not self._stopping:
                self._restart_dead()
                time.sleep(0.2)
        finally:
            self._say("stopping")
            for service in reversed(self._services):
                service.stop()

    def _ask_to_stop(self, number: int, frame: FrameType | None) -> None:
        self._stopping = True

    def _wait_for(self, service: Service) -> None:
        until = time.monotonic() + READY_WITHIN
        while not service.is_ready() and not self._stopping:
            if service.has_ended:
                raise StartError(f"{service.name} ended at its start; its messages are above")
            if time.monotonic() > until:
                raise StartError(f"{service.name} is not ready after {READY_WITHIN:.0f} s")
            time.sleep(0.05)

    def _restart_dead(self) -> None:
        for service in self._services:
            if not service.has_ended or self._stopping:
                continue
            quick = time.monotonic() - service.started_at < QUICK_DEATH
            service.quick_deaths = service.quick_deaths + 1 if quick else 0
            if service.quick_deaths > MOST_QUICK_DEATHS:
                raise StartError(f"{service.name} dies again and again")
            self._say(f"{service.name} ended; starting it again")
            service.stop(0)
            time.sleep(min(2.0, 0.2 * 2**service.quick_deaths) if quick else 0)
            service.start()


def accepts(host: str, port: int) -> bool:
    """Whether somebody listens there."""
    try:
        with socket.create_connection((host, port), timeout=0.5):
            return True
    except OSError:
        return False


def is_free(host: str, port: int) -> bool:
    """Whether we could listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True
