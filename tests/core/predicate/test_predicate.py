"""Filters: text, binding, rows and statistics, each against a plain row-at-a-time reading."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.arrow import arrow_schema, from_python
from core.errors import InvalidRequestError
from core.predicate import (
    MAX_DEPTH,
    And,
    ColumnStats,
    Comparison,
    In,
    IsNull,
    Like,
    Not,
    Operator,
    Or,
    Predicate,
    bind,
    evaluate,
    may_match,
    negate,
    parse_predicate,
    predicate_to_text,
    references,
    split_and,
    to_expression,
)
from core.stats import truncate_max, truncate_min
from core.types import DataField, Timestamp, parse_type
from tests.builders import fields
from tests.strategies import values

FIELDS = tuple(
    DataField(i, name, parse_type(text))
    for i, (name, text) in enumerate(
        [
            ("i", "INT"),
            ("big", "BIGINT"),
            ("b", "BOOLEAN"),
            ("f", "DOUBLE"),
            ("s", "STRING"),
            ("the name", "VARCHAR(20)"),
            ("and", "BYTES"),
            ("d", "DECIMAL(20, 3)"),
            ("day", "DATE"),
            ("clock", "TIME(3)"),
            ("t", "TIMESTAMP(6)"),
            ("中", "TIMESTAMP_LTZ(3)"),
        ]
    )
)
TYPES = {f.name: f.type for f in FIELDS}
FEW = tuple(f for f in FIELDS if f.name in ("i", "s", "f"))
TEXTS = st.sampled_from(["", "a", "ab", "abc", "b", "abd\U0010ffff", "中文", "100%", "a_c", "a\\", "\\a\\b"])
PATTERNS = st.sampled_from(
    ["a%", "%", "abc", "a_c", "_", "%b%", "100\\%", "a\\_c", "", "ab%d", "a\\\\%", "%\\\\", "%\\a", "\\\\a%"]
)


def column_values(field: DataField) -> st.SearchStrategy[Any]:
    """Few different values, so that filters hit."""
    if field.name == "s":
        return TEXTS
    if field.name in ("i", "big"):
        return st.integers(-3, 3) | values(field.type, nulls=False)
    if field.name == "day":
        return st.integers(-700_000, 900_000)
    if field.name == "f":
        return st.just(math.nan) | values(field.type, nulls=False)
    return values(field.type, nulls=False)


def literal(field: DataField) -> st.SearchStrategy[Any]:
    # -0.0 and 0.0 are one number to SQL and two to repr: text keeps the sign of neither.
    return column_values(field).map(lambda v: 0.0 if v == 0 and isinstance(v, float) else v)


def few_values(field: DataField) -> st.SearchStrategy[Any]:
    """So few that bounds and literals are often equal."""
    return {
        "i": st.integers(0, 2),
        "s": st.sampled_from(["a", "ab", "abc", "b"]),
        "f": st.sampled_from([-0.5, 0.0, 1.5, math.nan]),
    }.get(field.name, st.none())


@st.composite
def leaf_predicates(
    draw: st.DrawFn, fields: tuple[DataField, ...] = FIELDS, literal: Any = literal
) -> Predicate:
    field = draw(st.sampled_from(fields))
    kind = draw(st.sampled_from(["comparison", "in", "null", "like"]))
    negated = draw(st.booleans())
    if kind == "like":
        return Like("s", draw(PATTERNS), negated)
    if kind == "null":
        return IsNull(field.name, negated)
    if kind == "in":
        return In(field.name, tuple(draw(st.lists(literal(field), min_size=1, max_size=3))), negated)
    return Comparison(field.name, draw(st.sampled_from(Operator)), draw(literal(field)))


def predicates(leaves: st.SearchStrategy[Predicate] | None = None) -> st.SearchStrategy[Predicate]:
    """Bound ones."""

    def above(inner: st.SearchStrategy[Predicate]) -> st.SearchStrategy[Predicate]:
        several = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return several.map(And) | several.map(Or) | inner.map(Not)

    trees = st.recursive(leaf_predicates() if leaves is None else leaves, above, max_leaves=4)
    return trees.map(lambda p: bind(p, FIELDS))


def rows(of: Any = column_values) -> st.SearchStrategy[list[tuple[Any, ...]]]:
    return st.lists(st.tuples(*(st.none() | of(f) for f in FIELDS)), max_size=6)


def batch_of(table: list[tuple[Any, ...]]) -> pa.RecordBatch:
    arrays = [from_python([row[i] for row in table], f.type) for i, f in enumerate(FIELDS)]
    return pa.RecordBatch.from_arrays(arrays, schema=arrow_schema(FIELDS))


def holds(predicate: Predicate, row: tuple[Any, ...]) -> bool | None:
    """SQL's three values, a row at a time."""
    match predicate:
        case And():
            parts = [holds(child, row) for child in predicate.children]
            return False if False in parts else None if None in parts else True
        case Or():
            parts = [holds(child, row) for child in predicate.children]
            return True if True in parts else None if None in parts else False
        case Not():
            inner = holds(predicate.child, row)
            return None if inner is None else not inner
    value = row[list(TYPES).index(predicate.column)]  # type: ignore[attr-defined]
    if isinstance(predicate, IsNull):
        return (value is None) != predicate.negated
    if value is None:
        return None
    match predicate:
        case In():
            return any(compare(Operator.EQUAL, value, v) for v in predicate.literals) != predicate.negated
        case Like():
            return like(predicate.pattern, value) != predicate.negated
        case Comparison():
            return compare(predicate.operator, value, predicate.literal)
    raise AssertionError(predicate)


