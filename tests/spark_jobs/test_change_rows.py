"""Delete, update and merge-into as jobs, against a local Spark."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from core.io import LocalFileIO
from core.jobs import (
    Clause,
    DeleteJob,
    MergeAction,
    MergeIntoJob,
    MergeWhen,
    PathSource,
    QuerySource,
    Result,
    SourceFormat,
    UpdateJob,
    Work,
)
from core.table import Table
from spark_jobs.executors import SparkExecutors
from spark_jobs.jobs.registry import JOBS
from spark_jobs.jobs.steps import Run, perform
from tests.spark_jobs.conftest import Recorded
from tests.spark_jobs.jobs import plan_of, spec_of
from tests.tables import new_table, put, rows_of

pytestmark = pytest.mark.spark


def make_table(folder: Path) -> Table:
    columns = {"id": "INT NOT NULL", "v": "INT", "w": "STRING"}
    table = new_table(columns, ["id"], io=LocalFileIO(), warehouse=str(folder), bucket="2")
    put(table, (1, 10, "a"), (2, 20, "b"), (3, 30, "c"))
    return table


def do(spark: SparkSession, folder: Path, work: Work, reporter: Recorded) -> Result:
    spec = spec_of(folder, work)
    return perform(JOBS[spec.kind], Run(spec, reporter, SparkExecutors(lambda: spark, reporter)))


CASES: list[tuple[Work, list[tuple[int, int | None, str]]]] = [
    (DeleteJob("v >= 20"), [(1, 10, "a")]),
    (UpdateJob("id < 3", set={"v": None}, copy={"w": "w"}), [(1, None, "a"), (2, None, "b"), (3, 30, "c")]),
]


@pytest.mark.parametrize(("work", "rows"), CASES, ids=lambda case: type(case).__name__)
def test_rows_are_changed_once(
    spark: SparkSession,
    reporter: Recorded,
    tmp_path: Path,
    work: Work,
    rows: list[tuple[int, int | None, str]],
) -> None:
    table = make_table(tmp_path)
    told = plan_of(tmp_path, work)["plan"]
    assert isinstance(told, dict)
    assert told["files_to_read"] > 0
    result = do(spark, tmp_path, work, reporter)
    assert rows_of(table) == rows
    assert result.details["verified"]["snapshots"] == list(result.snapshots)
    assert table.snapshots.latest().commit_user == "lakescope-j-1"
    put(table, (3, 99, "z"))
    assert do(spark, tmp_path, work, reporter).snapshots == result.snapshots
    assert (3, 99, "z") in rows_of(table)


def test_a_merge_takes_its_rows_from_a_query(spark: SparkSession, reporter: Recorded, tmp_path: Path) -> None:
    table = make_table(tmp_path)
    pq.write_table(pa.table({"id": [2, 4], "v": [21, 41], "gone": [False, False]}), tmp_path / "new.parquet")
    view = PathSource(str(tmp_path / "new.parquet"), SourceFormat.PARQUET)
    work = MergeIntoJob(
        QuerySource("select cast(id as int) id, cast(v as int) v from n where not gone", {"n": view}),
        ("id",),
        (
            Clause(MergeWhen.MATCHED, MergeAction.UPDATE),
            Clause(
                MergeWhen.NOT_MATCHED,
                MergeAction.INSERT,
                set={"w": "new"},
                copy={"id": "source.id", "v": "source.v"},
            ),
            Clause(MergeWhen.NOT_MATCHED_BY_SOURCE, MergeAction.DELETE, condition="id = 1"),
        ),
    )
    result = do(spark, tmp_path, work, reporter)
    assert rows_of(table) == [(2, 21, "b"), (3, 30, "c"), (4, 41, "new")]
    assert result.details["verified"]["files_present"] > 0
