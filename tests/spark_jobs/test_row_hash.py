"""Spark's expression for the hash of a row is core's hash, and rows are placed by either alike."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that all of Spark's documentation uses

from core.binary import hash_rows
from core.types import STRING, DataType, DateType, IntType, parse_type
from spark_jobs.placement import Placement
from spark_jobs.row_hash import SETTINGS, can_hash, row_hash
from spark_jobs.transforms import set_to
from tests.tables import new_table

TEXTS = ["", "a", "seven77", "eight888", "äöü", "äöüß€", "x" * 15, "x" * 16, "x" * 17, "y" * 300, "a\0b"]
LONGS = [0, 1, -1, 255, -256, 2**31, -(2**31), 2**63 - 1, -(2**63), 42, 10**12]
DAYS = [date(1970, 1, 1), date(1969, 12, 31), date(2026, 11, 22), date(1, 1, 1), date(9999, 12, 31)]


def narrowed(bits: int) -> list[int]:
    return [(number + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1) for number in LONGS]


def prices(precision: int, scale: int) -> list[Decimal]:
    most = 10**precision - 1
    return [Decimal(n).scaleb(-scale) for n in (0, 1, -1, most, -most, *range(len(LONGS) - 5))]


COLUMNS: dict[str, tuple[str, Any, list[Any]]] = {
    "tiny": ("TINYINT NOT NULL", pa.int8(), narrowed(8)),
    "small": ("SMALLINT NOT NULL", pa.int16(), narrowed(16)),
    "whole": ("INT NOT NULL", pa.int32(), narrowed(32)),
    "long": ("BIGINT NOT NULL", pa.int64(), LONGS),
    "day": ("DATE NOT NULL", pa.date32(), (DAYS * 3)[: len(LONGS)]),
    "text": ("STRING NOT NULL", pa.string(), TEXTS),
    "bytes": ("BYTES NOT NULL", pa.binary(), [text.encode()[::-1] for text in TEXTS]),
    "flag": ("BOOLEAN NOT NULL", pa.bool_(), [n % 2 == 1 for n in range(len(LONGS))]),
    "whole_price": ("DECIMAL(18, 0) NOT NULL", pa.decimal128(18, 0), prices(18, 0)),
    "price": ("DECIMAL(9, 4) NOT NULL", pa.decimal128(9, 4), prices(9, 4)),
    "fraction": ("DECIMAL(18, 18) NOT NULL", pa.decimal128(18, 18), prices(18, 18)),
}


def frame_of(spark: SparkSession) -> tuple[DataFrame, pa.Table]:
    table = pa.table({name: pa.array(values, kind) for name, (_, kind, values) in COLUMNS.items()})
    return spark.createDataFrame(table), table


def types_of(names: Iterable[str]) -> list[DataType]:
    return [parse_type(COLUMNS[name][0]) for name in names]


def with_nulls(column: pa.Array, first: int) -> pa.Array:
    """The column with each third value, from `first` on, null."""
    kept = [None if row % 3 == first else value for row, value in enumerate(column.to_pylist())]
    return pa.array(kept, column.type)


KEYS = [*((name,) for name in COLUMNS), ("text", "long"), ("bytes", "text", "tiny"), tuple(COLUMNS)]


@pytest.mark.spark
def test_spark_hashes_a_row_as_core_does(spark: SparkSession) -> None:
    frame, table = frame_of(spark)
    hashes = [row_hash([frame[name] for name in key], types_of(key)) for key in KEYS]
    found = frame.select(*(h.alias(str(i)) for i, h in enumerate(hashes))).toArrow()
    for i, key in enumerate(KEYS):
        expected = hash_rows(types_of(key), [table[name].combine_chunks() for name in key])
        assert found[str(i)].to_pylist() == expected.tolist(), key


@pytest.mark.spark
def test_spark_hashes_nulls_as_core_does(spark: SparkSession) -> None:
    _, table = frame_of(spark)
    names = [*COLUMNS] * 6  # more than one word of bits
    columns = [with_nulls(table[name].combine_chunks(), i % 3) for i, name in enumerate(names)]
    frame = spark.createDataFrame(pa.table(columns, [f"c{i}" for i in range(len(names))]))
    types = [each.with_nullability(True) for each in types_of(names)]
    keys = [*((i,) for i in range(len(COLUMNS))), (0, 5), (5, 1, 6), tuple(range(len(names)))]
    hashes = [row_hash([frame[f"c{i}"] for i in key], [types[i] for i in key]) for key in keys]
    found = frame.select(*(h.alias(str(n)) for n, h in enumerate(hashes))).toArrow()
    for n, key in enumerate(keys):
        expected = hash_rows([types[i] for i in key], [columns[i] for i in key])
        assert found[str(n)].to_pylist() == expected.tolist(), key


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


@pytest.mark.spark
@pytest.mark.parametrize("setting", SETTINGS)
def test_other_settings_of_a_session_place_rows_alike(spark: SparkSession, setting: str) -> None:
    frame, _ = frame_of(spark)
    keyed = new_table({name: text for name, (text, _, _) in COLUMNS.items()}, list(COLUMNS), bucket="7")
    placement = Placement.of(keyed.schema, frame.schema, 3)
    assert placement is not None
    assert placement.is_known_to_spark
    with set_to(spark, {setting: "true"}):
        found = placement.placed(frame).withColumn("t", F.spark_partition_id()).toArrow()
    expected = placement.tasks_of(*(found[c.source].combine_chunks() for c in placement.keys.columns))
    assert found["t"].to_pylist() == expected.to_pylist()


def test_core_numbers_rows_whose_hash_spark_cannot_tell() -> None:
    never = STRING.with_nullability(False)
    assert can_hash(STRING, never)
    assert can_hash(STRING, STRING)
    others: list[tuple[DataType, DataType]] = [
        (IntType(), never),
        (DateType(), IntType(nullable=False)),
        (parse_type("TIMESTAMP(3)"), parse_type("TIMESTAMP(3) NOT NULL")),
        (parse_type("DOUBLE"), parse_type("DOUBLE NOT NULL")),
        (parse_type("DECIMAL(20, 2)"), parse_type("DECIMAL(20, 2) NOT NULL")),
        (parse_type("DECIMAL(10, 2)"), parse_type("DECIMAL(10, 3) NOT NULL")),
    ]
    assert not any(can_hash(given, stored) for given, stored in others)