def compare(operator: Operator, value: Any, other: Any) -> bool:
    """NaN equals itself and is above all numbers."""
    if isinstance(value, float):
        value, other = (
            (math.isnan(value), 0 if math.isnan(value) else value),
            (
                math.isnan(other),
                0 if math.isnan(other) else other,
            ),
        )
    return {
        Operator.EQUAL: value == other,
        Operator.NOT_EQUAL: value != other,
        Operator.LESS: value < other,
        Operator.LESS_OR_EQUAL: value <= other,
        Operator.GREATER: value > other,
        Operator.GREATER_OR_EQUAL: value >= other,
    }[operator]


def like(pattern: str, value: str) -> bool:
    parts = re.findall(r"\\.|.", pattern, re.DOTALL)
    regex = "".join({"%": ".*", "_": "."}.get(p, re.escape(p[-1])) for p in parts)
    return re.fullmatch(regex, value, re.DOTALL) is not None


class TestLaws:
    @given(predicates())
    def test_parse_reverses_text(self, predicate: Predicate) -> None:
        assert bind(parse_predicate(predicate_to_text(predicate)), FIELDS) == predicate

    @given(predicates())
    def test_binding_twice_changes_nothing(self, predicate: Predicate) -> None:
        assert bind(predicate, FIELDS) == predicate

    @given(predicates(), rows())
    def test_evaluate_keeps_the_rows_that_hold(
        self, predicate: Predicate, table: list[tuple[Any, ...]]
    ) -> None:
        expected = [holds(predicate, row) is True for row in table]
        assert evaluate(predicate, batch_of(table)).to_pylist() == expected

    @given(predicates(), rows())
    def test_negation_holds_where_the_predicate_is_false(
        self, predicate: Predicate, table: list[tuple[Any, ...]]
    ) -> None:
        expected = [holds(predicate, row) is False for row in table]
        assert evaluate(negate(predicate), batch_of(table)).to_pylist() == expected

    @given(predicates(), rows())
    def test_the_expression_filters_as_evaluate_does(
        self, predicate: Predicate, table: list[tuple[Any, ...]]
    ) -> None:
        batch = batch_of(table)
        kept = ds.dataset(pa.table(batch)).to_table(filter=to_expression(predicate))
        expected = pa.table(batch.filter(evaluate(predicate, batch)))
        assert repr(kept.to_pydict()) == repr(expected.to_pydict())  # NaN does not equal itself

    @given(
        predicates(leaf_predicates(FEW, few_values)),
        st.lists(rows(few_values).filter(len), min_size=3, max_size=8),
        st.integers(1, 3),
        st.lists(st.booleans(), min_size=len(FIELDS), max_size=len(FIELDS)),
    )
    @settings(max_examples=settings().max_examples * 3 // 2)
    def test_pruning_drops_no_file_with_a_matching_row(
        self, predicate: Predicate, files: list[list[tuple[Any, ...]]], cut: int, known: list[bool]
    ) -> None:
        stats = {f.name: stats_of(i, files, cut) for i, f in enumerate(FIELDS) if known[i]}
        counts = pa.array([len(file) for file in files], pa.int64())
        keep = may_match(predicate, stats, counts).to_pylist()
        for kept, file in zip(keep, files, strict=True):
            assert kept or not any(holds(predicate, row) for row in file)


def stats_of(i: int, files: list[list[tuple[Any, ...]]], cut: int) -> ColumnStats:
    """True statistics but for NaN, as Arrow and ORC keep them; texts cut to `cut`."""
    columns = [[v for row in file if (v := row[i]) is not None and v == v] for file in files]  # NaN left out
    low = [truncate_min(min(c), cut) if c else None for c in columns]
    high = [truncate_max(max(c), cut) if c else None for c in columns]
    nulls = [sum(row[i] is None for row in file) for file in files]
    kind = FIELDS[i].type
    return ColumnStats(from_python(low, kind), from_python(high, kind), pa.array(nulls, pa.int64()))


def kept(text: str, low: Any, high: Any, nulls: int | None, rows: int = 10) -> bool:
    predicate = bind(parse_predicate(text), FIELDS)
    kind = TYPES[references(predicate)[0]]
    stats = ColumnStats(from_python([low], kind), from_python([high], kind), pa.array([nulls], pa.int64()))
    return may_match(predicate, {references(predicate)[0]: stats}, pa.array([rows])).to_pylist() == [True]


@pytest.mark.parametrize(
    ("text", "low", "high", "nulls", "expected"),
    [
        ("i = 5", 1, 4, 0, False),
        ("i = 4", 1, 4, 0, True),
        ("i = 1", 1, 4, 0, True),
        ("i <= 1", 1, 4, 0, True),
        ("i <= 0", 1, 4, 0, False),
        ("i IN (1, 9)", 1, 4, 0, True),
        ("i <> 4", 4, 4, 0, False),
        ("i < 1", 1, 4, 0, False),
        ("i >= 4", 1, 4, 0, True),
        ("i > 4", 1, 4, 0, False),
        ("i IN (0, 5)", 1, 4, 0, False),
        ("i NOT IN (4, 5)", 4, 4, 0, False),
        ("NOT i = 4", 4, 4, 0, False),
        ("i IS NULL", 1, 4, 0, False),
        ("i IS NULL", 1, 4, None, True),
        ("i IS NOT NULL", None, None, 10, False),
        ("i = 4", None, None, 10, False),
        ("i = 4", None, None, None, True),
        ("i = 4", None, 3, 0, True),
        ("s LIKE 'abc%'", "abd", "b", 0, False),
        ("s LIKE 'abc%'", "abcz", "b", 0, True),
        ("s LIKE 'abc%'", "a", "abb", 0, False),
        ("s LIKE '%c'", "x", "y", 0, True),
        ("s NOT LIKE 'x%'", "x", "x", 0, True),
        ("f > 1", math.nan, math.nan, 0, True),
        ("f > 1", 0.0, 0.5, 0, True),  # NaN is above all, and bounds leave it out
        ("f < 0", 0.0, 0.5, 0, False),
        ("f <> 5", 5.0, 5.0, 0, True),
        ("f = 'NaN'", 0.0, 0.5, 0, True),
        ("f < 'NaN'", 0.0, 0.5, 0, True),
        ("f > 1", None, None, 10, False),
    ],
)
def test_what_statistics_exclude(text: str, low: Any, high: Any, nulls: int | None, expected: bool) -> None:
    assert kept(text, low, high, nulls) is expected


def test_long_lists_are_taken_as_a_range() -> None:
    text = f"i IN ({', '.join(str(2 * n) for n in range(200))})"
    assert kept(text, 399, 500, 0) is False
    assert kept(text, 7, 7, 0) is True


@pytest.mark.parametrize(
    ("text", "column", "value"),
    [
        ("i = '12'", "i", 12),
        ("i = 12.0", "i", 12),
        ("b = 'TRUE'", "b", True),
        ("d = 1.5", "d", Decimal("1.500")),
        ("f = '-Infinity'", "f", float("-inf")),
        ("`and` = X'00ff'", "and", b"\x00\xff"),
        ("day = DATE '2024-05-14'", "day", 19857),
        ("clock = TIME '01:02:03.004'", "clock", 3723004),
        ("t = TIMESTAMP '2023-11-14T22:13:20.123456'", "t", Timestamp(1700000000123, 456000)),
        ("中 = '2023-11-15 06:13:20+08:00'", "中", Timestamp(1700000000000)),
        ("中 = '2023-11-14 22:13:20Z'", "中", Timestamp(1700000000000)),
        ("`the name` = 'it''s'", "the name", "it's"),
    ],
)
def test_literals_become_values_of_the_column(text: str, column: str, value: Any) -> None:
    assert bind(parse_predicate(text), FIELDS) == Comparison(column, Operator.EQUAL, value, TYPES[column])


@pytest.mark.parametrize(
    "text",
    [
        "i = 1.5",
        "i = 2147483648",
        "i = 'x'",
        "i = TRUE",
        "i LIKE '1%'",
        "b = 1",
        "f = 1e999",
        "s = 1",
        "d = 0.0001",
        "`and` = 'text'",
        "day = '2024-02-30'",
        "day = '2024-02-01 10:00:00'",
        "clock = '25:00:00'",
        "t = '2024-01-01 00:00:00.0000001'",
        "t = 5",
        "s LIKE 'a\\'",
    ],
)
def test_a_literal_that_does_not_fit_names_the_column(text: str) -> None:
    predicate = parse_predicate(text)
    with pytest.raises(InvalidRequestError, match=f"column={references(predicate)[0]}"):
        bind(predicate, FIELDS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a column"),
        ("i", "expected a comparison"),
        ("i = ", "expected a value"),
        ("i = NULL", "IS NULL"),
        ("i = 1 i = 2", "expected AND, OR or the end"),
        ("i = 1 AND", "expected a column"),
        ("(i = 1", "expected '\\)'"),
        ("i IN ()", "expected a value"),
        ("i NOT 5", "expected a comparison"),
        ("i IS 5", "expected NULL"),
        ("i BETWEEN 1 OR 2", "expected AND"),
        ("s LIKE 5", "LIKE needs a text"),
        ("i ; DROP", "cannot read ';"),
        ("i.inner = 1", "whole columns, and nothing inside of 'i'"),
        ("s['key'] = 1", "whole columns, and nothing inside of 's'"),
        ("`and` = X'0'", "hex"),
        ("i = 12abc", "cannot read"),
        ("s = 'open", "cannot read"),
    ],
)
def test_broken_text_says_what_and_where(text: str, message: str) -> None:
    with pytest.raises(InvalidRequestError, match=f"{message}.*position="):
        parse_predicate(text)


