"""Keys order and compare equal as the rows they stand for. Spec: 07, 1."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import UnsupportedError
from core.mergetree.keys import comparable_keys

INT8 = st.integers(-(2**7), 2**7 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)
TEXT = st.text(max_size=6) | st.text(alphabet="a\0", max_size=4) | st.text(min_size=60, max_size=90)
BYTES = st.binary(max_size=5) | st.binary(min_size=60, max_size=90)

VALUES = {
    pa.int8(): INT8,
    pa.int32(): st.integers(-(2**31), 2**31 - 1),
    pa.int64(): INT64,
    pa.bool_(): st.booleans(),
    pa.float32(): st.floats(width=32),
    pa.float64(): st.floats(),
    pa.decimal128(10, 2): st.decimals(-(10**7), 10**7, places=2),
    pa.decimal128(38, 4): st.decimals(-(10**33), 10**33, places=4),
    pa.date32(): st.integers(-(2**31), 2**31 - 1),
    pa.time32("ms"): st.integers(0, 86_399_999),
    pa.timestamp("ms"): INT64,
    pa.timestamp("us"): INT64,
    pa.timestamp("ns", tz="UTC"): INT64,
    pa.string(): TEXT,
    pa.binary(): BYTES,
}


def order_of(value: object) -> tuple[object, ...]:
    """The order of Paimon's comparator, for one value."""
    match value:
        case None:
            return (0,)
        case float():
            return (1, math.isnan(value), 0.0 if math.isnan(value) else value)  # NaN above all
        case str():
            return (1, value.encode())
        case _:
            return (1, value)


@st.composite
def columns(draw: st.DrawFn) -> tuple[list[pa.DataType], list[tuple[object, ...]]]:
    types = draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=3))
    cells = [VALUES[t] | st.none() if draw(st.booleans()) else VALUES[t] for t in types]
    return types, draw(st.lists(st.tuples(*cells), min_size=1, max_size=30))


def to_arrays(types: list[pa.DataType], rows: list[tuple[object, ...]]) -> list[pa.Array]:
    return [_array(t, [row[i] for row in rows]) for i, t in enumerate(types)]


def _array(kind: pa.DataType, values: list[object]) -> pa.Array:
    if pa.types.is_temporal(kind):
        width = pa.int32() if kind.bit_width == 32 else pa.int64()
        return pa.array(values, width).view(kind)
    return pa.array(values, kind)


@given(columns())
def test_keys_order_as_the_rows_they_stand_for(
    case: tuple[list[pa.DataType], list[tuple[object, ...]]],
) -> None:
    types, rows = case
    keys = comparable_keys(to_arrays(types, rows))
    expected = [tuple(map(order_of, _nan_is_one(row))) for row in rows]
    for i, key in enumerate(keys):
        for j, other in enumerate(keys):
            assert (key < other) == (expected[i] < expected[j])
            assert (key == other) == (expected[i] == expected[j])


def _nan_is_one(row: tuple[object, ...]) -> list[object]:
    return [math.nan if isinstance(v, float) and math.isnan(v) else v for v in row]


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()])
def test_zeros_differ_only_where_it_is_asked_for(kind: pa.DataType) -> None:
    zeros = [pa.array([0.0, -0.0], kind)]
    plain, signed = comparable_keys(zeros), comparable_keys(zeros, signed_zeros=True)
    assert plain[0] == plain[1]
    assert signed[0] > signed[1]


def test_sliced_columns_are_read_from_their_offset() -> None:
    strings = pa.array(["zz", "b", "a", "c"])[1:3]
    decimals = pa.array([Decimal(9), Decimal(2), Decimal(1)], pa.decimal128(20, 0))[1:]
    assert np.argsort(comparable_keys([strings])).tolist() == [1, 0]
    assert np.argsort(comparable_keys([decimals])).tolist() == [1, 0]


def test_a_type_without_order_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="list<"):
        comparable_keys([pa.array([[1]], pa.list_(pa.int32()))])


@given(
    st.lists(st.integers(0, 300), max_size=200), st.sampled_from(["user-{:015d}-x", "{:03d}user-and-more"])
)
def test_texts_that_share_most_of_their_bytes_order_as_numbers(numbers: list[int], form: str) -> None:
    keys = comparable_keys([pa.array([form.format(n) for n in numbers], pa.string())])
    assert np.array_equal(np.argsort(keys, kind="stable"), np.argsort(numbers, kind="stable"))
    assert len(set(keys.tolist())) == len(set(numbers))
