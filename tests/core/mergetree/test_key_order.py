"""Keys are sorted as numpy's stable sort does it, whichever way is taken."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.mergetree.key_order import order_in_groups, sort_keys
from core.mergetree.keys import KeyArray

KINDS = ("i1", "i4", "i8", "u8", "S9")


def assert_sorted(keys: KeyArray) -> None:
    expected, found = np.argsort(keys, kind="stable"), sort_keys(keys)
    assert found.positions.tolist() == expected.tolist()
    assert found.keys.tolist() == keys[expected].tolist()
    assert found.keys.dtype == keys.dtype


@given(st.lists(st.integers(-128, 127)), st.sampled_from(KINDS))
def test_equal_keys_stay_in_their_order(numbers: list[int], kind: str) -> None:
    assert_sorted(np.array([n % 128 if kind == "u8" else n for n in numbers], np.int64).astype(kind))


@pytest.mark.parametrize("kind", ["i8", "u8"])
def test_keys_that_leave_no_room_for_positions_are_sorted_all_the_same(kind: str) -> None:
    limits = np.iinfo(kind)
    assert_sorted(np.array([limits.max, limits.min, 7, limits.max, limits.min], kind))


@pytest.mark.parametrize("spread", [2**62, 2**61 - 1, 2**61])
def test_keys_at_the_edge_of_the_room_are_told_apart(spread: int) -> None:
    assert_sorted(np.array([spread, 0, spread - 1, 1, spread], np.int64) - np.int64(spread // 2))


def test_sorted_runs_are_merged() -> None:
    assert_sorted(np.concatenate([np.arange(0, 600, 2), np.arange(0, 600, 3)]))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-(2**63), 2**63 - 1)), min_size=1))
def test_rows_stand_by_group_and_nearly_by_key(rows: list[tuple[int, int]]) -> None:
    groups, keys = np.array([g for g, _ in rows], np.uint8), np.array([k for _, k in rows], np.int64)
    order = order_in_groups(groups, keys)
    assert sorted(order.tolist()) == list(range(len(rows)))
    assert groups[order].tolist() == sorted(groups.tolist())
    for key in set(keys.tolist()):  # those of one key in the order in which they came
        assert all(
            np.diff(order[(keys[order] == key) & (groups[order] == g)]).min(initial=1) > 0 for g in groups
        )


def test_keys_with_room_are_sorted_to_the_last_bit() -> None:
    keys = np.array([5, -3, 5, 2**40, -(2**40)], np.int64)
    assert order_in_groups(np.array([1, 0, 0, 0, 1], np.uint8), keys).tolist() == [1, 2, 3, 4, 0]