class TestDepth:
    def test_parentheses_up_to_the_limit_are_read(self) -> None:
        depth = MAX_DEPTH - 1
        assert parse_predicate("(" * depth + "i = 1" + ")" * depth) == Comparison("i", Operator.EQUAL, 1)

    @pytest.mark.parametrize("prefix", ["(", "NOT "])
    def test_beyond_the_limit_is_refused(self, prefix: str) -> None:
        with pytest.raises(InvalidRequestError, match="deep"):
            parse_predicate(prefix * 100_000 + "i = 1")

    def test_built_trees_are_limited_too(self) -> None:
        predicate: Predicate = IsNull("i")
        for _ in range(MAX_DEPTH):
            predicate = Not(predicate)
        with pytest.raises(InvalidRequestError, match="deep"):
            bind(predicate, FIELDS)

    def test_long_chains_are_flat(self) -> None:
        assert isinstance(parse_predicate(" OR ".join(["i = 1"] * 1000)), Or)


def test_and_binds_closer_than_or_and_not_closest() -> None:
    assert predicate_to_text(parse_predicate("NOT i=1 AND b=TRUE OR s IS NULL")) == (
        "(NOT i = 1 AND b = TRUE) OR s IS NULL"
    )


def test_between_is_two_comparisons() -> None:
    assert predicate_to_text(parse_predicate("i BETWEEN 1 AND 2")) == "i >= 1 AND i <= 2"
    assert predicate_to_text(parse_predicate("i NOT BETWEEN 1 AND 2")) == "i < 1 OR i > 2"


