"""Arrow -> JSON -> Arrow keeps every value, and JSON is what the corpora's README says."""

from __future__ import annotations

import datetime
import decimal
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.interop.values import arrow_table, differences, json_rows

NESTED = pa.schema(
    [
        ("d", pa.decimal128(9, 2)),
        ("b", pa.binary()),
        ("t", pa.time32("ms")),
        ("ts", pa.timestamp("ns")),
        ("ltz", pa.timestamp("ms", "UTC")),
        ("f", pa.float32()),
        ("l", pa.list_(pa.timestamp("us"))),
        ("m", pa.map_(pa.string(), pa.int32())),
        ("s", pa.struct([("x", pa.date32()), ("y", pa.list_(pa.int8()))])),
    ]
)
ROWS = [
    [
        *("-0.10", "AAE=", "23:59:59.999", "1969-12-31T23:59:59.123456789", "2024-02-29T00:00:00.001Z", 0.1),
        *([None, "0001-01-01T00:00:00.000001"], [["a", None], ["b", 1]], {"x": "9999-12-31", "y": [1, None]}),
    ],
    [None] * 9,
    [
        "1.00",
        "",
        "00:00:00.000",
        "1970-01-01T00:00:00.000000000",
        "1970-01-01T00:00:00.000Z",
        "NaN",
        [],
        [],
        None,
    ],
]


def test_json_rows_come_back_from_arrow() -> None:
    assert json_rows(arrow_table(ROWS, NESTED)) == ROWS


def test_rows_of_a_slice_are_those_of_the_slice() -> None:
    assert json_rows(arrow_table(ROWS, NESTED).slice(1)) == ROWS[1:]


def test_a_timestamp_has_the_digits_of_its_sql_type() -> None:
    table = pa.table({"t": pa.array([datetime.datetime(2024, 1, 2, 3, 4, 5)], pa.timestamp("us"))})
    assert json_rows(table, {"t": "TIMESTAMP(4) NOT NULL"}) == [["2024-01-02T03:04:05.0000"]]
    assert json_rows(table, {"t": "TIMESTAMP(0)"}) == [["2024-01-02T03:04:05"]]


def test_float_digits_and_row_order_make_no_difference() -> None:
    table = pa.table({"f": pa.array([1.17549435e-38, 0.1], pa.float32())})
    assert differences(table, {"columns": ["f"], "rows": [[0.1], [1.17549435e-38]]}, {}) == {}


def test_a_missing_and_an_unexpected_row_are_told() -> None:
    table = pa.table({"d": pa.array([decimal.Decimal("1.5")])})
    found = differences(table, {"columns": ["d"], "rows": [["1.5"], ["2.5"]]}, {})
    assert found == {"missing": ['["2.5"]']}


def test_duplicates_count() -> None:
    found = differences(pa.table({"a": [1, 1]}), {"columns": ["a"], "rows": [[1]]}, {})
    assert found == {"unexpected": ["[1]"]}


@pytest.mark.parametrize("name", ["py.atomic_parquet", "py.nested_parquet"])
def test_parquet_files_of_an_append_table_hold_the_expected_rows(corpora: Path, name: str) -> None:
    """Arrow alone reads them, so this compares the conversion and nothing else."""
    expected = json.loads((corpora / "expected" / "pypaimon21" / f"{name}.json").read_text())
    files = (corpora / "pypaimon21" / expected["path"] / "bucket-0").glob("*.parquet")
    types = {field["name"]: field["type"] for field in expected["schema"]["fields"]}
    table = pa.concat_tables(pq.read_table(file) for file in files)
    assert differences(table, expected["latest"], types) == {}
