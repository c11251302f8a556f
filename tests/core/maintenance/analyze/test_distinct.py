"""How many distinct values there are: exact while they are few, an estimate when they are many."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.maintenance.analyze.distinct import KEPT, DistinctCounter


def count(*columns: Any) -> int:
    counter = DistinctCounter()
    for column in columns:
        counter.add(column)
    return counter.count


@given(st.lists(st.lists(st.integers(-3, 300)), max_size=4))
def test_few_are_counted_exactly_whatever_their_order(parts: list[list[int]]) -> None:
    assert count(*(pa.array(part, pa.int64()) for part in parts)) == len({n for part in parts for n in part})


@pytest.mark.parametrize("true", [KEPT - 1, KEPT, 5 * KEPT])
def test_many_are_estimated_within_four_standard_deviations(true: int) -> None:
    numbers = pa.array(range(true), pa.int32())
    texts = numbers.cast(pa.string())
    for column in (numbers, texts):
        assert abs(count(column[: true // 2], column, column[true // 3 :]) / true - 1) < 4 / math.sqrt(KEPT)


def test_values_of_every_type_are_told_apart() -> None:
    decimals = [Decimal("1.50"), Decimal("-1.50"), Decimal(2**70), Decimal("1.50")]
    assert count(pa.array(decimals, pa.decimal128(38, 2))[1:]) == 3
    assert count(pa.array([0.0, -0.0, math.nan, -math.nan, 1.5], pa.float32())) == 3
    assert count(pa.array([True, False, True])) == 2
    assert count(pa.array([b"", b"\0", b"\0\0"])) == 3
    assert count(pa.array([0, 1, 1], pa.timestamp("us")), pa.array([2], pa.timestamp("us"))) == 3
