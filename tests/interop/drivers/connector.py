"""A Spark that reads and writes Paimon tables by one connector: Paimon's own, or ours.

    connector.py paimon FOLDER PAIMON.jar     in an environment of Paimon's Spark
    connector.py lakescope FOLDER             in ours

Each line of input is a request for a table, `{"warehouse": ..., "table": "db.t", ...}`, and is answered
by one line of output, `{}` or `{"error": ...}`. Both connectors are asked the same:

    {"read": sql, "options": {}, "from": ""}         over the view `t`; the answer names the Arrow file
                                                     that has the `rows`, and Spark's `types`. Paimon's SQL
                                                     may say `from` what to read, with tables in braces
    {"write": sql, "mode": "append", "options": {}}  rows of a query into the table
    {"delete": condition}
    {"update": {column: text}, "where": condition}
    {"merge": sql, "on": [...], "matched": {}, "insert": true}   `matched` copies columns of the source
    {"statement": sql}                               in the table's database, by Paimon's catalog alone
"""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
OPTIONS_OF_JAVA = "-Duser.timezone=UTC -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


class Paimon:
    """By Paimon's own connector; statements are its SQL."""

    def __init__(self, jar: str) -> None:
        builder = SparkSession.builder.master("local[2]")
        settings = {
            **SETTINGS,
            "spark.driver.extraClassPath": jar,
            "spark.driver.extraJavaOptions": OPTIONS_OF_JAVA,
            "spark.sql.extensions": "org.apache.paimon.spark.extensions.PaimonSparkSessionExtensions",
            "spark.sql.catalog.paimon": "org.apache.paimon.spark.SparkCatalog",
            "spark.sql.catalog.paimon.cache-enabled": "false",
        }
        for key, value in settings.items():
            builder = builder.config(key, value)
        self.spark = builder.getOrCreate()

    def name(self, warehouse: str, table: str) -> str:
        """A catalog for each warehouse, the table in it."""
        catalog = "w" + "".join(c if c.isalnum() else "_" for c in warehouse)
        settings = {
            "": "org.apache.paimon.spark.SparkCatalog",
            ".warehouse": warehouse,
            ".cache-enabled": "false",
        }
        for key, value in settings.items():
            self.spark.conf.set(f"spark.sql.catalog.{catalog}{key}", value)
        database, _, name = table.partition(".")
        return f"{catalog}.{database}.`{name}`"

    def read(self, warehouse: str, table: str, options: dict[str, str], told: str) -> DataFrame:
        if told:
            database = table.partition(".")[0]
            source = re.sub(r"\{(.*)\}", lambda name: self.name(warehouse, f"{database}.{name[1]}"), told)
            return self.spark.sql(f"SELECT * FROM {source}")
        return self.spark.read.options(**options).table(self.name(warehouse, table))

    def write(self, frame: DataFrame, path: str, mode: str, options: dict[str, str]) -> None:
        if options.get("partitionOverwriteMode") == "dynamic":  # by path it always replaces the table
            self.spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
            warehouse, _, name = path.rpartition("/")
            warehouse, _, database = warehouse.rpartition("/")
            table = self.name(warehouse, f"{database.removesuffix('.db')}.{name}")
            frame.write.mode(mode).insertInto(table)
            self.spark.conf.set("spark.sql.sources.partitionOverwriteMode", "static")
            return
        frame.write.format("paimon").mode(mode).options(**options).save(path)

    def delete(self, warehouse: str, table: str, where: str) -> None:
        self.spark.sql(f"DELETE FROM {self.name(warehouse, table)} WHERE {where}")

    def update(self, warehouse: str, table: str, values: dict[str, str], where: str) -> None:
        assigned = ", ".join(f"{column} = '{value}'" for column, value in values.items())
        self.spark.sql(f"UPDATE {self.name(warehouse, table)} SET {assigned} WHERE {where}")

    def merge(
        self, warehouse: str, table: str, source: str, on: list[str], matched: dict[str, str], insert: bool
    ) -> None:
        condition = " AND ".join(f"t.{name} = s.{name}" for name in on)
        assigned = ", ".join(f"{column} = s.{name}" for column, name in matched.items())
        self.spark.sql(
            f"MERGE INTO {self.name(warehouse, table)} t USING ({source}) s ON {condition} "
            f"WHEN MATCHED THEN UPDATE SET {assigned}" + (" WHEN NOT MATCHED THEN INSERT *" if insert else "")
        )

    def statement(self, warehouse: str, table: str, sql: str) -> None:
        self.spark.sql(f"USE {self.name(warehouse, table).rpartition('.')[0]}")
        self.spark.sql(sql)


