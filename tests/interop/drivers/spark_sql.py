"""Drives the newest Paimon's Spark SQL in an environment of its own, for as long as its input is open.

    spark_sql.py CLASS_PATH FOLDER

Each line of input is a request, `{"warehouse": ..., "statements": [...]}`, and is answered by one line of
output: `{"answers": [...]}`, of each statement the Arrow file in FOLDER that holds its rows, or null where it
has none; or `{"error": ..., "statement": ...}` of the first statement that failed. Statements run in the
warehouse's catalog, one after the other; nothing is cached between them. With `options` the catalog has these
beside its warehouse, such as those of a REST catalog.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
from pyspark.sql import SparkSession

CATALOG = "org.apache.paimon.spark.SparkCatalog"
EXTENSIONS = "org.apache.paimon.spark.extensions.PaimonSparkSessionExtensions"


def started(class_path: str) -> SparkSession:
    """Spark in this process and its JVM alone, made for small tables."""
    settings = {
        "spark.driver.extraClassPath": class_path,
        "spark.driver.extraJavaOptions": "-Duser.timezone=UTC -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.driver.extraLibraryPath": "/usr/lib/jni",  # where Debian has the library of SQLite's driver
        "spark.driver.memory": "1g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.extensions": EXTENSIONS,
        "spark.sql.readSideCharPadding": "false",  # CHAR as Paimon reads it
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
    }
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


class Sql:
    """Runs statements, and keeps the rows of each in a file."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.folder = folder
        self.catalogs: dict[str, str] = {}
        self.answers = 0

    def run(self, warehouse: str, statements: list[str], options: dict[str, str]) -> dict[str, Any]:
        use = f"USE {self.catalog(warehouse, options)}"
        answers = []
        for statement in (use, *statements):
            try:
                answers.append(self.answer(statement))
            except Exception as error:  # all that it has to say is the answer
                return {"error": f"{type(error).__name__}: {error}"[:4000], "statement": statement}
        return {"answers": answers[1:]}

    def catalog(self, warehouse: str, options: dict[str, str]) -> str:
        key = json.dumps([warehouse, options], sort_keys=True)
        name = self.catalogs.setdefault(key, f"warehouse{len(self.catalogs)}")
        settings = {"": CATALOG, ".warehouse": warehouse, ".cache-enabled": "false"}
        settings |= {f".{option}": value for option, value in options.items()}
        for key, value in settings.items():
            self.spark.conf.set(f"spark.sql.catalog.{name}{key}", value)
        return name

    def answer(self, statement: str) -> str | None:
        frame = self.spark.sql(statement)
        if not frame.columns:
            return None
        # Not toArrow(): it fails on a VARIANT that is null, whose members it takes for never null.
        rows = pa.Table.from_batches(frame._collect_as_arrow(empty_list_if_zero_records=False))
        self.answers += 1
        path = self.folder / f"{self.answers}.arrow"
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, rows.schema) as writer:
            writer.write_table(rows)
        return str(path)


def serve(sql: Sql, requests: TextIO, answers: TextIO) -> None:
    for line in requests:
        request = json.loads(line)
        answer = sql.run(request["warehouse"], request["statements"], request.get("options", {}))
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    own = os.fdopen(os.dup(1), "w")  # what Spark itself prints goes to the log
    os.dup2(2, 1)
    serve(Sql(started(sys.argv[1]), Path(sys.argv[2])), sys.stdin, own)
