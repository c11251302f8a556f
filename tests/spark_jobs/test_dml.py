"""DELETE, UPDATE, MERGE INTO and writes of DataFrames in a real session, on tables of every kind of bucket.

What each statement does to rows is tested in tests/core/dml; here that parts of it, done by tasks of Spark,
are one commit of the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow.compute as pc
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from core.dml import Column, Literal, Matched, NotMatched, NotMatchedBySource
from core.errors import InvalidRequestError
from core.table import Table
from spark_jobs import dml
from spark_jobs.failures import failure_from
from tests.spark_jobs.datasource.direct import local_table
from tests.tables import data_paths, rows_of

pytestmark = pytest.mark.spark

COLUMNS = {"p": "STRING NOT NULL", "k": "INT NOT NULL", "v": "STRING"}
KINDS: Mapping[str, Callable[[Path], Table]] = {
    "fixed buckets": lambda folder: local_table(folder, COLUMNS, ["p", "k"], partition=["p"], bucket="3"),
    "dynamic buckets": lambda folder: local_table(
        folder, COLUMNS, ["p", "k"], partition=["p"], bucket="-1", dynamic_bucket__target_row_num="2"
    ),
    "append with vectors": lambda folder: local_table(
        folder, COLUMNS, bucket="-1", deletion_vectors__enabled="true"
    ),
}
ROWS = "SELECT if(id < 6, 'a', 'b') AS p, cast(id AS int) AS k, concat('v', id) AS v FROM range(12)"
CHANGES = "SELECT if(k < 6, 'a', 'b') AS p, k, concat('new', k) AS v FROM values (1), (7), (20) AS t(k)"


@pytest.mark.parametrize("kind", KINDS)
def test_statements_are_one_commit_each_by_all_tasks(kind: str, spark: SparkSession, tmp_path: Path) -> None:
    table = KINDS[kind](tmp_path)
    dml.append(spark.sql(ROWS), table.location)
    expected = {k: ("a" if k < 6 else "b", k, f"v{k}") for k in range(12)}
    assert rows_of(table) == sorted(expected.values(), key=repr)

    (deleted,) = dml.delete(spark, table, "k IN (0, 6, 7)")
    (updated,) = dml.update(spark, table.location, {"v": lambda rows: pc.utf8_upper(rows["v"])}, "k > 8")
    assert (deleted.id, updated.id) == (2, 3)
    expected = {
        k: (*row[:2], row[2].upper() if k > 8 else row[2])
        for k, row in expected.items()
        if k not in (0, 6, 7)
    }
    assert rows_of(table) == sorted(expected.values(), key=repr)

    clauses = [Matched({"v": Column("source.v")}), NotMatched(), NotMatchedBySource(None, "k = 3")]
    (merged,) = dml.merge_into(table, spark.sql(CHANGES), ["p", "k"], clauses, commit=dml.Commit("me", 7))
    assert (merged.commit_user, merged.commit_identifier) == ("me", 7)
    expected |= {1: ("a", 1, "new1"), 7: ("b", 7, "new7"), 20: ("b", 20, "new20")}
    del expected[3]
    assert rows_of(table) == sorted(expected.values(), key=repr)


def test_dataframes_are_appended_upserted_and_overwritten(spark: SparkSession, tmp_path: Path) -> None:
    table = KINDS["fixed buckets"](tmp_path)
    dml.upsert(spark.sql(ROWS), table.location)
    dml.upsert(spark.sql(CHANGES), table.location)
    assert len(rows_of(table)) == 13
    dynamic = {"partitionOverwriteMode": "dynamic"}
    dml.overwrite(spark.sql(CHANGES).where("p = 'b'"), table.location, **dynamic)
    assert rows_of(table, filter="p = 'b'") == [("b", 20, "new20"), ("b", 7, "new7")]
    dml.overwrite(spark.sql(CHANGES), table.location)
    assert rows_of(table) == [("a", 1, "new1"), ("b", 20, "new20"), ("b", 7, "new7")]
    with pytest.raises(InvalidRequestError, match="primary key"):
        dml.upsert(spark.sql(CHANGES), KINDS["append with vectors"](tmp_path / "append").location)


def test_a_statement_that_fails_or_changes_nothing_leaves_nothing(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = KINDS["fixed buckets"](tmp_path)
    dml.append(spark.sql(ROWS), table.location)
    there = data_paths(table)
    assert dml.delete(spark, table, "k > 100") == []
    with pytest.raises(PySparkException, match="column=v") as refused:
        dml.update(spark, table, {"v": lambda rows: rows["k"]}, "k > 3")
    assert failure_from(refused.value).code == "invalid-request"
    twice = spark.sql(CHANGES).union(spark.sql(CHANGES))
    with pytest.raises(PySparkException, match="several rows of the source"):
        dml.merge_into(table, twice, ["p", "k"], [Matched({"v": Literal("?")})])
    with pytest.raises(InvalidRequestError, match="type of a column does not fit"):
        dml.append(spark.sql("SELECT 'a' AS p, 'x' AS k"), table.location)
    assert (table.snapshots.latest_id(), data_paths(table)) == (1, there)


def test_a_source_without_rows_still_changes_what_it_does_not_match(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = KINDS["fixed buckets"](tmp_path)
    dml.append(spark.sql(ROWS), table.location)
    nothing = spark.sql(CHANGES).where("false")
    dml.merge_into(table, nothing, ["p", "k"], [NotMatchedBySource(None, "k <> 4")])
    assert rows_of(table) == [("a", 4, "v4")]


def test_what_sql_makes_has_to_fit_its_column_in_sessions_without_ansi_too(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = local_table(tmp_path, {"k": "INT NOT NULL", "n": "TINYINT"}, ["k"], bucket="1")
    dml.upsert(spark.sql("SELECT 1 AS k, 5Y AS n"), table.location)
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        for value in ("n * 100", "'many'"):
            with pytest.raises(PySparkException, match=r"CAST_OVERFLOW|CAST_INVALID_INPUT"):
                dml.update(spark, table.location, {"n": dml.Sql(value)})
        dml.update(spark, table.location, {"n": dml.Sql("n div 0")})  # as the session says: null
    finally:
        spark.conf.set("spark.sql.ansi.enabled", "true")
    assert rows_of(table) == [(1, None)]


def test_a_column_without_source_is_that_of_the_table_though_the_source_has_one_too(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = local_table(tmp_path, {"k": "INT NOT NULL", "v": "INT"}, ["k"], bucket="1")
    dml.upsert(spark.sql("SELECT 1 AS k, 10 AS v"), table.location)
    clauses = [Matched({"v": dml.Sql("v + source.v")})]
    dml.merge_into(table, spark.sql("SELECT 1 AS k, 5 AS v"), ["k"], clauses)
    assert rows_of(table) == [(1, 15)]
