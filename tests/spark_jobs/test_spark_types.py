"""Types and rows of Paimon and Spark."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import types as T  # noqa: N812 - the name that all of Spark's documentation uses

from core.arrow import arrow_schema, from_python
from core.errors import UnsupportedError
from core.types import DataField, Timestamp, parse_type, type_to_text
from spark_jobs.spark_types import arrow_of, paimon_fields, paimon_type, spark_schema, spark_type, to_spark

PAIRS = {
    "BOOLEAN": "boolean",
    "TINYINT": "tinyint",
    "SMALLINT": "smallint",
    "INT": "int",
    "BIGINT": "bigint",
    "FLOAT": "float",
    "DOUBLE": "double",
    "DECIMAL(38, 10)": "decimal(38,10)",
    "STRING": "string",
    "BYTES": "binary",
    "DATE": "date",
    "TIME(3)": "time(3)",
    "TIMESTAMP(6)": "timestamp_ntz",
    "TIMESTAMP(6) WITH LOCAL TIME ZONE": "timestamp",
    "VARIANT": "variant",
    "ARRAY<INT>": "array<int>",
    "MAP<STRING NOT NULL, DOUBLE>": "map<string,double>",
    "ROW<a INT, b ARRAY<ROW<c DATE>>>": "struct<a:int,b:array<struct<c:date>>>",
}


@pytest.mark.parametrize(("paimon", "spark"), PAIRS.items())
def test_a_type_comes_back_as_it_was(paimon: str, spark: str) -> None:
    there = spark_type(parse_type(paimon))
    assert there.simpleString() == spark
    assert type_to_text(paimon_type(there)).replace("`", "") == paimon


@pytest.mark.parametrize(
    ("paimon", "spark"),
    {
        "CHAR(3)": "string",
        "VARCHAR(9)": "string",
        "BINARY(4)": "binary",
        "BLOB": "binary",
        "TIME(0)": "time(3)",
        "TIMESTAMP(3)": "timestamp_ntz",
        "TIMESTAMP(9)": "timestamp_ntz",
        "MULTISET<STRING>": "map<string,int>",
        "VECTOR<FLOAT, 3>": "array<float>",
    }.items(),
)
def test_a_narrower_type_has_the_one_that_holds_its_values(paimon: str, spark: str) -> None:
    assert spark_type(parse_type(paimon)).simpleString() == spark


@pytest.mark.parametrize("paimon", ["GEOMETRY", "GEOGRAPHY", "ROW<a ARRAY<GEOMETRY>>"])
def test_a_type_that_spark_lacks_is_named_with_its_column(paimon: str) -> None:
    with pytest.raises(UnsupportedError, match=r"GEO.* in Spark") as refused:
        spark_schema([DataField(0, "place", parse_type(paimon))])
    assert refused.value.fields["where"] == "column place"


@pytest.mark.parametrize("kind", [T.NullType(), T.DayTimeIntervalType(), T.YearMonthIntervalType()])
def test_a_type_that_paimon_lacks_is_named_with_its_column(kind: T.DataType) -> None:
    with pytest.raises(UnsupportedError, match="Spark") as refused:
        paimon_fields(T.StructType([T.StructField("span", T.ArrayType(kind))]))
    assert refused.value.fields["where"] == "column span"


def spark_values(text: str, values: list[Any]) -> list[Any]:
    """Internal values of a Paimon type as Spark's Arrow batches hold them."""
    field = DataField(0, "c", parse_type(text))
    batch = pa.RecordBatch.from_arrays([from_python(values, field.type)], schema=arrow_schema([field]))
    # A slice: offsets must not be lost on the way.
    moved = to_spark(batch.slice(1), arrow_of(spark_schema([field])))
    moved.validate(full=True)
    return moved.column(0).to_pylist()


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("DECIMAL(5, 2)", [None, Decimal("1.50")], [Decimal("1.50")]),
        ("DATE", [0, 1, None], [date(1970, 1, 2), None]),
        ("TIME(3)", [0, 1001], [time(0, 0, 1, 1000)]),
        ("TIMESTAMP(3)", [None, Timestamp(1)], [datetime(1970, 1, 1, 0, 0, 0, 1000)]),
        ("MULTISET<STRING>", [None, [("a", 2)], None], [[("a", 2)], None]),
        ("VECTOR<INT, 2>", [[9, 9], [1, 2], None], [[1, 2], None]),
        ("ARRAY<TIMESTAMP(3)>", [[], [Timestamp(1), None]], [[datetime(1970, 1, 1, 0, 0, 0, 1000), None]]),
        (
            "ROW<a MAP<STRING NOT NULL, TIME(0)>>",
            [None, ([("x", 2000)],), None],
            [{"a": [("x", time(0, 0, 2))]}, None],
        ),
    ],
)
def test_values_arrive_in_sparks_form(text: str, values: list[Any], expected: list[Any]) -> None:
    assert spark_values(text, values) == expected


def test_digits_below_a_microsecond_are_cut_off_before_1970_too() -> None:
    values = [None, Timestamp(0, 1999), Timestamp(-1, 999_999), Timestamp(-1, 998_001)]
    micros = [datetime(1970, 1, 1, 0, 0, 0, 1), datetime(1969, 12, 31, 23, 59, 59, 999_999)]
    assert spark_values("TIMESTAMP(9)", values) == [*micros, datetime(1969, 12, 31, 23, 59, 59, 999_998)]
    assert spark_values("ARRAY<TIMESTAMP(9)>", [None, values[1:2]]) == [[micros[0]]]
