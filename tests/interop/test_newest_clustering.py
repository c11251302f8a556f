"""Append tables clustered a part at a time by us and by Spark SQL of the newest Paimon in turn.

Run by `make interop` alone, see CONTRIBUTING.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.catalog import open_catalog
from core.compact import Strategy
from core.maintenance.check import check_table
from core.table import Table
from core.types import DataField, parse_type
from tests.interop.spark_paimon import SparkPaimon
from tests.tables import compact, levels_of, put, rows_of

pytestmark = pytest.mark.newest

OPTIONS = {"bucket": "-1", "clustering.incremental": "true", "clustering.columns": "a,b"}


def theirs(spark: SparkPaimon, warehouse: Path) -> list[tuple[Any, ...]]:
    return sorted(tuple(row.values()) for row in spark.rows(warehouse, "SELECT * FROM db.t").to_pylist())


def test_both_go_on_with_the_levels_of_the_other(spark_paimon: SparkPaimon, tmp_path: Path) -> None:
    catalog = open_catalog(str(tmp_path))
    catalog.create_database("db")
    fields = [DataField(i, name, parse_type("INT")) for i, name in enumerate("ab")]
    table = catalog.create_table("db.t", fields, options=OPTIONS)
    assert isinstance(table, Table)
    for i in range(5):
        put(table, (9 - i, i), (i, -i))
    compact(table, Strategy.MINOR)
    assert levels_of(table) == [5]
    spark_paimon.run(
        tmp_path,
        *(f"INSERT INTO db.t VALUES ({i}, 7)" for i in range(5)),
        "CALL sys.compact(table => 'db.t')",
    )
    table = table.refreshed()
    assert 0 not in levels_of(table), "Spark has clustered what was new"
    for i in range(3):
        put(table, (i, 8))
    compact(table, Strategy.FULL)
    assert levels_of(table) == [5]
    assert len(rows_of(table)) == 18
    assert theirs(spark_paimon, tmp_path) == sorted(rows_of(table))
    assert not check_table(table).findings
