"""Views are run by Spark: their first rows, and nothing that who asks may not read."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from core import open_catalog
from core.catalog import Catalog
from core.catalog.views import ViewSchema
from core.errors import InvalidRequestError, NotFoundError, PaimonError, UnsupportedError
from core.jobs import Failure, JobSpec, KeptView, Readable, ReadViewJob
from spark_jobs.executors import SparkExecutors
from spark_jobs.jobs import read_view
from spark_jobs.jobs.read_view import READ_VIEW
from spark_jobs.jobs.steps import Run, perform
from tests.builders import fields
from tests.spark_jobs.conftest import Recorded
from tests.tables import put

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A catalog that keeps views: `db.orders`, `other.orders` and `other.secret`."""
    folder = tmp_path_factory.mktemp("views")
    given = {"metastore": "jdbc", "uri": f"jdbc:sqlite:{folder}/catalog.db", "warehouse": f"{folder}/wh"}
    catalog = open_catalog(given)
    for name, rows in (
        ("db.orders", [(1, 5), (2, 7)]),
        ("other.orders", [(2, 70)]),
        ("other.secret", [(9, 9)]),
    ):
        catalog.create_database(name.split(".")[0], ignore_if_exists=True)
        put(catalog.create_table(name, fields(shop="INT", amount="BIGINT")), *rows)
    return given


@pytest.fixture(scope="module")
def catalog(options: dict[str, str]) -> Catalog:
    return open_catalog(options)


@pytest.fixture
def view(catalog: Catalog) -> Iterator[Any]:
    """Makes views, the first of which is `db.v`."""
    made: list[str] = []

    def make(sql: str, name: str = "db.v", *, spark: str | None = None, **columns: str) -> None:
        dialects = {} if spark is None else {"spark": spark}
        catalog.create_view(name, ViewSchema(fields(**columns), sql, dialects))
        made.append(name)

    yield make
    for name in made:
        catalog.drop_view(name)


def read(spark: SparkSession, options: dict[str, str], **asked: Any) -> dict[str, Any]:
    reporter = Recorded()
    spec = JobSpec("j-1", options, "db.v", ReadViewJob(**asked))
    result = perform(READ_VIEW, Run(spec, reporter, SparkExecutors(lambda: spark, reporter)))
    return dict(result.details)


def test_a_view_gives_its_first_rows_by_its_text_for_spark(
    spark: SparkSession, options: dict[str, str], view: Any
) -> None:
    view("no SQL of Spark", spark="SELECT shop, amount FROM orders ORDER BY shop", s="INT", a="STRING")
    found = read(spark, options, limit=1)
    assert found["rows"] == {
        "columns": [{"name": "s", "type": "INT"}, {"name": "a", "type": "STRING"}],
        "rows": [[1, "5"]],
        "truncated": True,
    }
    assert found["tables"] == ["db.v", "db.orders"]


def test_a_view_over_views_and_two_tables_of_one_name_is_run_inside_out(
    spark: SparkSession, options: dict[str, str], view: Any
) -> None:
    view("SELECT o.shop, orders.amount + o.amount FROM other.orders o JOIN w AS orders USING (shop)")
    view(
        "WITH orders AS (SELECT * FROM lake.db.orders) SELECT * FROM orders", "db.w", shop="INT", amount="INT"
    )
    found = read(spark, options)
    assert found["rows"]["rows"] == [[2, 77]]
    assert sorted(found["tables"]) == ["db.orders", "db.v", "db.w", "other.orders"]


def test_a_view_that_the_catalog_does_not_keep_is_run_too(
    spark: SparkSession, options: dict[str, str]
) -> None:
    kept = {
        "db.v": KeptView("SELECT * FROM w"),
        "db.w": KeptView("SELECT sum(amount) FROM orders", ("total",)),
    }
    assert read(spark, options, views=kept)["rows"]["rows"] == [[12]]


SCOPES = (Readable("db"), Readable("other", "ord*"))


@pytest.mark.parametrize(
    ("sql", "error", "words"),
    [
        ("SELECT * FROM other.secret", InvalidRequestError, "may not read.*other.secret"),
        ("SELECT (SELECT max(amount) FROM other.secret) FROM orders", InvalidRequestError, "may not read"),
        ("WITH x AS (SELECT * FROM other.secret) SELECT 1", InvalidRequestError, "may not read"),
        ("SELECT * FROM `other`.`secret$snapshots`", InvalidRequestError, "may not read"),
        ("SELECT * FROM other.gone", InvalidRequestError, "may not read"),
        ("SELECT * FROM gone", NotFoundError, "is not there.*db.gone"),
        ("SELECT gone FROM orders", InvalidRequestError, "UNRESOLVED_COLUMN"),
        ("SELEC * FROM orders", InvalidRequestError, "cannot read the query"),
        ("SELECT * FROM v", UnsupportedError, "itself"),
        ("DROP TABLE orders", InvalidRequestError, "one SELECT"),
        ("INSERT INTO orders SELECT 1, 1", InvalidRequestError, "one SELECT"),
        ("SELECT * FROM csv.`/etc/hosts`", PaimonError, "may not read|bad|database"),
        ("SELECT reflect('java.lang.System', 'getProperty', 'user.home')", InvalidRequestError, "UNRESOLVED"),
        ("SELECT * FROM IDENTIFIER('other.secret')", InvalidRequestError, "not found in its definition"),
        ("SELECT * FROM python_worker_logs()", InvalidRequestError, "."),
        ("SELECT raise_error('odd')", Exception, "odd"),
    ],
)
def test_what_a_view_may_not_do_is_refused_in_a_sentence(
    sql: str, error: type[Exception], words: str, spark: SparkSession, options: dict[str, str], view: Any
) -> None:
    view(sql)
    before = spark.catalog.listTables()
    with pytest.raises(error, match=words):
        read(spark, options, readable=SCOPES)
    assert spark.catalog.listTables() == before


