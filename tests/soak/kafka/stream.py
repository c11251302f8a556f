"""The driver that the test kills: a topic of Kafka becomes a table, some messages a batch."""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col

from spark_jobs.session import open_session

TOPIC = "orders"
COLUMNS = {"partition": "INT NOT NULL", "offset": "BIGINT NOT NULL", "k": "STRING", "v": "STRING"}
A_BATCH = 100  # messages


def session(jars: Path) -> SparkSession:
    """A local session that has Spark's Kafka package."""
    package = ",".join(str(jar) for jar in sorted(jars.glob("*.jar")))
    return open_session(
        "kafka", master="local[2]", settings={"spark.ui.enabled": "false", "spark.jars": package}
    )


def messages(spark: SparkSession, address: str) -> DataFrame:
    """The stream of the topic, as the columns of the table."""
    stream = spark.readStream.format("kafka").option("kafka.bootstrap.servers", address)
    stream = stream.option("subscribe", TOPIC).option("startingOffsets", "earliest")
    found = stream.option("maxOffsetsPerTrigger", str(A_BATCH)).load()
    return found.select(
        "partition",
        "offset",
        col("key").cast("string").alias("k"),
        col("value").cast("string").alias("v"),
    )


def main(jars: Path, address: str, location: str, point: str) -> None:
    """Write all that the topic holds now, batch by batch."""
    sink = messages(session(jars), address).writeStream.format("lakescope")
    sink = sink.option("checkpointLocation", point).trigger(availableNow=True)
    sink.start(location).awaitTermination()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
