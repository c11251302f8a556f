"""Engines that combine versions, through files: windows, projections, filters. Spec: 06; 09, 8 and 9."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from core.catalog import open_catalog
from core.read import read_split
from core.table import Table
from tests.core.read.bucket import Bucket, schema

CORPORA = Path(__file__).parents[2] / "corpora"
SUM = {"merge_engine": "aggregation", "fields__v__aggregate_function": "sum"}
GROUPED = {"merge_engine": "partial-update", "fields__s__sequence_group": "v"}


def bucket(root: Path, **options: str) -> Bucket:
    return Bucket(root, schema({"k": "INT NOT NULL", "v": "INT", "s": "INT"}, ["k"], **options))


def test_values_of_all_levels_are_summed(tmp_path: Path) -> None:
    files = bucket(tmp_path, **SUM)
    files.write([(1, 10, 0), (2, 20, 0)], sequences=[0, 1], level=5)
    files.write([(1, 1, 0), (3, 3, 0)], sequences=[2, 3], level=0)
    files.write([(1, 100, 0)], sequences=[4], kinds=[3], level=0)
    assert files.read(["k", "v"]) == [(1, -89), (2, 20), (3, 3)]


def test_rows_do_not_depend_on_where_windows_end(tmp_path: Path) -> None:
    files = bucket(tmp_path, **SUM)
    for run in range(3):
        files.write(
            [(k, run + 1, 0) for k in range(0, 6_000, run + 1)],
            sequences=[run] * len(range(0, 6_000, run + 1)),
        )
    batches = list(read_split(files, files.schema, files.split, ["k", "v"], merge_bytes=1000))
    assert len(batches) > 1
    narrow = pa.Table.from_batches(batches)
    wide = pa.Table.from_batches(list(read_split(files, files.schema, files.split, ["k", "v"])))
    assert narrow.combine_chunks() == wide.combine_chunks()
    assert narrow.column("v").to_pylist()[:7] == [6, 1, 3, 4, 3, 1, 6]


def test_a_projection_is_merged_by_sequence_columns_that_it_leaves_out(tmp_path: Path) -> None:
    files = bucket(tmp_path, **GROUPED)
    files.write([(1, 10, 5)], sequences=[0], level=5)
    files.write([(1, 20, 4)], sequences=[1], level=0)
    assert files.read(["v"]) == [(10,)]


def test_a_filter_on_values_sees_what_was_merged_and_not_what_is_stored(tmp_path: Path) -> None:
    files = bucket(tmp_path, **SUM)
    files.write([(1, 10, 0), (2, 1, 0)], sequences=[0, 1], level=5)
    files.write([(1, -9, 0)], sequences=[2], level=0)
    assert files.read(["k"], "v = 1") == [(1,), (2,)]
    assert files.read(["k"], "v = 10") == []


def test_a_bucket_is_kept_though_no_stored_value_matches_as_values_combine(tmp_path: Path) -> None:
    catalog = open_catalog(str(CORPORA / "java09"))
    table = catalog.get_table("merge.agg_retract")
    assert isinstance(table, Table)
    assert table.to_arrow(["s"], filter="s = 11").column("s").to_pylist() == [11]
    plan = table.plan(filter="s > 1000000")
    assert len(plan.entries) == len(table.plan().entries)
    reason = next(stage.reason for stage in plan.explain.stages if stage.name == "whole buckets")
    assert reason == "values of several files may combine into one row"


@pytest.mark.parametrize("extension", ["parquet", "orc"])
def test_the_oldest_row_stays_across_levels(tmp_path: Path, extension: str) -> None:
    files = bucket(tmp_path, merge_engine="first-row")
    files.write([(1, 10, 0)], sequences=[0], level=5, extension=extension)
    files.write([(1, 20, 0), (2, 2, 0)], sequences=[1, 2], level=0, extension=extension)
    assert files.read(["k", "v"]) == [(1, 10), (2, 2)]


def test_a_lone_version_passes_as_it_is(tmp_path: Path) -> None:
    files = bucket(tmp_path, **SUM)
    files.write([(1, 10, 0), (2, 20, 0)], sequences=[0, 1], kinds=[3, 0], level=0)
    files.write([(3, 3, 0)], sequences=[2], level=0)
    assert files.read(["k", "v"]) == [(2, 20), (3, 3)]
