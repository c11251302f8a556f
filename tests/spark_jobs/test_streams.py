"""Streams as they run: a driver that is killed at each step of a batch, and the pipeline of the example.

The driver to be killed starts while the pipeline runs, so this takes less time than its parts.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException, StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from core import Table, open_catalog
from core.types import DataField, parse_type
from spark_jobs.datasource import distributed
from spark_jobs.examples.widening.kept_query import KeptQuery
from spark_jobs.examples.widening.run import Settings, run
from spark_jobs.examples.widening.tables import Tables, create_tables
from spark_jobs.failures import failure_from
from tests.spark_jobs.datasource.direct import local_table
from tests.spark_jobs.datasource.held import STEPS, start
from tests.tables import put, rows_of

pytestmark = pytest.mark.spark
ROOT = Path(__file__).parents[2]
PATIENCE = 600  # seconds until the driver stands at all steps; a busy machine needs many


def json_file(path: Path, *rows: Mapping[str, object]) -> None:
    """A file of a stream of files; these come in the order of their times, which is that of their names."""
    path.parent.mkdir(exist_ok=True)
    hidden = path.with_name(f".{path.name}")
    hidden.write_text("\n".join(json.dumps(row) for row in rows))
    os.utime(hidden, (int(path.stem), int(path.stem)))
    hidden.rename(path)  # a stream may be looking


class Driver:
    """A process with its queries, and the tables that these write to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        catalog = open_catalog(str(folder / "wh"))
        catalog.create_database("db")
        fields = [DataField(0, "k", parse_type("INT")), DataField(1, "v", parse_type("STRING"))]
        self.copies: dict[str, Table] = {step: catalog.create_table(f"db.{step}", fields) for step in STEPS}
        (folder / "reached").mkdir()
        json_file(folder / "source" / "0.json", {"k": 1, "v": "a"}, {"k": 2, "v": "b"})
        code = f"from tests.spark_jobs.datasource.held import main; main({str(folder)!r})"
        with open(folder / "log", "wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", code], cwd=ROOT, stderr=log, stdout=log, start_new_session=True
            )

    def wait(self) -> None:
        """Return when each query stands at its step."""
        end = time.monotonic() + PATIENCE
        while {file.name for file in (self.folder / "reached").iterdir()} != set(STEPS):
            assert self.process.poll() is None, (self.folder / "log").read_text()
            assert time.monotonic() < end, f"not reached:\n{(self.folder / 'log').read_text()}"
            time.sleep(0.05)

    def kill(self) -> None:
        """End it as the kernel does, with the JVM that it has started."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture(scope="module")
def driver(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    driver = Driver(tmp_path_factory.mktemp("driver"))
    try:
        yield driver
    finally:
        if driver.process.poll() is None:
            driver.kill()


def history(tables: Tables, checkpoints: Path) -> Iterator[str]:
    """What happened, for who has to find out why rows are wrong: the commits, the offsets of the batches."""
    for table in (tables.orders, tables.shipments, tables.wide, tables.totals):
        for s in table.snapshots.iter_all():
            what = f"{s.id} {s.commit_kind.value} {s.commit_user} {s.commit_identifier}"
            yield f"{table.identifier}: {what} {s.delta_record_count} rows at {s.time_millis}"
    for file in sorted(checkpoints.glob("*/*/[0-9]*")):
        yield f"{file.relative_to(checkpoints)}: {file.read_text().splitlines()[1:]}"


def fail_with(text: str, start: Callable[[], StreamingQuery]) -> None:
    """Start a query that fails so; again if its source did not start in ten seconds, on a busy machine."""
    for _ in range(10):
        with pytest.raises(StreamingQueryException) as failed:
            start().awaitTermination()
        if text in str(failed.value):
            return
    raise failed.value


def test_two_streams_and_a_compaction_job_on_one_table_lose_nothing_and_double_nothing(
    spark: SparkSession, driver: Driver, tmp_path: Path
) -> None:
    tables, work = create_tables(str(tmp_path)), tmp_path / "work"
    said: list[str] = []
    is_right = run(spark, tables, work, Settings(20, rate=100, every=5), said.append)
    assert is_right, "\n".join([*said, *history(tables, work)])
    kinds = [(s.commit_kind.value, s.commit_user) for s in tables.wide.snapshots.iter_all()]
    writers = {user for kind, user in kinds if kind == "APPEND"}
    assert (len(writers), {user for kind, user in kinds if kind == "COMPACT"}) == (2, {"compaction-job"})
    assert tables.wide.refreshed().schema.field_names[-1] == "tracking_code"
    assert ["layer", "table"] in [line.split()[:2] for line in said], "the layers are shown"


def test_a_driver_killed_at_any_step_of_a_batch_goes_on_with_every_row_once(
    spark: SparkSession, driver: Driver
) -> None:
    driver.wait()
    driver.kill()
    stood = [copy.snapshots.latest_id() for copy in driver.copies.values()]
    assert stood == [None, None, None, 1, 1], "each was where it should be"
    json_file(driver.folder / "source" / "1.json", {"k": 3, "v": "c"})
    queries = [start(spark, driver.folder, step, available_now=True) for step in STEPS]
    for query, copy in zip(queries, driver.copies.values(), strict=True):
        query.awaitTermination()
        assert rows_of(copy) == [(1, "a"), (2, "b"), (3, "c")]
        made = [(s.commit_user, s.commit_identifier) for s in copy.snapshots.iter_all()]
        assert made == [(query.id, 0), (query.id, 1)]


def test_a_first_batch_that_failed_has_no_rows_though_its_source_has_some_by_now(
    spark: SparkSession, tmp_path: Path
) -> None:
    """It found an empty table, and Spark asks once more where the first batch begins."""
    source = local_table(tmp_path, {"k": "INT", "v": "STRING"}, bucket="-1")
    target = local_table(tmp_path / "copy", {"k": "INT", "v": "STRING"}, bucket="-1")
    rows = spark.readStream.format("lakescope").load(source.location).writeStream
    rows = rows.option("checkpointLocation", str(tmp_path / "point")).trigger(availableNow=True)

    def fail(frame: DataFrame, batch: int) -> None:
        raise InterruptedError(f"in batch {batch}")

    fail_with("in batch 0", lambda: rows.foreachBatch(fail).start())
    put(source, (1, "a"))
    KeptQuery(lambda: rows.format("lakescope").start(target.location)).wait()
    assert rows_of(target) == [(1, "a")]


def test_files_whose_rows_say_what_kind_they_are_change_a_table(spark: SparkSession, tmp_path: Path) -> None:
    table = local_table(tmp_path, {"k": "INT NOT NULL", "v": "STRING"}, ["k"], bucket="2")
    folder = tmp_path / "changes"
    json_file(folder / "0.json", {"op": "+I", "k": 1, "v": "a"}, {"op": "+I", "k": 2, "v": "b"})
    changes = [{"op": "-U", "k": 1, "v": "a"}, {"op": "+U", "k": 1, "v": "x"}, {"op": "-D", "k": 2}]
    json_file(folder / "1.json", *changes)
    rows = spark.readStream.schema("op STRING, k INT, v STRING").option("maxFilesPerTrigger", "1")
    sink = distributed(rows.json(str(folder)), table.location).writeStream.format("lakescope")
    sink = sink.option("rowkind.field", "op").option("checkpointLocation", str(tmp_path / "point"))
    sink.trigger(availableNow=True).start(table.location).awaitTermination()
    assert rows_of(table) == [(1, "x")]
    assert [s.commit_identifier for s in table.snapshots.iter_all()] == [0, 1]


def test_sparks_own_generator_of_rows_is_a_source(spark: SparkSession, tmp_path: Path) -> None:
    table = local_table(
        tmp_path, {"timestamp": "TIMESTAMP(3) WITH LOCAL TIME ZONE", "value": "BIGINT"}, bucket="-1"
    )
    rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", "10").load()
    sink = rows.writeStream.format("lakescope").option("checkpointLocation", str(tmp_path / "point"))
    sink.trigger(availableNow=True).start(table.location).awaitTermination()
    assert sorted(table.to_arrow(["value"])["value"].to_pylist()) == list(range(10))


def test_kafka_without_its_package_is_refused_with_what_to_do(spark: SparkSession) -> None:
    with pytest.raises(AnalysisException) as refused:
        spark.readStream.format("kafka").option("subscribe", "orders").load()
    failure = failure_from(refused.value)
    assert failure.code == "invalid-request"
    assert "Kafka Integration Guide" in failure.message
