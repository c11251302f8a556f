"""One Hive metastore for Spark SQL of the newest Java Paimon and for us, in turns."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from core import open_catalog
from core.catalog import Catalog
from core.catalog.errors import TableNotFoundError
from core.catalog.hive.client import HiveClient
from core.commit import TableCommit
from core.maintenance.tags import apply_create_tag, plan_create_tag
from tests.builders import fields
from tests.hive_metastore import empty_metastore
from tests.interop.errors import PeerFailedError
from tests.interop.spark_paimon import SparkPaimon
from tests.tables import put, rows_of

pytestmark = pytest.mark.newest

THEIRS = """CREATE TABLE db.{name} (k INT NOT NULL, v STRING, d STRING) PARTITIONED BY (d)
    TBLPROPERTIES ('primary-key' = 'd,k', 'bucket' = '1'{more})"""
KEYED: dict[str, Any] = {"primary_keys": ["d", "k"], "partition_keys": ["d"]}
PARTITIONED = {"metastore.partitioned-table": "true"}
METASTORES_OWN = ("transient_lastDdlTime", "numFiles", "totalSize")
ROWS = "SELECT k, v, d FROM db.{} ORDER BY k"


@pytest.fixture
def options(hive: Mapping[str, str], tmp_path: Path) -> dict[str, str]:
    empty_metastore(hive["uri"])
    return {**hive, "warehouse": f"file:{tmp_path}", "lock.enabled": "true", "lock-check-max-sleep": "100 ms"}


@pytest.fixture
def ours(options: dict[str, str]) -> Catalog:
    made = open_catalog(options)
    made.create_database("db")
    return made


def made_by_us(ours: Catalog, name: str, **more: str) -> Any:
    columns = fields(k="INT NOT NULL", v="STRING", d="STRING NOT NULL")
    return ours.create_table(f"db.{name}", columns, **KEYED, options={"bucket": "1", **more})


def rows(spark: SparkPaimon, options: Mapping[str, str], name: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in spark.run_in(options, ROWS.format(name))[0].to_pylist()]


def partitions(options: Mapping[str, str], name: str) -> Any:
    ask = HiveClient.at(options["uri"]).ask
    return ask("look", lambda hms: hms.get_partitions("db", name, -1))


def test_what_we_made_is_written_and_changed_by_java(
    ours: Catalog, options: dict[str, str], spark_paimon: SparkPaimon
) -> None:
    put(made_by_us(ours, "t"), (1, "ours", "x"))
    assert rows(spark_paimon, options, "t") == [(1, "ours", "x")]
    spark_paimon.run_in(
        options,
        "INSERT INTO db.t VALUES (2, 'theirs', 'y')",
        "ALTER TABLE db.t ADD COLUMN more INT",
        "ALTER TABLE db.t SET TBLPROPERTIES ('snapshot.num-retained.min' = '3')",
    )
    table = ours.get_data_table("db.t")
    assert sorted(rows_of(table)) == [(1, "ours", "x", None), (2, "theirs", "y", None)]
    assert table.schema.options["snapshot.num-retained.min"] == "3"
    assert ours.repair_table("db.t") is False  # what Java wrote down is what we would
    spark_paimon.run_in(options, "ALTER TABLE db.t RENAME TO db.u", "DROP TABLE db.u")
    with pytest.raises(TableNotFoundError):
        ours.get_table("db.u")


def test_what_java_made_is_written_and_changed_by_us(
    ours: Catalog, options: dict[str, str], spark_paimon: SparkPaimon
) -> None:
    spark_paimon.run_in(
        options, THEIRS.format(name="t", more=""), "INSERT INTO db.t VALUES (1, 'theirs', 'x')"
    )
    table = ours.get_data_table("db.t")
    assert rows_of(table) == [(1, "theirs", "x")]
    put(table, (2, "ours", "y"))
    ours.rename_table("db.t", "db.u")
    assert rows(spark_paimon, options, "u") == [(1, "theirs", "x"), (2, "ours", "y")]
    assert ours.list_tables("db") == ["u"]
    ours.drop_database("db", cascade=True)
    assert "db" not in str(spark_paimon.run_in(options, "SHOW DATABASES")[0].to_pydict())


def test_each_writes_down_a_table_as_the_other_does(
    ours: Catalog, options: dict[str, str], spark_paimon: SparkPaimon
) -> None:
    made_by_us(ours, "ours", **PARTITIONED)
    more = ", 'metastore.partitioned-table' = 'true'"
    spark_paimon.run_in(options, THEIRS.format(name="theirs", more=more))
    ask = HiveClient.at(options["uri"]).ask
    seen = [ask("look", lambda hms, name=name: hms.get_table("db", name)) for name in ("ours", "theirs")]  # type: ignore[misc]
    for table in seen:
        table.sd.location = table.tableName = table.createTime = table.lastAccessTime = table.owner = None
        table.privileges = table.rewriteEnabled = None
        own = (*METASTORES_OWN, "owner")  # which Spark adds to the options
        table.parameters = {k: v for k, v in table.parameters.items() if k not in own}
    for mine, other in zip(vars(seen[0].sd).items(), vars(seen[1].sd).items(), strict=True):
        assert mine == other
    assert vars(seen[0]) == vars(seen[1])


def test_each_adds_the_partitions_that_it_writes(
    ours: Catalog, options: dict[str, str], spark_paimon: SparkPaimon
) -> None:
    table = made_by_us(ours, "t", **PARTITIONED)
    put(table, (1, "ours", "x y"), (2, "ours", "z"))
    spark_paimon.run_in(options, "INSERT INTO db.t VALUES (3, 'theirs', 'a b'), (4, 'theirs', 'z')")
    found = {p.values[0]: p for p in partitions(options, "t")}
    assert set(found) == {"x y", "z", "a b"}
    mine, other = found["x y"], found["a b"]
    assert mine.sd.location.replace("x y", "a b") == other.sd.location
    for one in (mine, other):
        one.sd.location = one.createTime = one.lastAccessTime = one.values = one.privileges = None
        one.parameters = {k: v for k, v in one.parameters.items() if k not in METASTORES_OWN}
    assert vars(mine) == vars(other)


def test_partitions_go_from_the_metastore_whoever_drops_them(
    ours: Catalog, options: dict[str, str], spark_paimon: SparkPaimon
) -> None:
    put(made_by_us(ours, "t", **PARTITIONED), (1, "a", "x"), (2, "b", "y"), (3, "c", "z"))
    spark_paimon.run_in(options, "ALTER TABLE db.t DROP PARTITION (d = 'x')")
    TableCommit(ours.get_data_table("db.t"), "u").truncate_partitions([{"d": "y"}])
    assert [p.values for p in partitions(options, "t")] == [["z"]]
    assert rows(spark_paimon, options, "t") == [(3, "c", "z")]


def test_tags_are_partitions_of_both(
    ours: Catalog, options: dict[str, str], spark_paimon: SparkPaimon
) -> None:
    tagged = {"metastore.tag-to-partition": "day"}
    table = ours.create_table("db.t", fields(k="INT"), options=tagged)
    put(table, (1,))
    apply_create_tag(table, plan_create_tag(table, "ours", now_millis=0))
    spark_paimon.run_in(options, "CALL sys.create_tag(table => 'db.t', tag => 'theirs')")
    mine, other = partitions(options, "t")
    assert (mine.values, other.values) == (["ours"], ["theirs"])
    assert mine.sd.location.removesuffix("ours") == other.sd.location.removesuffix("theirs")
    spark_paimon.run_in(options, "CALL sys.delete_tag(table => 'db.t', tag => 'ours')")
    assert [p.values for p in partitions(options, "t")] == [["theirs"]]


def test_a_lock_that_we_hold_keeps_java_waiting(
    ours: Catalog, options: dict[str, str], spark_paimon: SparkPaimon
) -> None:
    table = made_by_us(ours, "t")
    lock = table.home.commit_lock()
    assert lock is not None
    with lock.held(), pytest.raises(PeerFailedError, match="Commit failed"):
        spark_paimon.run_in(
            {**options, "lock-acquire-timeout": "3 s"}, "INSERT INTO db.t VALUES (1, 'a', 'x')"
        )
    assert table.snapshots.ids() == []
    spark_paimon.run_in(options, "INSERT INTO db.t VALUES (1, 'a', 'x')")
    assert rows_of(table.refreshed()) == [(1, "a", "x")]
