"""Versions side by side, and values by their places. The functions over them: merge/test_aggregation.py."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from core.mergetree.aggregate.events import validity
from core.mergetree.aggregate.turns import Turns, newest_valid, oldest_valid, sums, taken

# Key 0 has rows 0, 3, 5; key 1 has row 1; key 2 has rows 2, 4.
TURNS = Turns.of(np.array([0, 3, 5, 1, 2, 4]), np.array([0, 3, 4]), np.array([3, 1, 2]))


def test_the_nth_versions_of_all_keys_stand_together() -> None:
    assert TURNS.first.tolist() == [0, 1, 2]
    assert TURNS.last.tolist() == [5, 1, 4]
    assert [(keys.tolist(), rows.tolist()) for keys, rows in TURNS.later] == [([0, 2], [3, 4]), ([0], [5])]
    assert TURNS.most == 3


def test_values_are_found_by_their_nulls() -> None:
    column = pa.array([1, None, None, 4, 5, None])
    assert newest_valid(column, TURNS).tolist() == [3, 1, 4]
    assert oldest_valid(column, TURNS).tolist() == [0, 1, 4]


def test_a_key_of_nulls_has_no_sum_and_one_of_negative_zeros_keeps_their_sign() -> None:
    found = sums(pa.array([-0.0, None, 1.5, None, 2.0, -0.0]), TURNS, -0.0)
    assert repr(found.to_pylist()) == "[-0.0, None, 3.5]"


@pytest.mark.parametrize(
    "kind",
    [
        pa.int8(),
        pa.int64(),
        pa.float32(),
        pa.date32(),
        pa.time32("ms"),
        pa.timestamp("us", "UTC"),
        pa.bool_(),
    ],
    ids=str,
)
def test_values_are_taken_from_the_middle_of_a_column_as_arrow_takes_them(kind: pa.DataType) -> None:
    numbers = pa.array([i % 2 if i % 3 else None for i in range(40)], pa.int64())
    wide = pa.types.is_timestamp(kind) or kind in (pa.int64(), pa.bool_())
    column = (numbers if wide else numbers.cast(pa.int32())).cast(kind)
    rows = np.array([7, 0, 7, 19, 3])
    for part in (column.slice(11, 20), column.drop_null().slice(3, 20)):
        found = taken(part, rows)
        found.validate(full=True)
        assert found.equals(part.take(pa.array(rows)))
        assert validity(part).tolist() == part.is_valid().to_pylist()
