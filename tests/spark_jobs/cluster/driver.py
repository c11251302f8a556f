"""A driver in a process of its own, asked over a pipe: one JVM serves session after session."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from pyspark import cloudpickle
from pyspark.sql import SparkSession

from spark_jobs import __main__ as command_line
from spark_jobs.session import open_session
from tests.spark_jobs.cluster import striking
from tests.spark_jobs.cluster.processes import PATIENCE, QUICK_JAVA


class Driver:
    """Calls functions in the driver; one at a time."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,))
        self._process.start()
        theirs.close()
        self.folders: set[Path] = set()  # that sessions leave behind

    def start(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Begin a call; `result` waits for its end."""
        self._pipe.send((function, arguments))

    def result(self) -> Any:
        assert self._pipe.poll(PATIENCE), "the driver does not answer"
        failed, value = self._pipe.recv()
        assert not failed, value
        return value

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        self.start(function, *arguments)
        return self.result()

    def terminate(self) -> None:
        """What the console does to cancel a job."""
        assert self._process.pid
        os.kill(self._process.pid, signal.SIGTERM)

    def stop(self) -> None:
        self._process.kill()
        self._process.join(30)
        for folder in self.folders:
            shutil.rmtree(folder, ignore_errors=True)


def _serve(pipe: Connection) -> None:
    os.environ.pop("PYTHONPATH", None)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    cloudpickle.register_pickle_by_value(striking)
    while True:
        try:
            function, arguments = pipe.recv()
        except EOFError:
            return
        try:
            answer = (False, function(*arguments))
        except BaseException:
            answer = (True, traceback.format_exc())
        pipe.send(answer)


def settings(folder: Path) -> dict[str, str]:
    """Of every session here: on the loopback, nothing outside of the folder, no long waits."""
    return {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.local.dir": str(folder / "scratch"),
        "spark.sql.warehouse.dir": str(folder / "none"),
        "spark.sql.shuffle.partitions": "2",
        "spark.shuffle.io.retryWait": "100ms",
        "spark.eventLog.compress": "false",
        "spark.driver.extraJavaOptions": QUICK_JAVA,
        "spark.executor.extraJavaOptions": QUICK_JAVA,
    }


_opened: tuple[object, ...] = ()
_session: SparkSession | None = (
    None  # Spark's own active one is lost with the connection that a signal breaks
)


def open_on(master: str, folder: Path, more: dict[str, str]) -> str:
    """A session of the master with those settings, the open one if it is such; the id of its application."""
    global _opened, _session
    if _opened != (master, more):
        close()
        _session = open_session("cluster tests", master=master, settings={**settings(folder), **more})
        _opened = (master, more)
    return str(session().sparkContext.applicationId)


def executors() -> int:
    """How many the open session has by now."""
    return len(session().sparkContext._jsc.sc().statusTracker().getExecutorInfos()) - 1  # the driver


def is_idle() -> bool:
    """Whether no executor of the open session runs a task."""
    told = session().sparkContext._jsc.sc().statusTracker().getExecutorInfos()
    return not any(executor.numRunningTasks() for executor in told)


def close() -> None:
    global _opened, _session
    if _session is not None:
        _session.stop()
    _opened, _session = (), None


def session() -> SparkSession:
    assert _session is not None
    return _session


def main(arguments: list[str], environment: dict[str, str]) -> int:
    """`python -m spark_jobs` with other variables of the environment; the exit code."""
    close()
    os.environ.update(environment)
    return command_line.main(arguments)


def use_own_python() -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
