"""Materialized tables are refreshed by Spark as far as their definition allows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from core import Table, open_catalog
from core.arrow import arrow_schema
from core.errors import InvalidRequestError, NotFoundError, PaimonError, UnsupportedError
from core.format_table import FormatTable
from core.identifier import Identifier
from spark_jobs.definitions import spark_query
from spark_jobs.refresh import refresh
from tests.builders import fields
from tests.spark_jobs.conftest import Recorded
from tests.tables import put, rows_of

QUERY = """WITH big AS (SELECT * FROM `lake`.`db`.`orders` WHERE `orders`.`amount` > 1) -- `db`.`orders` stays
    SELECT `orders`.`shop`, s.city AS city, SUM(`orders`.`amount`) AS total FROM big AS `orders`
    JOIN lake.other.shops s ON s.shop = `orders`.`shop` WHERE 'db.orders' <> s.city GROUP BY 1, 2"""


def test_full_names_become_those_of_views_and_texts_stay() -> None:
    found = spark_query(
        "SELECT `c`.`db`.`t`.`x`, 'c.db.t' FROM `c`.`db`.`t` /* c.db.t */ JOIN u",
        [("c", "db", "t"), ("u",)],
        "here",
    )
    assert found.sql == "SELECT `t`.`x`, 'c.db.t' FROM `t` /* c.db.t */ JOIN u"
    assert found.views == {"t": Identifier("db", "t"), "u": Identifier("here", "u")}


def test_two_tables_of_one_name_are_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="one name in two databases"):
        spark_query("SELECT * FROM a.t JOIN b.t", [("a", "t"), ("b", "t")], "db")


def materialized(warehouse: Path, query: str, name: str = "db.m", **options: str) -> Table:
    given = {key.replace("__", ".").replace("_", "-"): value for key, value in options.items()}
    own = {"definition-query": query, "refresh-mode": "FULL", "refresh-status": "ACTIVATED", **given}
    return open_catalog(str(warehouse)).create_table(
        name,
        fields(shop="INT", city="STRING", total="BIGINT"),
        options={"type": "materialized-table", **{f"materialized-table.{key}": v for key, v in own.items()}},
    )


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    catalog = open_catalog(str(tmp_path))
    for database in ("db", "other"):
        catalog.create_database(database)
    orders = catalog.create_table("db.orders", fields(shop="INT", amount="BIGINT"))
    put(orders, (1, 1), (1, 2), (2, 5))
    files = {"type": "format-table", "file.format": "csv"}
    catalog.create_table("other.shops", fields(shop="INT", city="STRING"), options=files)
    shops = catalog.get_table("other.shops")
    assert isinstance(shops, FormatTable)
    shops.append(
        pa.table({"shop": [1, 2], "city": ["Bonn", "Kiel"]}, schema=arrow_schema(shops.schema.fields))
    )
    return tmp_path


@pytest.mark.spark
def test_a_full_refresh_replaces_the_rows_by_the_answer(
    warehouse: Path, spark: SparkSession, reporter: Recorded
) -> None:
    table = materialized(warehouse, QUERY, interval_freshness="1", interval_freshness__time_unit="HOUR")
    options = {"warehouse": str(warehouse)}
    refresh(spark, options, "db.m", reporter=reporter)
    assert rows_of(table) == [(1, "Bonn", 2), (2, "Kiel", 5)]
    put(open_catalog(str(warehouse)).get_data_table("db.orders"), (1, 10))
    assert refresh(spark, options, "db.m", reporter=reporter, if_stale=True) is None
    assert len(table.snapshots.ids()) == 1
    refresh(spark, options, "db.m", reporter=reporter)
    assert rows_of(table) == [(1, "Bonn", 12), (2, "Kiel", 5)]


@pytest.mark.spark
@pytest.mark.parametrize(
    ("query", "options", "error", "words"),
    [
        (QUERY, {"refresh_mode": "CONTINUOUS"}, UnsupportedError, "refresh-mode = CONTINUOUS"),
        (QUERY, {"refresh_status": "SUSPENDED"}, UnsupportedError, "refresh-status = SUSPENDED"),
        (
            "SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts)))",
            {},
            PaimonError,
            "no query of Spark|one SELECT",
        ),
        ("DROP TABLE orders", {}, InvalidRequestError, "one SELECT"),
        ("SELECT * FROM `c`.`other`.`gone`", {}, NotFoundError, "gone"),
        ("SELECT * FROM m", {}, UnsupportedError, "over itself"),
        ("SELECT shop FROM orders", {}, InvalidRequestError, "other columns"),
    ],
)
def test_what_is_not_refreshed_is_refused_and_leaves_the_rows(
    query: str,
    options: dict[str, str],
    error: type[Exception],
    words: str,
    warehouse: Path,
    spark: SparkSession,
    reporter: Recorded,
) -> None:
    table: Any = materialized(warehouse, query, **options)
    put(table, (7, "old", 7))
    with pytest.raises(error, match=words):
        refresh(spark, {"warehouse": str(warehouse)}, "db.m", reporter=reporter)
    assert rows_of(table) == [(7, "old", 7)]


@pytest.mark.spark
def test_a_continuous_table_is_refreshed_as_a_whole_by_force(
    warehouse: Path, spark: SparkSession, reporter: Recorded
) -> None:
    table = materialized(warehouse, QUERY, refresh_mode="CONTINUOUS")
    refresh(spark, {"warehouse": str(warehouse)}, "db.m", reporter=reporter, by_force=True)
    assert len(rows_of(table)) == 2
