"""A driver of streaming queries each of which stops at one step of its first batch, and waits to be killed.

`main` runs in a process of its own. Its folder has JSON files below `source`, and below `wh` a table for each
step; a file with the name of the step comes to be below `reached`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.datasource import WriterCommitMessage
from pyspark.sql.streaming import StreamingQuery
from pyspark.sql.types import StructType

from spark_jobs.datasource import LakescopeSource
from spark_jobs.datasource.stream_write import TableStreamWriter
from spark_jobs.session import open_session

STEPS = (
    "before-the-files-are-written",
    "after-the-files-are-written",
    "before-the-commit-to-the-table",
    "after-the-commit-to-the-table",  # and before Spark's commit log
    "after-the-commit-log-of-spark",
)


def reach(folder: str, held: str, step: str) -> None:
    """Say that the step is reached, and stay there, if it is the one that this query is held at."""
    if held == step:
        (Path(folder) / "reached" / step).touch()
        parent = os.getppid()
        while os.getppid() == parent:  # which ends with the driver
            time.sleep(0.05)


class HeldWriter(TableStreamWriter):
    def __init__(self, writer: TableStreamWriter, folder: str, held: str) -> None:
        self.__dict__ |= writer.__dict__
        self._place = folder, held

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        reach(*self._place, STEPS[0])
        message = super().write(iterator)
        reach(*self._place, STEPS[1])
        return message

    def commit(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        reach(*self._place, STEPS[2])
        super().commit(messages, batchId)
        reach(*self._place, STEPS[3])


class HeldSource(LakescopeSource):
    """The format `lakescope`, held at the step of the option `held.step`."""

    def streamWriter(self, schema: StructType, overwrite: bool) -> HeldWriter:  # noqa: N802 - Spark's name
        place = self.options["held.folder"], self.options["held.step"]
        return HeldWriter(super().streamWriter(schema, overwrite), *place)


def start(spark: SparkSession, folder: Path, step: str, *, available_now: bool) -> StreamingQuery:
    """Write the files of the source into the table of a step, a file a batch, from the checkpoint on."""
    rows = spark.readStream.schema("k INT, v STRING").option("maxFilesPerTrigger", "1")
    sink = rows.json(f"{folder}/source").writeStream.format("lakescope")
    sink = sink.options(**{"held.folder": str(folder), "held.step": step})
    sink = sink.option("checkpointLocation", f"{folder}/checkpoints/{step}")
    sink = sink.trigger(availableNow=True) if available_now else sink.trigger(processingTime="0 seconds")
    return sink.start(f"{folder}/wh/db.db/{step}")


def main(place: str) -> None:
    """Start all queries, and wait."""
    folder, settings = Path(place), {"spark.ui.enabled": "false"}
    spark = open_session("held", master=f"local[{len(STEPS) + 1}]", settings=settings)
    spark.dataSource.register(HeldSource)
    for step in STEPS:
        start(spark, folder, step, available_now=False)
    while not (folder / "checkpoints" / STEPS[4] / "commits" / "0").exists():
        time.sleep(0.05)
    (folder / "reached" / STEPS[4]).touch()
    spark.streams.awaitAnyTermination()
