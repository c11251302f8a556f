"""Messages of a real broker of Kafka are rows of a table, each once, whenever the driver is killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql.functions import col, concat, lit

from core import Table
from tests.soak.kafka.broker import Broker
from tests.soak.kafka.stream import A_BATCH, COLUMNS, TOPIC, session
from tests.spark_jobs.datasource.direct import local_table

pytestmark = pytest.mark.spark
ROOT = Path(__file__).parents[3]
JARS = os.environ.get("LAKESCOPE_KAFKA_JARS", "")
MESSAGES = 3000
PATIENCE = 300  # seconds for a batch


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    if not JARS:
        pytest.skip("LAKESCOPE_KAFKA_JARS names no folder with the jars that make kafka copies")
    running = Broker(Path(JARS) / "broker", tmp_path_factory.mktemp("kafka"))
    yield running
    running.stop()


def send(broker: Broker) -> None:
    """Messages with keys that say which they are, by Spark's own sink."""
    spark = session(Path(JARS) / "connector")
    number = col("id").cast("string")
    rows = spark.range(MESSAGES).select(number.alias("key"), concat(lit("v"), number).alias("value"))
    rows.write.format("kafka").option("kafka.bootstrap.servers", broker.address).option("topic", TOPIC).save()
    spark.stop()


def drive(broker: Broker, table: Table, folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.soak.kafka.stream", str(Path(JARS) / "connector"), broker.address]
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            [*command, table.location, str(folder / "point")],
            cwd=ROOT,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def batches(table: Table) -> int:
    return sum(1 for _ in table.snapshots.iter_all())


def test_each_message_is_a_row_once_though_the_driver_is_killed(broker: Broker, tmp_path: Path) -> None:
    send(broker)
    table = local_table(tmp_path, COLUMNS, bucket="-1")
    moment = random.Random(7)
    for _ in range(4):
        before, driver, end = batches(table), drive(broker, table, tmp_path), time.monotonic() + PATIENCE
        while batches(table) < before + 3:
            assert driver.poll() is None, (tmp_path / "log").read_text()
            assert time.monotonic() < end, "no batch was written"
            time.sleep(0.05)
        time.sleep(moment.random())
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait(30)
    assert 12 <= batches(table) < MESSAGES // A_BATCH  # there is something left to do
    assert drive(broker, table, tmp_path).wait(PATIENCE) == 0, (tmp_path / "log").read_text()
    rows = table.to_arrow().to_pylist()
    assert sorted(row["k"] for row in rows) == sorted(map(str, range(MESSAGES)))
    assert len({(row["partition"], row["offset"]) for row in rows}) == MESSAGES
    assert all(row["v"] == f"v{row['k']}" for row in rows)