def test_references_and_parts() -> None:
    predicate = parse_predicate("s = 'a' AND (i = 1 OR s = 'b') AND (b = TRUE AND i = 2)")
    assert references(predicate) == ("s", "i", "b")
    assert [predicate_to_text(p) for p in split_and(predicate)] == [
        "s = 'a'",
        "i = 1 OR s = 'b'",
        "b = TRUE",
        "i = 2",
    ]


def test_an_unknown_column_is_named_and_those_there_are() -> None:
    with pytest.raises(InvalidRequestError, match=rf"column=nope, columns={FIELDS[0].name}, "):
        bind(parse_predicate("nope = 1"), FIELDS)


@pytest.mark.parametrize("name", ["i.inner", "i[key]"])
def test_a_built_filter_on_a_field_inside_a_column_is_refused_as_such(name: str) -> None:
    with pytest.raises(InvalidRequestError, match=r"cannot ask for a field inside of one \(column=i"):
        bind(Comparison(name, Operator.EQUAL, 1), FIELDS)


def test_only_bound_predicates_are_evaluated() -> None:
    with pytest.raises(InvalidRequestError, match="bound"):
        evaluate(parse_predicate("i = 1"), batch_of([]))


@pytest.mark.parametrize("text", ["f IN (0)", "f IN (-0.0, 7)", "f NOT IN (0)"])
def test_in_takes_both_zeros_for_one_as_equality_does(text: str) -> None:
    floats = pa.array([0.0, -0.0, float("nan"), 1.0, None])
    batch = pa.record_batch([floats], names=["f"])
    kept = evaluate(bind(parse_predicate(text), FIELDS), batch).fill_null(False)
    equal = pa.array([0.0, -0.0]) if "NOT" not in text else pa.array([math.nan, 1.0])
    assert repr(floats.filter(kept).to_pylist()) == repr(equal.to_pylist())
    table = ds.dataset(pa.table(batch.to_pydict()))
    found = table.to_table(filter=to_expression(bind(parse_predicate(text), FIELDS)))
    assert repr(found.column("f").to_pylist()) == repr(equal.to_pylist())


def test_a_number_has_no_more_digits_than_a_double_needs() -> None:
    with pytest.raises(InvalidRequestError, match="400 digits"):
        parse_predicate(f"i = {'9' * 5000}")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("C:\\\\dir%", ["C:\\dir1"]), ("%\\\\", ["a\\"]), ("%\\%%", ["5%"]), ("C:\\\\dir_", ["C:\\dir1"])],
)
def test_a_backslash_escapes_wherever_it_stands(pattern: str, expected: list[str]) -> None:
    batch = pa.record_batch({"s": ["C:\\dir1", "C:\\\\dir1", "x", "a\\", "5%"]})
    predicate = bind(parse_predicate(f"s LIKE '{pattern}'"), fields(s="STRING"))
    assert batch.filter(evaluate(predicate, batch))["s"].to_pylist() == expected


def test_a_pattern_that_is_too_long_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="too long"):
        bind(parse_predicate(f"s LIKE '{'%a' * 6000}'"), fields(s="STRING"))
