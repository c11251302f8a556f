"""The format `lakescope` in a real session: what Spark asks of it, and what it gives.

Few tests, each of many steps: a query costs Spark a second. What needs no Spark is tested beside.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from threading import Barrier

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession

from core.types import RowKind
from spark_jobs.datasource import distributed, register
from spark_jobs.dml import append
from spark_jobs.examples.widening.kept_query import KeptQuery
from spark_jobs.failures import failure_from
from tests.spark_jobs.datasource.direct import local_table
from tests.tables import data_paths, put, rows_of

pytestmark = pytest.mark.spark
OLD, NEW = RowKind.UPDATE_BEFORE, RowKind.UPDATE_AFTER

COLUMNS = {
    "id": "BIGINT NOT NULL",
    "day": "DATE",
    "at": "TIMESTAMP(3)",
    "seen": "TIMESTAMP(6) WITH LOCAL TIME ZONE",
    "clock": "TIME(3)",
    "price": "DECIMAL(9, 2)",
    "tags": "MAP<STRING NOT NULL, ARRAY<INT>>",
    "place": "ROW<city STRING, zip INT>",
    "doc": "VARIANT",
}
ROWS = """
    SELECT id, date '2024-05-14' + cast(id AS int) AS day, timestamp_ntz '2024-05-14 01:02:03.456789' AS at,
        timestamp '2024-05-14 01:02:03.456789' AS seen, time '08:30:00.123456' AS clock,
        cast(id + 0.25 AS decimal(9, 2)) AS price, map('a', array(cast(id AS int), null)) AS tags,
        if(id = 2, null, named_struct('city', 'Oslo', 'zip', 7)) AS place, parse_json('{"n": 1}') AS doc
    FROM range(5)
