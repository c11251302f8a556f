"""The console as a REST catalog, with Spark SQL of the newest Java Paimon as its client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from core import open_catalog
from tests.interop.errors import PeerFailedError
from tests.interop.rest_server import RestServer
from tests.interop.spark_paimon import SparkPaimon

pytestmark = pytest.mark.newest

TABLE = """CREATE TABLE {name} (id INT NOT NULL, dt STRING NOT NULL, v STRING) PARTITIONED BY (dt)
    TBLPROPERTIES ('primary-key' = 'id,dt', 'bucket' = '1')"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RestServer]:
    with RestServer(tmp_path_factory.mktemp("rest")) as running:
        yield running


@pytest.fixture
def catalog(server: RestServer) -> Mapping[str, str]:
    """Spark's options of the catalog."""
    return {
        "metastore": "rest",
        "uri": server.uri,
        "warehouse": "lake",
        "token.provider": "bear",
        "token": server.tokens["admin"],
    }


def rows(spark: SparkPaimon, catalog: Mapping[str, str], query: str) -> list[tuple[Any, ...]]:
    found = spark.run_in(catalog, query)[0].to_pylist()
    return sorted(tuple(row.values()) for row in found)


def test_spark_makes_writes_reads_and_travels(
    spark_paimon: SparkPaimon, catalog: Mapping[str, str], server: RestServer
) -> None:
    spark_paimon.run_in(
        catalog,
        "CREATE DATABASE java",
        TABLE.format(name="java.t"),
        "INSERT INTO java.t VALUES (1, 'x', 'first'), (2, 'y', 'first')",
        "CALL sys.create_tag(table => 'java.t', tag => 'v1')",
        "INSERT INTO java.t VALUES (1, 'x', 'second')",
    )
    first, second = [(1, "x", "first"), (2, "y", "first")], [(1, "x", "second"), (2, "y", "first")]
    assert rows(spark_paimon, catalog, "SELECT * FROM java.t") == second
    assert rows(spark_paimon, catalog, "SELECT * FROM java.t VERSION AS OF 'v1'") == first
    assert rows(spark_paimon, catalog, "SELECT * FROM java.t VERSION AS OF 1") == first
    assert rows(spark_paimon, catalog, "SELECT snapshot_id FROM java.`t$snapshots`") == [(1,), (2,)]
    assert rows(spark_paimon, catalog, "SHOW PARTITIONS java.t") == [("dt=x",), ("dt=y",)]
    ours = open_catalog(str(server.warehouse)).get_data_table("java.t").to_arrow()
    assert sorted(zip(*ours.to_pydict().values(), strict=True)) == second


def test_spark_writes_and_drops_partitions_that_the_catalog_is_to_keep(
    spark_paimon: SparkPaimon, catalog: Mapping[str, str]
) -> None:
    kept = TABLE.format(name="parts.t").replace(
        "'bucket'", "'metastore.partitioned-table' = 'true', 'bucket'"
    )
    spark_paimon.run_in(
        catalog,
        "CREATE DATABASE IF NOT EXISTS parts",
        kept,
        "INSERT INTO parts.t VALUES (1, 'x', 'first'), (2, 'y', 'first')",
        "ALTER TABLE parts.t DROP PARTITION (dt = 'x')",
        "INSERT INTO parts.t VALUES (3, 'z', 'second')",
    )
    assert rows(spark_paimon, catalog, "SHOW PARTITIONS parts.t") == [("dt=y",), ("dt=z",)]


def test_spark_branches_rolls_back_and_forwards(
    spark_paimon: SparkPaimon, catalog: Mapping[str, str]
) -> None:
    spark_paimon.run_in(
        catalog,
        "CREATE DATABASE IF NOT EXISTS branches",
        TABLE.format(name="branches.t"),
        "INSERT INTO branches.t VALUES (1, 'x', 'first')",
        "CALL sys.create_tag(table => 'branches.t', tag => 'v1')",
        "INSERT INTO branches.t VALUES (1, 'x', 'second')",
        "CALL sys.create_branch('branches.t', 'b', 'v1')",
        "INSERT INTO branches.`t$branch_b` VALUES (9, 'x', 'of the branch')",
    )
    branch = [(1, "x", "first"), (9, "x", "of the branch")]
    assert rows(spark_paimon, catalog, "SELECT * FROM branches.`t$branch_b`") == branch
    assert rows(spark_paimon, catalog, "SELECT * FROM branches.t") == [(1, "x", "second")]
    spark_paimon.run_in(catalog, "CALL sys.rollback(table => 'branches.t', version => '1')")
    assert rows(spark_paimon, catalog, "SELECT * FROM branches.t") == [(1, "x", "first")]
    spark_paimon.run_in(catalog, "CALL sys.fast_forward('branches.t', 'b')")
    assert rows(spark_paimon, catalog, "SELECT * FROM branches.t") == branch


def test_spark_changes_renames_and_drops(
    spark_paimon: SparkPaimon, catalog: Mapping[str, str], server: RestServer
) -> None:
    spark_paimon.run_in(
        catalog,
        "CREATE DATABASE IF NOT EXISTS changes",
        TABLE.format(name="changes.t"),
        "INSERT INTO changes.t VALUES (1, 'x', 'first')",
        "ALTER TABLE changes.t ADD COLUMN n BIGINT",
        "ALTER TABLE changes.t RENAME COLUMN v TO w",
        "ALTER TABLE changes.t SET TBLPROPERTIES ('snapshot.num-retained.min' = '3')",
        "ALTER TABLE changes.t RENAME TO changes.u",
        "DELETE FROM changes.u WHERE id = 1",
        "INSERT INTO changes.u (id, dt, w, n) VALUES (2, 'y', 'second', 7)",
    )
    assert rows(spark_paimon, catalog, "SELECT id, dt, w, n FROM changes.u") == [(2, "y", "second", 7)]
    table = open_catalog(str(server.warehouse)).get_data_table("changes.u")
    assert table.schema.options["snapshot.num-retained.min"] == "3"
    spark_paimon.run_in(catalog, "DROP TABLE changes.u", "DROP DATABASE changes")
    assert not (server.warehouse / "changes.db").exists()


def test_spark_is_told_what_it_may_not(
    spark_paimon: SparkPaimon, catalog: Mapping[str, str], server: RestServer
) -> None:
    spark_paimon.run_in(catalog, "CREATE DATABASE IF NOT EXISTS own", TABLE.format(name="own.t"))
    reader = {**catalog, "token": server.tokens["reader"]}
    with pytest.raises(PeerFailedError, match=r"(?i)forbidden|permission"):
        spark_paimon.run_in(reader, "DROP TABLE own.t")
    with pytest.raises(PeerFailedError, match=r"(?i)not authorized|token"):
        spark_paimon.run_in({**catalog, "token": server.tokens["expired"]}, "SHOW DATABASES")
    assert (server.warehouse / "own.db" / "t").exists()
