"""Spark's expression for the hash of a row is core's hash, and rows are placed by either alike."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from core.binary import hash_rows
from core.types import STRING, DataType, DateType, IntType, parse_type
from spark_jobs.placement import Placement
from spark_jobs.row_hash import can_hash, row_hash
from tests.tables import new_table

TEXTS = ["", "a", "seven77", "eight888", "äöü", "äöüß€", "x" * 15, "x" * 16, "x" * 17, "y" * 300, "a\0b"]
LONGS = [0, 1, -1, 255, -256, 2**31, -(2**31), 2**63 - 1, -(2**63), 42, 10**12]
DAYS = [date(1970, 1, 1), date(1969, 12, 31), date(2026, 11, 22), date(1, 1, 1), date(9999, 12, 31)]


def narrowed(bits: int) -> list[int]:
    return [(number + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1) for number in LONGS]


COLUMNS: dict[str, tuple[str, Any, list[Any]]] = {
    "tiny": ("TINYINT NOT NULL", pa.int8(), narrowed(8)),
    "small": ("SMALLINT NOT NULL", pa.int16(), narrowed(16)),
    "whole": ("INT NOT NULL", pa.int32(), narrowed(32)),
    "long": ("BIGINT NOT NULL", pa.int64(), LONGS),
    "day": ("DATE NOT NULL", pa.date32(), (DAYS * 3)[: len(LONGS)]),
    "text": ("STRING NOT NULL", pa.string(), TEXTS),
    "bytes": ("BYTES NOT NULL", pa.binary(), [text.encode()[::-1] for text in TEXTS]),
}


def frame_of(spark: SparkSession) -> tuple[DataFrame, pa.Table]:
    table = pa.table({name: pa.array(values, kind) for name, (_, kind, values) in COLUMNS.items()})
    return spark.createDataFrame(table), table


@pytest.mark.spark
@pytest.mark.parametrize(
    "names", [*((name,) for name in COLUMNS), ("text", "long"), ("bytes", "text", "tiny"), tuple(COLUMNS)]
)
def test_spark_hashes_a_row_as_core_does(spark: SparkSession, names: tuple[str, ...]) -> None:
    frame, table = frame_of(spark)
    types = [parse_type(COLUMNS[name][0]) for name in names]
    found = frame.select(row_hash([frame[name] for name in names], types).alias("h")).toArrow()
    expected = hash_rows(types, [table[name].combine_chunks() for name in names])
    assert found["h"].to_pylist() == expected.tolist()


@pytest.mark.spark
def test_numbers_of_all_sizes_are_hashed_in_arithmetic_alone(spark: SparkSession) -> None:
    numbers = spark.range(-20_000, 20_000).selectExpr("id * 461168601842737 AS n")
    types = [parse_type("BIGINT NOT NULL")]
    found = numbers.select("n", row_hash([numbers["n"]], types).alias("h")).toArrow()
    assert found["h"].to_pylist() == hash_rows(types, [found["n"].combine_chunks()]).tolist()


@pytest.mark.spark
@pytest.mark.parametrize("source", ["tiny", "small", "whole"])
def test_a_smaller_whole_number_is_hashed_as_the_one_that_is_stored(spark: SparkSession, source: str) -> None:
    frame, table = frame_of(spark)
    types = [parse_type("BIGINT NOT NULL")]
    found = frame.select(row_hash([frame[source]], types).alias("h")).toArrow()
    assert found["h"].to_pylist() == hash_rows(types, [table[source].cast(pa.int64())]).tolist()


@pytest.mark.spark
@pytest.mark.parametrize("partition", [[], ["day", "text"]])
def test_spark_and_core_give_a_row_to_the_same_task(spark: SparkSession, partition: list[str]) -> None:
    frame, table = frame_of(spark)
    columns = {name: text for name, (text, _, _) in COLUMNS.items()}
    keyed = new_table(columns, [*partition, "long", "bytes"], partition=partition, bucket="7")
    placement = Placement.of(keyed.schema, frame.schema, 3)
    assert placement is not None
    assert placement.is_known_to_spark
    found = frame.select(placement.task_column(frame).alias("t")).toArrow()["t"].to_pylist()
    expected = placement.tasks_of(*(table[c.source].combine_chunks() for c in placement.keys.columns))
    assert found == expected.to_pylist()
    assert len(np.unique(found)) == 3


def test_core_numbers_rows_whose_hash_spark_cannot_tell() -> None:
    never = STRING.with_nullability(False)
    assert can_hash(STRING, never)
    others: list[tuple[DataType, DataType]] = [
        (STRING, STRING),  # may be null
        (IntType(), never),
        (DateType(), IntType(nullable=False)),
        (parse_type("TIMESTAMP(3)"), parse_type("TIMESTAMP(3) NOT NULL")),
        (parse_type("DOUBLE"), parse_type("DOUBLE NOT NULL")),
        (parse_type("DECIMAL(10, 2)"), parse_type("DECIMAL(10, 2) NOT NULL")),
    ]
    assert not any(can_hash(given, stored) for given, stored in others)
