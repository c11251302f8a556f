"""Format tables that Spark SQL of the newest Java Paimon and we write and read in turns, through our REST
server and in one Hive metastore; object tables as Paimon opens them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from core import open_catalog
from core.arrow import arrow_schema
from core.errors import UnsupportedError
from core.format_table import FormatTable
from core.object_table import ObjectTable
from tests.hive_metastore import empty_metastore
from tests.interop.errors import PeerFailedError
from tests.interop.rest_server import RestServer
from tests.interop.spark_paimon import SparkPaimon

pytestmark = pytest.mark.newest

COLUMNS = (
    "i INT, s STRING, d DECIMAL(10, 2), day DATE, ts TIMESTAMP_NTZ, b BINARY, f DOUBLE, yes BOOLEAN, l BIGINT"
)
THEIRS = """(1, 'a,"x"', 1.50, DATE '2024-01-02', TIMESTAMP_NTZ '2024-01-02 03:04:05.123456', X'6162', 1.5,
     true, 9, DATE '2024-05-06', 'x/y'),
    (CAST(NULL AS INT), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"""
FIRST = (
    1, 'a,"x"', Decimal("1.50"), date(2024, 1, 2), datetime(2024, 1, 2, 3, 4, 5, 123456), b"ab", 1.5, True, 9,
    date(2024, 5, 6), "x/y",
)  # fmt: skip
SECOND = (
    -3, "né\\t", Decimal("-0.25"), date(1969, 12, 31), datetime(1960, 1, 1), b"\x00\xff", -1e20, False,
    -(2**62), date(1999, 1, 1), "z=1",
)  # fmt: skip


@pytest.fixture(scope="module", params=["rest", "hive"])
def options(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Mapping[str, str]]:
    folder = tmp_path_factory.mktemp("formats")
    if request.param == "hive":
        hive = request.getfixturevalue("hive")
        empty_metastore(hive["uri"])
        yield {**hive, "warehouse": f"file:{folder}"}
        return
    with RestServer(folder) as server:
        yield {
            "metastore": "rest",
            "uri": server.uri,
            "warehouse": "lake",
            "token.provider": "bear",
            "token": server.tokens["admin"],
        }


def told(rows: Any) -> list[tuple[Any, ...]]:
    return sorted((tuple(row.values()) for row in rows.to_pylist()), key=str)


def ours(options: Mapping[str, str], name: str) -> FormatTable:
    found = open_catalog(options).get_table(name)
    assert isinstance(found, FormatTable)
    return found


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("parquet", ""),
        ("orc", ""),
        ("csv", ""),
        ("csv", ", 'csv.include-header' = 'true', 'csv.field-delimiter' = ';', 'csv.null-literal' = 'NULL'"),
        ("csv", ", 'file.compression' = 'gzip'"),
        ("json", ""),
        ("json", ", 'file.compression' = 'gzip'"),
    ],
)
def test_rows_of_each_are_read_by_the_other(
    kind: str, more: str, spark_paimon: SparkPaimon, options: Mapping[str, str]
) -> None:
    name = f"formats.{kind}_{abs(hash(more)) % 10**6}"
    spark_paimon.run_in(
        options,
        "CREATE DATABASE IF NOT EXISTS formats",
        f"CREATE TABLE {name} ({COLUMNS}, p DATE, q STRING) USING {kind} PARTITIONED BY (p, q) "
        f"TBLPROPERTIES ('x' = 'y'{more})",
        f"INSERT INTO {name} VALUES {THEIRS}",
    )
    table = ours(options, name)
    assert told(table.to_arrow()) == sorted([FIRST, (None,) * 11], key=str)
    assert told(table.to_arrow(filter="p = '2024-05-06'")) == [FIRST]
    names = table.schema.field_names
    row = dict(zip(names, SECOND, strict=True))
    table.append(pa.Table.from_pylist([row], schema=arrow_schema(table.schema.fields)))
    found = told(spark_paimon.run_in(options, f"SELECT * FROM {name}")[0])
    assert found == sorted([FIRST, (None,) * 11, SECOND], key=str)
    found = told(spark_paimon.run_in(options, f"SELECT i FROM {name} WHERE q = 'z=1'")[0])
    assert found == [(-3,)]


def test_their_filter_on_a_date_misses_the_directories_that_they_name_themselves(
    spark_paimon: SparkPaimon, options: Mapping[str, str]
) -> None:
    """They write days since 1970 (`partition.legacy-name`) and look for the date: docs/spec-notes.md."""
    spark_paimon.run_in(
        options,
        "CREATE DATABASE IF NOT EXISTS formats",
        "CREATE TABLE formats.days (i INT, p DATE) USING csv PARTITIONED BY (p)",
        "INSERT INTO formats.days VALUES (1, DATE '2024-05-06')",
    )
    table = ours(options, "formats.days")
    assert table.io.list_directories(table.location) == ["p=19849"]
    assert (
        told(spark_paimon.run_in(options, "SELECT i FROM formats.days WHERE p = DATE '2024-05-06'")[0]) == []
    )
    assert told(table.to_arrow(["i"], "p = '2024-05-06'")) == [(1,)]


def test_they_overwrite_and_empty_what_we_have_written(
    spark_paimon: SparkPaimon, options: Mapping[str, str]
) -> None:
    spark_paimon.run_in(
        options,
        "CREATE DATABASE IF NOT EXISTS formats",
        "CREATE TABLE formats.o (i INT, p INT) USING json PARTITIONED BY (p)",
        "INSERT INTO formats.o VALUES (1, 1), (2, 2)",
    )
    table = ours(options, "formats.o")
    table.append(pa.table({"i": [3], "p": [1]}, schema=arrow_schema(table.schema.fields)))
    spark_paimon.run_in(options, "INSERT OVERWRITE formats.o PARTITION (p = 1) VALUES (9)")
    assert told(table.to_arrow()) == [(2, 2), (9, 1)]
    made = table.new_write()
    made.write(pa.table({"i": [7], "p": [2]}, schema=arrow_schema(table.schema.fields)))
    table.new_commit().overwrite(made.prepare_commit(), {"p": "2"})
    assert told(spark_paimon.run_in(options, "SELECT * FROM formats.o")[0]) == [(7, 2), (9, 1)]
    assert [p.name for p in open_catalog(options).list_partitions("formats.o")] == ["p=1", "p=2"]
    spark_paimon.run_in(options, "DROP TABLE formats.o")
    assert table.io.list_files(table.location, recursive=True) == []


def test_text_of_each_is_read_by_the_other(spark_paimon: SparkPaimon, options: Mapping[str, str]) -> None:
    spark_paimon.run_in(
        options,
        "CREATE DATABASE IF NOT EXISTS formats",
        "CREATE TABLE formats.lines (line STRING) USING text",
        "INSERT INTO formats.lines VALUES ('a'), (NULL), ('b c')",
    )
    table = ours(options, "formats.lines")
    assert sorted(table.to_arrow().to_pydict()["line"]) == ["", "a", "b c"]
    table.append(pa.table({"line": ["d"]}))
    found = told(spark_paimon.run_in(options, "SELECT * FROM formats.lines")[0])
    assert found == [("",), ("a",), ("b c",), ("d",)]


def test_they_list_the_objects_of_our_object_table_as_we_do(
    spark_paimon: SparkPaimon, options: Mapping[str, str]
) -> None:
    spark_paimon.run_in(
        options,
        "CREATE DATABASE IF NOT EXISTS formats",
        "CREATE TABLE formats.things TBLPROPERTIES ('type' = 'object-table')",
    )
    found = open_catalog(options).get_table("formats.things")
    assert isinstance(found, ObjectTable)
    found.io.write(f"{found.location}/a/b.png", b"123")
    found.io.write(f"{found.location}/c", b"")
    theirs = spark_paimon.run_in(options, "SELECT path, name, length, mtime FROM formats.things")[0]
    assert told(theirs) == told(found.to_arrow(["path", "name", "length", "mtime"]))
    schemas = {"schema/schema-0"} if options["metastore"] == "hive" else set()
    assert {row[0] for row in told(theirs)} == {"a/b.png", "c"} | schemas


@pytest.mark.parametrize("kind", ["avro"])
def test_formats_that_they_refuse_are_refused_by_us(
    kind: str, spark_paimon: SparkPaimon, options: Mapping[str, str]
) -> None:
    with pytest.raises(PeerFailedError, match="not supported"):
        spark_paimon.run_in(options, f"CREATE TABLE formats.no (i INT) USING {kind}")
    with pytest.raises(UnsupportedError, match=kind):
        open_catalog(options).create_table(
            "formats.no", pa.schema({"i": pa.int32()}), options={"type": "format-table", "file.format": kind}
        )
