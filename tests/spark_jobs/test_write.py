"""The write job against a local Spark."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from core import InvalidRequestError, Table, open_catalog
from core.jobs import JobSpec, PathSource, Progress, QuerySource, SourceFormat, WriteJob, WriteMode
from core.types import DataField, parse_type
from spark_jobs.failures import failure_from
from spark_jobs.jobs import write
from spark_jobs.progress import reporting
from tests.spark_jobs.conftest import Recorded

pytestmark = pytest.mark.spark


def table_of(
    folder: Path, columns: Mapping[str, str], keys: list[str] | None = None, **options: Any
) -> Table:
    catalog = open_catalog(str(folder / "wh"))
    catalog.create_database("db", ignore_if_exists=True)
    fields = [DataField(i, name, parse_type(text)) for i, (name, text) in enumerate(columns.items())]
    partition = options.pop("partition", [])
    return catalog.create_table(
        "db.t", fields, primary_keys=keys or [], partition_keys=partition, options={"bucket": "2", **options}
    )


def spec(folder: Path, work: WriteJob, job_id: str = "j-1") -> JobSpec:
    return JobSpec(job_id, {"warehouse": str(folder / "wh")}, "db.t", work)


def source(folder: Path, rows: Mapping[str, Any]) -> PathSource:
    pq.write_table(pa.table(rows), folder / "source.parquet")
    return PathSource(str(folder / "source.parquet"), SourceFormat.PARQUET)


def rows_of(table: Table) -> list[dict[str, Any]]:
    return sorted(table.to_arrow().to_pylist(), key=repr)


def test_rows_of_a_path_become_one_snapshot(spark: SparkSession, reporter: Recorded, tmp_path: Path) -> None:
    leaves = {"tag.automatic-creation": "batch", "tag.batch.customized-name": "nightly"}
    table = table_of(tmp_path, {"id": "BIGINT NOT NULL", "v": "STRING"}, ["id"], **leaves)
    given = source(tmp_path, {"id": range(1000), "v": [f"v{i % 7}" for i in range(1000)]})
    result = write.run(spark, spec(tmp_path, WriteJob(given)), reporter)
    snapshot = table.snapshots.latest()
    assert result.snapshots == (snapshot.reference,)
    assert (snapshot.commit_user, result.metrics["rows_written"]) == ("lakescope-j-1", 1000)
    assert {tag.name: tag.snapshot.id for tag in table.tags.list()} == {"nightly": snapshot.id}
    assert rows_of(table) == sorted([{"id": i, "v": f"v{i % 7}"} for i in range(1000)], key=repr)


def test_each_bucket_is_written_by_one_task(spark: SparkSession, reporter: Recorded, tmp_path: Path) -> None:
    table = table_of(tmp_path, {"id": "INT NOT NULL", "p": "STRING NOT NULL"}, ["id", "p"], partition=["p"])
    given = source(tmp_path, {"id": pa.array(range(500), pa.int32()), "p": ["a", "b"] * 250})
    write.run(spark, spec(tmp_path, WriteJob(given)), reporter)
    entries = list(table.manifests.live_entries(table.snapshots.latest()).entries())
    buckets = [(e.partition, e.bucket) for e in entries]
    assert len(buckets) == len(set(buckets)) == 4


@pytest.mark.parametrize("keys", [["id", "p"], ["id"]], ids=["dynamic", "moving"])
def test_a_key_has_one_place_whichever_task_wrote_it(
    keys: list[str], spark: SparkSession, reporter: Recorded, tmp_path: Path
) -> None:
    columns = {"id": "INT NOT NULL", "p": "STRING NOT NULL"}
    few = {"bucket": "-1", "dynamic-bucket.target-row-num": "40"}
    table = table_of(tmp_path, columns, keys, partition=["p"], **few)
    for number, partitions in enumerate((["a", "b"], ["b", "a"])):
        given = source(tmp_path, {"id": pa.array(range(100), pa.int32()), "p": partitions * 50})
        write.run(spark, spec(tmp_path, WriteJob(given), f"j-{number}"), reporter)
    found = [(row["id"], row["p"]) for row in rows_of(table)]
    last = [(i, "ba"[i % 2]) for i in range(100)]
    first = [(i, "ab"[i % 2]) for i in range(100)] if "p" in keys else []
    assert sorted(found) == sorted(last + first)


def test_a_query_over_views_is_cast_to_the_tables_types(
    spark: SparkSession, reporter: Recorded, tmp_path: Path
) -> None:
    columns = {"id": "INT", "d": "DECIMAL(9, 2)", "t": "TIMESTAMP(3)", "day": "DATE", "n": "ARRAY<INT>"}
    table = table_of(tmp_path, columns, bucket="-1")
    (tmp_path / "rows.csv").write_text("id,d,t\n7,1.5,2024-05-14 01:02:03.456789\n")
    view = PathSource(
        str(tmp_path / "rows.csv"), SourceFormat.CSV, {"header": "true", "inferSchema": "false"}
    )
    query = QuerySource("select id, d, t, to_date(t) as day from v", {"v": view})
    result = write.run(spark, spec(tmp_path, WriteJob(query)), reporter)
    assert rows_of(table) == [
        {
            "id": 7,
            "d": Decimal("1.50"),
            "t": datetime.datetime(2024, 5, 14, 1, 2, 3, 456000),
            "day": datetime.date(2024, 5, 14),
            "n": None,
        }
    ]
    kinds = {column["column"]: column["kind"] for column in result.details["fit"]}
    assert kinds == {"id": "cast", "d": "cast", "t": "cast", "day": "same", "n": "missing"}


def test_kinds_of_rows_come_from_a_column(spark: SparkSession, reporter: Recorded, tmp_path: Path) -> None:
    table = table_of(tmp_path, {"id": "BIGINT NOT NULL", "v": "STRING"}, ["id"])
    first = source(tmp_path, {"id": [1, 2], "v": ["a", "b"]})
    write.run(spark, spec(tmp_path, WriteJob(first)), reporter)
    second = source(tmp_path, {"id": [1, 3], "v": ["x", "c"], "op": ["-D", "+I"]})
    write.run(spark, spec(tmp_path, WriteJob(second, row_kind_column="op"), "j-2"), reporter)
    assert rows_of(table) == [{"id": 2, "v": "b"}, {"id": 3, "v": "c"}]


def test_columns_that_the_table_lacks_are_added_when_asked_for(
    spark: SparkSession, reporter: Recorded, tmp_path: Path
) -> None:
    table = table_of(tmp_path, {"id": "BIGINT NOT NULL", "v": "INT"}, ["id"])
    write.run(spark, spec(tmp_path, WriteJob(source(tmp_path, {"id": [1], "v": [7]}))), reporter)
    rows = source(tmp_path, {"ID": [2], "v": [2**40], "w": ["new"]})
    wider = WriteJob(rows, merge_schema=True, type_widening=True)
    write.run(spark, spec(tmp_path, wider, "j-2"), reporter)
    assert rows_of(table.refreshed()) == [{"id": 1, "v": 7, "w": None}, {"id": 2, "v": 2**40, "w": "new"}]
    assert table.schemas.ids() == [0, 1]


def test_a_merge_that_is_refused_leaves_the_schema(
    spark: SparkSession, reporter: Recorded, tmp_path: Path
) -> None:
    table = table_of(tmp_path, {"id": "INT NOT NULL", "v": "BIGINT"}, ["id"])
    rows = source(tmp_path, {"id": [2**40], "v": [1], "w": ["new"]})
    merging = WriteJob(rows, merge_schema=True, type_widening=True)
    for work, told in ((WriteJob(rows), "does not fit"), (merging, "a key keeps its type")):
        with pytest.raises(InvalidRequestError, match=told):
            write.run(spark, spec(tmp_path, work), reporter)
    assert (table.schemas.ids(), table.snapshots.latest()) == ([0], None)


def test_an_overwrite_replaces_the_partitions_it_touches(
    spark: SparkSession, reporter: Recorded, tmp_path: Path
) -> None:
    table = table_of(tmp_path, {"p": "STRING", "v": "BIGINT"}, partition=["p"], bucket="-1")
    write.run(spark, spec(tmp_path, WriteJob(source(tmp_path, {"p": ["a", "b"], "v": [1, 2]}))), reporter)
    again = WriteJob(source(tmp_path, {"p": ["b"], "v": [3]}), WriteMode.OVERWRITE)
    write.run(spark, spec(tmp_path, again, "j-2"), reporter)
    assert rows_of(table) == [{"p": "a", "v": 1}, {"p": "b", "v": 3}]
    whole = WriteJob(source(tmp_path, {"p": ["c"], "v": [4]}), WriteMode.OVERWRITE, static_partition={})
    write.run(spark, spec(tmp_path, whole, "j-3"), reporter)
    assert rows_of(table) == [{"p": "c", "v": 4}]


def test_a_retry_of_a_job_that_committed_writes_nothing(
    spark: SparkSession, reporter: Recorded, tmp_path: Path
) -> None:
    table = table_of(tmp_path, {"id": "BIGINT"}, bucket="-1")
    job = spec(tmp_path, WriteJob(source(tmp_path, {"id": [1]})))
    first = write.run(spark, job, reporter)
    assert write.run(spark, job, reporter).snapshots == first.snapshots
    assert rows_of(table) == [{"id": 1}]


def test_a_source_that_does_not_fit_is_refused_before_a_row_is_written(
    spark: SparkSession, reporter: Recorded, tmp_path: Path
) -> None:
    table = table_of(tmp_path, {"id": "BIGINT", "n": "ARRAY<INT>"}, bucket="-1")
    job = spec(tmp_path, WriteJob(source(tmp_path, {"id": [1], "n": ["text"]})))
    with pytest.raises(InvalidRequestError) as refused:
        write.run(spark, job, reporter)
    assert refused.value.fields["column"] == "n"
    assert table.snapshots.latest() is None


def test_an_error_of_core_in_a_task_arrives_with_its_fields(
    spark: SparkSession, reporter: Recorded, tmp_path: Path
) -> None:
    table_of(tmp_path, {"id": "BIGINT NOT NULL", "v": "VARCHAR(3)"}, bucket="-1")
    job = spec(tmp_path, WriteJob(source(tmp_path, {"id": [1], "v": ["too long"]})))
    with pytest.raises(Exception, match="lakescope-failure") as failed:
        write.run(spark, job, reporter)
    failure = failure_from(failed.value)
    assert (failure.code, failure.fields["column"]) == ("invalid-request", "v")


def test_a_value_that_cannot_be_cast_fails_the_job_and_leaves_no_snapshot(
    spark: SparkSession, reporter: Recorded, tmp_path: Path
) -> None:
    table = table_of(tmp_path, {"id": "BIGINT"}, bucket="-1")
    job = spec(tmp_path, WriteJob(source(tmp_path, {"id": ["12", "no number"]})))
    with pytest.raises(Exception, match="no number") as failed:
        write.run(spark, job, reporter)
    assert failure_from(failed.value).code == "engine"
    assert table.snapshots.latest() is None


def test_a_wrong_query_is_the_callers_mistake(
    spark: SparkSession, reporter: Recorded, tmp_path: Path
) -> None:
    table_of(tmp_path, {"id": "BIGINT"}, bucket="-1")
    job = spec(tmp_path, WriteJob(QuerySource("select x from nowhere")))
    with pytest.raises(Exception, match="nowhere") as failed:
        write.run(spark, job, reporter)
    assert failure_from(failed.value).code == "invalid-request"


def test_every_type_passes_through_spark(spark: SparkSession, reporter: Recorded, tmp_path: Path) -> None:
    columns = {
        "ti": "TINYINT", "de": "DECIMAL(38, 10)", "ch": "CHAR(3)", "by": "BYTES", "da": "DATE", "tm": "TIME",
        "t6": "TIMESTAMP(6)", "z3": "TIMESTAMP(3) WITH LOCAL TIME ZONE", "ro": "ROW<x INT, y STRING>",
        "ma": "MAP<STRING, BIGINT>", "ar": "ARRAY<DOUBLE>", "mu": "MULTISET<STRING>",
    }  # fmt: skip
    table = table_of(tmp_path, columns, bucket="-1")
    query = (
        "select 1Y as ti, 1.5BD as de, 'abc' as ch, X'00FF' as by, date'2024-05-14' as da, "
        "time'01:02:03' as tm, timestamp_ntz'2024-05-14 01:02:03.456789' as t6, "
        "timestamp'2024-05-14 01:02:03.456 UTC' as z3, named_struct('x', 1, 'y', 'a') as ro, "
        "map('k', 1L) as ma, array(1.5D, null) as ar, map('e', 2) as mu"
    )
    write.run(spark, spec(tmp_path, WriteJob(QuerySource(query))), reporter)
    (row,) = table.to_arrow().to_pylist()
    assert (row["ti"], row["de"], row["ch"], row["by"]) == (1, Decimal("1.5000000000"), "abc", b"\x00\xff")
    assert (row["da"], row["tm"]) == (datetime.date(2024, 5, 14), datetime.time(1, 2, 3))
    assert row["t6"] == datetime.datetime(2024, 5, 14, 1, 2, 3, 456789)
    assert row["z3"] == datetime.datetime(2024, 5, 14, 1, 2, 3, 456000, tzinfo=datetime.UTC)
    assert (row["ro"], row["ma"], row["ar"], row["mu"]) == (
        {"x": 1, "y": "a"}, [("k", 1)], [1.5, None], [("e", 2)]
    )  # fmt: skip


def test_progress_names_phases_in_order(spark: SparkSession, reporter: Recorded, tmp_path: Path) -> None:
    table_of(tmp_path, {"id": "BIGINT"}, bucket="-1")
    write.run(spark, spec(tmp_path, WriteJob(source(tmp_path, {"id": [1]}))), reporter)
    phases = [line.phase for line in reporter.lines if isinstance(line, Progress)]
    assert list(dict.fromkeys(phases)) == ["plan", "write", "commit", "verify"]


def test_a_phase_that_spark_tells_nothing_of_is_named_all_the_same(
    spark: SparkSession, reporter: Recorded
) -> None:
    with reporting(spark.sparkContext, reporter, "write", "tasks"):
        pass  # over before there is a task to count
    assert [(line.phase, line.done, line.total) for line in reporter.lines] == [("write", 0, None)]
