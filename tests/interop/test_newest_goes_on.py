"""Tables that we wrote, read and then written on, compacted and expired by Spark SQL of the newest Paimon.

Run by `make interop` alone, see CONTRIBUTING.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from core.catalog import open_catalog
from core.compact import Strategy
from core.table import Table
from core.types import type_to_text
from tests.interop.cases import CASES
from tests.interop.ours import compact, make
from tests.interop.spark_paimon import SparkPaimon
from tests.interop.values import json_rows, same_rows

pytestmark = pytest.mark.newest

# Spark SQL has no TIME, and no TIMESTAMP of nine digits; the Java API of the same Paimon reads these.
NAMES = [
    name for name, case in CASES.items() if not {"TIME", "TIMESTAMP(9)"} & {kind for _, kind in case.columns}
]
# What Spark SQL of 2.0.0 reads, and cannot go on with, and why.
REFUSED = {
    "partial_changed": "DELETE wants a table that is compacted, and the UPDATE before it compacts nothing",
    "first_row_deleted": "UPDATE takes no first-row",
}


def goes_on(name: str) -> bool:
    """Whether a case has the texts that change, and buffers of the three pages that Java asks for."""
    options, columns = CASES[name].options, dict(CASES[name].columns)
    return columns.get("v") == "STRING" and "write-buffer-size" not in options and name not in REFUSED


WITH_TEXT = [name for name in NAMES if goes_on(name)]
GOING_ON = (
    "UPDATE {} SET v = concat(v, ' on') WHERE v LIKE '%1%' OR v = 'a'",
    "DELETE FROM {} WHERE v LIKE '%2%' OR v = 'b'",
    "INSERT INTO {0} SELECT * FROM {0} WHERE v LIKE '%3%'",
    "CALL sys.compact(table => '{}')",
    "CALL sys.expire_snapshots(table => '{}', retain_max => 1, retain_min => 1)",
)
# Of keys that move between partitions, which its sys.compact does not take.
WITH_MOVING_KEYS = (
    "UPDATE {} SET v = concat(v, ' on') WHERE id % 4 = 1",
    "DELETE FROM {} WHERE id % 5 = 2",
    "INSERT INTO {} VALUES ('c', 3, 'moved'), ('b', 4, 'moved'), ('a', 6, 'stays'), ('d', 500, 'more')",
    GOING_ON[-1],
)


def going_on(name: str) -> list[str]:
    statements = WITH_MOVING_KEYS if name.startswith("pk_cross_partition") else GOING_ON
    options = CASES[name].options
    if "data-evolution.enabled" in options and "deletion-vectors.enabled" not in options:
        statements = tuple(text for text in statements if not text.startswith("DELETE"))  # it wants vectors
    return [statement.format(f"ours.{name}") for statement in statements]


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("goes_on")
    make(folder, {name: CASES[name] for name in NAMES})
    return folder


def opened(warehouse: Path, name: str) -> Table:
    return open_catalog(str(warehouse)).get_data_table(f"ours.{name}")


def rows_of_spark(spark: SparkPaimon, warehouse: Path, name: str) -> list[list[object]]:
    types = {field.name: type_to_text(field.type) for field in opened(warehouse, name).schema.fields}
    return json_rows(spark.rows(warehouse, f"SELECT * FROM ours.{name}"), types)


@pytest.mark.parametrize("name", NAMES)
def test_spark_sql_reads_what_we_wrote(name: str, spark_paimon: SparkPaimon, warehouse: Path) -> None:
    assert same_rows(rows_of_spark(spark_paimon, warehouse, name), CASES[name].expected)


@pytest.mark.parametrize("name", WITH_TEXT)
def test_spark_sql_goes_on_where_we_stopped(name: str, spark_paimon: SparkPaimon, tmp_path: Path) -> None:
    make(tmp_path, {name: CASES[name]})
    spark_paimon.run(tmp_path, *going_on(name))
    table = opened(tmp_path, name)
    assert list(table.snapshots.ids()) == [table.snapshots.latest_id()]
    assert_equal(spark_paimon, tmp_path, name)
    compact(table, Strategy.FULL)
    assert_equal(spark_paimon, tmp_path, name)


def assert_equal(spark: SparkPaimon, warehouse: Path, name: str) -> None:
    table = opened(warehouse, name)
    ours = json_rows(table.to_arrow(), dict(CASES[name].columns))
    assert ours
    assert same_rows(ours, rows_of_spark(spark, warehouse, name))
