"""A query computes rows from views, and does nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import SparkSession

from core.errors import InvalidRequestError
from spark_jobs.queries import run_query

pytestmark = pytest.mark.spark


@pytest.fixture(autouse=True)
def _view(spark: SparkSession) -> None:
    spark.createDataFrame([(1, "a"), (2, "b")], "id int, name string").createOrReplaceTempView("v")


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT * FROM v", 2),
        (
            "SELECT name, count(*) AS n FROM v WHERE id > 0 GROUP BY name HAVING n > 0 ORDER BY name LIMIT 1",
            1,
        ),
        ("WITH w AS (SELECT * FROM v) SELECT w.* FROM w JOIN v USING (id) UNION ALL SELECT * FROM v", 4),
        ("SELECT id FROM v WHERE id IN (SELECT max(id) FROM v)", 1),
        ("SELECT e FROM v LATERAL VIEW explode(array(id, id)) t AS e", 4),
        ("SELECT row_number() OVER (PARTITION BY name ORDER BY id) AS r FROM v", 2),
        ("SELECT * FROM range(3)", 3),
        ("SELECT * FROM VALUES (1, 'x'), (2, 'y') AS t(a, b)", 2),
        ("SELECT 'ScriptTransformation' AS id", 1),
        ("SELECT DISTINCT name FROM v EXCEPT SELECT 'a'", 1),
    ],
)
def test_a_query_gives_its_rows(spark: SparkSession, sql: str, rows: int) -> None:
    assert run_query(spark, sql).count() == rows


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT TRANSFORM(id) USING 'cat' AS (x) FROM v",
        "WITH w AS (SELECT TRANSFORM(id) USING 'cat' AS (x) FROM v) SELECT * FROM w",
        "SELECT id FROM v WHERE EXISTS (SELECT TRANSFORM(id) USING 'touch {0}/x' AS (x) FROM v)",
        "INSERT OVERWRITE DIRECTORY '{0}/out' USING csv SELECT * FROM v",
        "FROM v INSERT OVERWRITE DIRECTORY '{0}/out' USING csv SELECT *",
        "CREATE TABLE stolen USING csv LOCATION '{0}'",
        "CREATE TEMPORARY VIEW x USING csv OPTIONS (path '{0}')",
        "ADD JAR '{0}/x.jar'",
        "SET spark.sql.runSQLOnFiles=true",
        "DROP VIEW v",
        "BEGIN SELECT 1; END",
        "EXECUTE IMMEDIATE 'DROP VIEW v'",
        "EXPLAIN SELECT 1",
    ],
)
def test_a_statement_that_does_more_is_refused(spark: SparkSession, sql: str, tmp_path: Path) -> None:
    with pytest.raises((InvalidRequestError, ParseException)):
        run_query(spark, sql.format(tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM text.`/etc/hosts`",
        "SELECT * FROM csv.`file:///etc/hosts`",
        "SELECT reflect('java.lang.System', 'getProperty', 'user.home')",
        "SELECT java_method('java.lang.System', 'getProperty', 'user.home')",
        "SELECT try_reflect('java.lang.System', 'getProperty', 'user.home')",
    ],
)
def test_neither_files_nor_java_can_be_reached_by_name(spark: SparkSession, sql: str) -> None:
    with pytest.raises(AnalysisException):
        run_query(spark, sql).collect()
