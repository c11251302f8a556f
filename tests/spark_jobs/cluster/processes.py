"""A standalone Spark cluster on the loopback: a master and two workers, each a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyspark

from spark_jobs.java import find_java_home
from spark_jobs.session import cache_folder
from tests.ports import LOOPBACK, free_port

PATIENCE = 600  # seconds, on a machine that is busy with much else
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # lives for seconds: starts sooner

_DEPLOY = "org.apache.spark.deploy"


class Standalone:
    """A master, and workers of one core each, which may be killed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._environment = _environment()
        self._port, self._ui_port = free_port(), free_port()
        self._all: list[subprocess.Popen[bytes]] = []
        self._workers: list[subprocess.Popen[bytes]] = []
        self.master = f"spark://127.0.0.1:{self._port}"
        ports = {"port": str(self._port), "webui-port": str(self._ui_port)}
        self._start("master.Master", *_words({"host": LOOPBACK, **ports}))

    def start_worker(self) -> None:
        """Start a worker; it registers within seconds."""
        place, host = self._folder / f"worker-{len(self._all)}", host_of_its_own(len(self._all) + 1)
        options = {"cores": "1", "memory": "1200m", "webui-port": "0", "work-dir": str(place)}
        words = _words({"host": host, **options})
        self._workers.append(self._start("worker.Worker", *words, self.master, host=host))

    def have_workers(self, count: int) -> None:
        """Start those that are missing, as tests may have killed some."""
        while len(self._workers) < count:
            self.start_worker()

    def start_history_server(self, logs: Path) -> int:
        """Start one that reads the event logs of a folder; its port."""
        port = free_port()
        asked = {"fs.logDirectory": logs.as_uri(), "ui.port": port, "fs.update.interval": "1s"}
        options = [f"-Dspark.history.{name}={value}" for name, value in asked.items()]
        self._environment["SPARK_HISTORY_OPTS"] = " ".join(options)
        self._start("history.HistoryServer")
        return port

    def _start(self, name: str, *options: str, host: str = LOOPBACK) -> subprocess.Popen[bytes]:
        launcher = Path(pyspark.__file__).parent / "bin" / "spark-class"
        command = [str(launcher), f"{_DEPLOY}.{name}", *options]
        with (self._folder / f"{name}-{len(self._all)}.log").open("wb") as log:
            process = subprocess.Popen(
                command,
                cwd=self._folder,
                env={**self._environment, "SPARK_LOCAL_IP": host},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._all.append(process)
        return process

    def wait_for_master(self) -> None:
        """Until it answers: a worker that comes before it waits long before it asks again."""
        until(lambda: answers(f"http://127.0.0.1:{self._ui_port}/json/"), "the master", self._check)

    def _check(self) -> None:
        for process in self._all:
            assert process.poll() is None, f"{process.args} ended"

    def kill_worker_of(self, process: int) -> None:
        """The machine on which a process runs goes away: worker, executors and what they started.

        If the process is on none of them, as a driver's is not, the first one goes.
        """
        above = ancestors(process)
        worker = next((w for w in self._workers if w.pid in above), self._workers[0])
        self._workers.remove(worker)
        _kill_group(worker)

    def stop(self) -> None:
        for process in reversed(self._all):
            _kill_group(process)


def _words(options: dict[str, str]) -> list[str]:
    return [word for name, value in options.items() for word in (f"--{name}", value)]


@contextmanager
def standalone(folder: Path, workers: int) -> Iterator[Standalone]:
    """A cluster that lives as long as the block; its workers are still on their way when it begins."""
    cluster = Standalone(folder)
    try:
        cluster.wait_for_master()
        cluster.have_workers(workers)
        yield cluster
    finally:
        cluster.stop()


def _environment() -> dict[str, str]:
    """That of a machine which knows Python and Java, and nothing of ours."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    java_home = find_java_home(environment, cache_folder(environment))
    if java_home is not None:
        environment["JAVA_HOME"] = java_home
    return environment | {"SPARK_DAEMON_JAVA_OPTS": QUICK_JAVA}


def ancestors(process: int) -> list[int]:
    """The process and those that it descends from."""
    found = []
    while process > 1:
        found.append(process)
        told = subprocess.run(
            ["ps", "-o", "ppid=", "-p", str(process)], capture_output=True, text=True, check=False
        ).stdout
        process = int(told or 0)
    return found


def until(holds: Callable[[], object], what: str, check: Callable[[], None] = lambda: None) -> None:
    """Wait until something holds; fails with its name if it never does."""
    end = time.monotonic() + PATIENCE
    while not holds():
        check()
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.05)


def answers(address: str, content: bytes = b"") -> bool:
    """Whether there is an answer, with that content."""
    try:
        with urllib.request.urlopen(address, timeout=5) as reply:
            return content in reply.read()
    except OSError:
        return False


def host_of_its_own(number: int) -> str:
    """An address of the loopback like no other, where there are several: on Linux."""
    address = f"127.0.0.{number}"
    with socket.socket() as found:
        try:
            found.bind((address, 0))
        except OSError:
            return LOOPBACK
    return address


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(30)
