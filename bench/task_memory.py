"""Most memory of the Python worker of one task, against the options that bound it.

    python -m bench.task_memory [directory] [--rows N]

One bucket of 5 overlapping runs (made once a size) is compacted by one task of Spark, and its rows are
written once more by another, with `write-buffer-size` of 16 MB up to 256 MB; each task has a worker of its
own. Then with ever less `python_memory` of a job spec, until tasks fail. docs/scale.md tells what came out.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

from bench.measure import peak_mib, run_apart
from bench.rows import filled_table
from core.jobs import Resources
from core.table import Table
from core.write import CommitMessage
from spark_jobs.failures import carrying_errors, failure_from
from spark_jobs.resources import settings_of
from spark_jobs.session import open_session

_BUFFERS = ("16mb", "64mb", "256mb")
_LIMITS = (None, "1g", "768m", "640m", "512m", "384m")


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.task_memory")
    parser.add_argument("directory", nargs="?", default="build/bench")
    parser.add_argument("--rows", type=int, default=4_000_000)
    parser.add_argument("--limit", help=argparse.SUPPRESS)
    given = parser.parse_args()
    table = filled_table(
        Path(given.directory).absolute() / "task-memory", given.rows, "bigint", buckets=1, commits=5
    )
    if given.limit is not None:
        _measure(table, given.limit or None)
        return
    for limit in _LIMITS:
        run_apart("bench.task_memory", given.directory, "--rows", given.rows, "--limit", limit or "")


def _measure(table: Table, limit: str | None) -> None:
    settings = settings_of(Resources(python_memory=limit))
    own = {"spark.ui.enabled": "false", "spark.python.worker.reuse": "false"}
    spark = open_session("bench.task_memory", master="local[1]", settings={**settings, **own})
    for size in _BUFFERS if limit is None else _BUFFERS[-1:]:
        bounded = table.with_options({"write-buffer-size": size})
        for what, run in (("nothing", _nothing), ("compact", _compact), ("write", _write)):
            print(f"python_memory {limit}, write-buffer-size {size}, {what}: {_told(spark, run, bounded)}")
    spark.stop()


def _told(spark: SparkSession, run: Callable[[Table], list[CommitMessage]], table: Table) -> str:
    """The worker's peak, or why the task failed."""

    def task(_: int) -> float:
        with carrying_errors():
            table.new_commit("bench").abort(run(table))
        return peak_mib()

    try:
        return f"{spark.sparkContext.parallelize([0], 1).map(task).first():,.0f} MiB"
    except Exception as error:
        failure = failure_from(error)
        return f"{failure.code}: {failure.message.strip().splitlines()[-1][:300]}"


def _nothing(table: Table) -> list[CommitMessage]:
    """A worker with its libraries, and a table."""
    return []


def _compact(table: Table) -> list[CommitMessage]:
    return [table.run_compaction(task) for task in table.plan_compaction().tasks]


def _write(table: Table) -> list[CommitMessage]:
    """The rows of all runs, unsorted among each other, into one bucket."""
    with table.new_write() as write:
        for batch in table.to_batches():
            write.write(pa.Table.from_batches([batch]))
        return write.prepare_commit()


if __name__ == "__main__":
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    main()
