"""`write` to format tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from core import open_catalog
from core.errors import InvalidRequestError, UnsupportedError
from core.format_table import FormatTable
from core.jobs import JobSpec, QuerySource, Result, WriteJob, WriteMode
from spark_jobs.executors import SparkExecutors
from spark_jobs.jobs.steps import Run, perform
from spark_jobs.jobs.write import WRITE
from tests.builders import fields
from tests.spark_jobs.conftest import Recorded
from tests.spark_jobs.jobs import plan_of

pytestmark = pytest.mark.spark


@pytest.fixture
def table(tmp_path: Path) -> FormatTable:
    catalog = open_catalog(str(tmp_path))
    catalog.create_database("db")
    options = {"type": "format-table", "file.format": "parquet"}
    catalog.create_table("db.t", fields(k="BIGINT", p="STRING"), partition_keys=["p"], options=options)
    found = catalog.get_table("db.t")
    assert isinstance(found, FormatTable)
    return found


def write(spark: SparkSession, folder: Path, sql: str, **asked: Any) -> Result:
    reporter = Recorded()
    spec = JobSpec("j-1", {"warehouse": str(folder)}, "db.t", WriteJob(source=QuerySource(sql), **asked))
    return perform(WRITE, Run(spec, reporter, SparkExecutors(lambda: spark, reporter)))


def rows(table: FormatTable) -> list[tuple[Any, ...]]:
    return sorted(tuple(row.values()) for row in table.to_arrow().to_pylist())


def test_rows_are_appended_and_partitions_replaced(
    spark: SparkSession, table: FormatTable, tmp_path: Path
) -> None:
    done = write(spark, tmp_path, "SELECT id AS k, 'a' AS p FROM range(3)")
    assert (done.metrics["rows_written"], done.details["verified"]) == (
        3,
        {"files_present": done.metrics["files_written"]},
    )
    write(spark, tmp_path, "SELECT 9 AS k, 'b' AS p")
    assert rows(table) == [(0, "a"), (1, "a"), (2, "a"), (9, "b")]
    write(spark, tmp_path, "SELECT 7 AS k, 'a' AS p", mode=WriteMode.OVERWRITE)
    assert rows(table) == [(7, "a"), (9, "b")]
    write(spark, tmp_path, "SELECT 5 AS k, 'c' AS p", mode=WriteMode.OVERWRITE, static_partition={})
    assert rows(table) == [(5, "c")]


def test_what_files_do_not_hold_is_refused_by_name(
    spark: SparkSession, table: FormatTable, tmp_path: Path
) -> None:
    for asked in ({"merge_schema": True}, {"row_kind_column": "x"}):
        with pytest.raises(InvalidRequestError, match=next(iter(asked))):
            write(spark, tmp_path, "SELECT 1 AS k, 'a' AS p", **asked)
    open_catalog(str(tmp_path)).create_table("db.o", fields(k="INT"), options={"type": "object-table"})
    with pytest.raises(UnsupportedError, match="object-table"):
        plan_of(tmp_path, WriteJob(source=QuerySource("SELECT 1")), table="db.o")
    told = plan_of(tmp_path, WriteJob(source=QuerySource("SELECT 1")))
    assert told["plan"]["format"] == "parquet"
    assert rows(table) == []
