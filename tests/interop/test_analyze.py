"""Statistics of ANALYZE: what Spark SQL of the newest Paimon computes is what we do, and it reads ours.

Run by `make interop` alone, see CONTRIBUTING.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.catalog import open_catalog
from core.maintenance.analyze import apply_analyze, plan_analyze
from core.maintenance.analyze.plan import gather
from core.stats.table_statistics import column_statistics_text, read_table_statistics
from core.table import Table
from tests.interop.spark_paimon import SparkPaimon

pytestmark = pytest.mark.newest

# 2.0.0 cannot write down bounds of TIMESTAMP (without a zone), and has no statistics of nested types.
COLUMNS = {
    "id": ("INT", "CAST(id AS INT)"),
    "t": ("TINYINT", "CAST(id % 5 AS TINYINT)"),
    "s": ("SMALLINT", "CAST(id % 7 AS SMALLINT)"),
    "b": ("BIGINT", "id * 1000000000000"),
    "f": ("FLOAT", "CAST(id / 3 AS FLOAT)"),
    "d": ("DOUBLE", "IF(id = 7, CAST('NaN' AS DOUBLE), id / 7)"),
    "short": ("DECIMAL(10, 2)", "CAST(id / 4 AS DECIMAL(10, 2))"),
    "long": ("DECIMAL(30, 1)", "CAST(id * 100 AS DECIMAL(30, 1))"),
    "flag": ("BOOLEAN", "id % 2 = 0"),
    "day": ("DATE", "date_add(DATE'1969-12-25', CAST(id AS INT))"),
    "time": ("TIMESTAMP", "timestamp_millis(id * 1001 - 5000)"),
    "text": ("STRING", "concat('v', id, 'é')"),
    "fixed": ("CHAR(5)", "CAST(id AS CHAR(5))"),
    "bytes": ("BINARY", "CAST(concat('b', id, 'é') AS BINARY)"),
}


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory, spark_paimon: SparkPaimon) -> Path:
    folder = tmp_path_factory.mktemp("analyzed")
    spark_paimon.run(
        folder,
        "CREATE DATABASE db",
        f"CREATE TABLE db.t ({', '.join(f'{name} {kind}' for name, (kind, _) in COLUMNS.items())})",
        f"INSERT INTO db.t SELECT {', '.join(value for _, value in COLUMNS.values())} FROM range(40)",
        "INSERT INTO db.t (id) VALUES (99)",
        "CREATE TABLE db.merged (id INT NOT NULL, v STRING)"
        " TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1')",
        "INSERT INTO db.merged VALUES (1, 'a'), (2, 'b')",
        "INSERT INTO db.merged VALUES (1, 'aa'), (3, 'b')",
        "ANALYZE TABLE db.t COMPUTE STATISTICS FOR ALL COLUMNS",
        "ANALYZE TABLE db.merged COMPUTE STATISTICS FOR ALL COLUMNS",
    )
    return folder


def opened(warehouse: Path, name: str) -> Table:
    return open_catalog(str(warehouse)).get_data_table(f"db.{name}")


@pytest.mark.parametrize("name", ["t", "merged"])
def test_both_compute_the_same(name: str, warehouse: Path) -> None:
    table = opened(warehouse, name)
    analyzed = next(s for s in table.snapshots.iter_all() if s.statistics)
    assert analyzed.statistics is not None
    theirs = read_table_statistics(table.io, table.paths, analyzed.statistics)
    ours = gather(table, replace(plan_analyze(table), base=table.snapshots.get(analyzed.id - 1)))
    # Spark estimates few distinct values, too, and cuts off the share of rows that are left by merging.
    for column, found in theirs.columns.items():
        assert found.distinct_count == pytest.approx(ours.columns[column].distinct_count, rel=0.05)
    columns = {
        c: replace(s, distinct_count=ours.columns[c].distinct_count) for c, s in theirs.columns.items()
    }
    size = ours.merged_record_size if name == "t" else 0
    assert replace(ours, merged_record_size=size) == replace(theirs, columns=columns)


def test_spark_reads_what_we_computed(warehouse: Path, spark_paimon: SparkPaimon) -> None:
    table = opened(warehouse, "t")
    snapshot = apply_analyze(table, plan_analyze(table), "ours")
    assert snapshot is not None
    assert snapshot.statistics is not None
    ours = read_table_statistics(table.io, table.paths, snapshot.statistics)
    shown: dict[str, Any] = spark_paimon.rows(warehouse, "SELECT * FROM db.`t$statistics`").to_pylist()[0]
    assert (shown["snapshot_id"], shown["mergedRecordCount"]) == (snapshot.id - 1, 41)
    assert json.loads(shown["colstat"]) == json.loads(column_statistics_text(ours))
    plan = spark_paimon.rows(warehouse, "EXPLAIN COST SELECT * FROM db.t WHERE id > 1")
    assert "rowCount=41" in str(plan.to_pylist())
