"""Views and materialized tables are run by Spark in catalogs on real servers, over tables of each type."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from core import open_catalog
from core.arrow import arrow_schema
from core.catalog.views import ViewSchema
from core.format_table import FormatTable
from core.jobs import JobSpec, ReadViewJob, RefreshJob, Result, Work
from spark_jobs.executors import SparkExecutors
from spark_jobs.jobs.registry import JOBS
from spark_jobs.jobs.steps import Run, perform
from tests.builders import fields
from tests.core.catalog.contract.kinds import KINDS
from tests.interop.rest_server import RestServer
from tests.spark_jobs.conftest import Recorded
from tests.tables import put, rows_of

pytestmark = pytest.mark.spark

FORMAT = {"type": "format-table", "file.format": "csv"}
TOTALS = "SELECT city, sum(amount) AS total FROM orders JOIN shops USING (shop) GROUP BY city"
MATERIALIZED = {
    "type": "materialized-table",
    "materialized-table.definition-query": "SELECT city, total FROM totals WHERE total > 2",
    "materialized-table.refresh-mode": "FULL",
    "materialized-table.refresh-status": "ACTIVATED",
}


@pytest.fixture
def rest_server(tmp_path: Path) -> Any:
    with RestServer(tmp_path) as running:
        yield running


@pytest.fixture(params=["hive", "jdbc in PostgreSQL", "rest"])
def options(request: pytest.FixtureRequest, tmp_path: Path) -> Mapping[str, str]:
    if request.param == "jdbc in PostgreSQL" and "LAKESCOPE_INTEGRATION" not in os.environ:
        pytest.skip("views and refreshes of SQLite stand beside this: make integration runs it")
    kind = next(kind for kind in KINDS if kind.name.startswith(request.param))
    return kind.opens(request, str(tmp_path), f"c{uuid.uuid4().hex[:12]}")


def done(spark: SparkSession, options: Mapping[str, str], name: str, work: Work) -> Result:
    reporter = Recorded()
    spec = JobSpec(uuid.uuid4().hex, options, name, work)
    return perform(JOBS[spec.kind], Run(spec, reporter, SparkExecutors(lambda: spark, reporter)))


def test_a_view_is_run_and_a_materialized_table_over_it_refreshed(
    spark: SparkSession, options: Mapping[str, str]
) -> None:
    catalog = open_catalog(options)
    catalog.create_database("db")
    orders = catalog.create_table("db.orders", fields(shop="INT", amount="BIGINT"))
    put(orders, (1, 1), (1, 2), (2, 2))
    catalog.create_table("db.shops", fields(shop="INT", city="STRING"), options=FORMAT)
    shops = catalog.get_table("db.shops")
    assert isinstance(shops, FormatTable)
    cities = {"shop": [1, 2], "city": ["Bonn", "Kiel"]}
    shops.append(pa.table(cities, schema=arrow_schema(shops.schema.fields)))
    catalog.create_view("db.totals", ViewSchema(fields(city="STRING", total="BIGINT"), TOTALS))
    table = catalog.create_table("db.m", fields(city="STRING", total="BIGINT"), options=MATERIALIZED)
    seen = done(spark, options, "db.totals", ReadViewJob())
    assert sorted(seen.details["rows"]["rows"]) == [["Bonn", 3], ["Kiel", 2]]
    assert set(seen.details["tables"]) == {"db.totals", "db.orders", "db.shops"}
    done(spark, options, "db.m", RefreshJob())
    assert rows_of(table) == [("Bonn", 3)]
    put(orders, (2, 5))
    done(spark, options, "db.m", RefreshJob())
    assert sorted(rows_of(table)) == [("Bonn", 3), ("Kiel", 7)]
