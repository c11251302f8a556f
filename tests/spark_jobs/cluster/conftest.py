"""One cluster and one driver for all tests of this folder: each costs seconds to start."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import Table
from core.io import LocalFileIO
from core.jobs import Resources
from spark_jobs.java import JavaNotFoundError
from spark_jobs.resources import settings_of
from tests.spark_jobs.cluster import driver as sessions
from tests.spark_jobs.cluster.driver import Driver
from tests.spark_jobs.cluster.processes import Standalone
from tests.spark_jobs.cluster.processes import standalone as started
from tests.spark_jobs.cluster.table import FIRST, OLD
from tests.tables import new_table, put


@pytest.fixture(scope="package")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where Spark's processes keep what they need."""
    return tmp_path_factory.mktemp("cluster")


@pytest.fixture(scope="package")
def cluster(place: Path) -> Iterator[Standalone]:
    """A master and two workers; skips where there is no Java."""
    try:
        with started(place, workers=2) as found:
            yield found
    except JavaNotFoundError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="package")
def driver() -> Iterator[Driver]:
    found = Driver()
    yield found
    found.stop()


@pytest.fixture
def standalone(driver: Driver, cluster: Standalone, place: Path) -> Driver:
    """The driver with a session on the standalone master."""
    asked = Resources(executors=2, executor_memory="512m", event_log=str(place / "events"))
    driver.run(sessions.open_on, cluster.master, place, settings_of(asked))
    return driver


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Eight buckets of two files each."""
    columns = {"k": "BIGINT NOT NULL", "v": "STRING"}
    made = new_table(columns, ["k"], io=LocalFileIO(), warehouse=str(tmp_path), bucket="8")
    put(made, *FIRST)
    put(made, *OLD)
    return made


@pytest.fixture
def crippled(tmp_path: Path) -> Path:
    """A Python in which one of our libraries does not load."""
    (tmp_path / "pyroaring.py").write_text("raise ImportError('libroaring.so.2: cannot open shared object')")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path}:$PYTHONPATH exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    return python
