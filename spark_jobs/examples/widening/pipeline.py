"""What runs: a query for each application, the compaction job, and the query that sums up.

No query keeps rows: the wide table is what a join would have to remember, and the totals are the table
of them. So a checkpoint holds offsets alone, and a query may be away for as long as snapshots are kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event
from types import TracebackType

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that all of Spark's documentation uses
from pyspark.sql.streaming.query import StreamingQuery

from core import Table
from core.jobs import CompactJob, CompactStrategy
from spark_jobs.datasource import distributed
from spark_jobs.examples.widening.kept_query import KeptQuery
from spark_jobs.examples.widening.tables import Tables
from spark_jobs.jobs.compact import compact_table
from spark_jobs.report import Reporter

_TRIGGER = "1 second"
_PAUSE = 1.0  # seconds between two compactions
_COMPACTOR = "compaction-job"


class Pipeline:
    """The running pipeline; all of it ends with the `with` block."""

    def __init__(self, spark: SparkSession, tables: Tables, folder: Path) -> None:
        """Start it; checkpoints and the report of the compaction job lie in the folder."""
        self._spark, self._tables, self._folder = spark, tables, folder
        folder.mkdir(parents=True, exist_ok=True)
        self._finished = Event()
        self._threads = ThreadPoolExecutor(1, "compaction")
        self.orders = KeptQuery(lambda: self._widen("orders", tables.orders))
        self.shipments = KeptQuery(lambda: self._widen("shipments", tables.shipments))
        self.totals = KeptQuery(self._sum_up)
        self._compaction: Future[None] = self._threads.submit(self._compact)

    def grow(self, begin: Callable[[], None]) -> None:
        """Restart the query of the shipments with the columns that they have from now on.

        A stream keeps the columns that it began with, so it ends before `begin` lets the new ones come.
        It goes on where its checkpoint says, and its sink adds the columns to the wide table.
        """
        self.shipments.restart(begin)

    def keep(self) -> None:
        """See to it that all of it runs.

        Raises:
            StreamingQueryException: a query fails again and again.
            PaimonError: the compaction job has failed.
        """
        for kept in self._queries:
            kept.keep()
        if self._compaction.done():
            self._compaction.result()

    def drain(self) -> None:
        """Return when all that was told has come to the last layer; nothing is compacted after it."""
        self.orders.drain()
        self.shipments.drain()
        self._finished.set()
        self._compaction.result()
        self.totals.drain()

    def __enter__(self) -> Pipeline:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._finished.set()
        for kept in self._queries:
            kept.query.stop()
        self._threads.shutdown()

    @property
    def _queries(self) -> tuple[KeptQuery, ...]:
        return self.orders, self.shipments, self.totals

    def _widen(self, application: str, source: Table) -> StreamingQuery:
        """Put what an application tells into its columns of the wide table."""
        count = f"{application.removesuffix('s')}_events"
        rows = self._spark.readStream.format("lakescope").load(source.location)
        return self._started(
            rows.withColumn(count, F.lit(1).cast("bigint")), self._tables.wide, f"widen-{application}"
        )

    def _sum_up(self) -> StreamingQuery:
        """Add new rows of the wide table to the totals of their region, and take old ones back."""
        source = self._spark.readStream.format("lakescope").option("read.changelog", "true")
        changes = source.load(self._tables.wide.location)
        rows = changes.where("region IS NOT NULL").selectExpr(
            "rowkind",
            "region",
            "1L AS orders",
            "cents",
            "order_events",
            "cast(shipped_at IS NOT NULL AS bigint) AS shipped",
            "coalesce(parcels, 0L) AS parcels",
        )
        return self._started(rows, self._tables.totals, "sum-up")

    def _started(self, rows: DataFrame, target: Table, name: str) -> StreamingQuery:
        options = {"checkpointLocation": str(self._folder / name), "write.merge-schema": "true"}
        if "rowkind" in rows.columns:
            options["rowkind.field"] = "rowkind"
        sink = distributed(rows, target.location).writeStream.format("lakescope").options(**options)
        return sink.queryName(name).trigger(processingTime=_TRIGGER).start(target.location)

    def _compact(self) -> None:
        """What `python -m spark_jobs compact` does, again and again, and once more at the end."""
        work = CompactJob(CompactStrategy.MINOR)
        with open(self._folder / "compaction.jsonl", "a", encoding="utf-8") as output:
            reporter, is_last = Reporter(output), False
            while not is_last:
                is_last = self._finished.wait(_PAUSE)
                wide = self._tables.wide.refreshed()
                compact_table(self._spark, wide, work, user=_COMPACTOR, reporter=reporter)


def snapshots_behind(kept: KeptQuery, source: Table) -> int:
    """How many snapshots of its source a query has still to take."""
    latest, progress = source.snapshots.latest_id() or 0, kept.query.lastProgress
    if progress is None:
        return latest
    offset = json.loads(progress["sources"][0]["endOffset"] or "{}")
    return latest + 1 - max(int(offset.get("next_snapshot", 0)), 1)
