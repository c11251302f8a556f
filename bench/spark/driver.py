"""A Spark that does one workload some times by one connector: `driver.py paimon|lakescope TASK.json`.

Paimon's environment runs it, too, so it imports nothing of ours at its top. A line is printed for the start
and for each run: `wall` seconds, `cpu` seconds of the whole tree of processes (this one, the JVM, Python's
workers) and the `result`, which is a number of rows.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

SETTINGS = {"spark.driver.memory": "4g", "spark.ui.enabled": "false", "spark.sql.session.timeZone": "UTC"}
CATALOG = "org.apache.paimon.spark.SparkCatalog"
TICKS = os.sysconf("SC_CLK_TCK")


class Paimon:
    """The newest Paimon's connector."""

    def __init__(self, task: dict[str, Any]) -> None:
        builder = SparkSession.builder.master("local[2]")
        settings = {
            **SETTINGS,
            "spark.driver.extraClassPath": task["jar"],
            "spark.sql.extensions": "org.apache.paimon.spark.extensions.PaimonSparkSessionExtensions",
            "spark.sql.catalog.paimon": CATALOG,
            "spark.sql.catalog.paimon.warehouse": task["warehouse"],
        }
        for key, value in settings.items():
            builder = builder.config(key, value)
        self.spark = builder.getOrCreate()

    def read(self, warehouse: str, table: str, columns: list[str]) -> DataFrame:
        return self.spark.read.format("paimon").load(f"{warehouse}/bench.db/{table}").select(*columns)

    def write(self, frame: DataFrame, warehouse: str, table: str) -> None:
        frame.write.format("paimon").mode("append").save(f"{warehouse}/bench.db/{table}")

    def compact(self, warehouse: str, table: str) -> None:
        self.spark.sql("USE paimon.bench")
        self.spark.sql(f"CALL sys.compact(table => 'bench.{table}', compact_strategy => 'full')").collect()


class Lakescope:
    """Ours."""

    def __init__(self, task: dict[str, Any]) -> None:
        from spark_jobs.session import open_session

        self.spark = open_session("bench", master="local[2]", settings=SETTINGS)

    def read(self, warehouse: str, table: str, columns: list[str]) -> DataFrame:
        named = self.spark.read.format("lakescope").option("columns", ",".join(columns))
        return named.load(f"{warehouse}/bench.db/{table}")

    def write(self, frame: DataFrame, warehouse: str, table: str) -> None:
        from spark_jobs.dml import append

        append(frame, f"{warehouse}/bench.db/{table}")

    def compact(self, warehouse: str, table: str) -> None:
        from core import open_catalog
        from core.jobs import CompactJob, CompactStrategy
        from spark_jobs.jobs.compact import compact_table
        from spark_jobs.report import Reporter

        work = CompactJob(strategy=CompactStrategy.FULL)
        found = open_catalog(warehouse).get_data_table(f"bench.{table}")
        with Path(os.devnull).open("w") as nowhere:
            compact_table(self.spark, found, work, user="bench", reporter=Reporter(nowhere))


def cpu_of_tree(root: int) -> float:
    """CPU seconds of a process and all below it, those that have ended included."""
    parents: dict[int, int] = {}
    used: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        process = int(path.parent.name)
        parents[process], used[process] = int(fields[1]), sum(map(int, fields[11:15]))

    def is_below(process: int) -> bool:
        while process and process != root:
            process = parents.get(process, 0)
        return process == root

    return sum(ticks for process, ticks in used.items() if is_below(process)) / TICKS


@contextmanager
def told(what: str) -> Iterator[dict[str, Any]]:
    """Print what the block took."""
    line: dict[str, Any] = {"what": what}
    wall, cpu = time.perf_counter(), cpu_of_tree(os.getpid())
    yield line
    line |= {"wall": time.perf_counter() - wall, "cpu": cpu_of_tree(os.getpid()) - cpu}
    print(json.dumps(line), file=sys.__stdout__, flush=True)


def once(connector: Any, task: dict[str, Any], number: int) -> int:
    warehouse, table = task["warehouse"], task["table"]
    if task["do"] == "write":
        rows = connector.spark.read.parquet(task["source"])
        connector.write(rows, warehouse, f"{table}_{number}")
        return int(task["rows"])
    if task["do"] == "compact":
        connector.compact(warehouse, f"{table}_{number}")
        return int(task["rows"])
    frame = connector.read(warehouse, table, ["i", "l", "x", "s"])
    (row,) = frame.selectExpr("count(*) AS n", "sum(i)", "sum(l)", "avg(x)", "max(s)").collect()
    return int(row["n"])


CONNECTORS: dict[str, Callable[[dict[str, Any]], Any]] = {"paimon": Paimon, "lakescope": Lakescope}

if __name__ == "__main__":
    name, path = sys.argv[1:]
    task = json.loads(Path(path).read_text())
    with told("start"):
        connector = CONNECTORS[name](task)
        connector.spark.range(10).selectExpr("sum(id)").collect()
    for number in range(task["runs"]):
        with told("run") as line:
            line["result"] = once(connector, task, number)
