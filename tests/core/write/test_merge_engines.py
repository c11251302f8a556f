"""What writers store and compactions make of rows, whatever the merge engine. Spec: 06, 1 to 7; 07, 9."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.compact import Strategy
from core.errors import InvalidRequestError, UnsupportedError
from core.table import Table
from core.types import RowKind
from tests.tables import compact, files_of, levels_of, new_table, put, rows_of

COLUMNS = {"k": "INT NOT NULL", "a": "INT", "b": "INT", "g": "INT", "h": "INT"}
SUM = {"merge_engine": "aggregation", "fields__a__aggregate_function": "sum"}
GROUPS = {
    "merge_engine": "partial-update",
    "fields__g__sequence_group": "a",
    "fields__h__sequence_group": "b",
    "fields__b__aggregate_function": "sum",
}
I, D, U = RowKind.INSERT, RowKind.DELETE, RowKind.UPDATE_AFTER  # noqa: E741


def table_of(**options: str) -> Table:
    return new_table(COLUMNS, ["k"], **options)


def stored(table: Table) -> list[int]:
    return sorted(file.row_count for file in files_of(table))


def test_a_flush_merges_the_rows_of_a_key_by_the_engine() -> None:
    table = table_of(**SUM)
    put(table, (1, 5, 1, None, None), (2, 7, None, None, None), (1, 6, None, None, None))
    assert stored(table) == [2]
    assert rows_of(table) == [(1, 11, 1, None, None), (2, 7, None, None, None)]


def test_a_partial_row_stays_partial_until_it_meets_the_rest() -> None:
    table = table_of(merge_engine="partial-update", num_sorted_run__compaction_trigger="2", num_levels="6")
    put(table, *[(k, 1, None, None, None) for k in range(2000)])
    compact(table)
    put(table, (1, None, 2, None, None))
    put(table, (1, None, None, 3, None))
    compact(table, Strategy.MINOR)
    assert levels_of(table) == [4, 5]
    assert rows_of(table, filter="k = 1") == [(1, 1, 2, 3, None)]
    compact(table)
    assert rows_of(table, filter="k = 1") == [(1, 1, 2, 3, None)]


def test_a_group_that_is_older_changes_nothing_of_it() -> None:
    table = table_of(**GROUPS)
    put(table, (1, 1, 1, 5, 5))
    put(table, (1, 2, 2, 4, 6))
    compact(table)
    assert rows_of(table) == [(1, 1, 3, 5, 6)]


def test_the_first_row_stays_and_is_seen_once_it_is_compacted() -> None:
    table = table_of(merge_engine="first-row")
    put(table, (1, 1, None, None, None), (1, 2, None, None, None))
    assert stored(table) == [1]
    assert rows_of(table) == []
    compact(table)
    put(table, (1, 3, None, None, None), (2, 4, None, None, None))
    compact(table)
    assert rows_of(table) == [(1, 1, None, None, None), (2, 4, None, None, None)]


def test_the_first_row_engine_takes_no_deletes_unless_they_are_ignored() -> None:
    rows = [(1, 1, None, None, None), (1, 1, None, None, None)]
    with pytest.raises(UnsupportedError, match="first-row"):
        put(table_of(merge_engine="first-row"), *rows, kinds=[I, D])
    ignoring = table_of(merge_engine="first-row", ignore_delete="true")
    put(ignoring, *rows, kinds=[I, D])
    assert stored(ignoring) == [1]


def test_several_sequence_fields_decide_left_to_right() -> None:
    table = table_of(sequence__field="g,h")
    put(table, (1, 1, None, 5, 5))
    put(table, (1, 2, None, 5, 4), (2, 1, None, None, 9))
    put(table, (1, 3, None, 5, None), (2, 2, None, 0, 0))
    compact(table)
    assert rows_of(table) == [(1, 1, None, 5, 5), (2, 2, None, 0, 0)]


def test_descending_sequence_fields_let_the_smaller_win_yet_never_null() -> None:
    table = table_of(sequence__field="g", sequence__field__sort_order="descending")
    put(table, (1, 1, None, 4, None), (1, 2, None, 5, None), (2, 1, None, 1, None))
    put(table, (2, 2, None, None, None))
    compact(table)
    assert rows_of(table) == [(1, 1, None, 4, None), (2, 1, None, 1, None)]


def test_kinds_may_come_from_a_column() -> None:
    table = new_table({"k": "INT NOT NULL", "op": "STRING"}, ["k"], rowkind__field="op")
    put(table, (1, "+I"), (2, "+U"))
    put(table, (1, "-D"))
    assert rows_of(table) == [(2, "+U")]
    with pytest.raises(InvalidRequestError, match="Row kind cannot be null"):
        put(table, (3, None))
    with pytest.raises(InvalidRequestError, match="not a kind of row"):
        put(table, (3, "insert"))


def test_retracts_take_back_what_was_added_wherever_it_lies() -> None:
    table = table_of(**SUM, num_sorted_run__compaction_trigger="2", num_levels="6")
    put(table, (1, 10, None, None, None))
    compact(table)
    put(table, (1, 3, None, None, None), (1, 4, None, None, None), kinds=[D, D])
    assert rows_of(table) == [(1, 3, None, None, None)]
    compact(table)
    assert rows_of(table) == [(1, 3, None, None, None)]


# A delete that a full compaction drops no longer hides rows of a smaller sequence that come later, nor is
# it taken back from what comes: so deletes are only among the rows where the last row of a key counts.
ENGINES: dict[str, tuple[dict[str, str], list[RowKind]]] = {
    "deduplicate": ({}, [I, D, U]),
    "ordered": ({"sequence__field": "g,h"}, [I, U]),
    "reversed": ({"sequence__field": "h", "sequence__field__sort_order": "descending"}, [I, U]),
    "ignoring": ({"ignore_delete": "true"}, [I, D]),
    "partial": ({"merge_engine": "partial-update"}, [I, U]),
    "groups": (GROUPS, [I, U]),
    "sum": (SUM | {"fields__b__aggregate_function": "max"}, [I, U]),
}
VALUE = st.none() | st.integers(-3, 3)
ROW = st.tuples(st.integers(0, 4), VALUE, VALUE, VALUE, VALUE)


@pytest.mark.parametrize("name", ENGINES)
@settings(max_examples=settings().max_examples // 8)
@given(data=st.data())
def test_when_a_table_is_compacted_does_not_show(name: str, data: st.DataObject) -> None:
    """Spec 07, 9: neither do flushes: one table gets each row by itself, the other all at once."""
    options, kinds = ENGINES[name]
    versions = st.lists(st.tuples(ROW, st.sampled_from(kinds)), min_size=1, max_size=5)
    steps: list[Any] = data.draw(st.lists(versions | st.sampled_from(list(Strategy)), max_size=6))
    compacted = table_of(num_sorted_run__compaction_trigger="2", **options)
    plain = table_of(**options)
    for step in steps:
        if isinstance(step, Strategy):
            compact(compacted, step)
        else:
            rows, of_kinds = [row for row, _ in step], [kind for _, kind in step]
            put(compacted, *rows, kinds=of_kinds)
            put(plain, *rows, kinds=of_kinds)
    assert rows_of(compacted) == rows_of(plain)
