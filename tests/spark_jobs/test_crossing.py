"""How large the batches are that cross from the JVM into Python."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from core.types import parse_type
from spark_jobs.crossing import large_values_measured, may_be_large
from spark_jobs.spark_types import spark_type

SIZES = "spark.sql.execution.arrow.maxBytesPerBatch"


@pytest.mark.parametrize(
    ("kind", "large"),
    {
        "ROW<a BIGINT, b STRING, c ARRAY<DOUBLE>, d MAP<STRING NOT NULL, DATE>>": False,
        "BYTES": True,
        "VARIANT": True,
        "ROW<a INT, b ROW<c ARRAY<BYTES>>>": True,
        "MAP<STRING NOT NULL, ROW<a VARIANT>>": True,
    }.items(),
)
def test_bytes_and_documents_may_be_large_at_any_depth(kind: str, large: bool) -> None:
    assert may_be_large(spark_type(parse_type(kind))) is large


def batches_of(frame: DataFrame) -> list[int]:
    """The rows of each batch that comes to Python, by one task."""

    def lengths(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.RecordBatch.from_arrays([pa.array([batch.num_rows])], names=["rows"])

    return [row.rows for row in frame.coalesce(1).mapInArrow(lengths, "rows bigint").collect()]


@pytest.mark.spark
def test_large_values_come_in_small_batches_and_small_ones_by_rows_alone(spark: SparkSession) -> None:
    large = spark.range(6).selectExpr("cast(repeat('x', 16 * 1024 * 1024) AS binary) AS b")
    small = spark.range(20_000)
    with large_values_measured(large):
        assert max(batches_of(large)) < 6
    with large_values_measured(small):
        assert spark.conf.get(SIZES) == str(2**31 - 1), "no row is measured"
        assert batches_of(small) == [16_384, 3_616]
    assert spark.conf.get(SIZES) == str(2**31 - 1)
