"""What the processes of `killed_streams` do, each a driver of Spark of its own, until they are killed.

Each says when it may be killed: when it has done a piece of work, or, early, as soon as it begins, which is
where it goes on with what the one before has left.
"""

from __future__ import annotations

import time
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from core import Table, open_catalog
from core.jobs import CompactJob, CompactStrategy
from spark_jobs.datasource import distributed
from spark_jobs.examples.widening.kept_query import KeptQuery
from spark_jobs.jobs.compact import compact_table
from spark_jobs.report import Reporter
from spark_jobs.session import open_session

EVENTS, SUMS = "db.events", "db.sums"
KEYS = 50
ROWS_A_BATCH = 400


def table_of(folder: Path, name: str) -> Table:
    return open_catalog(str(folder / "wh")).get_data_table(name)


def write(folder: Path, is_early: bool) -> None:
    """Sum up the events in the other table, batch after batch."""
    spark = session("writer")
    kept = KeptQuery(lambda: query(folder, spark, available_now=False))
    while not is_early and kept.query.lastProgress is None:
        kept.keep()
        time.sleep(0.05)
    (folder / "write.ready").touch()
    kept.wait()


def compact(folder: Path, is_early: bool) -> None:
    """Compact that table, now a little and now in full."""
    spark, turn = session("compaction"), 0
    while True:
        if is_early or turn:
            (folder / "compact.ready").touch()
        compact_once(spark, folder, CompactStrategy.FULL if turn % 5 == 4 else CompactStrategy.MINOR)
        turn += 1
        time.sleep(0.1)


def finish(folder: Path) -> None:
    """Work off what is left."""
    spark = session("finish")
    KeptQuery(lambda: query(folder, spark, available_now=True)).wait()
    compact_once(spark, folder, CompactStrategy.FULL)
    spark.stop()


def session(name: str) -> SparkSession:
    return open_session(name, master="local[2]", settings={"spark.ui.enabled": "false"})


def query(folder: Path, spark: SparkSession, *, available_now: bool) -> StreamingQuery:
    """Sum up the events, from the checkpoint on; a new query starts with all that there is."""
    source, target = table_of(folder, EVENTS).location, table_of(folder, SUMS).location
    events = spark.readStream.format("lakescope")
    if not available_now:  # many batches to be killed in
        events = events.option("read.stream.maxRowsPerTrigger", str(ROWS_A_BATCH))
    sums = events.load(source).selectExpr(f"k % {KEYS} AS k", "1L AS n", "v AS total")
    sink = distributed(sums, target, tasks=2).writeStream.format("lakescope")
    sink = sink.option("checkpointLocation", str(folder / "checkpoint"))
    sink = sink.trigger(availableNow=True) if available_now else sink.trigger(processingTime="0 seconds")
    return sink.start(target)


def compact_once(spark: SparkSession, folder: Path, strategy: CompactStrategy) -> None:
    with open(folder / "compaction.jsonl", "a", encoding="utf-8") as output:
        table, work = table_of(folder, SUMS), CompactJob(strategy)
        compact_table(spark, table, work, user="compaction", reporter=Reporter(output))
