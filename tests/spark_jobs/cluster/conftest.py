"""One cluster and one driver for all tests of this folder: each costs seconds to start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_jobs.java import JavaNotFoundError
from tests.spark_jobs.cluster.driver import Driver
from tests.spark_jobs.cluster.processes import Standalone, standalone


@pytest.fixture(scope="package")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where Spark's processes keep what they need."""
    return tmp_path_factory.mktemp("cluster")


@pytest.fixture(scope="package")
def cluster(place: Path) -> Iterator[Standalone]:
    """A master and two workers; skips where there is no Java."""
    try:
        with standalone(place, workers=2) as found:
            yield found
    except JavaNotFoundError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="package")
def driver() -> Iterator[Driver]:
    found = Driver()
    yield found
    found.stop()
