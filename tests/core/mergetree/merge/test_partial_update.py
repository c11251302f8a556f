"""partial-update over columns gives what its clear form gives. Spec: 06, 3."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InvalidRequestError, UnsupportedError
from core.mergetree.key_value import KeyValue
from core.mergetree.merge import PartialUpdate
from core.types import RowKind
from tests.core.mergetree.merge.windows import clear, columnar, keyed_schema, versions

SMALL = st.none() | st.integers(0, 3)
ARRAYS = st.none() | st.lists(st.integers(0, 2), max_size=2)
MAPS = st.none() | st.dictionaries(st.integers(0, 2), SMALL, max_size=2).map(lambda d: list(d.items()))
TEXTS = st.none() | st.sampled_from(["", " ", "a", "b"])
COLUMNS = {
    "a": "INT",
    "n": "INT NOT NULL",
    "g": "INT",
    "b": "INT",
    "s": "INT",
    "t": "INT",
    "c": "INT",
    "d": "INT",
    "l": "ARRAY<INT>",
    "x": "STRING",
    "m": "MAP<INT, INT>",
}
VALUES = (SMALL, st.integers(0, 3), SMALL, SMALL, SMALL, SMALL, SMALL, SMALL, ARRAYS, TEXTS, MAPS)
GROUPS = {"fields.g.sequence-group": "b,l,x,m", "fields.s,t.sequence-group": "c,d"}
FUNCTIONS = {
    "fields.b.aggregate-function": "sum",
    "fields.l.aggregate-function": "collect",
    "fields.x.aggregate-function": "listagg",
    "fields.m.aggregate-function": "merge_map",
    "fields.x.ignore-retract": "true",
    "fields.d.aggregate-function": "last_non_null_value",
}
NOT_NULL_SEQUENCE = {"fields.n,t.sequence-group": "c,d", "fields.g.sequence-group": "b"}
FIRST = {**GROUPS, "fields.b.aggregate-function": "first_value", "fields.b.ignore-retract": "true"}
OPTIONS = {
    "plain": {},
    "ignore-delete": {"ignore-delete": "true"},
    "remove-record-on-delete": {"partial-update.remove-record-on-delete": "true"},
    "groups": GROUPS,
    "groups, ignore-delete": {**GROUPS, "ignore-delete": "true"},
    "groups with functions": {**GROUPS, **FUNCTIONS},
    "first value in a group": FIRST,
    "first value that is not null in a group": {
        **FIRST,
        "fields.b.aggregate-function": "first_non_null_value",
    },
    "first values in a group that removes": {
        **FIRST,
        "fields.b.aggregate-function": "first_non_null_value",
        "fields.l.aggregate-function": "first_value",
        "fields.l.ignore-retract": "true",
        "partial-update.remove-record-on-sequence-group": "g",
    },
    "a group removes": {**GROUPS, **FUNCTIONS, "partial-update.remove-record-on-sequence-group": "g"},
    "one column of two removes": {**GROUPS, "partial-update.remove-record-on-sequence-group": "t"},
    "NOT NULL in the sequence": NOT_NULL_SEQUENCE,
    "NOT NULL in a removing sequence": {
        **NOT_NULL_SEQUENCE,
        "partial-update.remove-record-on-sequence-group": "n,g",
    },
}
ADDS = (RowKind.INSERT, RowKind.UPDATE_AFTER)


def both(options: dict[str, str], rows: list[KeyValue]) -> tuple[Any, Any]:
    schema = keyed_schema(COLUMNS, options)
    engine = PartialUpdate.of(schema)
    return columnar(schema, engine, rows), clear(engine, rows)


@pytest.mark.parametrize("name", sorted(OPTIONS))
@settings(max_examples=settings().max_examples // 3)  # of each of many options
@given(rows=versions(*VALUES) | versions(*VALUES, kinds=ADDS))
def test_columns_give_what_the_clear_form_gives(name: str, rows: list[KeyValue]) -> None:
    by_column, one_by_one = both(OPTIONS[name], rows)
    assert by_column == one_by_one


def follow(columns: dict[str, str], options: dict[str, str], *steps: tuple[str, list[Any]]) -> list[Any]:
    """The row of key 1 after each step, in the columnar form; the clear form is held to it."""
    schema = keyed_schema(columns, options)
    engine = PartialUpdate.of(schema)
    kinds = {
        "+I": RowKind.INSERT,
        "-U": RowKind.UPDATE_BEFORE,
        "+U": RowKind.UPDATE_AFTER,
        "-D": RowKind.DELETE,
    }
    rows = [KeyValue((1,), i, kinds[kind], (1, *values)) for i, (kind, values) in enumerate(steps)]
    shown = []
    for count in range(1, len(rows) + 1):
        assert columnar(schema, engine, rows[:count]) == clear(engine, rows[:count])
        last = engine(rows[:count])
        shown.append(None if last.kind.is_retract else list(last.value[1:]))
    return shown


def test_the_example_of_the_spec_with_groups_of_one_and_two_columns() -> None:
    columns = dict.fromkeys(["a", "b", "g1", "c", "g2", "g3"], "INT")
    options = {"fields.g1.sequence-group": "a,b", "fields.g2,g3.sequence-group": "c"}
    assert follow(
        columns,
        options,
        ("+I", [1, 1, 5, 1, 1, 1]),
        ("+I", [2, None, 4, 2, 1, 2]),
        ("+I", [3, None, 5, 3, 1, None]),
        ("+I", [9, 9, None, None, 2, None]),
        ("-D", [9, 9, 6, None, None, None]),
    )[1:] == [
        [1, 1, 5, 2, 1, 2],
        [3, None, 5, 2, 1, 2],
        [3, None, 5, None, 2, None],
        [None, None, 6, None, 2, None],
    ]


def test_the_example_of_the_spec_with_functions_in_a_group() -> None:
    columns = {"a": "INT", "b": "INT", "g1": "INT"}
    options = {
        "fields.g1.sequence-group": "a,b",
        "fields.a.aggregate-function": "sum",
        "fields.b.aggregate-function": "last_non_null_value",
    }
    steps: list[tuple[str, list[Any]]] = [
        ("+I", [1, 1, 5]),
        ("+I", [2, 2, 4]),
        ("-U", [2, 2, 4]),
        ("+U", [10, None, 6]),
        ("-D", [10, 7, 6]),
    ]
    rows = follow(columns, options, *steps)
    assert [row[:2] for row in rows] == [[1, 1], [3, 1], [1, None], [11, None], [1, None]]


def test_a_removed_row_begins_anew_with_the_values_of_its_delete() -> None:
    columns = {"a": "INT", "n": "INT NOT NULL"}
    options = {"partial-update.remove-record-on-delete": "true"}
    rows = follow(columns, options, ("+I", [1, 1]), ("-D", [2, 2]), ("+I", [None, 3]))
    assert rows == [[1, 1], None, [2, 3]]


def test_a_row_begins_with_the_values_of_a_retract_that_comes_first() -> None:
    """As Java Paimon 2.0.0 showed."""
    columns = {"a": "INT", "g": "INT", "b": "INT"}
    group = {"fields.g.sequence-group": "b"}
    steps = [("-D", [10, 5, 20]), ("+I", [None, 7, None])]
    assert follow(columns, group, *steps)[-1] == [10, 7, None]
    assert follow(columns, {**group, "fields.b.aggregate-function": "sum"}, *steps)[-1] == [10, 7, 0]
    blank = [("-D", [10, 5, ""]), ("+I", [None, 7, None])]
    joined = {**group, "fields.b.aggregate-function": "listagg", "fields.b.ignore-retract": "true"}
    assert follow({**columns, "b": "STRING"}, joined, *blank)[-1] == [10, 7, ""]
    absent = [("-D", [10, None, 20]), ("+I", [None, None, None])]
    assert follow(columns, group, *absent)[-1] == [10, None, 20]


@pytest.mark.parametrize(
    ("function", "late", "shown"),
    [
        ("first_non_null_value", ["b", None], None),
        ("first_non_null_value", [None, "a"], "a"),
        ("first_non_null_value", [None, "a", "c"], "a"),
        ("listagg", [None, ""], ""),
        ("listagg", [None, " ", None], None),
        ("listagg", ["b", " ", "a"], "a,b"),
    ],
)
def test_a_late_older_value_is_folded_with_the_arguments_exchanged(
    function: str, late: list[Any], shown: str | None
) -> None:
    """As Java Paimon 2.0.0 showed."""
    columns = {"g": "INT", "b": "STRING"}
    options = {"fields.g.sequence-group": "b", "fields.b.aggregate-function": function}
    steps = [("+I", [9 - i, value]) for i, value in enumerate(late)]
    assert follow(columns, options, *steps)[-1] == [9, shown]


def test_what_is_older_than_a_removing_delete_has_no_say() -> None:
    """As Java Paimon 2.0.0 showed."""
    columns = {"a": "INT", "g": "INT", "b": "INT"}
    options = {"fields.g.sequence-group": "b", "partial-update.remove-record-on-sequence-group": "g"}
    steps = [("+I", [1, 5, 2]), ("-D", [30, 9, 40]), ("+I", [None, 6, None])]
    assert follow(columns, options, *steps)[-1] == [30, 9, 40]


def test_deletes_are_refused_with_what_could_be_done_about_them() -> None:
    rows = [KeyValue((1,), i, RowKind.DELETE, (1, None)) for i in range(2)]
    with pytest.raises(UnsupportedError, match="ignore-delete, sequence groups or"):
        PartialUpdate.of(keyed_schema({"a": "INT"}, {}))(rows)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fields.g.sequence-group": "nope"}, "not there"),
        ({"fields.nope.sequence-group": "b"}, "not there"),
        ({"fields.g.sequence-group": "k"}, "primary key"),
        ({"fields.g.sequence-group": "b", "fields.s.sequence-group": "b"}, "two sequence groups"),
        ({"fields.a.aggregate-function": "sum"}, "needs a sequence group"),
        ({"partial-update.remove-record-on-sequence-group": "g"}, "no sequence field"),
        ({**GROUPS, "partial-update.remove-record-on-delete": "true"}, "exclude one another"),
        ({"ignore-delete": "true", "partial-update.remove-record-on-delete": "true"}, "exclude one another"),
        (
            {**GROUPS, "ignore-delete": "true", "partial-update.remove-record-on-sequence-group": "g"},
            "exclude one another",
        ),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidRequestError, match=message):
        PartialUpdate.of(keyed_schema(COLUMNS, options))
