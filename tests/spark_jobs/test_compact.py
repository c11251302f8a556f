"""The compact job against a local Spark."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from core.io import LocalFileIO
from core.jobs import CompactJob, CompactStrategy, JobSpec
from core.snapshot import CommitKind
from core.table import Table
from spark_jobs.jobs import compact
from tests.spark_jobs.conftest import Recorded
from tests.tables import levels_of, new_table, put, rows_of

pytestmark = pytest.mark.spark


def make_table(folder: Path) -> Table:
    columns = {"id": "INT NOT NULL", "v": "STRING"}
    table = new_table(columns, ["id"], io=LocalFileIO(), warehouse=str(folder), bucket="3")
    for i in range(3):
        put(table, *[(k, f"{i}-{k}") for k in range(i * 10, i * 10 + 40)])
    return table


def spec(folder: Path, work: CompactJob, job_id: str = "j-1") -> JobSpec:
    return JobSpec(job_id, {"warehouse": str(folder)}, "db.t", work)


def test_all_buckets_become_one_compact_snapshot(
    spark: SparkSession, reporter: Recorded, tmp_path: Path
) -> None:
    table = make_table(tmp_path)
    before = rows_of(table)
    result = compact.run(spark, spec(tmp_path, CompactJob()), reporter)
    snapshot = table.snapshots.latest()
    assert (snapshot.commit_kind, snapshot.commit_user) == (CommitKind.COMPACT, "lakescope-j-1")
    assert result.snapshots == (snapshot.reference,)
    assert (result.metrics["buckets"], result.metrics["files_before"], result.metrics["files_after"]) == (
        3,
        9,
        3,
    )
    assert levels_of(table) == [5, 5, 5]
    assert rows_of(table) == before


def test_a_job_may_name_buckets(spark: SparkSession, reporter: Recorded, tmp_path: Path) -> None:
    table = make_table(tmp_path)
    compact.run(spark, spec(tmp_path, CompactJob(buckets=(1,))), reporter)
    assert levels_of(table) == [0] * 6 + [5]


def test_nothing_to_merge_makes_no_snapshot(spark: SparkSession, reporter: Recorded, tmp_path: Path) -> None:
    table = make_table(tmp_path)
    result = compact.run(spark, spec(tmp_path, CompactJob(CompactStrategy.MINOR)), reporter)
    assert result.snapshots == ()
    assert table.snapshots.latest_id() == 3


def test_a_retry_of_a_job_that_committed_compacts_nothing(
    spark: SparkSession, reporter: Recorded, tmp_path: Path
) -> None:
    table = make_table(tmp_path)
    first = compact.run(spark, spec(tmp_path, CompactJob()), reporter)
    put(table, (1, "newer"))
    assert compact.run(spark, spec(tmp_path, CompactJob()), reporter).snapshots == first.snapshots
    assert table.snapshots.latest_id() == 5
