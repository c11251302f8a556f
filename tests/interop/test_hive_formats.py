"""Format tables of a Hive metastore that Hive itself, by Spark's jars, and we write and read in turns."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from core import open_catalog
from core.arrow import arrow_schema
from core.catalog import Catalog
from core.errors import UnsupportedError
from core.format_table import FormatTable
from tests.builders import fields
from tests.hive_metastore import empty_metastore
from tests.interop.peers import DRIVERS
from tests.interop.session import Driver

pytestmark = [
    pytest.mark.interop,
    pytest.mark.skipif(
        "LAKESCOPE_INTEGRATION" not in os.environ, reason="a minute: make integration runs it"
    ),
]

COLUMNS = (
    "i INT, s STRING, d DECIMAL(10,2), day DATE, ts TIMESTAMP, b BINARY, f DOUBLE, yes BOOLEAN, l BIGINT"
)
THEIRS = """SELECT 1, 'a"x''', 1.50BD, DATE'2024-01-02', TIMESTAMP'2024-01-02 03:04:05.123456', X'6162', 1.5D,
    true, 9L, DATE'2024-05-06', 'x/y'
    UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, DATE'2024-05-07', NULL
    UNION ALL SELECT 0, '', 0BD, NULL, NULL, NULL, NULL, NULL, NULL, DATE'2024-05-06', 'x/y'"""
OURS = (
    -3, "né\\t,", Decimal("-0.25"), date(1969, 12, 31), datetime(1999, 1, 1), b"\x01\xff", -1e20, False,
    -(2**62), date(1999, 1, 1), "z=1",
)  # fmt: skip
NULL = "__HIVE_DEFAULT_PARTITION__"
FORMATS = {
    "text": "STORED AS TEXTFILE",
    "delimited": "ROW FORMAT DELIMITED FIELDS TERMINATED BY '|' NULL DEFINED AS 'NULL' STORED AS TEXTFILE",
    "orc": "STORED AS ORC",
    "parquet": "STORED AS PARQUET",
}


@pytest.fixture(scope="module")
def theirs(hive: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    empty_metastore(hive["uri"])
    command = [sys.executable, str(DRIVERS / "spark_hive.py"), hive["uri"], "{scratch}"]
    driver = Driver(command, {"SPARK_LOCAL_IP": "127.0.0.1"})
    yield driver
    driver.close()


@pytest.fixture(scope="module")
def ours(hive: Mapping[str, str], theirs: Driver, tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    made = open_catalog({**hive, "warehouse": str(tmp_path_factory.mktemp("wh"))})
    made.create_database("db")
    return made


def asked(theirs: Driver, *statements: str) -> Any:
    """The rows of the last statement."""
    answer: Any = theirs.ask(statements)  # type: ignore[arg-type] # a list of statements
    assert isinstance(answer, list), answer
    nulls = {repr(NULL): "None"}  # which Hive shows of a partition key
    return sorted([nulls.get(text, text) for text in row] for row in answer[-1])


def shown(table: FormatTable) -> list[list[str]]:
    return sorted([repr(value) for value in row.values()] for row in table.to_arrow().to_pylist())


def opened(ours: Catalog, name: str) -> FormatTable:
    found = ours.get_table(f"db.{name}")
    assert isinstance(found, FormatTable)
    return found


@pytest.mark.parametrize("name", FORMATS)
def test_rows_of_each_are_read_by_the_other(name: str, ours: Catalog, theirs: Driver) -> None:
    asked(
        theirs,
        f"CREATE TABLE db.{name} ({COLUMNS}) PARTITIONED BY (p DATE, q STRING) {FORMATS[name]}",
        f"INSERT INTO db.{name} {THEIRS}",
    )
    table = opened(ours, name)
    everything = f"SELECT * FROM db.{name}"
    assert shown(table) == asked(theirs, everything)
    assert table.to_arrow(["i"], "p = '2024-05-06' AND i > 0").to_pydict() == {"i": [1]}
    row = dict(zip(table.schema.field_names, OURS, strict=True))
    nulls = dict.fromkeys(table.schema.field_names) | {"p": date(2024, 5, 7)}
    schema = arrow_schema(table.schema.fields)
    table.append(pa.Table.from_pylist([row, nulls], schema=schema))
    found = asked(theirs, f"REFRESH TABLE db.{name}", everything)
    assert len(found) == 5
    assert shown(table) == found
    kept = asked(theirs, f"SHOW PARTITIONS db.{name}")
    assert kept == sorted(
        [repr(f"p={p}/q={q}")]
        for p, q in (("2024-05-06", "x%2Fy"), ("2024-05-07", NULL), ("1999-01-01", "z%3D1"))
    )


VALUES = {
    "INT": ["1", " 1", "+1", "01", "1.", "1.9", "-1.9", ".5", "1.x", "1e3", "2147483648", "", "abc"],
    "TINYINT": ["127", "128", "1.5"],
    "DOUBLE": ["1", " 1.5", "1e3", "NaN", "-Infinity", ".5", "abc", ""],
    "BOOLEAN": ["true", "TRUE", "false", "t", "1", "", "true "],
    "DECIMAL(10,2)": ["1.5", "1.255", "-1.255", "99999999.999", "100000000", "1e2", " 1.5", "abc", ""],
    "DATE": ["2024-01-02", "2024-1-2", "0001-01-01", "9999-12-31", "20240102", "abc", ""],
    "TIMESTAMP": ["2024-01-02 03:04:05", "2024-01-02 03:04:05.123456", "2024-01-02 03:04", "abc", ""],
    "BINARY": ["YWI=", "YWI", "é", ""],
    "CHAR(3)": ["abc", "abcd", "é€𝄞x"],
    "VARCHAR(3)": ["abcd", "é€𝄞x", " x", ""],
    "STRING": ["\\N", "\\n", "'\"", "", " x "],
}


@pytest.mark.parametrize("kind", VALUES)
def test_a_text_is_the_value_that_hive_reads_there(
    kind: str, ours: Catalog, theirs: Driver, tmp_path: Path
) -> None:
    """What is no value of its column is null there, and columns behind it are read all the same."""
    name = f"text_{re.sub(r'[^a-z]', '', kind.lower())}"
    asked(theirs, f"CREATE TABLE db.{name} (v {kind}, n INT) STORED AS TEXTFILE LOCATION 'file:{tmp_path}'")
    lines = "".join(f"{text}\x01{number}\n" for number, text in enumerate(VALUES[kind]))
    (tmp_path / "000000_0").write_text(lines)
    assert shown(opened(ours, name)) == asked(theirs, f"SELECT * FROM db.{name}")


def test_what_we_made_is_hives(ours: Catalog, theirs: Driver) -> None:
    for kind in ("csv", "parquet", "orc"):
        fields = pa.schema({"i": pa.int32(), "s": pa.string(), "p": pa.date32()})
        given = {"type": "format-table", "file.format": kind}
        ours.create_table(f"db.our_{kind}", fields, partition_keys=["p"], options=given)
        table = opened(ours, f"our_{kind}")
        table.append(
            pa.table(
                {"i": [1], "s": ["a"], "p": [date(2024, 5, 6)]}, schema=arrow_schema(table.schema.fields)
            )
        )
        rows = asked(
            theirs,
            f"INSERT INTO db.our_{kind} SELECT 2, 'b', DATE'2024-05-07'",
            f"SELECT * FROM db.our_{kind}",
        )
        assert shown(table) == rows
        assert len(rows) == 2


@pytest.mark.parametrize(("hives", "unread"), [("false", {"d", "ts"}), ("true", set())])
def test_of_our_parquet_hive_reads_all_but_times_and_small_decimals(
    hives: str, unread: set[str], ours: Catalog, theirs: Driver
) -> None:
    """docs/spec-notes.md: of Paimon's it reads the same columns."""
    types = {
        "i": "INT", "d": "DECIMAL(10, 2)", "large": "DECIMAL(30, 2)", "day": "DATE", "ts": "TIMESTAMP(6)",
        "b": "BYTES", "f": "DOUBLE", "yes": "BOOLEAN", "c": "CHAR(3)", "a": "ARRAY<INT>",
    }  # fmt: skip
    row = (1, Decimal("1.25"), Decimal("2.50"), date(2024, 1, 2), datetime(1999, 1, 2, 3, 4, 5, 123456),
           b"\x01", 1.5, True, "abc", [1, 2])  # fmt: skip
    given = {"type": "format-table", "file.format": "parquet", "parquet.hive-types": hives}
    ours.create_table(f"db.types_{hives}", fields(**types), options=given)
    table = opened(ours, f"types_{hives}")
    table.append(pa.Table.from_pylist([dict(zip(types, row, strict=True))], schema=table.arrow_schema))
    answers = {name: theirs.ask([f"SELECT {name} FROM db.types_{hives}"]) for name in types}  # type: ignore[arg-type]
    assert {name for name, answer in answers.items() if isinstance(answer, dict)} == unread
    told = {name: answer[-1][0][0] for name, answer in answers.items() if name not in unread}
    assert told == {name: repr(value) for name, value in zip(types, row, strict=True) if name not in unread}


def test_letters_that_the_metastore_does_not_keep_are_those_of_the_files(
    ours: Catalog, theirs: Driver
) -> None:
    for kind in ("parquet", "orc"):
        rows = asked(
            theirs,
            f"CREATE TABLE db.letters_{kind} (Id INT, UserName STRING) USING {kind}",
            f"INSERT INTO db.letters_{kind} SELECT 1, 'x'",
            f"SELECT * FROM db.letters_{kind}",
        )
        assert shown(opened(ours, f"letters_{kind}")) == rows == [["1", "'x'"]]


def test_a_data_source_of_spark_is_refused_where_hive_cannot_read_it(ours: Catalog, theirs: Driver) -> None:
    asked(theirs, "CREATE TABLE db.source (i INT) USING csv", "INSERT INTO db.source SELECT 1")
    with pytest.raises(UnsupportedError, match="SequenceFileInputFormat"):
        ours.get_table("db.source")
