"""One Spark session for all tests of the jobs."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from core.jobs import JobReport, decode_report
from spark_jobs.java import JavaNotFoundError
from spark_jobs.report import Reporter
from spark_jobs.session import open_session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A local session with two cores; skips where there is no Java."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            session = open_session("tests", master="local[2]", settings={"spark.ui.enabled": "false"})
        except JavaNotFoundError as error:
            pytest.skip(str(error))
    yield session
    session.stop()


class Recorded(Reporter):
    """A report kept in memory."""

    def __init__(self) -> None:
        self.output = io.StringIO()
        super().__init__(self.output)

    @property
    def lines(self) -> list[JobReport]:
        return [decode_report(line) for line in self.output.getvalue().splitlines()]


@pytest.fixture
def reporter() -> Recorded:
    return Recorded()