"""


def load(spark: SparkSession, path: str, **options: str) -> DataFrame:
    spelled = {key.replace("__", ".").replace("_", "-"): value for key, value in options.items()}
    return spark.read.format("lakescope").options(**spelled).load(path)


def test_every_type_goes_there_and_back(spark: SparkSession, tmp_path: Path) -> None:
    table = local_table(tmp_path, COLUMNS, ["id"], bucket="2")
    given = spark.sql(ROWS)
    distributed(given, table.location).write.format("lakescope").mode("append").save(table.location)
    assert table.snapshots.latest_id() == 1
    found = load(spark, table.location)
    assert found.schema.simpleString() == given.schema.simpleString().replace("time(6)", "time(3)")
    expected = Row(
        id=2,
        day=date(2024, 5, 16),
        at=datetime(2024, 5, 14, 1, 2, 3, 456000),
        seen=datetime(2024, 5, 14, 1, 2, 3, 456789, UTC).astimezone().replace(tzinfo=None),
        clock=time(8, 30, 0, 123000),
        price=Decimal("2.25"),
        tags={"a": [2, None]},
        place=None,
        doc='{"n":1}',
    )
    query = found.where("day = date '2024-05-16' AND seen > timestamp '2024-05-14' AND price < 3")
    assert query.selectExpr(*found.columns[:-1], "to_json(doc) AS doc").collect() == [expected]


def test_a_read_is_pushed_down_and_its_options_hold(spark: SparkSession, tmp_path: Path) -> None:
    table = local_table(tmp_path, {"k": "INT NOT NULL", "v": "STRING"}, ["k"], bucket="2")
    put(table, *((i, f"v{i}") for i in range(10)))
    put(table, (3, "gone"), kinds=[RowKind.DELETE])
    frame = load(spark, table.location)
    few = frame.where("k > 1 AND v LIKE 'v%' AND k <> 5").where("k = 3 OR k = 4 OR k = 5")
    assert [row.k for row in few.collect()] == [4]
    plan = few._jdf.queryExecution().executedPlan().toString()
    assert "OR" in plan, "Spark keeps what it does not push"
    assert " > 1" not in plan
    assert "v%" not in plan
    assert "StartsWith" not in plan
    changes = load(spark, table.location + "$audit_log", incremental_between="1,2")
    assert changes.collect() == [Row(rowkind="-D", k=3, v="gone")]


def test_a_write_is_one_commit_or_leaves_nothing(spark: SparkSession, tmp_path: Path) -> None:
    table = local_table(tmp_path, {"k": "BIGINT NOT NULL", "v": "STRING"}, ["k"], bucket="2")
    frame = spark.range(0, 10, 1, 3).selectExpr("id AS k", "concat('v', id) AS v")
    with pytest.raises(PySparkException, match="distributed") as refused:
        frame.write.format("lakescope").mode("append").save(table.location)
    assert failure_from(refused.value).code == "invalid-request"
    # Late, when the other tasks have handed over what they wrote: a task that is killed leaves its files.
    fails = "raise_error(concat('no nine', reflect('java.lang.Thread', 'sleep', 3000L)))"
    broken = frame.selectExpr(f"if(k = 9, cast({fails} AS bigint), k) AS k", "v")
    with pytest.raises(PySparkException, match="no nine"):
        broken.write.format("lakescope").mode("append").save(table.location)
    assert (table.snapshots.latest_id(), data_paths(table)) == (None, set())
    put(table, (1, "old"))
    distributed(frame, table.location, tasks=2).write.format("lakescope").mode("overwrite").save(
        table.location
    )
    assert rows_of(table) == [(k, f"v{k}") for k in range(10)]
    assert table.snapshots.latest_id() == 2


def test_a_stream_copies_changes_exactly_once(spark: SparkSession, tmp_path: Path) -> None:
    columns = {"k": "INT NOT NULL", "v": "STRING"}
    origin = local_table(tmp_path / "a", columns, ["k"], changelog_producer="input", bucket="2")
    copy = local_table(tmp_path / "b", columns, ["k"], bucket="2")
    put(origin, (1, "a"), (2, "b"))
    put(origin, (1, "a"), (1, "x"), (2, "b"), kinds=[OLD, NEW, RowKind.DELETE])
    source = (
        spark.readStream.format("lakescope").option("read.changelog", "true").option("scan.snapshot-id", "1")
    )
    frame = source.option("read.stream.maxRowsPerTrigger", "1").load(origin.location)
    sink = distributed(frame, copy.location, tasks=2).writeStream.format("lakescope")
    sink = sink.option("rowkind.field", "rowkind").option("checkpointLocation", str(tmp_path / "point"))

    def run() -> list[tuple[str, int]]:
        KeptQuery(lambda: sink.trigger(availableNow=True).start(copy.location)).wait()
        return [(s.commit_user, s.commit_identifier) for s in copy.snapshots.iter_all()]

    made = run()
    assert [batch for _, batch in made] == [0, 1], "a batch a snapshot"
    assert len({user for user, _ in made}) == 1
    assert rows_of(copy) == rows_of(origin) == [(1, "x")]
    # As if the driver had died between the commit of the table and that of the checkpoint.
    for name in ("1", ".1.crc"):
        (tmp_path / "point" / "commits" / name).unlink()
    there = data_paths(copy)
    assert (run(), data_paths(copy)) == (made, there)


def test_threads_of_one_session_write_at_once(spark: SparkSession, tmp_path: Path) -> None:
    table = local_table(tmp_path, {"k": "BIGINT NOT NULL", "v": "STRING"}, ["k"], bucket="2")
    together = Barrier(2)

    def add(start: int) -> None:
        together.wait()
        append(spark.range(start, start + 5).selectExpr("id AS k", "'a' AS v"), table.location)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(add, (0, 5)))
    assert rows_of(table) == [(k, "a") for k in range(10)]
    assert table.snapshots.latest_id() == 2


def test_a_thread_that_registers_writes_by_a_session_made_elsewhere(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = local_table(tmp_path, {"k": "BIGINT"}, bucket="-1")

    def add() -> None:
        register(spark)
        spark.range(2).selectExpr("id AS k").write.format("lakescope").mode("append").save(table.location)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(add).result()
    assert rows_of(table) == [(0,), (1,)]


def test_sql_reaches_a_table_by_a_temporary_view_and_by_no_other_name(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = local_table(tmp_path, {"k": "INT NOT NULL", "v": "STRING"}, ["k"], bucket="2")
    spark.sql(f"CREATE TEMPORARY VIEW kept USING lakescope OPTIONS (path '{table.location}')")
    spark.sql("INSERT INTO kept VALUES (1, 'a')")
    assert spark.sql("SELECT * FROM kept").collect() == [Row(k=1, v="a")]
    spark.sql(f"CREATE TABLE named USING lakescope LOCATION '{table.location}'")
    for statement in ("SELECT * FROM named", "INSERT INTO named VALUES (2, 'b')"):
        with pytest.raises(PySparkException, match="of a temporary view it does"):
            spark.sql(statement).collect()
    for name in ("VIEW kept", "TABLE named"):
        spark.sql(f"DROP {name}")
    assert rows_of(table) == [(1, "a")]
