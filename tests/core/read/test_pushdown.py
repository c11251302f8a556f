"""Which parts of a filter a file can answer by itself. Spec: 09, 4."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.predicate import bind, parse_predicate, split_and
from core.read.pushdown import row_filters
from core.schema.evolution import map_fields
from core.types import parse_type
from tests.builders import fields

TABLE = fields(a="BIGINT", b="STRING", f="DOUBLE", c="STRING", new="INT")


def pushed(where: str) -> list[str]:
    """The expressions for a file that has `a` and `c` as INT, `b` under the name `old_b`, and no `new`."""
    a, b, f, c, _ = TABLE
    of_file = (
        replace(a, type=parse_type("INT")),
        replace(b, name="old_b"),
        f,
        replace(c, type=parse_type("INT")),
    )
    predicate = bind(parse_predicate(where), TABLE)
    return [str(found.expression) for found in row_filters(split_and(predicate), map_fields(TABLE, of_file))]


def test_columns_are_asked_for_by_the_files_names() -> None:
    assert pushed("b = 'x'") == ['(old_b == "x")']


@pytest.mark.parametrize(
    "where", ["a = 9876543210", "new = 1", "new IS NULL", "new = 1 OR b = 'x'", "c = '1'"]
)
def test_what_does_not_carry_over_to_the_file_is_left_to_the_reader(where: str) -> None:
    assert pushed(where) == []


def test_parts_of_an_and_are_taken_one_by_one() -> None:
    assert pushed("new = 1 AND b = 'x' AND f < 2") == ['(old_b == "x")', "(f < 2)"]


def test_an_integer_is_compared_in_the_narrower_type_of_the_file() -> None:
    assert pushed("a = 7 OR b = 'x'") == ['((a == 7) or (old_b == "x"))']


@pytest.mark.parametrize(
    "where", ["f <> 1", "f NOT IN (1)", "NOT f = 1", "b = 'x' OR f <> 1", "f > 1", "NOT f <= 1", "f = 'NaN'"]
)
def test_what_nan_satisfies_is_not_asked_of_statistics_that_may_leave_it_out(where: str) -> None:
    assert pushed(where) == []


@pytest.mark.parametrize("word", ["OR", "AND"])
def test_no_more_tests_are_asked_of_a_file_than_arrow_bears(word: str) -> None:
    found = pushed("b = 'x' AND (" + f" {word} ".join(f"a <> {n}" for n in range(30_000)) + ")")

    assert found[0] == '(old_b == "x")'
    assert sum(map(len, found)) < 10_000
