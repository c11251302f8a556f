"""Materialized tables are refreshed by Spark as far as their definition allows."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from core import Table, open_catalog
from core.arrow import arrow_schema
from core.catalog.views import ViewSchema
from core.commit import TableCommit
from core.errors import InvalidRequestError, NotFoundError, PaimonError, UnsupportedError
from core.format_table import FormatTable
from core.identifier import Identifier
from core.jobs import JobSpec, KeptView, Readable, RefreshJob, Result
from core.maintenance.expire import apply_expire_snapshots, plan_expire_snapshots
from core.maintenance.rollback import apply_rollback
from core.maintenance.rollback_plan import plan_rollback
from spark_jobs import dml
from spark_jobs.definitions import spark_query
from spark_jobs.executors import SparkExecutors
from spark_jobs.jobs.refresh import REFRESH
from spark_jobs.jobs.refresh_progress import Progress
from spark_jobs.jobs.steps import Run, perform
from spark_jobs.sql_values import Sql
from tests.builders import fields
from tests.spark_jobs.conftest import Recorded
from tests.tables import prepare, put, rows_of

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


def test_two_tables_of_one_name_are_told_apart() -> None:
    found = spark_query("SELECT x.t.c, u.c FROM x.T AS u JOIN x.t", [("x", "T"), ("x", "t")], "db")
    assert found.views == {"T": Identifier("x", "T"), "x__t": Identifier("x", "t")}
    assert found.sql == "SELECT `x__t`.`c`, u.c FROM `T` AS u JOIN `x__t`"


def test_a_table_is_none_of_the_querys_own_names() -> None:
    sql = "WITH t AS (SELECT 1 AS c) SELECT x.T.c FROM x.T"
    found = spark_query(sql, [("x", "T")], "db", {"t"})
    assert (found.sql, found.views) == (
        "WITH t AS (SELECT 1 AS c) SELECT `x__T`.`c` FROM `x__T`",
        {"x__T": Identifier("x", "T")},
    )


def materialized(warehouse: Path, query: str, name: str = "db.m", **options: str) -> Table:
    given = {key.replace("__", ".").replace("_", "-"): value for key, value in options.items()}
    own = {"definition-query": query, "refresh-mode": "FULL", "refresh-status": "ACTIVATED", **given}
    return open_catalog(str(warehouse)).create_table(
        name,
        fields(shop="INT", city="STRING", total="BIGINT"),
        options={"type": "materialized-table", **{f"materialized-table.{key}": v for key, v in own.items()}},
    )


def refresh(spark: SparkSession, warehouse: Path, job_id: str = "j-1", **asked: Any) -> Result:
    reporter = Recorded()
    spec = JobSpec(job_id, {"warehouse": str(warehouse)}, "db.m", RefreshJob(**asked))
    return perform(REFRESH, Run(spec, reporter, SparkExecutors(lambda: spark, reporter)))


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
def test_a_full_refresh_replaces_the_rows_by_the_answer(warehouse: Path, spark: SparkSession) -> None:
    table = materialized(warehouse, QUERY, interval_freshness="1", interval_freshness__time_unit="HOUR")
    done = refresh(spark, warehouse)
    assert (done.metrics["rows_written"], set(done.details["tables"])) == (2, {"db.orders", "other.shops"})
    assert rows_of(table) == [(1, "Bonn", 2), (2, "Kiel", 5)]
    put(open_catalog(str(warehouse)).get_data_table("db.orders"), (1, 10))
    assert refresh(spark, warehouse, "j-2", if_stale=True).snapshots == ()
    refresh(spark, warehouse, "j-3")
    assert rows_of(table) == [(1, "Bonn", 12), (2, "Kiel", 5)]


@pytest.mark.spark
@pytest.mark.parametrize(
    ("query", "options", "error", "words"),
    [
        (QUERY, {"refresh_mode": "CONTINUOUS"}, InvalidRequestError, "name a folder"),
        (QUERY, {"refresh_status": "SUSPENDED"}, UnsupportedError, "refresh-status = SUSPENDED"),
        (
            "SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts)))",
            {},
            PaimonError,
            "cannot read|cannot run|one SELECT",
        ),
        ("DROP TABLE orders", {}, InvalidRequestError, "one SELECT"),
        ("SELECT * FROM `c`.`other`.`gone`", {}, NotFoundError, "gone"),
        ("SELECT * FROM other.shops", {}, InvalidRequestError, "may not read"),
        ("SELECT * FROM m", {}, UnsupportedError, "over itself"),
        ("SELECT shop FROM orders", {}, InvalidRequestError, "other columns"),
        ("SELECT 2", {}, InvalidRequestError, "another one than was looked at"),
    ],
)
def test_what_is_not_refreshed_is_refused_and_leaves_the_rows(
    query: str,
    options: dict[str, str],
    error: type[Exception],
    words: str,
    warehouse: Path,
    spark: SparkSession,
) -> None:
    table: Any = materialized(warehouse, query, **options)
    put(table, (7, "old", 7))
    readable = (Readable("db"),) if "may" in words else None
    with pytest.raises(error, match=words):
        refresh(spark, warehouse, readable=readable, query="SELECT 1" if "looked" in words else None)
    assert rows_of(table) == [(7, "old", 7)]


FOLLOWED = "SELECT shop, concat('n', shop) AS city, amount AS total FROM orders WHERE amount > 1"


@pytest.mark.spark
def test_a_continuous_refresh_adds_each_row_once(
    warehouse: Path, spark: SparkSession, tmp_path: Path
) -> None:
    table = materialized(warehouse, FOLLOWED, refresh_mode="CONTINUOUS")
    orders = open_catalog(str(warehouse)).get_data_table("db.orders")
    asked = {"checkpoint": str(tmp_path / "kept")}
    refresh(spark, warehouse, "j-1", **asked)
    assert sorted(rows_of(table)) == [(1, "n1", 2), (2, "n2", 5)]
    put(orders, (3, 1), (3, 9))
    put(orders, (4, 8))
    done = refresh(spark, warehouse, "j-2", **asked)
    assert (len(done.snapshots), done.metrics["rows_written"]) == (1, 2)
    assert refresh(spark, warehouse, "j-3", **asked).snapshots == ()
    put(orders, (5, 7))
    refresh(spark, warehouse, "j-4", **asked)
    assert sorted(rows_of(table)) == [(1, "n1", 2), (2, "n2", 5), (3, "n3", 9), (4, "n4", 8), (5, "n5", 7)]
    apply_rollback(table, plan_rollback(table, 1, None))
    refresh(spark, warehouse, "j-5", **asked)
    assert len(rows_of(table)) == 5


@pytest.mark.spark
@pytest.mark.parametrize("change", ["overwritten", "rolled back", "expired"])
def test_a_source_that_cannot_be_followed_is_read_as_a_whole(
    change: str, warehouse: Path, spark: SparkSession, tmp_path: Path
) -> None:
    table = materialized(warehouse, FOLLOWED, refresh_mode="CONTINUOUS")
    orders = open_catalog(str(warehouse)).get_data_table("db.orders")
    asked = {"checkpoint": str(tmp_path / "kept")}
    refresh(spark, warehouse, "j-1", **asked)
    put(orders, (3, 9))
    refresh(spark, warehouse, "j-2", **asked)
    if change == "overwritten":
        TableCommit(orders, "me").overwrite(prepare(orders, [(8, 8)]))
    else:
        if change == "rolled back":
            apply_rollback(orders, plan_rollback(orders, 1, None))
        put(orders, (4, 8))
        put(orders, (5, 7))
    if change == "expired":
        plan = plan_expire_snapshots(orders, retain_max=1, retain_min=1, now_millis=2**50)
        apply_expire_snapshots(orders, plan)
    refresh(spark, warehouse, "j-3", **asked)
    assert sorted(rows_of(table)) == sorted((k, f"n{k}", v) for k, v in rows_of(orders) if v > 1)


@pytest.mark.spark
def test_a_view_that_says_something_else_is_read_as_a_whole(
    warehouse: Path, spark: SparkSession, tmp_path: Path
) -> None:
    table = materialized(warehouse, "SELECT * FROM big", refresh_mode="CONTINUOUS")
    for bound in (4, 1, 1):
        kept = {"db.big": KeptView(FOLLOWED.replace("> 1", f"> {bound}"))}
        done = refresh(
            spark, warehouse, f"j-{uuid.uuid4().hex}", checkpoint=str(tmp_path / "kept"), views=kept
        )
        assert len(rows_of(table)) == (1 if bound == 4 else 2)
    assert done.snapshots == ()


@pytest.mark.spark
def test_what_somebody_else_wrote_to_the_table_does_not_stay(
    warehouse: Path, spark: SparkSession, tmp_path: Path
) -> None:
    table = materialized(warehouse, FOLLOWED, refresh_mode="CONTINUOUS")
    asked = {"checkpoint": str(tmp_path / "kept")}
    for job in ("j-1", "j-2"):
        refresh(spark, warehouse, job, **asked)
        put(table, (7, "x", 7))
    refresh(spark, warehouse, "j-3", **asked)
    assert sorted(rows_of(table)) == [(1, "n1", 2), (2, "n2", 5)]


@pytest.mark.spark
@pytest.mark.parametrize("change", ["rows deleted", "rows written anew", "columns written"])
def test_rows_of_a_source_that_change_or_go_are_read_as_a_whole(
    change: str, warehouse: Path, spark: SparkSession, tmp_path: Path
) -> None:
    tracked = {
        "row-tracking.enabled": "true",
        "data-evolution.enabled": str(change != "rows written anew").lower(),
    }
    options = {**tracked, "deletion-vectors.enabled": str(change == "rows deleted").lower()}
    source = open_catalog(str(warehouse)).create_table(
        "db.tracked", fields(shop="INT", amount="BIGINT"), options=options
    )
    put(source, (1, 5), (2, 5))
    table = materialized(warehouse, FOLLOWED.replace("orders", "tracked"), refresh_mode="CONTINUOUS")
    asked = {"checkpoint": str(tmp_path / "kept")}
    refresh(spark, warehouse, "j-1", **asked)
    put(source, (3, 5))
    assert len(refresh(spark, warehouse, "j-2", **asked).snapshots) == 1
    if change == "rows deleted":
        dml.delete(spark, source, "shop = 1")
    else:
        dml.update(spark, source, {"amount": Sql("amount + 1")}, "shop = 1")
    put(source, (4, 5))
    refresh(spark, warehouse, "j-3", **asked)
    assert sorted(rows_of(table)) == sorted((k, f"n{k}", v) for k, v in rows_of(source))


class Death(BaseException):
    """The process ends here."""


@pytest.mark.spark
@pytest.mark.parametrize(("notes", "undone"), [(0, ""), (1, ""), (2, ""), (2, "m"), (2, "orders")])
def test_a_continuous_refresh_that_dies_adds_each_row_once(
    notes: int,
    undone: str,
    warehouse: Path,
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = materialized(warehouse, FOLLOWED, refresh_mode="CONTINUOUS")
    asked = {"checkpoint": str(tmp_path / "kept")}
    keep, left = Progress.keep, [notes]

    def dying(self: Progress, state: Any) -> None:
        if left[0] == 0:
            raise Death
        left[0] -= 1
        keep(self, state)

    def refreshed_twice() -> None:
        for job in ("j-1", "j-2"):
            refresh(spark, warehouse, job, **asked)
            put(open_catalog(str(warehouse)).get_data_table("db.orders"), (3, 9))

    monkeypatch.setattr(Progress, "keep", dying)
    with pytest.raises(Death):
        refreshed_twice()
    monkeypatch.setattr(Progress, "keep", keep)
    if undone:
        rolled_back = open_catalog(str(warehouse)).get_data_table(f"db.{undone}")
        apply_rollback(rolled_back, plan_rollback(rolled_back, 1, None))
    more = [(3, "n3", 9)] if notes and undone != "orders" else []
    for job in ("j-3", "j-4"):
        refresh(spark, warehouse, job, **asked)
        assert sorted(rows_of(table)) == [(1, "n1", 2), (2, "n2", 5), *more]


@pytest.mark.spark
@pytest.mark.parametrize(
    ("query", "words"),
    [
        (QUERY, "WithCTE"),
        ("SELECT a.shop, 'x' AS city, b.amount AS total FROM orders a JOIN orders b USING (shop)", "Join"),
        ("SELECT DISTINCT shop, 'x' AS city, amount AS total FROM orders", "Distinct"),
        ("SELECT 1 AS shop, 'x' AS city, max(amount) AS total FROM orders", "Aggregate"),
        ("SELECT shop, 'x' AS city, amount AS total FROM orders LIMIT 1", "Limit"),
        ("SELECT k AS shop, 'x' AS city, v AS total FROM keyed", "a primary key"),
        ("SELECT shop, city, 1L AS total FROM other.shops", "without snapshots"),
        ("SELECT 1 AS shop, 'x' AS city, 1L AS total", "anything but one table"),
        ("SELECT shop, 'x' AS city, amount AS total FROM `orders$audit_log`", "a system table"),
    ],
)
def test_what_is_not_followed_row_by_row_is_refused_by_name(
    query: str, words: str, warehouse: Path, spark: SparkSession, tmp_path: Path
) -> None:
    keyed = fields(k="INT NOT NULL", v="BIGINT")
    open_catalog(str(warehouse)).create_table("db.keyed", keyed, primary_keys=["k"], options={"bucket": "1"})
    table = materialized(warehouse, query, refresh_mode="CONTINUOUS")
    with pytest.raises(UnsupportedError, match=words):
        refresh(spark, warehouse, checkpoint=str(tmp_path / "kept"))
    assert table.snapshots.latest() is None


@pytest.mark.spark
def test_a_continuous_table_is_refreshed_as_a_whole_by_force(warehouse: Path, spark: SparkSession) -> None:
    table = materialized(warehouse, QUERY, refresh_mode="CONTINUOUS")
    refresh(spark, warehouse, full=True)
    assert len(rows_of(table)) == 2


@pytest.mark.spark
def test_a_catalog_of_another_kind_is_asked_for_the_tables_and_views_of_a_definition(
    spark: SparkSession, tmp_path: Path
) -> None:
    given = {"metastore": "jdbc", "uri": f"jdbc:sqlite:{tmp_path}/names.db", "warehouse": f"{tmp_path}/wh"}
    catalog = open_catalog(given)
    catalog.create_database("db")
    put(catalog.create_table("db.orders", fields(shop="INT", amount="BIGINT")), (1, 5), (2, 1))
    catalog.create_view("db.big", ViewSchema(fields(shop="INT"), "SELECT shop FROM orders WHERE amount > 1"))
    own = {"type": "materialized-table", "materialized-table.definition-query": "SELECT * FROM names.db.big"}
    table = catalog.create_table("db.m", fields(shop="INT"), options=own)
    reporter = Recorded()
    spec = JobSpec("j-1", given, "db.m", RefreshJob())
    perform(REFRESH, Run(spec, reporter, SparkExecutors(lambda: spark, reporter)))
    assert rows_of(table) == [(1,)]
    seen = {"DB.big": catalog.get_view("db.big").schema.digest_for("spark")}
    again(spark, given, seen)
    for looked_at, words in (({}, "not looked at"), ({"db.big": "x"}, "something else"), (seen, "by now")):
        if words == "by now":
            catalog.drop_view("db.big")
            catalog.create_table("db.big", fields(shop="INT"))
        with pytest.raises(InvalidRequestError, match=words):
            again(spark, given, looked_at)
    assert rows_of(table) == [(1,)]


def again(spark: SparkSession, given: dict[str, str], looked_at: dict[str, str]) -> None:
    reporter = Recorded()
    spec = JobSpec(f"j-{uuid.uuid4().hex}", given, "db.m", RefreshJob(looked_at=looked_at))
    perform(REFRESH, Run(spec, reporter, SparkExecutors(lambda: spark, reporter)))
