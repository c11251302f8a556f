from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.read.equality import equal_values

INTS = st.none() | st.integers(-2, 2)
NESTED = {
    "int": (pa.int32(), INTS),
    "string": (pa.string(), st.none() | st.sampled_from(["", "a", "b"])),
    "list": (pa.list_(pa.int32()), st.none() | st.lists(INTS, max_size=2)),
    "struct": (
        pa.struct([("a", pa.int32()), ("b", pa.string())]),
        st.none() | st.fixed_dictionaries({"a": INTS, "b": st.sampled_from([None, "x"])}),
    ),
    "list of struct": (
        pa.list_(pa.struct([("a", pa.int32())])),
        st.none() | st.lists(st.none() | st.fixed_dictionaries({"a": INTS}), max_size=2),
    ),
    "map": (
        pa.map_(pa.int32(), pa.string()),
        st.none() | st.lists(st.tuples(st.integers(0, 1), st.sampled_from([None, "x"])), max_size=2),
    ),
}


@pytest.mark.parametrize("name", sorted(NESTED))
@given(data=st.data())
def test_values_are_equal_as_python_has_them(name: str, data: st.DataObject) -> None:
    kind, values = NESTED[name]
    left: list[Any] = data.draw(st.lists(values, max_size=8))
    right: list[Any] = data.draw(st.lists(values, min_size=len(left), max_size=len(left)))
    found = equal_values(pa.array(left, kind), pa.array(right, kind)).tolist()
    assert found == [a == b for a, b in zip(left, right, strict=True)]


def test_slices_are_compared_where_they_stand() -> None:
    lists: Any = pa.array([[9], [1, 2], None, [3]], pa.list_(pa.int8()))
    maps: Any = pa.array([[(9, 9)], [(1, 2)], [(3, 4)]], pa.map_(pa.int8(), pa.int8()))
    assert equal_values(lists[1:], pa.array([[1, 2], None, [4]], lists.type)).tolist() == [True, True, False]
    assert equal_values(maps[1:], pa.array([[(1, 2)], [(3, 5)]], maps.type)).tolist() == [True, False]


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()])
def test_floats_are_equal_as_java_compares_them(kind: Any) -> None:
    left, right = [math.nan, 0.0, -0.0, 1.0, None, math.nan], [math.nan, -0.0, -0.0, 1.0, None, 1.0]
    expected = [True, False, True, True, True, False]
    assert equal_values(pa.array(left, kind), pa.array(right, kind)).tolist() == expected
    lists = [pa.array([[x] for x in side], pa.list_(kind)) for side in (left, right)]
    assert equal_values(*lists).tolist() == expected
