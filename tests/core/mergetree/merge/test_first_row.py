"""The columnar rule gives what the clear form gives, key by key. Spec: 06, 5."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import UnsupportedError
from core.mergetree.key_value import KeyValue
from core.mergetree.merge import FirstRow, first_rows
from core.mergetree.versions import Versions
from core.types import RowKind
from tests.core.mergetree.merge.windows import (
    REFUSED,
    Row,
    clear,
    comparable,
    keyed_schema,
    versions,
    window_of,
)

SCHEMA = keyed_schema({"v": "INT"}, {"merge-engine": "first-row"})
ADDS = (RowKind.INSERT, RowKind.UPDATE_AFTER)


def chosen(rows: list[KeyValue], ignore_delete: bool) -> list[Row] | str:
    _, ordered = window_of(SCHEMA, rows)
    try:
        first = first_rows(ordered, ignore_delete=ignore_delete)
    except UnsupportedError:
        return REFUSED
    shown = [rows[i] for i in first if not rows[i].kind.is_retract]
    return [tuple(map(comparable, row.value)) for row in shown]


@given(versions(st.integers(0, 9)) | versions(st.integers(0, 9), kinds=ADDS), st.booleans())
def test_columns_choose_what_the_clear_form_chooses(rows: list[KeyValue], ignore_delete: bool) -> None:
    assert chosen(rows, ignore_delete) == clear(FirstRow(ignore_delete), rows)


def test_the_oldest_by_sequence_stays() -> None:
    ordered = Versions.of(np.array([7, 7, 8]), [np.array([2, 1, 3])])
    assert first_rows(ordered).tolist() == [1, 2]


def test_a_retract_is_refused_by_name_unless_ignored() -> None:
    ordered = Versions.of(np.array([7, 7]), [np.array([1, 2])], np.array([0, 3], dtype=np.int8))
    with pytest.raises(UnsupportedError, match="ignore-delete"):
        first_rows(ordered)
    assert first_rows(ordered, ignore_delete=True).tolist() == [0]


def test_a_lone_retract_passes_for_the_caller_to_drop() -> None:
    ordered = Versions.of(np.array([7]), [np.array([1])], np.array([3], dtype=np.int8))
    assert first_rows(ordered).tolist() == [0]
