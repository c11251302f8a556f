"""Drives Hive itself, as the Spark of our own environment has it, for as long as its input is open.

    spark_hive.py METASTORE FOLDER

Each line of input is a JSON list of statements, and is answered by one line of output: a JSON list of their
rows, texts as `repr` has them; or `{"error": ..., "statement": ...}` of the first that failed. Files are read
and written by Hive's own classes, its SerDes, and never by Spark's in their place.
"""

import json
import os
import sys
from typing import Any

from pyspark.sql import SparkSession


def started(metastore: str, folder: str) -> SparkSession:
    settings = {
        "spark.driver.extraJavaOptions": "-Duser.timezone=UTC -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.driver.memory": "1g",
        "spark.hadoop.hive.exec.dynamic.partition.mode": "nonstrict",
        "spark.hadoop.hive.metastore.uris": metastore,
        "spark.sql.hive.convertMetastoreOrc": "false",
        "spark.sql.hive.convertMetastoreParquet": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.warehouse.dir": f"{folder}/spark",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local[1]").enableHiveSupport()
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def answer(spark: SparkSession, statements: list[str]) -> Any:
    answers = []
    for statement in statements:
        try:
            answers.append([[repr(value) for value in row] for row in spark.sql(statement).collect()])
        except Exception as error:  # all that it has to say is the answer
            return {"error": f"{type(error).__name__}: {error}"[:4000], "statement": statement}
    return answers


if __name__ == "__main__":
    own = os.fdopen(os.dup(1), "w")  # what Spark itself prints goes to the log
    os.dup2(2, 1)
    session = started(*sys.argv[1:])
    for line in sys.stdin:
        print(json.dumps(answer(session, json.loads(line))), file=own, flush=True)
