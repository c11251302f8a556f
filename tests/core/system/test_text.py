"""Columns as text equal the clear form, value by value."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arrow import from_python
from core.system.text import joined, named, text_column
from core.types import DataType, Timestamp, parse_type, plain_text

MILLIS = st.integers(-62_135_596_800_000, 253_402_300_799_999)
FAR = st.integers(-(10**15), 10**15)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "BOOLEAN": st.booleans(),
    "INT": st.integers(-(2**31), 2**31 - 1),
    "BIGINT": st.integers(-(2**63), 2**63 - 1),
    "STRING": st.text(),
    "DATE": st.integers(-800_000, 3_000_000),
    "TIME(3)": st.integers(0, 86_399_999),
    "DOUBLE": st.floats(),
    "FLOAT": st.floats(width=32),
    "DECIMAL(20, 10)": st.decimals(places=10, min_value=-(10**9), max_value=10**9),
    "BYTES": st.binary(max_size=8),
    "TIMESTAMP(0)": MILLIS.map(lambda m: Timestamp(m - m % 1000)),
    "TIMESTAMP(3)": MILLIS.map(Timestamp) | FAR.map(Timestamp),
    "TIMESTAMP(6)": st.builds(Timestamp, MILLIS, st.integers(0, 999).map(lambda n: n * 1000)),
    "TIMESTAMP(3) WITH LOCAL TIME ZONE": MILLIS.map(Timestamp),
    "ARRAY<INT>": st.lists(st.integers(0, 9), max_size=3),
}


@pytest.mark.parametrize("type_text", VALUES)
@given(data=st.data())
def test_a_column_prints_as_its_values_do(type_text: str, data: st.DataObject) -> None:
    data_type: DataType = parse_type(type_text)
    values = data.draw(st.lists(st.none() | VALUES[type_text], max_size=8))
    expected = [None if value is None else plain_text(data_type, value) for value in values]
    assert text_column(data_type, from_python(values, data_type)).to_pylist() == expected


def test_joined_texts_show_nulls() -> None:
    columns = [pa.array(["a", None]), pa.array(["1", "2"])]
    assert joined(columns, "[", "]", 2).to_pylist() == ["[a, 1]", "[null, 2]"]
    assert joined(columns[:1], "[", "]", 2).to_pylist() == ["[a]", "[null]"]
    assert joined([], "{", "}", 2).to_pylist() == ["{}", "{}"]


def test_named_texts_are_sorted_by_name() -> None:
    columns = {"b": pa.array(["x"]), "a": pa.array([None], pa.string())}
    assert named(columns, 1).to_pylist() == ["{a=null, b=x}"]
