"""A plan from a snapshot's manifests. Spec: 09, 8."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from core import open_catalog
from core.errors import InvalidRequestError
from core.scan import StageName
from core.table import Table


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """Ten commits of an append table, each of one partition `p` and ten values of `v`."""
    catalog = open_catalog(str(tmp_path_factory.mktemp("warehouse")))
    catalog.create_database("db")
    schema = pa.schema([("p", pa.int32()), ("v", pa.int64())])
    table = catalog.create_table("db.t", schema, partition_keys=["p"])
    for p in range(10):
        with table.new_write() as write:
            write.write(pa.table([[p] * 10, list(range(p * 10, p * 10 + 10))], schema=schema))
            table.new_commit("test").commit(write.prepare_commit())
    return table


def test_each_stage_is_explained_in_order(table: Table) -> None:
    explain = table.plan(filter="p >= 5 AND v < 57").explain
    assert [(stage.name, stage.kept) for stage in explain.stages] == [
        (StageName.MANIFESTS, 5),
        (StageName.PARTITIONS, 5),
        (StageName.BUCKETS, 5),
        (StageName.LEVELS, 5),
        (StageName.STATISTICS, 1),
        (StageName.FILE_INDEX, 1),
        (StageName.WHOLE_BUCKETS, 1),
        (StageName.DELETION_VECTORS, 10),
    ]
    assert "statistics: kept 1 of 5 files: v < 57" in str(explain)


def test_a_plan_knows_rows_and_bytes_without_making_splits(table: Table) -> None:
    plan = table.plan()
    assert (plan.row_count, len(plan.splits)) == (100, 10)
    assert plan.size == sum(split.size for split in plan.splits)


@pytest.mark.parametrize("where", ["v = 42", "p = 4 AND v IN (42, 99)", "v > 41 AND v < 43", "NOT (v <> 42)"])
def test_pruning_drops_no_matching_row(table: Table, where: str) -> None:
    assert table.to_arrow(["v"], filter=where).column("v").to_pylist() == [42]
    assert len(table.plan(filter=where).splits) == 1


def test_an_older_snapshot_has_its_own_files(table: Table) -> None:
    assert table.plan(snapshot_id=3).row_count == 30


def test_a_table_without_a_snapshot_has_no_splits(tmp_path: Path) -> None:
    catalog = open_catalog(str(tmp_path))
    catalog.create_database("db")
    table = catalog.create_table("db.t", pa.schema([("v", pa.int64())]))
    assert (table.plan().snapshot, len(table.plan().splits)) == (None, 0)
    assert table.to_arrow(filter="v = 1").schema == table.arrow_schema


def test_a_column_named_twice_is_refused(table: Table) -> None:
    with pytest.raises(InvalidRequestError, match="twice"):
        table.plan(["v", "v"])


def test_splits_can_be_read_one_by_one(table: Table) -> None:
    plan = table.plan(filter="v >= 95")
    rows = [batch.num_rows for split in plan.splits for batch in table.read_split(split, ["p"], "v >= 95")]
    assert sum(rows) == 5
