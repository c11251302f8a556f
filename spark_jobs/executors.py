"""Who runs the tasks of a job: Spark's executors, or this process where that is all there is to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeVar

from pyspark.sql import SparkSession

from core.errors import UnsupportedError
from core.jobs import Failure
from spark_jobs.failures import carrying_errors
from spark_jobs.progress import reporting
from spark_jobs.report import Reporter

T = TypeVar("T")
R = TypeVar("R")


class Executors(Protocol):
    """Runs tasks somewhere, and gives back what came of each."""

    @property
    def spark(self) -> SparkSession:
        """The session; it is opened when it is first asked for."""
        ...

    @property
    def give_up(self) -> Callable[[Failure], None] | None:
        """Ends the process, with the failure as its last word; None where nothing of that kind is done."""
        ...

    def map(self, run: Callable[[T], R], tasks: Sequence[T], phase: str, unit: str) -> list[R]:
        """The results in the order of the tasks; whoever has large tasks names them first.

        Args:
            run: picklable, with all that it needs; may run twice, or at the same time, for one task.
            tasks: picklable; none means that nothing is opened.
            phase: what the report calls this.
            unit: of what each task is one.
        """
        ...


class SparkExecutors:
    """Those of a Spark session, which is opened for the first task."""

    def __init__(
        self,
        open_spark: Callable[[], SparkSession],
        reporter: Reporter,
        give_up: Callable[[Failure], None] | None = None,
    ) -> None:
        """`give_up` ends the process, with the failure as its last word: for when Spark answers no more."""
        self._open = open_spark
        self._reporter = reporter
        self.give_up = give_up

    @cached_property
    def spark(self) -> SparkSession:
        return self._open()

    def map(self, run: Callable[[T], R], tasks: Sequence[T], phase: str, unit: str) -> list[R]:
        if not tasks:
            return []
        context = self.spark.sparkContext
        with reporting(context, self._reporter, phase, unit):
            found: list[Any] = context.parallelize(tasks, len(tasks)).map(_Carried(run)).collect()
        return found


@dataclass(frozen=True, slots=True)
class InProcess:
    """This process, one task after the other; there is no session."""

    reporter: Reporter
    give_up: None = None  # there is no Spark to wait for

    @property
    def spark(self) -> SparkSession:
        raise UnsupportedError("this job has no Spark", feature="a Spark session")

    def map(self, run: Callable[[T], R], tasks: Sequence[T], phase: str, unit: str) -> list[R]:
        results = []
        for done, task in enumerate(tasks, start=1):
            results.append(run(task))
            self.reporter.progress(phase, done, len(tasks), unit)
        return results


@dataclass(frozen=True, slots=True)
class _Carried:
    """A function whose errors reach the driver whole."""

    run: Callable[..., object]

    def __call__(self, task: object) -> object:
        with carrying_errors():
            return self.run(task)
