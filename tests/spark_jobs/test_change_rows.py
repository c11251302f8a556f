"""Delete, update and merge-into as jobs, against a local Spark."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from core.errors import UnsupportedError
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
    (
        UpdateJob("id < 3", set={"w": "x"}, sql={"v": "v * 2 + length(w)"}),
        [(1, 21, "x"), (2, 41, "x"), (3, 30, "c")],
    ),
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


def test_a_merge_makes_values_of_both_rows(spark: SparkSession, reporter: Recorded, tmp_path: Path) -> None:
    table = make_table(tmp_path)
    source = QuerySource("select * from values (2, 5, 'x'), (4, 7, 'y') as t(id, v, note)")
    update = Clause(
        MergeWhen.MATCHED, MergeAction.UPDATE, sql={"v": "v + source.v", "w": "concat(w, source.note)"}
    )
    insert = Clause(
        MergeWhen.NOT_MATCHED,
        MergeAction.INSERT,
        copy={"id": "source.id"},
        sql={"v": "-source.v", "w": "upper(source.note)"},
    )
    do(spark, tmp_path, MergeIntoJob(source, ("id",), (update, insert)), reporter)
    assert rows_of(table) == [(1, 10, "a"), (2, 25, "bx"), (3, 30, "c"), (4, -7, "Y")]


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("v +", "PARSE_SYNTAX_ERROR"),
        ("nothing + 1", "UNRESOLVED_COLUMN"),
        ("sum(v)", "MISSING_GROUP_BY|MISSING_AGGREGATION|aggregate"),
        ("reflect('java.lang.System', 'exit', 1)", "reflect"),
        ("cast('x' as int)", "CAST_INVALID_INPUT"),
        ("if(id > 0, 3000000000, 1)", "CAST_OVERFLOW"),
    ],
)
def test_an_expression_that_does_not_fit_changes_nothing(
    spark: SparkSession, reporter: Recorded, tmp_path: Path, sql: str, said: str
) -> None:
    table = make_table(tmp_path)
    with pytest.raises(Exception, match=said):
        do(spark, tmp_path, UpdateJob("true", sql={"v": sql}), reporter)
    assert (table.snapshots.latest_id(), rows_of(table)[0]) == (1, (1, 10, "a"))


def test_sql_needs_rows_that_can_be_told_apart(
    spark: SparkSession, reporter: Recorded, tmp_path: Path
) -> None:
    columns = {"id": "INT", "v": "INT"}
    work = UpdateJob("id = 1", sql={"v": "v + 1"})
    plain = new_table(columns, io=LocalFileIO(), warehouse=str(tmp_path / "plain"), bucket="-1")
    put(plain, (1, 10), (1, 20), (2, 30))
    with pytest.raises(UnsupportedError, match="row-tracking"):
        plan_of(tmp_path / "plain", work)
    ids = {"bucket": "-1", "row_tracking__enabled": "true"}
    tracked = new_table(columns, io=LocalFileIO(), warehouse=str(tmp_path / "ids"), **ids)
    put(tracked, (1, 10), (1, 20), (2, 30))
    do(spark, tmp_path / "ids", work, reporter)
    assert rows_of(tracked) == [(1, 11), (1, 21), (2, 30)]


def test_columns_of_the_table_need_a_merge_by_its_key(
    spark: SparkSession, reporter: Recorded, tmp_path: Path
) -> None:
    make_table(tmp_path)
    source = QuerySource("select 'a' as w, 1 as n")
    clause = Clause(MergeWhen.MATCHED, MergeAction.UPDATE, sql={"v": "v + source.n"})
    with pytest.raises(UnsupportedError, match="primary key"):
        do(spark, tmp_path, MergeIntoJob(source, ("w",), (clause,)), reporter)
    by_source = Clause(MergeWhen.MATCHED, MergeAction.UPDATE, sql={"v": "source.n + 1"})
    do(spark, tmp_path, MergeIntoJob(source, ("w",), (by_source,)), reporter)
