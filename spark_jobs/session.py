"""The Spark session of a job."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from spark_jobs.crossing import BATCH_SETTINGS
from spark_jobs.datasource import register
from spark_jobs.java import find_java_home
from spark_jobs.preflight import check_executors
from spark_jobs.ship import core_archive
from spark_jobs.worker_python import worker_python

MASTER_VARIABLE = "LAKESCOPE_SPARK_MASTER"
_LOOPBACK = "127.0.0.1"

_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",  # a value that does not fit fails the job, it does not become null
    **BATCH_SETTINGS,
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.timeType.enabled": "true",
    "spark.ui.showConsoleProgress": "false",
    "spark.executorEnv.OMP_NUM_THREADS": "1",  # Arrow in a task gets one core, as the task does
}


def open_session(
    name: str, *, master: str | None = None, settings: Mapping[str, str] | None = None
) -> SparkSession:
    """A session for one job, which knows the format `lakescope`.

    The master is, in this order: the argument, that of spark-submit if it started us, the
    variable LAKESCOPE_SPARK_MASTER, `local[*]`. On a cluster that was started without
    `--py-files`, core and the jobs are shipped along.

    Raises:
        JavaNotFoundError: there is no Java that Spark runs on.
        ExecutorPythonError: the Python of an executor lacks a library; the session is stopped.
    """
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ or "SPARK_ENV_LOADED" in os.environ
    chosen = master or (None if submitted else os.environ.get(MASTER_VARIABLE, "local[*]"))
    if not submitted:
        _prepare_environment(os.environ, chosen)
    builder = SparkSession.builder.appName(name)
    if chosen is not None:
        builder = builder.master(chosen)
    for key, value in {**_SETTINGS, **_place_settings(chosen), **(settings or {})}.items():
        builder = builder.config(key, value)
    with _held_back(signal.SIGTERM):
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("WARN")
    logging.getLogger("py4j").setLevel(logging.WARNING)  # it tells of each connection otherwise
    if not is_local(session.sparkContext.master):
        _prepare_executors(session, ships=not submitted)
    register(session)
    return session


def _prepare_executors(session: SparkSession, *, ships: bool) -> None:
    """Give the executors our packages, and see that they have the rest."""
    try:
        if ships:
            session.sparkContext.addPyFile(str(core_archive(Path(_scratch_folder()))))
        check_executors(session.sparkContext)
    except BaseException:
        session.stop()
        raise


@contextmanager
def _held_back(signal_number: int) -> Iterator[None]:
    """The signal comes when the block has ended.

    A JVM whose driver goes away before the two have met waits for it for ever; later it ends
    with its driver.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread gets signals, and may say what to do with them
        return
    came: list[int] = []
    before = signal.signal(signal_number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal_number, before)
        for number in came[:1]:
            signal.raise_signal(number)


def is_local(master: str | None) -> bool:
    """Whether executors run inside the driver's process."""
    return master is not None and (master == "local" or master.startswith("local["))


def _prepare_environment(environ: MutableMapping[str, str], master: str | None) -> None:
    """What the JVM and the Python workers inherit."""
    java_home = find_java_home(environ, cache_folder(environ))
    if java_home is not None:
        environ["JAVA_HOME"] = java_home
    if is_local(master) and not environ.keys() & {"PYSPARK_PYTHON", "SPARK_HOME"}:
        environ["PYSPARK_PYTHON"] = str(worker_python(Path(_scratch_folder())))
    environ.setdefault("PYSPARK_PYTHON", sys.executable)
    environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    if is_local(master):
        environ.setdefault("SPARK_LOCAL_IP", _LOOPBACK)
        root = str(Path(__file__).resolve().parent.parent)
        # Python workers import core from where the driver has it.
        environ["PYTHONPATH"] = os.pathsep.join(filter(None, [root, environ.get("PYTHONPATH")]))


def _place_settings(master: str | None) -> dict[str, str]:
    if master is None or not master.startswith("local"):
        return {}
    scratch = _scratch_folder()
    return {
        "spark.driver.host": _LOOPBACK,
        "spark.driver.bindAddress": _LOOPBACK,
        "spark.ui.port": "0",
        "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1)),  # 200 suit a cluster
        "spark.sql.warehouse.dir": f"{scratch}/warehouse",
        "spark.local.dir": scratch,
    }


def _scratch_folder() -> str:
    """A folder that goes when the process ends."""
    folder = tempfile.mkdtemp(prefix="lakescope-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def cache_folder(environ: Mapping[str, str]) -> Path:
    """Where small files that may be lost are kept."""
    base = environ.get("XDG_CACHE_HOME") or (f"{environ['HOME']}/.cache" if "HOME" in environ else None)
    return Path(base or tempfile.gettempdir()) / "lakescope"