class Lakescope:
    """By ours."""

    def __init__(self) -> None:
        from spark_jobs.session import open_session

        settings = {**SETTINGS, "spark.driver.extraJavaOptions": OPTIONS_OF_JAVA}
        self.spark = open_session("connector", master="local[2]", settings=settings)

    def read(self, warehouse: str, table: str, options: dict[str, str], told: str) -> DataFrame:
        named = {"warehouse": warehouse, "table": table}
        return self.spark.read.format("lakescope").options(**named, **options).load()

    def write(self, frame: DataFrame, path: str, mode: str, options: dict[str, str]) -> None:
        from spark_jobs.datasource import distributed

        frame = distributed(frame, path)
        frame.write.format("lakescope").mode(mode).options(**options).save(path)

    def delete(self, warehouse: str, table: str, where: str) -> None:
        from spark_jobs import dml

        dml.delete(self.spark, path_of(warehouse, table), where)

    def update(self, warehouse: str, table: str, values: dict[str, str], where: str) -> None:
        from core.dml import Literal
        from spark_jobs import dml

        assigned = {column: Literal(value) for column, value in values.items()}
        dml.update(self.spark, path_of(warehouse, table), assigned, where)

    def merge(
        self, warehouse: str, table: str, source: str, on: list[str], matched: dict[str, str], insert: bool
    ) -> None:
        from core.dml import Column, Matched, NotMatched
        from spark_jobs import dml

        update = Matched({column: Column(f"source.{name}") for column, name in matched.items()})
        clauses = [update, NotMatched()] if insert else [update]
        dml.merge_into(path_of(warehouse, table), self.spark.sql(source), on, clauses)


def path_of(warehouse: str, table: str) -> str:
    database, _, name = table.partition(".")
    return f"{warehouse}/{database}.db/{name}"


class Requests:
    """Answers requests, and keeps the rows of each read in a file."""

    def __init__(self, connector: Any, folder: Path) -> None:
        self.connector = connector
        self.folder = folder
        self.answers = 0

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        warehouse, table, options = request["warehouse"], request["table"], request.get("options", {})
        match request:
            case {"read": sql}:
                frame = self.connector.read(warehouse, table, options, request.get("from", ""))
                frame.createOrReplaceTempView("t")
                answer = self.kept(self.connector.spark.sql(sql))
                self.connector.spark.catalog.dropTempView("t")  # it would hide tables from statements
                return answer
            case {"write": sql, "mode": mode}:
                frame = self.connector.spark.sql(sql)
                self.connector.write(frame, path_of(warehouse, table), mode, options)
            case {"delete": where}:
                self.connector.delete(warehouse, table, where)
            case {"update": values, "where": where}:
                self.connector.update(warehouse, table, values, where)
            case {"merge": source, "on": on, "matched": matched, "insert": insert}:
                self.connector.merge(warehouse, table, source, on, matched, insert)
            case {"statement": sql}:
                self.connector.statement(warehouse, table, sql)
        return {}

    def kept(self, frame: DataFrame) -> dict[str, Any]:
        # Not toArrow(): it fails on a VARIANT that is null, whose members it takes for never null.
        rows = pa.Table.from_batches(frame._collect_as_arrow(empty_list_if_zero_records=False))
        self.answers += 1
        path = self.folder / f"{self.answers}.arrow"
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, rows.schema) as writer:
            writer.write_table(rows)
        return {
            "rows": str(path),
            "types": {field.name: field.dataType.simpleString() for field in frame.schema},
        }


if __name__ == "__main__":
    own = os.fdopen(os.dup(1), "w")  # what Spark itself prints goes to the log
    os.dup2(2, 1)
    format, folder, *jar = sys.argv[1:]
    requests = Requests(Paimon(*jar) if format == "paimon" else Lakescope(), Path(folder))
    for line in sys.stdin:
        try:
            told = requests.answer(json.loads(line))
        except Exception as error:  # all that it has to say is the answer
            told = {"error": f"{type(error).__name__}: {error}"[:4000]}
        print(json.dumps(told), file=own, flush=True)
