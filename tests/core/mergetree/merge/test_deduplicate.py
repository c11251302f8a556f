"""The columnar rule gives what the clear form gives, key by key. Spec: 06, 1 and 2."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.mergetree.key_value import KeyValue
from core.mergetree.merge.deduplicate import Deduplicate, newest_rows
from core.types.row_kind import RowKind


def version(key: int, sequence: int, kind: RowKind = RowKind.INSERT, row: int = 0) -> KeyValue:
    return KeyValue((key,), sequence, kind, (row,))


VERSIONS = st.lists(
    st.builds(version, st.integers(0, 5), st.integers(0, 9), st.sampled_from(RowKind)), max_size=40
)


def order_of(v: KeyValue) -> tuple[object, ...]:
    return v.key, v.sequence_number, not v.kind.is_retract


@given(VERSIONS, st.booleans())
def test_columns_choose_what_the_clear_form_chooses(versions: list[KeyValue], ignore_delete: bool) -> None:
    rows = [KeyValue(v.key, v.sequence_number, v.kind, (i,)) for i, v in enumerate(versions)]
    chosen = newest_rows(
        np.array([v.key[0] for v in rows], dtype=np.int64),
        [np.array([v.sequence_number for v in rows], dtype=np.int64)],
        np.array([v.kind for v in rows], dtype=np.int8),
        ignore_delete=ignore_delete,
    )
    function = Deduplicate(ignore_delete)
    groups = groupby(sorted(rows, key=order_of), key=lambda v: v.key)
    expected = [function(list(group)) for _, group in groups]
    assert [rows[i] for i in chosen] == [v for v in expected if v is not None]


def test_without_sequence_the_later_row_is_newer() -> None:
    assert newest_rows(np.array([1, 2, 1, 2, 3])).tolist() == [2, 3, 4]


def test_an_add_beats_a_retract_of_the_same_sequence() -> None:
    keys, sequence = np.array([1, 1]), np.array([7, 7])
    add_first = newest_rows(keys, [sequence], np.array([0, 3], dtype=np.int8))
    assert add_first.tolist() == [0]


def test_a_delete_wins_over_older_rows_and_stays_for_the_caller_to_drop() -> None:
    winners = newest_rows(np.array([1, 1]), [np.array([1, 2])], np.array([0, 3], dtype=np.int8))
    assert winners.tolist() == [1]


def test_ignore_delete_gives_back_the_row_below_the_delete() -> None:
    kinds = np.array([0, 3], dtype=np.int8)
    winners = newest_rows(np.array([1, 1]), [np.array([1, 2])], kinds, ignore_delete=True)
    assert winners.tolist() == [0]


def test_ignore_delete_gives_nothing_for_a_key_of_deletes_only() -> None:
    kinds = np.array([3, 1], dtype=np.int8)
    assert newest_rows(np.array([1, 1]), [np.array([1, 2])], kinds, ignore_delete=True).tolist() == []
