"""Format tables of one Hive metastore: as Spark SQL of the newest Java Paimon and as we write them down.

Their rows are those of `test_newest_format_tables.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from core import open_catalog
from core.arrow import arrow_schema
from core.catalog import Catalog
from core.format_table import FormatTable
from tests.builders import fields
from tests.core.catalog.hive.tables import PARQUET, Metastore
from tests.hive_metastore import empty_metastore
from tests.interop.errors import PeerFailedError
from tests.interop.rest_server import RestServer
from tests.interop.spark_paimon import SparkPaimon

pytestmark = pytest.mark.newest

COLUMNS = {"i": "INT", "s": "STRING", "p": "STRING"}
PLACES = ("transient_lastDdlTime", "numFiles", "totalSize", "owner")


@pytest.fixture
def options(hive: Mapping[str, str], tmp_path: Path) -> dict[str, str]:
    empty_metastore(hive["uri"])
    return {**hive, "warehouse": f"file:{tmp_path}"}


@pytest.fixture
def ours(options: dict[str, str]) -> Catalog:
    made = open_catalog(options)
    made.create_database("db")
    return made


@pytest.fixture
def hms(options: dict[str, str], tmp_path: Path) -> Metastore:
    return Metastore(options, tmp_path)


def made_by_us(ours: Catalog, kind: str, name: str = "ours", **more: str) -> None:
    given = {"type": "format-table", "file.format": kind, "partition.legacy-name": "true", **more}
    keys = [] if kind == "text" else ["p"]
    columns = fields(s="STRING") if kind == "text" else fields(**COLUMNS)
    ours.create_table(f"db.{name}", columns, partition_keys=keys, options=given, comment="c")


def opened(ours: Catalog, name: str) -> FormatTable:
    found = ours.get_table(f"db.{name}")
    assert isinstance(found, FormatTable)
    return found


def append(table: FormatTable, **columns: Any) -> None:
    given = {name: [value] for name, value in columns.items()}
    table.append(pa.table(given, schema=arrow_schema(table.schema.fields)))


def told(rows: Any) -> list[tuple[Any, ...]]:
    return sorted((tuple(row.values()) for row in rows.to_pylist()), key=str)


def kept(hms: Metastore, name: str) -> Any:
    """All that the metastore keeps of a table but its name and what it adds itself."""
    table = hms.table(name)
    table.sd.location = table.sd.location.removesuffix(name)
    table.tableName = table.createTime = table.lastAccessTime = table.owner = None
    table.privileges = table.rewriteEnabled = None
    table.parameters = {k: v for k, v in table.parameters.items() if k not in PLACES}
    return vars(table)


@pytest.mark.parametrize("kind", ["csv", "json", "parquet", "orc", "text"])
def test_each_writes_down_a_table_as_the_other_does(
    kind: str, ours: Catalog, hms: Metastore, options: dict[str, str], spark_paimon: SparkPaimon
) -> None:
    made_by_us(ours, kind)
    columns, keys = (
        ("s STRING", "") if kind == "text" else ("i INT, s STRING, p STRING", "PARTITIONED BY (p)")
    )
    more = "TBLPROPERTIES ('partition.legacy-name' = 'true')"
    spark_paimon.run_in(options, f"CREATE TABLE db.theirs ({columns}) USING {kind} {keys} COMMENT 'c' {more}")
    assert kept(hms, "ours") == kept(hms, "theirs")


@pytest.mark.parametrize("kind", ["csv", "json", "parquet", "orc"])
def test_what_we_made_is_read_written_and_dropped_by_them(
    kind: str, ours: Catalog, options: dict[str, str], spark_paimon: SparkPaimon
) -> None:
    made_by_us(ours, kind)
    append(opened(ours, "ours"), i=1, s='a,"b', p="x/y")
    spark_paimon.run_in(options, "INSERT INTO db.ours VALUES (2, 'theirs', 'z'), (3, NULL, NULL)")
    rows = [(1, 'a,"b', "x/y"), (2, "theirs", "z"), (3, None, None)]
    assert told(spark_paimon.run_in(options, "SELECT * FROM db.ours")[0]) == rows
    assert told(opened(ours, "ours").to_arrow()) == rows
    with pytest.raises(PeerFailedError, match="Only data table"):
        spark_paimon.run_in(options, "ALTER TABLE db.ours ADD COLUMN more INT")
    spark_paimon.run_in(options, "ALTER TABLE db.ours RENAME TO db.u")
    assert told(opened(ours, "u").to_arrow()) == rows
    spark_paimon.run_in(options, "DROP TABLE db.u")
    assert ours.list_tables("db") == []
    assert list(Path(ours.warehouse).rglob("data-*")) == []


def test_partitions_are_registered_alike_where_they_register_them(
    ours: Catalog, hms: Metastore, options: dict[str, str], spark_paimon: SparkPaimon
) -> None:
    made_by_us(ours, "csv", "t", **{"format-table.commit-hive-sync-url": options["uri"]})
    append(opened(ours, "t"), i=1, s="a", p="x y")
    spark_paimon.run_in(options, "INSERT INTO db.t VALUES (2, 'b', 'v/w')")
    place = hms.table("t").sd.location.removeprefix("file:")
    assert hms.partitions("t") == {"x y": f"{place}/p=x y", "v/w": f"{place}/p=v%2Fw"}
    append(opened(ours, "t"), i=3, s="c", p="v/w")
    assert told(spark_paimon.run_in(options, "SELECT i FROM db.t")[0]) == [(1,), (2,), (3,)]


def test_partitions_that_they_do_not_register_a_repair_does(
    ours: Catalog, hms: Metastore, options: dict[str, str], spark_paimon: SparkPaimon
) -> None:
    made_by_us(ours, "orc", "t")
    spark_paimon.run_in(options, "INSERT INTO db.t VALUES (2, 'b', 'x'), (3, 'c', 'y')")
    assert hms.partitions("t") == {}
    assert [p.name for p in ours.list_partitions("db.t")] == ["p=x", "p=y"]
    assert ours.repair_table("db.t") is True
    assert set(hms.partitions("t")) == {"x", "y"}


def test_of_hives_own_text_they_lose_what_is_no_csv_of_theirs(
    ours: Catalog, hms: Metastore, options: dict[str, str], spark_paimon: SparkPaimon
) -> None:
    """docs/spec-notes.md: Hive writes no quotes, and `\\N` for null."""
    place = hms.make("t", {"i": "int", "s": "string", "ts": "timestamp"})
    line = "1\x01plain\x012024-01-02 03:04:05.123456\n"
    (place / "000000_0").write_text(line + '2\x01a"b\\c\x01\\N\n3\x01\x01\\N\n\\N\x01x\x01\\N\n')
    mine = {row[0]: row[1] for row in told(opened(ours, "t").to_arrow())}
    theirs = {row[0]: row[1] for row in told(spark_paimon.run_in(options, "SELECT * FROM db.t")[0])}
    assert mine == {1: "plain", 2: 'a"b\\c', 3: "", None: "x"}
    assert theirs == {1: "plain", 2: None, 3: None, None: None}
    described = spark_paimon.run_in(options, "DESCRIBE db.t")[0].to_pydict()["data_type"]
    assert described == ["int", "string", "timestamp_ntz"]


def test_letters_of_columns_count_unless_the_catalog_says_that_they_do_not(
    ours: Catalog, options: dict[str, str], spark_paimon: SparkPaimon, tmp_path: Path
) -> None:
    """docs/spec-notes.md."""
    folded = {**options, "case-sensitive": "false"}
    for kind, write in (("parquet", pq.write_table), ("orc", orc.write_table)):
        (place := tmp_path / f"files_{kind}").mkdir()
        write(pa.table({"I": pa.array([1], pa.int32()), "s": ["a"]}), str(place / "a"))
        made = f"CREATE TABLE db.{kind} (i INT, s STRING) USING {kind} LOCATION 'file:{place}'"
        spark_paimon.run_in(options, made)
        for catalog, rows in ((options, [(None, "a")]), (folded, [(1, "a")])):
            assert told(spark_paimon.run_in(catalog, f"SELECT * FROM db.{kind}")[0]) == rows
            assert told(opened(open_catalog(catalog), kind).to_arrow()) == rows


def test_parquet_that_hive_reads_they_read_too(
    ours: Catalog, hms: Metastore, options: dict[str, str], spark_paimon: SparkPaimon
) -> None:
    columns = {"i": "int", "d": "decimal(5,2)", "large": "decimal(30,2)", "ts": "timestamp"}
    hms.make("t", columns, **PARQUET)
    row = (1, Decimal("1.25"), Decimal("-2.50"), datetime(1960, 1, 2, 3, 4, 5, 123456))
    append(opened(ours, "t"), **dict(zip(columns, row, strict=True)))
    assert told(spark_paimon.run_in(options, "SELECT * FROM db.t")[0]) == [row]
    spark_paimon.run_in(options, "INSERT INTO db.t SELECT i + 1, d, large, ts FROM db.t")
    assert told(opened(ours, "t").to_arrow()) == [row, (2, *row[1:])]


def test_through_our_rest_server_they_read_and_write_text_of_hives_as_hive_does(
    hive: Mapping[str, str], tmp_path: Path, spark_paimon: SparkPaimon
) -> None:
    empty_metastore(hive["uri"])
    with RestServer(tmp_path) as server:
        place = {"warehouse": str(server.warehouse)}
        catalog = open_catalog({**hive, **place})
        catalog.create_database("db")
        folder = Metastore(hive, server.warehouse / "db.db").make("t", {"i": "int", "s": "string"})
        (folder / "000000_0").write_text('1\x01a"b\\c,\n\\N\x01\\N\n')
        served = server.register("hives", place["warehouse"], hive)
        spark_paimon.run_in(served, "INSERT INTO db.t VALUES (2, 'x'), (3, NULL)")
        rows = [(1, 'a"b\\c,'), (2, "x"), (3, None), (None, None)]
        assert told(spark_paimon.run_in(served, "SELECT * FROM db.t")[0]) == rows
        assert told(opened(catalog, "t").to_arrow()) == rows
        lines = "".join(path.read_text() for path in folder.glob("data-*"))
        assert sorted(lines.splitlines()) == ["2\x01x", "3\x01\\N"]