UNMASKED = (Readable(but=("other.SEC*", "sys.*")),)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM other.secret WHERE amount > 5", "SELECT * FROM Other.Secret",
        "SELECT * FROM orders WHERE EXISTS (SELECT 1 FROM other.`secret$files`)",
        "SELECT * FROM orders LEFT JOIN other.`secret$branch_b` USING (shop)", "SELECT * FROM sys.partitions",
        "WITH secret AS (SELECT 1 AS one) SELECT one FROM secret UNION SELECT shop FROM w",
    ],
)  # fmt: skip
def test_a_query_reads_no_table_in_which_something_is_masked(
    sql: str, spark: SparkSession, options: dict[str, str], view: Any
) -> None:
    view(sql)
    view("SELECT shop FROM other.secret", "db.w")
    with pytest.raises(InvalidRequestError, match="may not read"):
        read(spark, options, readable=UNMASKED)


def test_a_query_reads_the_other_tables(spark: SparkSession, options: dict[str, str], view: Any) -> None:
    view("WITH secret AS (SELECT shop FROM other.orders) SELECT * FROM secret")
    assert read(spark, options, readable=UNMASKED)["rows"]["rows"] == [[2]]


def test_options_of_a_name_lead_to_no_other_table(
    spark: SparkSession, options: dict[str, str], view: Any
) -> None:
    view("SELECT * FROM orders WITH (`table` 'other.secret') ORDER BY shop")
    assert read(spark, options, readable=SCOPES)["rows"]["rows"] == [[1, 5], [2, 7]]


def test_what_it_takes_too_long_is_ended(spark: SparkSession, options: dict[str, str], view: Any) -> None:
    view("SELECT count(*) FROM range(1000000) a JOIN range(1000000) b ON a.id % 7 = b.id % 11")
    with pytest.raises(InvalidRequestError, match="longer than it may"):
        read(spark, options, seconds=1)


def test_a_job_that_begins_after_the_time_is_over_is_ended(spark: SparkSession) -> None:
    pairs = spark.range(1_000_000).crossJoin(spark.range(1_000_000).withColumnRenamed("id", "b"))

    def late() -> None:
        threading.Event().wait(1)
        pairs.where("id % 7 = b % 11").count()

    with pytest.raises(InvalidRequestError, match="longer than it may"), read_view.ended_after(spark, 0.01):
        late()


def test_what_spark_cannot_cancel_is_ended_too(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_view, "GRACE", 0.01)
    with pytest.raises(InvalidRequestError, match="longer than it may"), read_view.ended_after(spark, 0.01):
        threading.Event().wait(60)


def test_a_process_in_which_spark_answers_no_more_is_given_up(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_view, "GRACE", 0.01)
    monkeypatch.setattr(read_view, "LAST", 0.01)
    given_up, last = threading.Event(), []

    def give_up(failure: Failure) -> None:
        last.append(failure)
        given_up.set()

    with pytest.raises(InvalidRequestError), read_view.ended_after(spark, 0.01, give_up):
        threading.Event().wait(60)
    given_up.wait()
    assert "longer than it may" in last[0].message


def test_files_outside_of_the_warehouse_are_not_read(
    spark: SparkSession, options: dict[str, str], catalog: Catalog, view: Any, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text("1\n")
    given = {"type": "format-table", "file.format": "csv", "path": str(tmp_path)}
    catalog.create_table("db.outside", fields(k="INT"), options=given)
    view("SELECT * FROM outside")
    assert read(spark, options)["rows"]["rows"] == [[1]]
    with pytest.raises(UnsupportedError, match="outside of"):
        read(spark, options, files_within=options["warehouse"])
    catalog.drop_table("db.outside")


def test_no_rows_are_read_by_the_name_of_another_table(
    spark: SparkSession, options: dict[str, str], catalog: Catalog, view: Any
) -> None:
    secret = catalog.get_data_table("other.secret").location
    given = {"type": "format-table", "file.format": "parquet", "path": f"{secret}/bucket-0"}
    catalog.create_table("db.disguised", fields(shop="INT", amount="BIGINT"), options=given)
    view("SELECT * FROM disguised")
    with pytest.raises(UnsupportedError, match="by the name of another"):
        read(spark, options, readable=SCOPES, files_within=options["warehouse"])
    catalog.drop_table("db.disguised")
