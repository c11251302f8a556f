"""Curves against clear forms: bits taken one by one, and what makes a curve a Hilbert curve."""

from __future__ import annotations

import datetime
import itertools
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.compact.curves import Curve, curve_bytes, curve_positions, hilbert_axes, interleaved
from core.errors import InvalidRequestError

ORDERED: dict[str, tuple[pa.DataType, list[Any]]] = {
    "tinyint": (pa.int8(), [-128, -1, 0, 1, 127]),
    "int": (pa.int32(), [-(2**31), -5, 0, 7, 2**31 - 1]),
    "bigint": (pa.int64(), [-(2**63), -1, 0, 2**62, 2**63 - 1]),
    "float": (pa.float32(), [float("-inf"), -1.5, -1e-30, 0.0, 2.5, float("inf"), float("nan")]),
    "double": (pa.float64(), [float("-inf"), -2.0, 0.0, 1e-300, 3.0, float("inf"), float("nan")]),
    "boolean": (pa.bool_(), [False, True]),
    "date": (pa.date32(), [datetime.date(1900, 1, 1), datetime.date(1970, 1, 1), datetime.date(2026, 1, 1)]),
    "time": (pa.time32("ms"), [datetime.time(0, 0), datetime.time(23, 59)]),
    "timestamp": (pa.timestamp("us"), [datetime.datetime(1960, 1, 1), datetime.datetime(2026, 11, 22)]),
    "decimal": (pa.decimal128(9, 2), [Decimal("-1000.01"), Decimal("-0.01"), Decimal(0), Decimal("9.99")]),
    "string": (pa.string(), ["", "a", "aa", "b", "ba", "é", "日本"]),
    "bytes": (pa.binary(), [b"\1", b"\1\2", b"\x7f", b"\xff"]),
}
LONGS = st.integers(-(2**63), 2**63 - 1)


@pytest.mark.parametrize("name", ORDERED)
def test_bytes_are_ordered_as_values_are_and_null_comes_first(name: str) -> None:
    kind, values = ORDERED[name]
    found = [row.tobytes() for row in curve_bytes(pa.array([None, *values], kind))]
    assert found == sorted(found)
    assert len(set(found)) == len(values) + (name not in ("boolean", "string", "bigint"))


def test_a_slice_has_the_bytes_of_its_rows() -> None:
    for kind, values in ORDERED.values():
        column = pa.array([*values, None], kind)
        assert np.array_equal(curve_bytes(column.slice(1)), curve_bytes(column)[1:])


def test_decimals_beyond_64_bits_are_the_largest() -> None:
    wide = [Decimal(-(10**30)), Decimal(-(2**63) - 1), Decimal(5), Decimal(2**63), Decimal(10**30)]
    low, low_too, between, high, high_too = (
        row.tobytes() for row in curve_bytes(pa.array(wide, pa.decimal128(38, 0)))
    )
    assert (low, high) == (low_too, high_too) == (bytes(8), b"\xff" * 8)
    assert low < between < high


def z_position(columns: list[bytes]) -> bytes:
    """The clear form: the highest bit of each column, then the next ones."""
    bits = [f"{int.from_bytes(column, 'big'):0{len(column) * 8}b}" for column in columns]
    taken = "".join(bit for nth in itertools.zip_longest(*bits, fillvalue="") for bit in nth)
    return int(taken, 2).to_bytes(len(taken) // 8, "big")


@given(st.lists(st.tuples(LONGS, st.text(max_size=12), st.none() | st.booleans()), min_size=1, max_size=20))
def test_a_z_position_takes_the_bits_of_columns_in_turn(rows: list[tuple[int, str, bool | None]]) -> None:
    kinds = (pa.int64(), pa.string(), pa.bool_())
    columns = [pa.array(values, kind) for values, kind in zip(zip(*rows, strict=True), kinds, strict=True)]
    forms = [curve_bytes(column, 12) for column in columns]
    expected = [z_position([form[i].tobytes() for form in forms]) for i in range(len(rows))]
    assert curve_positions(Curve.ZORDER, columns, 12).to_pylist() == expected


def hilbert_position(point: tuple[int, ...], bits: int) -> int:
    """The clear form of one point, in Python's own numbers."""
    axes, dimensions = list(point), len(point)
    for bit in reversed(range(1, bits)):
        below = (1 << bit) - 1
        for i in range(dimensions):
            if axes[i] >> bit & 1:
                axes[0] ^= below
            else:
                swapped = (axes[0] ^ axes[i]) & below
                axes[0] ^= swapped
                axes[i] ^= swapped
    for i in range(1, dimensions):
        axes[i] ^= axes[i - 1]
    turn = 0
    for bit in range(1, bits):
        turn ^= (1 << bit) - 1 if axes[-1] >> bit & 1 else 0
    taken = "".join(f"{(axis ^ turn) >> bit & 1}" for bit in reversed(range(bits)) for axis in axes)
    return int(taken, 2)


@pytest.mark.parametrize(("dimensions", "bits"), [(2, 4), (3, 3), (4, 2)])
def test_a_hilbert_curve_meets_each_point_once_and_never_jumps(dimensions: int, bits: int) -> None:
    points = np.array(list(itertools.product(range(1 << bits), repeat=dimensions)), np.uint64)
    turned = hilbert_axes([points[:, i].copy() for i in range(dimensions)], bits)
    forms = [axis.astype(">u8").view(np.uint8).reshape(-1, 8) for axis in turned]
    places = [int.from_bytes(row.tobytes(), "big") for row in interleaved(forms, bits)]
    padding = -dimensions * bits % 8
    visited = points[np.argsort(places)].astype(np.int64)
    assert sorted(place >> padding for place in places) == list(range(len(points)))
    assert (np.abs(np.diff(visited, axis=0)).sum(axis=1) == 1).all()


@given(st.lists(st.tuples(LONGS, LONGS, LONGS), min_size=1, max_size=10))
def test_hilbert_positions_are_those_of_the_clear_form(rows: list[tuple[int, int, int]]) -> None:
    columns = [pa.array(values, pa.int64()) for values in zip(*rows, strict=True)]
    points = [tuple((value + 2**63) >> 1 for value in row) for row in rows]
    found = [
        int.from_bytes(place, "big") >> 3 for place in curve_positions(Curve.HILBERT, columns).to_pylist()
    ]
    assert found == [hilbert_position(point, 63) for point in points]


def test_many_rows_have_the_positions_of_few() -> None:
    columns = [pa.array(np.arange(50_000) % n) for n in (7, 1000)]
    whole, part = (curve_positions(Curve.ZORDER, [c[s:] for c in columns]) for s in (0, 49_990))
    assert whole[49_990:].equals(part)


def test_a_type_without_an_order_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="sorted by a column of this type"):
        curve_bytes(pa.array([], pa.list_(pa.int32())))
