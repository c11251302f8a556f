"""Values as text: exact, and the same each time."""

import json
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arrow import arrow_type
from core.cli.values import json_texts, plain_texts
from core.types import VariantType

VARIANT = arrow_type(VariantType())

CASES: list[tuple[pa.DataType, Any, str]] = [
    (pa.int64(), 2**63 - 1, "9223372036854775807"),
    (pa.bool_(), True, "true"),
    (pa.float32(), 0.1, "0.1"),
    (pa.float64(), 1e300, "1e+300"),
    (pa.float64(), float("nan"), '"NaN"'),
    (pa.float64(), float("-inf"), '"-Infinity"'),
    (pa.decimal128(38, 10), Decimal("-0.0000000001"), '"-0.0000000001"'),
    (pa.string(), 'a"b\n', '"a\\"b\\n"'),
    (pa.binary(), b"\x01\x02", '"AQI="'),
    (pa.date32(), date(2024, 2, 29), '"2024-02-29"'),
    (pa.time32("ms"), 3723004, '"01:02:03.004"'),
    (pa.timestamp("us"), datetime(2024, 2, 29, 1, 2, 3, 4), '"2024-02-29T01:02:03.000004"'),
    (pa.timestamp("ms", "UTC"), 0, '"1970-01-01T00:00:00.000Z"'),
    (VARIANT, {"value": bytes.fromhex("1c0000000000002940"), "metadata": b"\1\0\0"}, "12.5"),
    (pa.list_(pa.int32()), [1, None], "[1, null]"),
    (pa.list_(pa.int32(), 2), [1, 2], "[1, 2]"),
    (pa.map_(pa.string(), pa.int32()), [("k", 1)], '[["k", 1]]'),
    (pa.struct([("a", pa.int32()), ("b", pa.string())]), {"a": 1, "b": None}, '{"a": 1, "b": null}'),
]


@pytest.mark.parametrize(("data_type", "value", "text"), CASES)
def test_a_value_as_json(data_type: pa.DataType, value: Any, text: str) -> None:
    values = pa.array([None, value, None], data_type)
    assert json_texts(values) == ["null", text, "null"]
    assert json_texts(values.slice(1)) == [text, "null"]


NESTED = st.lists(
    st.none() | st.lists(st.none() | st.lists(st.integers(0, 9), max_size=3), max_size=3), max_size=6
)


@given(NESTED, st.integers(0, 3))
def test_nested_lists_are_what_json_says_they_are(rows: list[Any], start: int) -> None:
    values = pa.array(rows, pa.list_(pa.list_(pa.int64()))).slice(start)
    assert [json.loads(text) for text in json_texts(values)] == rows[start:]


@given(st.lists(st.none() | st.text(), max_size=5))
def test_text_survives_json(rows: list[str | None]) -> None:
    assert [json.loads(text) for text in json_texts(pa.array(rows, pa.string()))] == rows


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), max_size=5))
def test_a_single_precision_number_reads_back_as_itself(rows: list[float]) -> None:
    texts = json_texts(pa.array(rows, pa.float32()))
    assert pa.array([float(t) for t in texts], pa.float32()) == pa.array(rows, pa.float32())


def test_plain_text_is_not_quoted_and_null_is_none() -> None:
    assert plain_texts(pa.array(["a", None])) == ["a", None]
    assert plain_texts(pa.array([date(2024, 1, 1), None])) == ["2024-01-01", None]
    assert plain_texts(pa.array([["x"]])) == ['["x"]']
