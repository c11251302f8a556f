"""Tables with data evolution: columns changed by us and by Spark SQL of the newest Paimon in turn.

Run by `make interop` alone, see CONTRIBUTING. pypaimon reads the cases `columns_...` of `statement_cases.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.catalog import open_catalog
from core.commit import TableCommit
from core.dml import ChangePlan, Column, Literal, Matched, NotMatched
from core.maintenance.check import check_table
from core.table import Table
from core.types import DataField, parse_type
from tests.core.dml.test_changes import source
from tests.interop.spark_paimon import SparkPaimon
from tests.tables import compact, files_of, put

pytestmark = pytest.mark.newest

OPTIONS = {
    "bucket": "-1",
    "row-tracking.enabled": "true",
    "data-evolution.enabled": "true",
    "deletion-vectors.enabled": "true",
}
ROWS = [(i, f"v{i}", i * 10) for i in range(6)]
NAMED = ["_ROW_ID", "id", "v", "w"]


@pytest.fixture
def table(tmp_path: Path) -> Table:
    catalog = open_catalog(str(tmp_path))
    catalog.create_database("db")
    columns = [("id", "INT"), ("v", "STRING"), ("w", "BIGINT")]
    fields = [DataField(i, name, parse_type(kind)) for i, (name, kind) in enumerate(columns)]
    made = catalog.create_table("db.t", fields, options=OPTIONS)
    put(made, *ROWS[:4])
    put(made, *ROWS[4:])
    return made


def commit(table: Table, plan: ChangePlan) -> None:
    TableCommit(table, "lakescope").commit(table.apply_changes(plan))


def ours(table: Table) -> list[tuple[Any, ...]]:
    read = table.refreshed().to_arrow(NAMED).to_pylist()
    return sorted(tuple(row[name] for name in NAMED) for row in read)


def theirs(spark: SparkPaimon, warehouse: Path) -> list[tuple[Any, ...]]:
    read = spark.rows(warehouse, f"SELECT {', '.join(NAMED)} FROM db.t").to_pylist()
    return sorted(tuple(row[name] for name in NAMED) for row in read)


def test_both_change_columns_of_the_same_rows_in_turn(
    spark_paimon: SparkPaimon, table: Table, tmp_path: Path
) -> None:
    commit(table, table.plan_update("id IN (1, 5)", {"v": Literal("ours")}))
    spark_paimon.run(tmp_path, "UPDATE db.t SET w = -w WHERE id < 3")
    table = table.refreshed()
    commit(table, table.plan_update("w < 0", {"v": Column("v"), "w": Literal(7)}))
    spark_paimon.run(tmp_path, "DELETE FROM db.t WHERE id = 2")
    table = table.refreshed()
    commit(table, table.plan_delete("id = 3"))
    inserted = NotMatched({"id": Column("source.id"), "v": Column("source.w")})
    matched = Matched({"v": Column("source.w")})
    commit(table, table.plan_merge(source((2, "anew"), (4, "merged")), ["id"], [matched, inserted]))
    expected = [
        (0, 0, "v0", 0),
        (1, 1, "ours", 7),
        (4, 4, "merged", 40),
        (5, 5, "ours", 50),
        (6, 2, "anew", None),
    ]
    assert ours(table) == theirs(spark_paimon, tmp_path) == expected
    assert not check_table(table).findings


def test_each_joins_what_the_other_wrote(spark_paimon: SparkPaimon, table: Table, tmp_path: Path) -> None:
    commit(table, table.plan_update("id = 1", {"v": Literal("ours")}))
    commit(table, table.plan_delete("id = 0"))
    compact(table)
    spark_paimon.run(tmp_path, "UPDATE db.t SET v = 'spark', w = NULL WHERE id >= 4")
    spark_paimon.run(tmp_path, "DELETE FROM db.t WHERE id = 4")
    expected = [(1, 1, "ours", 10), (2, 2, "v2", 20), (3, 3, "v3", 30), (5, 5, "spark", None)]
    table = table.refreshed()
    assert ours(table) == theirs(spark_paimon, tmp_path) == expected
    commit(table, table.plan_update("id = 3", {"w": Literal(0)}))
    spark_paimon.run(
        tmp_path,
        "ALTER TABLE db.t SET TBLPROPERTIES ('compaction.min.file-num' = '2')",
        "CALL sys.compact(table => 'db.t')",
    )
    table = table.refreshed()
    assert len(files_of(table)) == 1, "Spark has joined them"
    expected[2] = (3, 3, "v3", 0)
    assert ours(table) == theirs(spark_paimon, tmp_path) == expected
    commit(table, table.plan_update(None, {"v": Literal("all")}))
    compact(table)
    assert [row[2] for row in theirs(spark_paimon, tmp_path)] == ["all"] * 4
    assert not check_table(table).findings


def test_files_are_as_spark_makes_them(spark_paimon: SparkPaimon, table: Table, tmp_path: Path) -> None:
    shown = "SELECT first_row_id, record_count, write_cols, min_sequence_number, max_sequence_number"
    commit(table, table.plan_update("id = 1", {"v": Literal("ours")}))
    spark_paimon.run(tmp_path, "UPDATE db.t SET v = 'spark' WHERE id = 4")
    found = spark_paimon.rows(tmp_path, f"{shown} FROM db.`t$files` WHERE write_cols IS NOT NULL").to_pylist()
    ours_, theirs_ = sorted((tuple(row.values()) for row in found), key=lambda row: row[3])
    assert ours_ == (0, 4, ["v"], 3, 3)
    assert theirs_ == (4, 2, ["v"], 4, 4)
